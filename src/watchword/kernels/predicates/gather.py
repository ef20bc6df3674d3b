"""Sorts the records of `scan` by node and kind, and copies the strings of one group into one column.

Of records with the nodes ``1 3 1`` and the kinds STRING, INTEGER, ESCAPED_STRING, the order is ``0 2 1``: both strings
of node 1 are one group. The group of a record is ``GROUPS * node`` plus 0 for an integer, 1 for a double, 2 for a
number that is left to Python, 4 for a boolean, 5 for a string, 6 for an object.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel
from watchword.kernels.predicates.scan import ESCAPED_STRING
from watchword.kernels.predicates.tokens import decoded_into

GROUPS = 7
INTEGERS, DOUBLES, NUMBERS, _, BOOLEANS, STRINGS, OBJECTS = range(GROUPS)


@inline
def _group_of(node, kind):
    return GROUPS * np.int64(node) + np.int64(kind) - np.int64(kind >= ESCAPED_STRING)


@kernel
def sort_records(nodes, kinds, borders, order):
    """Write the records of each group, in their order, and where each group begins; `borders` are zeros, one more than
    groups."""
    for k in range(len(nodes)):
        borders[_group_of(nodes[k], kinds[k]) + 1] += 1
    for group in range(len(borders) - 1):
        borders[group + 1] += borders[group]
    for k in range(len(nodes)):
        group = _group_of(nodes[k], kinds[k])
        order[borders[group]] = k
        borders[group] += 1
    for group in range(len(borders) - 1, 0, -1):
        borders[group] = borders[group - 1]
    borders[0] = 0


@kernel
def copy_strings(data, starts, ends, kinds, order, out, offsets):
    """Write the bytes of the records in `order`, concatenated, escapes decoded, and where each begins; returns the
    number of bytes."""
    fill = np.int64(0)
    for k in range(len(order)):
        record = order[k]
        offsets[k] = fill
        if kinds[record] == ESCAPED_STRING:
            fill = decoded_into(data, starts[record], ends[record], out, fill)
        else:
            for at in range(starts[record], ends[record]):
                out[fill] = data[at]
                fill += 1
    offsets[len(order)] = fill
    return fill
