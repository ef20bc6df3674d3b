"""What is a term, and which number has it?

`unicode` makes tables of Python's own Unicode data, `analyzer` cuts texts into terms, `stems` remembers what words
become that are stemmed or dropped, `vocabulary` gives strings numbers.
"""
