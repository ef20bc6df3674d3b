"""Removal from the compact count index: finding a row's postings and closing the holes.

Layout and invariant: see `compact_count`. In its example, S1 = {1, 2, 4} is row 0 and goes as follows. The list of 4
is the shortest of the three; row 0 in it has the payload 1 and three atoms. The lists of 1, 2 and 4 have it at
positions 0, 4 and 8 of `blocks`. The last row of each head fills the hole: 3 goes to position 0, 5 to position 4, 4 to
position 8. The heads of 1 and 2 are empty now and become free; the list of 1 is now one full block, 3 1 2.

Cost: a walk along each of the row's lists.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets import compact_count as layout
from watchword.kernels.sets.compact_count import HEAD, NEXT, SIZE, atom_node, counter_slot, head_fill


@leaf
def _find_row(index, atoms, payload, positions):
    """Return the row with exactly these atoms and this payload, or -1; `positions` gets its postings in `blocks`.

    The shortest list is searched for the payload; a row of the right size that all other lists hold is it.
    """
    shortest = -1
    for i in range(len(atoms)):
        node = atom_node(atoms[i], index.buckets, index.nodes)
        if node < 0:
            return -1
        if shortest < 0 or index.nodes[4 * node + SIZE] < index.nodes[4 * shortest + SIZE]:
            shortest = node
    if shortest < 0:
        return -1
    row = _row_of(index, shortest, payload)
    if row < 0 or index.segments[counter_slot(row, index.ground, index.second)] != len(atoms):
        return -1
    for i in range(len(atoms)):
        positions[i] = _position_of(index, atom_node(atoms[i], index.buckets, index.nodes), row)
        if positions[i] < 0:
            return -1
    return row


@leaf
def _row_of(index, node, payload):
    """Return the row with this payload in an atom's list, or -1."""
    nodes, blocks, width = index.nodes, index.blocks, index.width
    block, count = nodes[4 * node + HEAD], head_fill(nodes, node, width)
    while block >= 0:
        for j in range(block * width, block * width + count):
            if index.payloads[blocks[j]] == payload:
                return blocks[j]
        block, count = blocks[(block + 1) * width - 1], width - 1
    return -1


@leaf
def _position_of(index, node, row):
    """Return the position in `blocks` of a row in an atom's list, or -1."""
    nodes, blocks, width = index.nodes, index.blocks, index.width
    block, count = nodes[4 * node + HEAD], head_fill(nodes, node, width)
    while block >= 0:
        for j in range(block * width, block * width + count):
            if blocks[j] == row:
                return j
        block, count = blocks[(block + 1) * width - 1], width - 1
    return -1


@kernel
def remove_row(index, atoms, payload):
    """Remove the postings of the row with these atoms and this payload; returns its number, or -1 if there is none.

    Nodes and blocks that become empty are given back. The row's counter stays as it is.
    """
    positions = np.empty(len(atoms), np.int64)
    row = _find_row(index, atoms, payload, positions)
    if row < 0:
        return row
    buckets, nodes, blocks, width, state = index.buckets, index.nodes, index.blocks, index.width, index.state
    for i in range(len(atoms)):
        node = atom_node(atoms[i], buckets, nodes)
        head = nodes[4 * node + HEAD]
        nodes[4 * node + SIZE] -= 1
        left = nodes[4 * node + SIZE] % (width - 1)
        blocks[positions[i]] = blocks[head * width + left]
        if left == 0:
            nodes[4 * node + HEAD] = blocks[(head + 1) * width - 1]
            blocks[(head + 1) * width - 1] = state[layout.BLOCK_FREE]
            state[layout.BLOCK_FREE] = head
            state[layout.BLOCKS_LIVE] -= 1
        if nodes[4 * node + SIZE] == 0:
            _free_node(node, buckets, nodes, state)
    state[layout.POSTINGS] -= len(atoms)
    return row


@leaf
def _free_node(node, buckets, nodes, state):
    """Remove a node from its collision list."""
    bucket = nodes[4 * node + layout.ATOM] % len(buckets)
    if buckets[bucket] == node:
        buckets[bucket] = nodes[4 * node + NEXT]
    else:
        before = buckets[bucket]
        while nodes[4 * before + NEXT] != node:
            before = nodes[4 * before + NEXT]
        nodes[4 * before + NEXT] = nodes[4 * node + NEXT]
    nodes[4 * node + NEXT] = state[layout.NODE_FREE]
    state[layout.NODE_FREE] = node
    state[layout.NODES_LIVE] -= 1
