"""The partial-order index: distinct sets in a graph by containment, and the walk through its subsets.

Kourdounakis 2011, section 5.1.3, after the POI of Tzitzikas et al. A node's parents are its maximal stored proper
subsets, its children its minimal stored proper supersets; nodes without parents are the *tops*. Equal sets share a
node. Of Table 2.1 only S5 = {2, 4} is within another row, S1 = {1, 2, 4} (Figure 5.4):

    node       0        1       2        3       4       5
    sets    1 2 4  |  1 24 | 1 2 3  |  1 12  |  2 4  | 2 3 13
    ups        0       -1      -1       -1      -1      -1           link 0 leads to node 4
    downs     -1       -1      -1       -1       1      -1           link 1 leads to node 0
    leads      4       -2      -3       -1      -4      -5           the parent, or -1 - the position among the tops
    tops       3 1 2 4 5

The item {4, 2, 1} tests the five tops, finds {2, 4} within it, and tests the child of {2, 4}: six inclusion tests find
S5 and S1.

Layout: node `n` has the atoms ``words[addresses[n]:][:sizes[n]]``, ascending (see `arena`), a 64-bit signature (bit
``atom & 63`` for each atom, 0 for a free node), a list of payloads from `heads` through `payloads` and `nexts`, and two
lists of neighbours, from `ups` and `downs` through `link_nodes` and `link_nexts`. The tops stand in `tops` with their
signatures in `top_signatures`, for they are scanned for every item. Free nodes are chained through `addresses` as -2 -
the next one, free cells through `nexts`, free links through `link_nexts`.

A node keeps its whole set, so that a test reads one place; or, with ``state[DELTA]``, the thesis's way, only what it
adds to its parents, which may be nothing: ``words[addresses[n]:][:own[n]]``, in any order; its contents are the union
up to the tops. Of the rows above, S1 then keeps the atom 1 alone, and is tested with it once {2, 4} was found:

    node       0        1       2        3       4       5
    kept    1      |  1 24 | 1 2 3  |  1 12  |  2 4  | 2 3 13

``leads[n]`` is one of the parents, or -1 - the position in `tops` of a node that has none. If a set is within an item
then so are all its parents; so it suffices to reach each node from its lead, and nothing needs to remember which nodes
were seen: the leads span a forest, and several threads can walk it. With deltas that is not enough, for a lead says
nothing about the atoms of the other parents: there a node is tested once all its parents were found; `pending`, an
array of the walk, counts the parents not yet found.

Invariant: ``ups`` and ``downs`` mirror each other, and hold no edge that a longer path implies.

Cost: the tops and the children of every subset found are tested; where few sets contain each other nearly all are
tops, and it is brute force (the thesis says so too). A signature settles most tests. Changes are in `poset_change`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.int_set import set_fill, set_has, set_table
from watchword.kernels.jit import kernel, leaf

IDS_END, FREE_ID, NODES, ROWS, CELLS_END, FREE_CELL, LINKS_END, FREE_LINK, EDGES, TOPS, STAMP = range(2, 13)
WANTED, WANTED_WORDS, DELTA = range(13, 16)


class PosetArrays(NamedTuple):
    """The whole poset; `state` holds the arena's figures and those named above.

    `stamps`, ``state[WANTED]`` and ``state[WANTED_WORDS]``, the links and words that a change asks room for, serve
    changes only. `own` is empty where nodes keep whole sets.
    """

    words: Int32
    bins: Int32
    addresses: Int32
    sizes: Int32
    own: Int32
    signatures: Int64
    heads: Int32
    ups: Int32
    downs: Int32
    leads: Int32
    stamps: Int64
    tops: Int32
    top_signatures: Int64
    payloads: Int32
    nexts: Int32
    link_nodes: Int32
    link_nexts: Int32
    state: Int64


def new_poset(delta: bool = False) -> PosetArrays:
    """Return a poset without sets."""
    state = np.zeros(16, np.int64)
    state[DELTA] = delta
    state[[FREE_ID, FREE_CELL, FREE_LINK]] = -1
    wide = ("signatures", "stamps", "top_signatures")
    arrays = {field: np.empty(0, np.int64 if field in wide else np.int32) for field in PosetArrays._fields}
    return PosetArrays._make((arrays | {"state": state}).values())


@kernel
def signature(atoms, start, end):
    """Return a bit set of 64 atom classes: the signature of a subset is within that of its superset."""
    bits = np.int64(0)
    for i in range(start, end):
        bits |= np.int64(1) << np.int64(atoms[i] & 63)
    return bits


@leaf
def kept(poset, node):
    """Return the number of atoms that a node stores."""
    return poset.own[node] if poset.state[DELTA] else poset.sizes[node]


@kernel
def new_pending(poset):
    """Return the counters of `find_subsets`: one for every node if nodes store deltas, else none."""
    return np.zeros(poset.state[IDS_END] if poset.state[DELTA] else 0, np.int32)


@leaf
def _within(poset, node, table, mask):
    """Return whether all atoms that a node stores are in a set."""
    start = poset.addresses[node]
    for i in range(start, start + kept(poset, node)):
        if not set_has(table, mask, poset.words[i]):
            return False
    return True


@leaf
def _parents_left(poset, child, pending):
    """Count one more found parent of a node; returns the number of parents not yet found."""
    if pending[child] == 0:
        link = poset.ups[child]
        while link >= 0:
            pending[child] += 1
            link = poset.link_nexts[link]
    pending[child] -= 1
    return pending[child]


@leaf
def _forget(poset, nodes, count, pending):
    """Set the counters of the children of nodes to 0."""
    for i in range(count):
        link = poset.downs[nodes[i]]
        while link >= 0:
            pending[poset.link_nodes[link]] = 0
            link = poset.link_nexts[link]


@kernel
def find_subsets(poset, atoms, start, end, table, nodes, pending):
    """Write the nodes whose set is within ``atoms[start:end]``; returns their number and the tests made.

    `nodes` is also the queue of the walk: the children of every node written are looked at in turn. `pending` is 0
    everywhere, and is so again afterwards (`new_pending`).
    """
    delta = poset.state[DELTA] != 0
    mask = set_fill(table, atoms, start, end)
    outside = ~signature(atoms, start, end)
    count = 0
    tests = poset.state[TOPS]
    for position in range(tests):
        if poset.top_signatures[position] & outside == 0 and _within(poset, poset.tops[position], table, mask):
            nodes[count] = poset.tops[position]
            count += 1
    done = 0
    while done < count:
        node = nodes[done]
        done += 1
        link = poset.downs[node]
        while link >= 0:
            child = poset.link_nodes[link]
            if _parents_left(poset, child, pending) == 0 if delta else poset.leads[child] == node:
                tests += 1
                if poset.signatures[child] & outside == 0 and _within(poset, child, table, mask):
                    nodes[count] = child
                    count += 1
            link = poset.link_nexts[link]
    if delta:
        _forget(poset, nodes, count, pending)
    return count, tests


@kernel
def _report(poset, nodes, count, used, payloads):
    """Write the payloads of `count` nodes from `used` on; returns the new fill, or -1 if they do not fit."""
    for i in range(count):
        cell = poset.heads[nodes[i]]
        while cell >= 0:
            if used == len(payloads):
                return np.int64(-1)
            payloads[used] = poset.payloads[cell]
            used += 1
            cell = poset.nexts[cell]
    return used


@kernel
def match(item_offsets, item_atoms, poset, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: inclusion tests."""
    table = set_table(item_offsets)
    nodes, pending = np.empty(poset.state[NODES], np.int32), new_pending(poset)
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        start, end = item_offsets[item], item_offsets[item + 1]
        count, tests = find_subsets(poset, item_atoms, start, end, table, nodes, pending)
        fill = _report(poset, nodes, count, used, payloads)
        if fill < 0:
            return item, used, operations
        operations += tests
        offsets[item + 1] = used = fill
    return len(item_offsets) - 1, used, operations
