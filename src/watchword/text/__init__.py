"""What is a term, and which number has it?

`folding` says what text is compared as, `unicode` makes tables of it, `analyzer` cuts texts into terms,
`stems` remembers the stems of words, `vocabulary` gives strings numbers.
"""
