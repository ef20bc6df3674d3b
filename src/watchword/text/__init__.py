"""What is a term, and which number has it?

`folding` says what text is compared as, `unicode` makes tables of it, `analyzer` cuts texts into terms,
`stems` remembers what words become that are stemmed or dropped, `vocabulary` gives strings numbers.
"""
