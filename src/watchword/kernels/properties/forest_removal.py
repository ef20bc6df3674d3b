"""Removes a row from the trees of a `forest`: its entry in each, and a node that is left with one child.

In the tree drawn in `forest`, without the row ``10*`` node 1 has one child, and that takes its place::

    property 0 ── 0 ── [9]
               └─ 1 ── [8]
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.arena import give_back
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.properties.forest import (
    ENTRIES,
    FREE_NODE,
    NEXT,
    NODE_WORDS,
    NODES,
    NONE,
    PAYLOAD,
    SIZE,
    WIDTH,
    block_start,
    entry_words,
    fits,
    literal_at,
    literals_before,
    put_link,
    spread,
)


@leaf
def _leaf_of(forest, tree, values):
    """Return the link of the leaf for a row, the position of that link, and the position of its node's link."""
    nodes = forest.nodes
    link, at, above = np.int64(forest.roots[tree]), np.int64(-1), np.int64(-1)
    while link >= 0:
        above = at
        at = NODE_WORDS * link + 1 + values[nodes[NODE_WORDS * link]]
        link = np.int64(nodes[at])
    return link, at, above


@leaf
def _is_row(words, address, literals, turned, payload):
    """Return whether an entry has this payload and these literals, the ones from `turned` on first."""
    size = len(literals)
    if words[address + PAYLOAD] != payload or words[address + SIZE] != size:
        return False
    for k in range(size):
        if literal_at(words, address, k) != literals[turned + k if turned + k < size else turned + k - size]:
            return False
    return True


@leaf
def _entry_of(words, link, literals, turned, payload):
    """Return the entry of a row in the list of a leaf, and the one before it; -1 for none."""
    before, address = np.int64(NONE), np.int64(NONE) if link == NONE else -2 - link
    while address >= 0 and not _is_row(words, address, literals, turned, payload):
        before, address = address, np.int64(words[address + NEXT])
    return address, before


@leaf
def _splice(forest, tree, at, above):
    """Remove an empty leaf, whose link is at `at`, from its node; if one child is left, it replaces the node."""
    nodes, state = forest.nodes, forest.state
    node = (at - 1) // NODE_WORDS
    nodes[at] = NONE
    only, children = np.int64(NONE), 0
    for k in range(NODE_WORDS * node + 1, NODE_WORDS * (node + 1)):
        if nodes[k] != NONE:
            only = np.int64(nodes[k])
            children += 1
    if children == 1:
        put_link(forest, tree, above, only)
        nodes[NODE_WORDS * node + 1] = state[FREE_NODE]
        state[FREE_NODE] = node
        state[NODES] -= 1


@leaf
def _remove(forest, tree, literals, payload, values):
    """Remove a row from a tree; returns whether it was there."""
    words = forest.words
    link, at, above = _leaf_of(forest, tree, values)
    turned = literals_before(literals, 0, len(literals), block_start(forest, tree))
    address, before = _entry_of(words, link, literals, turned, payload)
    if address < 0:
        return False
    following = words[address + NEXT]
    if before >= 0:
        words[before + NEXT] = following
    elif following >= 0:
        put_link(forest, tree, at, -2 - following)
    elif at < 0:
        forest.roots[tree] = NONE
    else:
        _splice(forest, tree, at, above)
    give_back(words, forest.bins, forest.state, address, entry_words(len(literals)))
    words[address + SIZE] = -len(literals)
    forest.state[ENTRIES] -= 1
    return True


@kernel
def remove_row(forest, literals, payload):
    """Remove a row from all trees; returns whether it was there."""
    values = np.empty(forest.state[WIDTH], np.uint8)
    for literal in literals:
        if literal >> 1 >= len(values):
            return False
    spread(literals, 0, len(literals), values)
    for tree in range(len(forest.roots)):
        if fits(forest, tree, literals, 0, len(literals)) and not _remove(forest, tree, literals, payload, values):
            return False  # the first tree that should have it has not, and so none
    return True
