"""The partial-order index: distinct sets in a graph by containment, and the walk through its subsets.

Kourdounakis 2011, section 5.1.3, after the POI of Tzitzikas et al. A node's parents are its maximal stored proper
subsets, its children its minimal stored proper supersets; nodes without parents are the *tops*. Equal sets share a
node. Deviation: a node keeps its whole set, not what it adds to its parents, so that a test reads one place.

Layout: node `n` has the terms ``words[addresses[n]:][:sizes[n]]``, ascending (see `arena`), a 64-bit
signature (bit ``term & 63`` for each term, 0 for a free node), a list of payloads from `heads` through `payloads`
and `nexts`, and two lists of neighbours, from `ups` and `downs` through `link_nodes` and `link_nexts`. The tops
stand in `tops` with their signatures in `top_signatures`, for they are scanned for every item. Free nodes are
chained through `addresses` as -2 - the next one, free cells through `nexts`, free links through `link_nexts`.

``leads[n]`` is one of the parents, or -1 - its place for a top. If a set is within an item then so are all its
parents; so it suffices to reach each node from its lead, and nothing needs to remember which nodes were seen: the
leads span a forest, and several threads can walk it.

Invariant: ``ups`` and ``downs`` mirror each other, and hold no edge that a longer path implies.

Cost: the tops and the children of every subset found are tested; where few sets contain each other nearly all
are tops, and it is brute force (the thesis says so too). A signature settles most tests.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.int_set import set_fill, set_has, set_table
from watchword.kernels.jit import kernel

IDS_END, FREE_ID, NODES, ROWS, CELLS_END, FREE_CELL, LINKS_END, FREE_LINK, EDGES, TOPS, STAMP, WANTED = range(2, 14)

_Int32 = npt.NDArray[np.int32]
_Int64 = npt.NDArray[np.int64]


class PosetArrays(NamedTuple):
    """The whole state; `state` holds the arena's figures and those named above.

    `stamps` and ``state[WANTED]``, the links that a change asks room for, serve changes only.
    """

    words: _Int32
    bins: _Int32
    addresses: _Int32
    sizes: _Int32
    signatures: _Int64
    heads: _Int32
    ups: _Int32
    downs: _Int32
    leads: _Int32
    stamps: _Int64
    tops: _Int32
    top_signatures: _Int64
    payloads: _Int32
    nexts: _Int32
    link_nodes: _Int32
    link_nexts: _Int32
    state: _Int64


def new_poset() -> PosetArrays:
    """Return a poset without sets."""
    state = np.zeros(14, np.int64)
    state[[FREE_ID, FREE_CELL, FREE_LINK]] = -1
    wide = ("signatures", "stamps", "top_signatures")
    arrays = {field: np.empty(0, np.int64 if field in wide else np.int32) for field in PosetArrays._fields}
    return PosetArrays._make((arrays | {"state": state}).values())


@kernel
def signature(terms, start, end):
    """Return a bit set that is within another's if the terms are within the other's."""
    bits = np.int64(0)
    for i in range(start, end):
        bits |= np.int64(1) << np.int64(terms[i] & 63)
    return bits


@kernel
def _within(poset, node, table, mask):
    """Return whether all terms of a node are in a term set."""
    start = poset.addresses[node]
    for i in range(start, start + poset.sizes[node]):
        if not set_has(table, mask, poset.words[i]):
            return False
    return True


@kernel
def find_subsets(poset, terms, start, end, table, found):
    """Write the nodes whose set is within ``terms[start:end]``; returns their number and the tests made.

    `found` is also the queue of the walk: the children of every node written are looked at in turn.
    """
    mask = set_fill(table, terms, start, end)
    outside = ~signature(terms, start, end)
    count = 0
    tests = poset.state[TOPS]
    for place in range(tests):
        if poset.top_signatures[place] & outside == 0 and _within(poset, poset.tops[place], table, mask):
            found[count] = poset.tops[place]
            count += 1
    done = 0
    while done < count:
        node = found[done]
        done += 1
        link = poset.downs[node]
        while link >= 0:
            child = poset.link_nodes[link]
            if poset.leads[child] == node:
                tests += 1
                if poset.signatures[child] & outside == 0 and _within(poset, child, table, mask):
                    found[count] = child
                    count += 1
            link = poset.link_nexts[link]
    return count, tests


@kernel
def _report(poset, nodes, count, used, found):
    """Write the payloads of `count` nodes behind `used`; returns the new fill, or -1 if they do not fit."""
    for i in range(count):
        cell = poset.heads[nodes[i]]
        while cell >= 0:
            if used == len(found):
                return np.int64(-1)
            found[used] = poset.payloads[cell]
            used += 1
            cell = poset.nexts[cell]
    return used


@kernel
def match_items(poset, offsets, terms, first, used, ends, found):
    """Match items from `first` on, as `watchword.sets.structure.Step` asks."""
    table = set_table(offsets)
    nodes = np.empty(poset.state[NODES], np.int32)
    operations = 0
    for item in range(first, len(offsets) - 1):
        count, tests = find_subsets(poset, terms, offsets[item], offsets[item + 1], table, nodes)
        fill = _report(poset, nodes, count, used, found)
        if fill < 0:
            return item, used, operations
        operations += tests
        ends[item] = used = fill
    return len(offsets) - 1, used, operations
