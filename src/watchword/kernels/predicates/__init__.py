"""Kernels of predicates, in the order in which data passes them.

pieces     subscriptions cut into predicates
scan       JSON texts into records of the values that are asked for
tokens     strings and numbers of JSON
gather     records sorted by attribute and kind, strings copied into columns
borders    texts with a byte before and behind each
place      one text into points and labels
values     event values into labels and points: what `fields` knows, over whole columns; put together event by event
instants   ISO dates and times into numbers
choice     the access key of a row, and the pairs of fields that are worth a probe
nodes      intervals of labels, as access keys for spans
layout     how rows are kept, and what holds in an event
packing    rows into the packed base, and back
delta      rows that came since
match      which rows hold in an event
heads      where the blocks of its access keys begin
blocks     the rows of blocks that hold
lists      the rows of the delta that hold
programs   the remaining checks of clauses whose rows hold
spans      all spans that hold, for methods that want them listed
"""
