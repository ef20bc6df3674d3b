"""Builds the trie of `groups` from rows sorted by their ones: every node with too many rows is divided.

A node is a range of rows that share their ones from `limit` on. Its children are the ranges of rows with the same next
one below that. Nodes are divided in the order in which they were made, so the children of one lie side by side. In the
example of `groups`, node 0 is divided with limit 3 into nodes 1 and 2, whose limits are 0 and 2.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import highest_bit, set_bits
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.properties.groups import BEGIN, CHILD, END, EXACT, NODE_WORDS

_ONE = np.uint64(1)


@leaf
def _next_one(ones, row, limit):
    """Return the highest property below `limit` that a row wants to be 1, or -1."""
    word = (limit - 1) >> 6
    if word < 0:
        return np.int64(-1)
    left = ones[word, row]
    if limit & 63:
        left &= (_ONE << np.uint64(limit & 63)) - _ONE
    while left == 0 and word > 0:
        word -= 1
        left = ones[word, row]
    return 64 * word + highest_bit(left) if left != 0 else np.int64(-1)


@leaf
def _divide(groups, node, limits, count):
    """Append the children of a node to the `count` nodes; returns the new count."""
    nodes, ones = groups.nodes, groups.ones
    at = NODE_WORDS * node
    limit, end = np.int64(limits[node]), np.int64(nodes[at + END])
    row = np.int64(nodes[at + BEGIN])
    one = _next_one(ones, row, limit)
    while one < 0:
        row += 1
        one = _next_one(ones, row, limit) if row < end else limit
    nodes[at + EXACT] = row
    nodes[at + CHILD] = count if row < end else 0
    while row < end:
        child = NODE_WORDS * count
        nodes[child + BEGIN] = nodes[child + EXACT] = row
        limits[count] = one
        groups.branches[node, one >> 6] |= _ONE << np.uint64(one & 63)
        before = one
        while one == before:
            row += 1
            one = _next_one(ones, row, limit) if row < end else limit
        nodes[child + END] = row
        nodes[child + CHILD] = 0
        count += 1
    return count


@kernel
def divide_nodes(groups, limits, most, width, first, count):
    """Divide the nodes from `first` on with more than `most` rows, as long as there is room for children.

    Returns the first node not done, and the number of nodes. All branches must be 0 before.
    """
    for node in range(first, len(groups.branches)):
        if node == count:
            return node, count
        if count + width > len(groups.branches):
            return node, count
        at = NODE_WORDS * node
        if groups.nodes[at + END] - groups.nodes[at + BEGIN] > most:
            count = _divide(groups, node, limits, count)
    return count, count


@leaf
def _is_row(groups, row, ones, zeros, payload):
    if groups.payloads[row] != payload:
        return False
    for word in range(len(ones)):
        if groups.ones[word, row] != ones[word, 0] or groups.zeros[word, row] != zeros[word, 0]:
            return False
    return True


@kernel
def has_row(groups, ones, zeros, payload):
    """Return whether there is a row with these masks, each a column, and this payload."""
    node, limit = np.int64(0), 64 * len(ones)
    while groups.nodes[NODE_WORDS * node + CHILD] > 0:
        one = _next_one(ones, 0, limit)
        if one < 0:
            break
        branches = groups.branches[node, one >> 6]
        bit = _ONE << np.uint64(one & 63)
        if not branches & bit:
            return False
        child = groups.nodes[NODE_WORDS * node + CHILD] + set_bits(branches & (bit - _ONE))
        for word in range(one >> 6):
            child += set_bits(groups.branches[node, word])
        node, limit = np.int64(child), one
    for row in range(groups.nodes[NODE_WORDS * node + BEGIN], groups.nodes[NODE_WORDS * node + END]):
        if _is_row(groups, row, ones, zeros, payload):
            return True
    return False
