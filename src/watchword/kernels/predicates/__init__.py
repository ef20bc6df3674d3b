"""Kernels of predicates, in the order in which data passes them.

values     event values into labels and points: what `fields` knows, over whole columns
by_event   labels and points of columns, put together event by event
choice     the access key of a row, and the pairs of fields that are worth a probe
nodes      intervals of labels, as access keys for spans
packing    rows into the packed base, and back
delta      rows that came since
match      which rows hold in an event
"""
