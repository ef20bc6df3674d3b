"""Linked postings: for each term the rows that hold it (Kourdounakis 2011, sections 2.2 and 3.1.1).

Layout: ``heads[term]`` is the first node of a term's list or -1, ``lengths[term]`` the number of its nodes.
Node `n` is the pair ``nodes[2n]`` (a row) and ``nodes[2n + 1]`` (the next node or -1). Nodes given back are a
chain through the second half. ``state`` is ``[nodes ever used, first free node, nodes in lists]``.

Invariant: a row stands in a term's list at most once, and ``state[0] - state[2]`` nodes are on the chain.

Cost: a posting goes in front of its list, O(1). A bulk load puts each term's new postings side by side, so
that walking a list walks memory in order. Taking a posting out is a walk along its list.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel

USED, FREE, LIVE = range(3)


@kernel
def postings_push(rows, offsets, terms, heads, lengths, nodes, state):
    """Add rows posting by posting, reusing free nodes; `nodes` must have room."""
    used, free = state[USED], state[FREE]
    for i in range(len(rows)):
        for j in range(offsets[i], offsets[i + 1]):
            term = terms[j]
            node = free
            if node >= 0:
                free = nodes[2 * node + 1]
            else:
                node = used
                used += 1
            nodes[2 * node] = rows[i]
            nodes[2 * node + 1] = heads[term]
            heads[term] = node
            lengths[term] += 1
    state[USED], state[FREE] = used, free
    state[LIVE] += offsets[len(rows)] - offsets[0]


@kernel
def postings_append(rows, offsets, terms, heads, lengths, nodes, state):
    """Add rows in bulk with fresh nodes: a counting sort by term, in front of what was there."""
    cursors = np.zeros(len(heads), np.int64)
    for j in range(offsets[0], offsets[len(rows)]):
        cursors[terms[j]] += 1
    end = state[USED]
    for term in range(len(heads)):
        count = cursors[term]
        cursors[term] = end
        if count > 0:
            end += count
            lengths[term] += count
            nodes[2 * end - 1] = heads[term]
            heads[term] = cursors[term]
    for i in range(len(rows)):
        for j in range(offsets[i], offsets[i + 1]):
            node = cursors[terms[j]]
            cursors[terms[j]] = node + 1
            nodes[2 * node] = rows[i]
    _link(heads, cursors, nodes, state[USED])
    state[LIVE] += end - state[USED]
    state[USED] = end


@kernel
def _link(heads, cursors, nodes, base):
    """Chain the nodes of each new run; a run's last node points to the old list already."""
    for term in range(len(heads)):
        if heads[term] >= base:
            for node in range(heads[term], cursors[term] - 1):
                nodes[2 * node + 1] = node + 1


@kernel
def postings_find(terms, payload, payloads, sizes, heads, lengths, nodes):
    """Return the row with exactly these terms and this payload, or -1.

    The shortest list is searched for the payload; a row of the right size that all other lists hold is it.
    """
    if len(terms) == 0:
        return -1
    shortest = terms[0]
    for i in range(len(terms)):
        if terms[i] >= len(heads) or heads[terms[i]] < 0:
            return -1
        if lengths[terms[i]] < lengths[shortest]:
            shortest = terms[i]
    node = heads[shortest]
    while node >= 0 and payloads[nodes[2 * node]] != payload:
        node = nodes[2 * node + 1]
    if node < 0 or sizes[nodes[2 * node]] != len(terms):
        return -1
    row = nodes[2 * node]
    for i in range(len(terms)):
        node = heads[terms[i]]
        while node >= 0 and nodes[2 * node] != row:
            node = nodes[2 * node + 1]
        if node < 0:
            return -1
    return row


@kernel
def postings_drop(terms, row, heads, lengths, nodes, state):
    """Take a row out of the lists of its terms."""
    for i in range(len(terms)):
        before, node = -1, heads[terms[i]]
        while nodes[2 * node] != row:
            before, node = node, nodes[2 * node + 1]
        if before < 0:
            heads[terms[i]] = nodes[2 * node + 1]
        else:
            nodes[2 * before + 1] = nodes[2 * node + 1]
        lengths[terms[i]] -= 1
        nodes[2 * node + 1] = state[FREE]
        state[FREE] = node
    state[LIVE] -= len(terms)
