"""CB_MATCH: count each row's missing atoms down to zero (Kourdounakis 2011, section 2.2.2, Algorithm 4).

The rows of Table 2.1 have the counters 3 2 3 2 2 3. The item {1, 24, 12} walks three lists (Example 2.4):

    atom    1   S4 S3 S2 S1     counters   2 1 2 1 2 3
           24   S2                         2 0 2 1 2 3     S2 is found
           12   S4                         2 0 2 0 2 3     S4 is found; six decrements
    and the same lists again, counting up:  3 2 3 2 2 3

Layout: the linked lists of `postings`; ``counters[row]`` is the caller's private copy of the counter, the number of
atoms of each row.

Invariant: between items every counter is the row's number of atoms. The thesis copies the counter for every item; here
it is copied once per batch, and after each item its lists are walked again to count up.

Cost: twice the lengths of the item's lists; the second walk is not in the operations, as in equation 2.9.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int16, Int32
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.postings import first_node


class CountIndex(NamedTuple):
    """The arrays of matching; `counters` belong to one batch."""

    heads: Int32
    nodes: Int32
    payloads: Int32
    counters: Int16


@leaf
def _count_down(index, atoms, begin, end, fill, payloads):
    """Decrement the counter of every posting of an item; return the new fill and the number of postings.

    Payloads of counters that reach 0 are written from `fill` on, which counts on where the buffer has no more room.
    """
    heads, nodes, counters = index.heads, index.nodes, index.counters
    postings = 0
    for i in range(begin, end):
        node = first_node(heads, atoms[i])
        while node >= 0:
            row = nodes[2 * node]
            node = nodes[2 * node + 1]
            postings += 1
            counters[row] -= 1
            if counters[row] == 0:
                if fill < len(payloads):
                    payloads[fill] = index.payloads[row]
                fill += 1
    return fill, postings


@leaf
def _count_up(index, atoms, begin, end):
    """Undo an item's decrements."""
    heads, nodes, counters = index.heads, index.nodes, index.counters
    for i in range(begin, end):
        node = first_node(heads, atoms[i])
        while node >= 0:
            counters[nodes[2 * node]] += 1
            node = nodes[2 * node + 1]


@kernel
def match(item_offsets, item_atoms, index, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: counter decrements."""
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        begin, end = item_offsets[item], item_offsets[item + 1]
        fill, postings = _count_down(index, item_atoms, begin, end, used, payloads)
        _count_up(index, item_atoms, begin, end)
        if fill > len(payloads):
            return item, used, operations
        offsets[item + 1] = used = fill
        operations += postings
    return len(item_offsets) - 1, used, operations
