"""Texts: cut, folded, looked up.

In the order in which bytes pass: `scan` (where terms begin and end, and their folding), `vocabulary` (strings and their
numbers), `read_terms` (both in one pass: a text into term numbers). `folding` (whole texts case-folded, characters
counted, UTF-8 checked) and `code_points` are for patterns.
"""
