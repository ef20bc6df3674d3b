"""Removal from the compact count index: finding a row's postings and closing the holes.

Layout, invariant and cost: see `compact_count`.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel
from watchword.kernels.sets.compact_count import (
    BLOCK_FREE,
    BLOCKS_LIVE,
    HEAD,
    NEXT,
    NODE_FREE,
    NODES_LIVE,
    POSTINGS,
    SIZE,
    TERM,
    counter_slot,
    term_node,
)


@kernel
def compact_find(terms, payload, payloads, buckets, nodes, blocks, width, ground, second, segments, places):
    """Return the row with exactly these terms and this payload, or -1; `places` gets its postings.

    The shortest list is searched for the payload; a row of the right size that all other lists hold is it.
    """
    shortest = -1
    for i in range(len(terms)):
        node = term_node(terms[i], buckets, nodes)
        if node < 0:
            return -1
        if shortest < 0 or nodes[4 * node + SIZE] < nodes[4 * shortest + SIZE]:
            shortest = node
    if shortest < 0:
        return -1
    row = _row_of(payload, payloads, shortest, nodes, blocks, width)
    if row < 0 or segments[counter_slot(row, ground, second)] != len(terms):
        return -1
    for i in range(len(terms)):
        places[i] = _place(row, term_node(terms[i], buckets, nodes), nodes, blocks, width)
        if places[i] < 0:
            return -1
    return row


@kernel
def _row_of(payload, payloads, node, nodes, blocks, width):
    """Return the row with this payload in a term's list, or -1."""
    block = nodes[4 * node + HEAD]
    count = (nodes[4 * node + SIZE] - 1) % (width - 1) + 1
    while block >= 0:
        for j in range(block * width, block * width + count):
            if payloads[blocks[j]] == payload:
                return blocks[j]
        block = blocks[(block + 1) * width - 1]
        count = width - 1
    return -1


@kernel
def _place(row, node, nodes, blocks, width):
    """Return where in `blocks` a term's list holds the row, or -1."""
    block = nodes[4 * node + HEAD]
    count = (nodes[4 * node + SIZE] - 1) % (width - 1) + 1
    while block >= 0:
        for j in range(block * width, block * width + count):
            if blocks[j] == row:
                return j
        block = blocks[(block + 1) * width - 1]
        count = width - 1
    return -1


@kernel
def compact_drop(terms, places, buckets, nodes, blocks, width, state):
    """Take the postings at `places` out of the lists of `terms`, and free what becomes empty."""
    for i in range(len(terms)):
        node = term_node(terms[i], buckets, nodes)
        head = nodes[4 * node + HEAD]
        nodes[4 * node + SIZE] -= 1
        left = nodes[4 * node + SIZE] % (width - 1)
        blocks[places[i]] = blocks[head * width + left]
        if left == 0:
            nodes[4 * node + HEAD] = blocks[(head + 1) * width - 1]
            blocks[(head + 1) * width - 1] = state[BLOCK_FREE]
            state[BLOCK_FREE] = head
            state[BLOCKS_LIVE] -= 1
        if nodes[4 * node + SIZE] == 0:
            _free_node(node, buckets, nodes, state)
    state[POSTINGS] -= len(terms)


@kernel
def _free_node(node, buckets, nodes, state):
    """Take a node out of its collision list."""
    bucket = nodes[4 * node + TERM] % len(buckets)
    if buckets[bucket] == node:
        buckets[bucket] = nodes[4 * node + NEXT]
    else:
        before = buckets[bucket]
        while nodes[4 * before + NEXT] != node:
            before = nodes[4 * before + NEXT]
        nodes[4 * before + NEXT] = nodes[4 * node + NEXT]
    nodes[4 * node + NEXT] = state[NODE_FREE]
    state[NODE_FREE] = node
    state[NODES_LIVE] -= 1
