"""Inserts rows into the trees of a `forest`: an entry in each tree that holds the row, and mostly a node.

A walk down finds a leaf that agrees with the row for as long as any does; where the two first differ, a node is put
into the path. With the tree drawn in `forest`, the row ``100`` finds the leaf of ``10*``, from which it differs at the
last property::

    property 0 ── 0 ── [9]
               └─ 1 ── property 1 ── 0 ── property 2 ── 0 ── [the new row]
                                  │                  └─ * ── [7]
                                  └─ * ── [8]
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.arena import take
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.properties.forest import (
    DEPTH,
    ENTRIES,
    ENTRY_HEAD,
    FREE_NODE,
    NEXT,
    NODE_WORDS,
    NODES,
    NODES_END,
    NONE,
    PAYLOAD,
    SIZE,
    STAR,
    START,
    TREE_WORDS,
    WIDTH,
    block_start,
    entry_words,
    fits,
    literal_at,
    literals_before,
    put_link,
    rank_of,
    spread,
)


@leaf
def _sort_key(forest, tree, atoms, begin, end):
    """Return a row's values of the first 32 properties in a tree's order, two bits each."""
    width, at = forest.state[WIDTH], TREE_WORDS * tree
    start, depth = forest.trees[at + START], forest.trees[at + DEPTH]
    key = np.uint64(0xAAAAAAAAAAAAAAAA)  # all of them stars
    for k in range(begin, end):
        rank = rank_of(atoms[k] >> 1, start, width)
        if rank < min(depth, 32):
            key ^= np.uint64(STAR ^ (atoms[k] & 1)) << np.uint64(62 - 2 * rank)
    return key


@kernel
def held_rows(forest, tree, batch, held, keys):
    """Collect the rows that a tree holds, and keys to sort them by; returns their number.

    If rows are inserted in this order, nodes and entries lie in the order of a walk.
    """
    count = 0
    for row in range(len(batch.payloads)):
        begin, end = batch.offsets[row], batch.offsets[row + 1]
        if fits(forest, tree, batch.atoms, begin, end):
            held[count] = row
            keys[count] = _sort_key(forest, tree, batch.atoms, begin, end)
            count += 1
    return count


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
    """Return the least rank at which the rows of two entries differ, and the value of the second there.

    The depth of the tree, as the rank, means that they are the same to this tree.
    """
    words, width = forest.words, forest.state[WIDTH]
    start, depth = block_start(forest, tree), forest.trees[TREE_WORDS * tree + DEPTH]
    one_size, two_size = words[one + SIZE], words[two + SIZE]
    i, j = 0, 0
    while i < one_size or j < two_size:
        mine, theirs = literal_at(words, one, i), literal_at(words, two, j)
        left = rank_of(mine >> 1, start, width) if i < one_size else width
        right = rank_of(theirs >> 1, start, width) if j < two_size else width
        rank = min(left, right) - (width - depth)
        if rank >= 0 and (left != right or mine != theirs):
            return rank, theirs & 1 if right <= left else np.int64(STAR)
        i += left <= right
        j += right <= left
    return np.int64(depth), np.int64(STAR)


@leaf
def _new_entry(forest, tree, batch, row):
    """Return the address of a new entry for a row, without a successor."""
    words, begin = forest.words, batch.offsets[row]
    size = batch.offsets[row + 1] - begin
    address = np.int64(take(words, forest.bins, forest.state, entry_words(size)))
    words[address + NEXT] = NONE
    words[address + PAYLOAD] = batch.payloads[row]
    words[address + SIZE] = size
    turned = literals_before(batch.atoms, begin, begin + size, block_start(forest, tree))
    for k in range(size):
        source = turned + k if turned + k < size else turned + k - size
        literal = np.int64(batch.atoms[begin + source])
        at = address + ENTRY_HEAD + (k >> 1)
        words[at] = np.int32(words[at] | literal << 16) if k & 1 else np.int32(literal)
    forest.state[ENTRIES] += 1
    return address


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
def _insert(forest, tree, address, values):
    """Insert an entry, with its row's `values` of every property, into a tree that holds the row."""
    link = np.int64(forest.roots[tree])
    if link == NONE:
        forest.roots[tree] = -2 - address
        return
    other = -2 - np.int64(_other_leaf(forest, link, values))
    rank, branch = _first_difference(forest, tree, address, other)
    if rank >= forest.trees[TREE_WORDS * tree + DEPTH]:
        forest.words[address + NEXT] = forest.words[other + NEXT]
        forest.words[other + NEXT] = address
        return
    start, width = forest.trees[TREE_WORDS * tree + START], forest.state[WIDTH]
    at = np.int64(-1)
    while link >= 0 and rank_of(forest.nodes[NODE_WORDS * link], start, width) < rank:
        at = NODE_WORDS * link + 1 + values[forest.nodes[NODE_WORDS * link]]
        link = np.int64(forest.nodes[at])
    property = (start + rank) % width
    if link >= 0 and forest.nodes[NODE_WORDS * link] == property:
        forest.nodes[NODE_WORDS * link + 1 + values[property]] = -2 - address
        return
    node = _new_node(forest, property)
    forest.nodes[NODE_WORDS * node + 1 + branch] = link
    forest.nodes[NODE_WORDS * node + 1 + values[property]] = -2 - address
    put_link(forest, tree, at, node)


@kernel
def insert_rows(forest, tree, batch, rows):
    """Insert rows that a tree holds, in this order; there must be room for a node and an entry for each."""
    values = np.empty(forest.state[WIDTH], np.uint8)
    for row in rows:
        spread(batch.atoms, batch.offsets[row], batch.offsets[row + 1], values)
        _insert(forest, tree, _new_entry(forest, tree, batch, row), values)


@kernel
def insert_everywhere(forest, batch):
    """Insert rows into every tree that holds them; there must be room for a node and an entry per row and tree."""
    values = np.empty(forest.state[WIDTH], np.uint8)
    for row in range(len(batch.payloads)):
        begin, end = batch.offsets[row], batch.offsets[row + 1]
        spread(batch.atoms, begin, end, values)
        for tree in range(len(forest.roots)):
            if fits(forest, tree, batch.atoms, begin, end):
                _insert(forest, tree, _new_entry(forest, tree, batch, row), values)
