"""The simple trie: a node per prefix (Kourdounakis 2011, section 3.2.1, Algorithms 5 and 6).

Layout: node 0 is the root. Node `n` is the four words of `nodes` from ``4 * n`` on, so that a visit reads one cache
line: its first payload cell or -1, the number of its children (-1 for a free node), the XOR of their terms, and
their marks (see `child_table`). Its own term stands in the table of children (`keys`, `values`). Cell `c` of
the linked lists of payloads is the two words of `cells` from ``2 * c`` on: payload, next cell or -1. Free nodes are
chained through their first word, free cells through their second.

Invariant: a node other than the root has a payload or a child. The path from the root to a node spells, in the
caller's term order, the terms of the rows whose payloads hang there.

Cost: a row of `n` terms is added or removed with `n` look-ups, and removal searches the node's list. Matching
visits the nodes whose path lies within the item, and looks at the rest of the item from each of them; only where a
node has a single child, as most have (Table 4.2), the XOR names the one term to look for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.child_table import child_limit, drop_child, find_child, new_table, next_child, put_child
from watchword.kernels.jit import kernel
from watchword.kernels.sets.positions import fill_slots, new_slots, position

NODES_END, FREE_NODE, CELLS_END, FREE_CELL, NODES, ROWS, LONGEST = range(7)
NODE_WORDS, CELL_WORDS = 4, 2
_HEAD, _DEGREE, _XOR, _MARKS = range(NODE_WORDS)


class TrieArrays(NamedTuple):
    """The whole state; `state` holds the figures named above."""

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]
    nodes: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]


def new_trie() -> TrieArrays:
    """Return a trie that has only its root."""
    root = np.array([-1, 0, 0, 0], np.int32)
    state = np.array([1, -1, 0, -1, 0, 0, 0], np.int64)
    return TrieArrays(*new_table(), root, np.empty(0, np.int32), state)


@kernel
def _new_child(trie, parent, term):
    """Return a new node below `parent`."""
    state, nodes = trie.state, trie.nodes
    node = state[FREE_NODE]
    if node >= 0:
        state[FREE_NODE] = nodes[4 * node + _HEAD]
    else:
        node = state[NODES_END]
        state[NODES_END] += 1
    nodes[4 * node + _HEAD] = -1
    nodes[4 * node + _DEGREE : 4 * node + NODE_WORDS] = 0
    put_child(trie.keys, trie.values, parent, term, node)
    nodes[4 * parent + _DEGREE] += 1
    nodes[4 * parent + _XOR] ^= term
    nodes[4 * parent + _MARKS] |= np.int32(1) << (term & 31)
    state[NODES] += 1
    return node


@kernel
def _push(trie, node, payload):
    """Put a payload at the head of a node's list."""
    state = trie.state
    cell = state[FREE_CELL]
    if cell >= 0:
        state[FREE_CELL] = trie.cells[2 * cell + 1]
    else:
        cell = state[CELLS_END]
        state[CELLS_END] += 1
    trie.cells[2 * cell] = payload
    trie.cells[2 * cell + 1] = trie.nodes[4 * node + _HEAD]
    trie.nodes[4 * node + _HEAD] = cell
    state[ROWS] += 1


@kernel
def insert_rows(trie, offsets, terms, payloads, first):
    """Add rows from `first` on (Algorithm 5); returns the first row for which room might not suffice."""
    state = trie.state
    limit = child_limit(len(trie.keys))
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        new = end - start
        if NODE_WORDS * (state[NODES_END] + new) > len(trie.nodes) or state[NODES] + new > limit:
            return row
        if CELL_WORDS * (state[CELLS_END] + 1) > len(trie.cells):
            return row
        node = np.int64(0)
        for place in range(start, end):
            child = find_child(trie.keys, trie.values, node, terms[place])
            if child < 0:
                child = _new_child(trie, node, terms[place])
            node = child
        _push(trie, node, payloads[row])
    return len(payloads)


@kernel
def _unlink(trie, node, payload):
    """Take one payload out of a node's list; returns whether it was there."""
    cells = trie.cells
    before, cell = np.int64(-1), np.int64(trie.nodes[4 * node + _HEAD])
    while cell >= 0 and cells[2 * cell] != payload:
        before, cell = cell, np.int64(cells[2 * cell + 1])
    if cell < 0:
        return False
    if before < 0:
        trie.nodes[4 * node + _HEAD] = cells[2 * cell + 1]
    else:
        cells[2 * before + 1] = cells[2 * cell + 1]
    cells[2 * cell + 1] = trie.state[FREE_CELL]
    trie.state[FREE_CELL] = cell
    trie.state[ROWS] -= 1
    return True


@kernel
def _drop_node(trie, parent, node, term):
    """Take a childless node without payloads out of the trie."""
    nodes = trie.nodes
    drop_child(trie.keys, trie.values, parent, term)
    nodes[4 * parent + _DEGREE] -= 1
    nodes[4 * parent + _XOR] ^= term
    if nodes[4 * parent + _DEGREE] == 0:
        nodes[4 * parent + _MARKS] = 0
    nodes[4 * node + _DEGREE] = -1
    nodes[4 * node + _HEAD] = trie.state[FREE_NODE]
    trie.state[FREE_NODE] = node
    trie.state[NODES] -= 1


@kernel
def remove_row(trie, terms, payload):
    """Remove a row and the nodes that nothing needs any more; returns whether it was there."""
    path = np.zeros(len(terms) + 1, np.int64)
    for depth in range(len(terms)):
        path[depth + 1] = find_child(trie.keys, trie.values, path[depth], terms[depth])
        if path[depth + 1] < 0:
            return False
    depth = len(terms)
    if not _unlink(trie, path[depth], payload):
        return False
    nodes = trie.nodes
    while depth > 0 and nodes[4 * path[depth] + _HEAD] < 0 and nodes[4 * path[depth] + _DEGREE] == 0:
        _drop_node(trie, path[depth - 1], path[depth], terms[depth - 1])
        depth -= 1
    return True


@kernel
def _next_child(trie, node, place, start, end, terms, slots, mask):
    """Return the first child of a node for a term of the item from `place` on, and where; -1 if there is none."""
    if trie.nodes[4 * node + _DEGREE] == 1:
        at = position(slots, mask, terms, start, trie.nodes[4 * node + _XOR])
        if at < place:
            return np.int64(-1), end
        return find_child(trie.keys, trie.values, node, terms[at]), np.int64(at)
    marks = trie.nodes[4 * node + _MARKS]
    return next_child(trie.keys, trie.values, marks, node, place, end, terms)


@kernel
def _match_item(trie, terms, start, end, slots, stack, used, found):
    """Write the payloads of one item behind `used` (Algorithm 6); returns the new fill, or -1, and the visits.

    `stack` holds, for each node between the root and the current one, the node and where in the item to go on.
    """
    mask = fill_slots(slots, terms, start, end)
    node, place, depth, visits = np.int64(0), start, 0, 0
    while True:
        child, at = _next_child(trie, node, place, start, end, terms, slots, mask)
        if child < 0:
            if depth == 0:
                return used, visits
            depth -= 1
            node, place = stack[depth, 0], stack[depth, 1]
            continue
        visits += 1
        place = at + 1
        cell = np.int64(trie.nodes[4 * child + _HEAD])
        while cell >= 0:
            if used == len(found):
                return np.int64(-1), visits
            found[used] = trie.cells[2 * cell]
            used += 1
            cell = np.int64(trie.cells[2 * cell + 1])
        if trie.nodes[4 * child + _DEGREE] > 0 and place < end:
            stack[depth, 0], stack[depth, 1] = node, place
            depth += 1
            node = child


@kernel
def match_items(trie, offsets, terms, first, used, ends, found):
    """Match items from `first` on, as `watchword.sets.structure.Step` asks."""
    stack = np.empty((trie.state[LONGEST] + 1, 2), np.int64)
    slots = new_slots(offsets)
    operations = 0
    for item in range(first, len(offsets) - 1):
        fill, visits = _match_item(trie, terms, offsets[item], offsets[item + 1], slots, stack, used, found)
        if fill < 0:
            return item, used, operations
        operations += visits
        ends[item] = used = fill
    return len(offsets) - 1, used, operations


@kernel
def _bucket(number):
    """Return 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7, and so on."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


@kernel
def census(trie):
    """Count the nodes, the root among them, by the bucket of their children and of their payloads."""
    counts = np.zeros((2, 33), np.int64)
    for node in range(trie.state[NODES_END]):
        if trie.nodes[4 * node + _DEGREE] >= 0:
            counts[0, _bucket(trie.nodes[4 * node + _DEGREE])] += 1
            rows, cell = 0, np.int64(trie.nodes[4 * node + _HEAD])
            while cell >= 0:
                rows += 1
                cell = np.int64(trie.cells[2 * cell + 1])
            counts[1, _bucket(rows)] += 1
    return counts
