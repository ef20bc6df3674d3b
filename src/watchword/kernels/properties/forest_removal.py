"""A row leaves the trees of a `forest`: its cell in each, a node that is left with one child, and its record.

In the trees drawn in `forest`, without the row ``10*`` node 1 has one child, and that takes its place::

    property 0 ── 0 ── [9]
               └─ 1 ── [8]
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.arena import give_back
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.properties.forest import (
    CELL_WORDS,
    CELLS,
    FREE_CELL,
    FREE_NODE,
    NODE_WORDS,
    NODES,
    NONE,
    RECORD_HEAD,
    STAR,
    WIDTH,
    fits,
    put_link,
)


@leaf
def _leaf_of(forest, tree, values):
    """Return the link of the leaf at which a row would be, the place of that link, and the place of the node's."""
    nodes = forest.nodes
    link, at, above = np.int64(forest.roots[tree]), np.int64(-1), np.int64(-1)
    while link >= 0:
        above = at
        at = NODE_WORDS * link + 1 + values[nodes[NODE_WORDS * link]]
        link = np.int64(nodes[at])
    return link, at, above


@leaf
def _is_row(words, address, literals, payload):
    """Say whether a record has these literals and this payload."""
    if words[address] != payload or words[address + 1] != len(literals):
        return False
    for k in range(len(literals)):
        if words[address + RECORD_HEAD + k] != literals[k]:
            return False
    return True


@leaf
def _record_of(forest, tree, values, literals, payload):
    """Return the record of a row, found through one of its trees, or -1."""
    link, _, _ = _leaf_of(forest, tree, values)
    cell = np.int64(-1) if link == NONE else -2 - link
    while cell >= 0:
        address = np.int64(forest.cells[CELL_WORDS * cell])
        if _is_row(forest.words, address, literals, payload):
            return address
        cell = np.int64(forest.cells[CELL_WORDS * cell + 1])
    return np.int64(-1)


@leaf
def _splice(forest, tree, at, above):
    """Take an empty leaf, whose link was at `at`, out of its node; a node with one child left gives it its place."""
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
def _remove(forest, tree, address, values):
    """Take a record out of a tree that has it."""
    cells, state = forest.cells, forest.state
    link, at, above = _leaf_of(forest, tree, values)
    before, cell = np.int64(-1), -2 - link
    while cells[CELL_WORDS * cell] != address:
        before, cell = cell, np.int64(cells[CELL_WORDS * cell + 1])
    following = np.int64(cells[CELL_WORDS * cell + 1])
    if before >= 0:
        cells[CELL_WORDS * before + 1] = following
    elif following >= 0:
        put_link(forest, tree, at, -2 - following)
    elif at < 0:
        forest.roots[tree] = NONE
    else:
        _splice(forest, tree, at, above)
    cells[CELL_WORDS * cell + 1] = state[FREE_CELL]
    state[FREE_CELL] = cell
    state[CELLS] -= 1


@kernel
def remove_row(forest, literals, payload):
    """Remove a row from all trees; returns whether it was there."""
    values = np.full(forest.state[WIDTH], STAR, np.uint8)
    for literal in literals:
        if literal >> 1 >= len(values):
            return False
        values[literal >> 1] = literal & 1
    address = np.int64(-1)
    for tree in range(len(forest.roots)):
        if address < 0:
            address = _record_of(forest, tree, values, literals, payload)
        if address >= 0 and fits(forest, tree, address):
            _remove(forest, tree, address, values)
    if address < 0:
        return False
    size = forest.words[address + 1]
    give_back(forest.words, forest.bins, forest.state, address, RECORD_HEAD + size)
    forest.words[address + 1] = -size
    return True
