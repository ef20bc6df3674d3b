"""What the dialects of Lucene and Elasticsearch share, in the order in which a query passes the files.

refused       the reason for which a part of a query cannot be said
fields        what kind of thing a field is, from a mapping; `analyzers` has what its texts are read with
words         texts into words, and words as keywords write them; `fuzzy` has edits behind a fixed beginning
values        numbers, texts and addresses as predicates; `dates` has dates and date math
leaves        one condition on one field as a tree
least         ``minimum_should_match``
trees         trees of conditions, simplified, and written as a subscription
"""
