"""Matches events with the trees of a `forest`: a walk follows the event's value and the star (Kale et al. 2005, 3,
4.2).

In the tree drawn in `forest`, the event ``101`` goes from property 0 to node 1, which it leaves for the leaves of 0
(its second property is 0) and of ``*``. There the rows are checked: ``10*`` holds, and ``1*0`` does not, for its last
property, at which no rows parted, was asked by no node. Four places were visited.

The rows of a leaf agree on everything that the tree asks. In its block, which it does not ask, the rows have no 1 and
the event has only 0. So one row of a leaf is checked for all of them.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.properties.forest import (
    DEPTH,
    LEAST,
    MOST,
    NEXT,
    NODE_WORDS,
    NONE,
    PAYLOAD,
    SIZE,
    STAR,
    START,
    TREE_WORDS,
    WIDTH,
    literal_at,
)


@leaf
def _unpack(words, event, values):
    """Write an event's bits to `values`, one each; returns the number of ones."""
    ones = 0
    for property in range(len(values)):
        bit = (words[event, property >> 6] >> np.uint64(property & 63)) & np.uint64(1)
        values[property] = bit
        ones += np.int64(bit)
    return ones


@leaf
def _serves(forest, tree, values, ones):
    """Return whether a tree serves an event: holds all rows that the event can satisfy."""
    trees, at = forest.trees, TREE_WORDS * tree
    if ones < trees[at + LEAST] or ones > trees[at + MOST]:
        return False
    width = len(values)
    for rank in range(trees[at + DEPTH], width):
        property = trees[at + START] + rank
        if values[property if property < width else property - width]:
            return False
    return True


@inline
def _holds(words, address, values):
    """Return whether an event satisfies the row of an entry; the last literals first, as the fewest nodes ask them."""
    k = np.int64(words[address + SIZE]) - 1
    holds = True
    while k >= 0 and holds:
        literal = literal_at(words, address, k)
        holds = values[literal >> 1] == literal & 1
        k -= 1
    return holds


@leaf
def _walk(forest, tree, values, stack, fill, payloads):
    """Write the payloads that a tree has for an event; returns the new fill, or -1, and the places visited."""
    nodes, words = forest.nodes, forest.words
    visits, depth = 1, 0
    stack[0] = forest.roots[tree]
    while depth >= 0:
        link = np.int64(stack[depth])
        depth -= 1
        while link >= 0:
            node = NODE_WORDS * link
            star = nodes[node + 1 + STAR]
            if star != NONE:
                depth += 1
                stack[depth] = star
                visits += 1
                if star >= 0:
                    prefetch(nodes, np.int64(NODE_WORDS) * star)
                else:
                    prefetch(words, np.int64(-2) - star)
            link = np.int64(nodes[node + 1 + values[nodes[node]]])
            visits += link != NONE
        if link == NONE or not _holds(words, -2 - link, values):
            continue
        address = -2 - link
        while address >= 0:
            if fill == len(payloads):
                return np.int64(-1), visits
            payloads[fill] = words[address + PAYLOAD]
            fill += 1
            address = np.int64(words[address + NEXT])
    return np.int64(fill), visits


@kernel
def match(words, forest, first, used, offsets, payloads):
    """Match events from `first` on; `index.hits.Step` has the rules. Operations: nodes and leaves visited."""
    width = forest.state[WIDTH]
    values = np.empty(width, np.uint8)
    stack = np.empty(width + 2, np.int32)
    operations = 0
    for event in range(first, len(words)):
        ones = _unpack(words, event, values)
        tree = 0
        while not _serves(forest, tree, values, ones):
            tree += 1
        fill, visits = _walk(forest, tree, values, stack, used, payloads)
        if fill < 0:
            return event, used, operations
        offsets[event + 1] = used = fill
        operations += visits
    return len(words), used, operations
