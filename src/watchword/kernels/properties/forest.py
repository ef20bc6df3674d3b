"""Restricted search trees over properties, as many as one likes, over one store of rows (Kale et al. 2005, section 4).

A tree tests properties in a cyclic order, each path up to `depth` of them. Where all rows of a subtree agree on a
property no node is made (path compression): a node is there where rows part. With three properties and the rows
``10*`` as 7, ``1*0`` as 8 and ``0**`` as 9, in a tree that begins with property 0::

    property 0 ── 0 ── [9]
               └─ 1 ── property 1 ── 0 ── [7]
                                  └─ * ── [8]

    nodes   0:  property 0, children  leaf 2, node 1, none         four words each: property, then 0, 1 and *
            1:  property 1, children  leaf 0, none, leaf 1
    cells   record 0, end   record 4, end   record 8, end          two words each: the record's address, the next cell
    words   7 2 1 2   8 2 1 4   9 1 0                              a record: payload, size, literals
    trees   0 3 0 3                                                four words each: start, depth, least, most

Layout: a child is a *link*: `NONE`, the number of a node, or ``-2 - cell`` for a leaf, which is the list of the rows
that agree on all properties of the tree. Tree `t` begins at ``roots[t]``. `words` and `bins` are an `arena`; a free
record has its size negated. Free nodes are chained through their second word, free cells through theirs.

A tree asks ``depth`` properties from ``start`` on, around the end; what it does not ask is its *block*. It holds the
rows that have at most ``most`` ones, at least ``least`` ones or stars, and no 1 in the block; it serves the events with
``least`` to ``most`` ones, none of them in the block. So it holds every row that an event which it serves satisfies.

Invariant: a node has two children or three; along a path the ranks of nodes, ``(property - start) mod width``, ascend;
rows below a node agree on all properties of a lesser rank at which there is no node above. So a walk has to check the
row that it ends at, once for each leaf.

Cost: a row takes one cell in every tree that holds it, and at most one node; adding it is a walk down, and a comparison
of two rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.arena import take
from watchword.kernels.jit import inline, kernel, leaf

WIDTH, NODES_END, FREE_NODE, NODES, CELLS_END, FREE_CELL, CELLS = range(2, 9)
"""Behind the two figures of the arena in `state`."""

NODE_WORDS, CELL_WORDS, TREE_WORDS, RECORD_HEAD = 4, 2, 4, 2
START, DEPTH, LEAST, MOST = range(TREE_WORDS)
NONE = -1
STAR = 2


class Forest(NamedTuple):
    """All trees, and the rows that they share."""

    nodes: Int32
    cells: Int32
    words: Int32
    bins: Int32
    roots: Int32
    trees: Int32
    state: Int64


def new_forest(width: int, trees: Int32) -> Forest:
    """Return trees without rows; `trees` has four words for each."""
    state = np.array([0, 0, width, 0, -1, 0, 0, -1, 0], np.int64)
    none = np.empty(0, np.int32)
    bins = np.full(width + RECORD_HEAD + 1, -1, np.int32)
    return Forest(none, none, none, bins, np.full(len(trees) // TREE_WORDS, NONE, np.int32), trees, state)


@inline
def rank_of(property, start, width):
    """Return at which place of a tree's order a property stands."""
    rank = property - start
    return rank if rank >= 0 else rank + width


@leaf
def fits(forest, tree, address):
    """Say whether a tree holds the row of a record."""
    words, width = forest.words, forest.state[WIDTH]
    begin = TREE_WORDS * tree
    start, depth = forest.trees[begin + START], forest.trees[begin + DEPTH]
    size = words[address + 1]
    ones = 0
    for at in range(address + RECORD_HEAD, address + RECORD_HEAD + size):
        if words[at] & 1:
            ones += 1
            if rank_of(words[at] >> 1, start, width) >= depth:
                return False
    return ones <= forest.trees[begin + MOST] and width - size + ones >= forest.trees[begin + LEAST]


@leaf
def spread(forest, address, values):
    """Write a row's value of every property: 0, 1 or `STAR`."""
    words = forest.words
    values[:] = STAR
    for at in range(address + RECORD_HEAD, address + RECORD_HEAD + words[address + 1]):
        values[words[at] >> 1] = words[at] & 1


@leaf
def _other_leaf(forest, link, values):
    """Return a leaf below a link that agrees with a row for as long as there is one."""
    nodes = forest.nodes
    while link >= 0:
        node = NODE_WORDS * np.int64(link)
        child = nodes[node + 1 + values[nodes[node]]]
        at = node + 1
        while child == NONE:
            child = nodes[at]
            at += 1
        link = child
    return link


@leaf
def _first_difference(forest, tree, one, two):
    """Return the least rank at which two rows differ, and the value of the second there.

    A rank that is not below the tree's depth means that they are the same to this tree.
    """
    words, width = forest.words, forest.state[WIDTH]
    start = forest.trees[TREE_WORDS * tree + START]
    i, j = one + RECORD_HEAD, two + RECORD_HEAD
    one_end, two_end = i + words[one + 1], j + words[two + 1]
    least, other = width, np.int64(STAR)
    while i < one_end or j < two_end:
        left = words[i] if i < one_end else 2 * width
        right = words[j] if j < two_end else 2 * width
        if left != right:
            rank = rank_of(min(left, right) >> 1, start, width)
            if rank < least:
                least = rank
                other = np.int64(right & 1) if right >> 1 <= left >> 1 else np.int64(STAR)
        i += left >> 1 <= right >> 1
        j += right >> 1 <= left >> 1
    return least, other


@leaf
def _new_cell(forest, address, following):
    """Return a new cell for a record, before another or none."""
    state, cells = forest.state, forest.cells
    cell = state[FREE_CELL]
    if cell >= 0:
        state[FREE_CELL] = cells[CELL_WORDS * cell + 1]
    else:
        cell = state[CELLS_END]
        state[CELLS_END] += 1
    cells[CELL_WORDS * cell] = address
    cells[CELL_WORDS * cell + 1] = following
    state[CELLS] += 1
    return cell


@leaf
def _new_node(forest, property):
    """Return a new node without children."""
    state, nodes = forest.state, forest.nodes
    node = state[FREE_NODE]
    if node >= 0:
        state[FREE_NODE] = nodes[NODE_WORDS * node + 1]
    else:
        node = state[NODES_END]
        state[NODES_END] += 1
    nodes[NODE_WORDS * node] = property
    nodes[NODE_WORDS * node + 1 : NODE_WORDS * (node + 1)] = NONE
    state[NODES] += 1
    return node


@leaf
def put_link(forest, tree, at, link):
    """Write a link where it stands: in a node's word, or at the root of a tree for an `at` of -1."""
    if at < 0:
        forest.roots[tree] = link
    else:
        forest.nodes[at] = link


@leaf
def _insert(forest, tree, address, values):
    """Enter a row, whose values are spread out, into a tree that holds it."""
    link = np.int64(forest.roots[tree])
    if link == NONE:
        forest.roots[tree] = -2 - _new_cell(forest, address, -1)
        return
    cell = -2 - _other_leaf(forest, link, values)
    rank, other = _first_difference(forest, tree, address, np.int64(forest.cells[CELL_WORDS * cell]))
    start, width = forest.trees[TREE_WORDS * tree + START], forest.state[WIDTH]
    if rank >= forest.trees[TREE_WORDS * tree + DEPTH]:
        forest.cells[CELL_WORDS * cell + 1] = _new_cell(forest, address, forest.cells[CELL_WORDS * cell + 1])
        return
    at = np.int64(-1)
    while link >= 0 and rank_of(forest.nodes[NODE_WORDS * link], start, width) < rank:
        at = NODE_WORDS * link + 1 + values[forest.nodes[NODE_WORDS * link]]
        link = np.int64(forest.nodes[at])
    property = (start + rank) % width
    leaf_link = -2 - _new_cell(forest, address, -1)
    if link >= 0 and forest.nodes[NODE_WORDS * link] == property:
        forest.nodes[NODE_WORDS * link + 1 + values[property]] = leaf_link
        return
    node = _new_node(forest, property)
    forest.nodes[NODE_WORDS * node + 1 + other] = link
    forest.nodes[NODE_WORDS * node + 1 + values[property]] = leaf_link
    put_link(forest, tree, at, node)


@kernel
def store_rows(forest, order, row_offsets, atoms, payloads, addresses):
    """Write the records of rows, in this order, for which there is room; `addresses` says where they lie."""
    for row in order:
        size = row_offsets[row + 1] - row_offsets[row]
        address = take(forest.words, forest.bins, forest.state, RECORD_HEAD + size)
        forest.words[address] = payloads[row]
        forest.words[address + 1] = size
        for k in range(size):
            forest.words[address + RECORD_HEAD + k] = atoms[row_offsets[row] + k]
        addresses[row] = address


@kernel
def insert_rows(forest, tree, addresses):
    """Enter stored rows that a tree holds, in this order; there is room for a node and a cell for each."""
    values = np.empty(forest.state[WIDTH], np.uint8)
    for k in range(len(addresses)):
        spread(forest, addresses[k], values)
        _insert(forest, tree, np.int64(addresses[k]), values)


@kernel
def insert_everywhere(forest, addresses):
    """Enter stored rows into every tree that holds them; there is room for a node and a cell for each and each tree."""
    values = np.empty(forest.state[WIDTH], np.uint8)
    for k in range(len(addresses)):
        spread(forest, addresses[k], values)
        for tree in range(len(forest.roots)):
            if fits(forest, tree, addresses[k]):
                _insert(forest, tree, np.int64(addresses[k]), values)


@kernel
def held_rows(forest, tree, addresses, held, keys):
    """Collect the rows that a tree holds, and the first 32 values that it asks of each, as a key to sort them by.

    Returns how many they are. Rows that are entered in this order make nodes that lie as they are walked.
    """
    words, width = forest.words, forest.state[WIDTH]
    start, depth = forest.trees[TREE_WORDS * tree + START], forest.trees[TREE_WORDS * tree + DEPTH]
    count = 0
    for k in range(len(addresses)):
        address = np.int64(addresses[k])
        if fits(forest, tree, address):
            key = np.uint64(0xAAAAAAAAAAAAAAAA)
            for at in range(address + RECORD_HEAD, address + RECORD_HEAD + words[address + 1]):
                rank = rank_of(words[at] >> 1, start, width)
                if rank < min(depth, 32):
                    key ^= np.uint64(STAR ^ (words[at] & 1)) << np.uint64(62 - 2 * rank)
            held[count] = address
            keys[count] = key
            count += 1
    return count


@kernel
def renumber(forest, payloads):
    """Replace the payloads of all records."""
    words = forest.words
    address = np.int64(0)
    while address < forest.state[0]:
        size = words[address + 1]
        if size >= 0 and words[address] < len(payloads):
            words[address] = payloads[words[address]]
        address += RECORD_HEAD + abs(size)
