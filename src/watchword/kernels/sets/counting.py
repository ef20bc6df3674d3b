"""Figure 2 of the notes on predicates (Pereira et al. 2000; Wang, Quan and Zhao 2019): count hits, then scan all rows.

The rows of Table 2.1 need 3 2 3 2 2 3 atoms. The item {1, 24, 12} walks three lists:

    atom    1   S4 S3 S2 S1     hitcount   1 1 1 1 0 0
           24   S2                         1 2 1 1 0 0
           12   S4                         1 2 1 2 0 0     six increments
    needed                                 3 2 3 2 2 3     S2 and S4 are found; hitcount is all 0 again

Layout: the linked lists of `postings`; ``needed[row]`` is the number of atoms of a row, ``hitcount[row]`` how many of
them were met. A hit count never exceeds `needed`, so a byte is enough for it if no row is longer than 255.

Invariant: between items every hit count is 0. Figure 2 sets all to 0 before an item, and line 7 then reads all; here
the scan does both, which leaves one pass instead of two.

Cost: the lengths of the item's lists, and a pass over all rows, found or not: `BLOCK` of them are compared at once, and
looked at singly only if one is found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int16, Int32, UInt8, UInt16
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.postings import first_node

BLOCK = 256


class HitCount(NamedTuple):
    """The arrays of matching; `hitcount` belongs to one batch, and is 0 between items."""

    heads: Int32
    nodes: Int32
    payloads: Int32
    needed: Int16
    hitcount: UInt8 | UInt16


@leaf
def _count_run(nodes, hitcount, node):
    """Increment the hit counts of `node` and of its successors, as long as they lie side by side; returns the last.

    To guess that the next node lies right after this one, and to test it, is faster than to wait for its address.
    """
    at = 2 * node
    hitcount[np.uint32(nodes[at])] += 1
    while nodes[at + 1] == (at >> 1) + 1:
        at += 2
        hitcount[np.uint32(nodes[at])] += 1
    return at >> 1


@leaf
def _count_hits(index, atoms, begin, end):
    """Increment the hit count of every posting of an item (lines 3 to 5); return the number of postings."""
    nodes, postings = index.nodes, 0
    for i in range(begin, end):
        node = np.int64(first_node(index.heads, atoms[i]))
        while node >= 0:
            last = _count_run(nodes, index.hitcount, node)
            postings += last - node + 1
            node = np.int64(nodes[2 * last + 1])
    return postings


@leaf
def _any_found(hitcount, needed):
    """Return whether any hit count equals `needed`. The loop has no early exit, so that 32 are compared at once."""
    found = False
    for row in range(len(needed)):
        found |= hitcount[row] == needed[row]
    return found


@leaf
def _scan(index, fill, payloads):
    """Write the payloads of rows whose hit count is `needed` from `fill` on (lines 6 and 7), and set all counts to 0.

    Returns the new fill, which keeps counting when the buffer is full.
    """
    needed, hitcount = index.needed, index.hitcount
    for start in range(0, len(needed), BLOCK):
        stop = min(start + BLOCK, len(needed))
        if _any_found(hitcount[start:stop], needed[start:stop]):
            for row in range(start, stop):
                if hitcount[row] == needed[row]:
                    if fill < len(payloads):
                        payloads[fill] = index.payloads[row]
                    fill += 1
        hitcount[start:stop] = 0
    return fill


@kernel
def match(item_offsets, item_atoms, index, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: counter increments."""
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        postings = _count_hits(index, item_atoms, item_offsets[item], item_offsets[item + 1])
        fill = _scan(index, used, payloads)
        if fill > len(payloads):
            return item, used, operations
        offsets[item + 1] = used = fill
        operations += postings
    return len(item_offsets) - 1, used, operations
