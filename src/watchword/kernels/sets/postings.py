"""Linked postings: for each atom the rows that hold it (Kourdounakis 2011, sections 2.2 and 3.1.1).

The rows 0 to 5 of Table 2.1, added one after the other, make the seven lists of Figure 2.2. A node is drawn as a row
and the next node, below the atom in whose list it stands:

    node      0     1     2     3     4     5     6     7     8     9    10    11    12    13    14
    atom      1     2     4     1    24     1     2     3     1    12     2     4     2     3    13
    nodes    0 -1  0 -1  0 -1  1 0   1 -1  2 3   2 1   2 -1  3 5   3 -1  4 6   4 2   5 10  5 7   5 -1

    heads    heads[1] = 8, heads[2] = 12, …      the list of 1 is 8, 5, 3, 0: the rows 3, 2, 1, 0
    lengths  lengths[1] = 4, lengths[2] = 4, …
    state    15 -1 15

Layout: ``heads[atom]`` is the first node of an atom's list or -1, ``lengths[atom]`` the number of its nodes. Node `n`
is the pair ``nodes[2n]`` (a row) and ``nodes[2n + 1]`` (the next node or -1). Nodes given back are a chain through the
second half. ``state`` is ``[nodes ever used, first free node, nodes in lists]``.

Invariant: a row stands in an atom's list at most once, and ``state[0] - state[2]`` nodes are on the chain.

Cost: a posting goes in front of its list, O(1). Adding in bulk puts each atom's new postings side by side, so that
walking a list walks memory in order. Taking a posting out is a walk along its list. `compact_count` has blocks of K
rows instead of nodes, which take half the memory in long lists and waste some in short ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import inline, kernel, leaf

USED, FREE, LIVE = range(3)


class Postings(NamedTuple):
    """All lists; `state` holds the figures named above."""

    heads: Int32
    lengths: Int32
    nodes: Int32
    state: Int64


@inline
def first_node(heads, atom):
    """Return the first node of an atom's list, or -1; the atom may be any number."""
    return heads[atom] if 0 <= atom < len(heads) else -1


@kernel
def push_rows(lists, rows, row_offsets, row_atoms):
    """Add rows posting by posting, reusing free nodes; `nodes` must have room."""
    heads, lengths, nodes, state = lists.heads, lists.lengths, lists.nodes, lists.state
    used, free = state[USED], state[FREE]
    for i in range(len(rows)):
        for j in range(row_offsets[i], row_offsets[i + 1]):
            atom = row_atoms[j]
            node = free
            if node >= 0:
                free = nodes[2 * node + 1]
            else:
                node = used
                used += 1
            nodes[2 * node] = rows[i]
            nodes[2 * node + 1] = heads[atom]
            heads[atom] = node
            lengths[atom] += 1
    state[USED], state[FREE] = used, free
    state[LIVE] += row_offsets[len(rows)] - row_offsets[0]


@kernel
def append_rows(lists, rows, row_offsets, row_atoms):
    """Add rows in bulk with fresh nodes: a counting sort by atom, then each run is put in front of its old list."""
    heads, lengths, nodes, state = lists.heads, lists.lengths, lists.nodes, lists.state
    cursors = np.zeros(len(heads), np.int64)
    for j in range(row_offsets[0], row_offsets[len(rows)]):
        cursors[row_atoms[j]] += 1
    end = state[USED]
    for atom in range(len(heads)):
        count = cursors[atom]
        cursors[atom] = end
        if count > 0:
            end += count
            lengths[atom] += count
            nodes[2 * end - 1] = heads[atom]
            heads[atom] = cursors[atom]
    for i in range(len(rows)):
        for j in range(row_offsets[i], row_offsets[i + 1]):
            node = cursors[row_atoms[j]]
            cursors[row_atoms[j]] = node + 1
            nodes[2 * node] = rows[i]
    _link(heads, cursors, nodes, state[USED])
    state[LIVE] += end - state[USED]
    state[USED] = end


@kernel
def _link(heads, cursors, nodes, base):
    """Chain the nodes of each new run; a run's last node points to the old list already."""
    for atom in range(len(heads)):
        if heads[atom] >= base:
            for node in range(heads[atom], cursors[atom] - 1):
                nodes[2 * node + 1] = node + 1


@leaf
def _find_row(lists, sizes, payloads, atoms, payload):
    """Return the row with exactly these atoms and this payload, or -1.

    The shortest list is searched for the payload; a row of the right size that all other lists hold is it.
    """
    heads, lengths, nodes = lists.heads, lists.lengths, lists.nodes
    if len(atoms) == 0:
        return -1
    shortest = atoms[0]
    for i in range(len(atoms)):
        if first_node(heads, atoms[i]) < 0:
            return -1
        if lengths[atoms[i]] < lengths[shortest]:
            shortest = atoms[i]
    node = heads[shortest]
    while node >= 0 and payloads[nodes[2 * node]] != payload:
        node = nodes[2 * node + 1]
    if node < 0 or sizes[nodes[2 * node]] != len(atoms):
        return -1
    row = nodes[2 * node]
    for i in range(len(atoms)):
        node = heads[atoms[i]]
        while node >= 0 and nodes[2 * node] != row:
            node = nodes[2 * node + 1]
        if node < 0:
            return -1
    return row


@kernel
def remove_row(lists, sizes, payloads, atoms, payload):
    """Remove the row with these atoms and this payload from all lists; returns its number, or -1 if there is none."""
    heads, lengths, nodes, state = lists.heads, lists.lengths, lists.nodes, lists.state
    row = _find_row(lists, sizes, payloads, atoms, payload)
    if row < 0:
        return row
    for i in range(len(atoms)):
        before, node = -1, heads[atoms[i]]
        while nodes[2 * node] != row:
            before, node = node, nodes[2 * node + 1]
        if before < 0:
            heads[atoms[i]] = nodes[2 * node + 1]
        else:
            nodes[2 * before + 1] = nodes[2 * node + 1]
        lengths[atoms[i]] -= 1
        nodes[2 * node + 1] = state[FREE]
        state[FREE] = node
    state[LIVE] -= len(atoms)
    if state[LIVE] == 0:
        state[USED], state[FREE] = 0, -1
    return row
