"""Restricted search trees over properties, one or many (Kale et al. 2005, section 4).

A tree tests properties in a cyclic order, each path up to `depth` of them. Where all rows of a subtree agree on a
property no node is made (path compression): a node is there where rows part. With three properties and the rows
``10*`` as 7, ``1*0`` as 8 and ``0**`` as 9, in a tree that begins with property 0::

    property 0 ── 0 ── [9]
               └─ 1 ── property 1 ── 0 ── [7]
                                  └─ * ── [8]

    nodes   0:  property 0, children  entry 8, node 1, none        four words each: property, then 0, 1 and *
            1:  property 1, children  entry 0, none, entry 4
    words   -1 7 2 1|2   -1 8 2 1|4   -1 9 1 0                     an entry: the next one, payload, size, literals,
                                                                   two of which share a word
    trees   0 3 0 3                                                four words each: start, depth, least, most

Layout: a child is a *link*: `NONE`, the number of a node, or ``-2 - address`` for a leaf, which is a list of entries:
of the rows that agree on all properties of the tree. Tree `t` begins at ``roots[t]``. `words` and `bins` are an
`arena`; a free entry has its size negated. Free nodes are chained through their second word. Every tree has its own
copy of a row, so that the rows of a leaf lie together. An entry has the literals of the tree's block first, then the
others in the tree's order, so that its last literals are the ones that the fewest nodes ask.

A tree asks ``depth`` properties from ``start`` on, around the end; what it does not ask is its *block*. It holds the
rows that have at most ``most`` ones, at least ``least`` ones or stars, and no 1 in the block; it serves the events with
``least`` to ``most`` ones, none of them in the block. So it holds every row that an event which it serves satisfies.

Invariant: a node has two children or three; along a path the ranks of nodes, ``(property - start) mod width``, ascend;
rows below a node agree on all properties of a lesser rank at which there is no node above. So a walk has to check the
row that it ends at, once for each leaf.

Cost: a row takes one entry in every tree that holds it, and at most one node; adding it is a walk down, and a
comparison of two rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import inline, kernel, leaf

WIDTH, NODES_END, FREE_NODE, NODES, ENTRIES = range(2, 7)
"""Positions in `state`, after the two figures of the arena."""

NODE_WORDS, TREE_WORDS, ENTRY_HEAD = 4, 4, 3
NEXT, PAYLOAD, SIZE = range(ENTRY_HEAD)
START, DEPTH, LEAST, MOST = range(TREE_WORDS)
NONE = -1
STAR = 2


class Forest(NamedTuple):
    """All trees, and their rows."""

    nodes: Int32
    words: Int32
    bins: Int32
    roots: Int32
    trees: Int32
    state: Int64


class Batch(NamedTuple):
    """Rows to be entered: row `i` has the literals ``atoms[offsets[i]:offsets[i + 1]]``."""

    offsets: Int64
    atoms: Int32
    payloads: Int32


def new_forest(width: int, trees: Int32) -> Forest:
    """Return trees without rows; `trees` has four words for each."""
    state = np.array([0, 0, width, 0, -1, 0, 0], np.int64)
    none = np.empty(0, np.int32)
    bins = np.full(ENTRY_HEAD + width // 2 + 2, -1, np.int32)
    return Forest(none, none, bins, np.full(len(trees) // TREE_WORDS, NONE, np.int32), trees, state)


@inline
def entry_words(size):
    """Return the number of words of an entry with `size` literals."""
    return ENTRY_HEAD + ((size + 1) >> 1)


@inline
def literal_at(words, address, k):
    """Return literal `k` of an entry: 16 bits of a word."""
    return (np.int64(words[address + ENTRY_HEAD + (k >> 1)]) >> (16 * (k & 1))) & 0xFFFF


@inline
def rank_of(property, start, width):
    """Return the rank of a property in the order of a tree that starts with `start`."""
    rank = property - start
    return rank if rank >= 0 else rank + width


@inline
def block_start(forest, tree):
    """Return the first property of a tree's block; the literals of its entries are ordered from there on."""
    at = TREE_WORDS * tree
    return (forest.trees[at + START] + forest.trees[at + DEPTH]) % forest.state[WIDTH]


@leaf
def fits(forest, tree, atoms, begin, end):
    """Return whether a tree holds the row of some literals."""
    width, at = forest.state[WIDTH], TREE_WORDS * tree
    start, depth = forest.trees[at + START], forest.trees[at + DEPTH]
    ones = 0
    for k in range(begin, end):
        if atoms[k] & 1:
            ones += 1
            if rank_of(atoms[k] >> 1, start, width) >= depth:
                return False
    return ones <= forest.trees[at + MOST] and width - (end - begin) + ones >= forest.trees[at + LEAST]


@leaf
def spread(atoms, begin, end, values):
    """Write a row's value of every property: 0, 1 or `STAR`."""
    values[:] = STAR
    for k in range(begin, end):
        values[atoms[k] >> 1] = atoms[k] & 1


@leaf
def literals_before(atoms, begin, end, property):
    """Return the number of literals of a row whose property is below `property`."""
    at = begin
    while at < end and atoms[at] >> 1 < property:
        at += 1
    return at - begin


@leaf
def put_link(forest, tree, at, link):
    """Write a link at `at`: into a word of a node, or, if `at` is -1, as the root of a tree."""
    if at < 0:
        forest.roots[tree] = link
    else:
        forest.nodes[at] = link


@kernel
def renumber(forest, payloads):
    """Replace the payloads of all entries."""
    words = forest.words
    address = np.int64(0)
    while address < forest.state[0]:
        size = words[address + SIZE]
        if size >= 0 and words[address + PAYLOAD] < len(payloads):
            words[address + PAYLOAD] = payloads[words[address + PAYLOAD]]
        address += entry_words(abs(size))
