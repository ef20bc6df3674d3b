"""The simple trie: a node per prefix (Kourdounakis 2011, section 3.2.1, Algorithms 5 and 6).

Layout: node 0 is the root. A node is a number into `heads` (its first payload cell, or -1), `degrees` (its
children, -1 for a free node) and `marks` (see `kernels.children`). Its term stands in the table of children
(`keys`, `values`). A payload cell is a number into `payloads` and `nexts`, the thesis's linked list. Free nodes
are chained through `heads`, free cells through `nexts`.

Invariant: a node other than the root has a payload or a child. The path from the root to a node spells, in the
caller's term order, the terms of the rows whose payloads hang there.

Cost: a row of `n` terms is added or removed with `n` look-ups, and removal searches the node's list. Matching
visits the nodes whose path lies within the item, and looks at the rest of the item from each of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.children import child_limit, drop_child, find_child, new_table, put_child
from watchword.kernels.jit import kernel

NODES_END, FREE_NODE, CELLS_END, FREE_CELL, NODES, ROWS, LONGEST = range(7)


class TrieArrays(NamedTuple):
    """The whole state; `state` holds the figures named above."""

    keys: npt.NDArray[np.int64]
    values: npt.NDArray[np.int32]
    heads: npt.NDArray[np.int32]
    degrees: npt.NDArray[np.int32]
    marks: npt.NDArray[np.int32]
    payloads: npt.NDArray[np.int32]
    nexts: npt.NDArray[np.int32]
    state: npt.NDArray[np.int64]


def new_trie() -> TrieArrays:
    """Return a trie that has only its root."""
    root = np.array([-1, 0, 0], np.int32)
    cells = np.empty(0, np.int32)
    state = np.array([1, -1, 0, -1, 0, 0, 0], np.int64)
    return TrieArrays(*new_table(), root[:1].copy(), root[1:2].copy(), root[2:].copy(), cells, cells.copy(), state)


@kernel
def _new_child(trie, parent, term):
    """Return a new node below `parent`."""
    state = trie.state
    node = state[FREE_NODE]
    if node >= 0:
        state[FREE_NODE] = trie.heads[node]
    else:
        node = state[NODES_END]
        state[NODES_END] += 1
    trie.heads[node] = -1
    trie.degrees[node] = 0
    trie.marks[node] = 0
    put_child(trie.keys, trie.values, parent, term, node)
    trie.degrees[parent] += 1
    trie.marks[parent] |= np.int32(1) << (term & 31)
    state[NODES] += 1
    return node


@kernel
def _push(trie, node, payload):
    """Put a payload at the head of a node's list."""
    state = trie.state
    cell = state[FREE_CELL]
    if cell >= 0:
        state[FREE_CELL] = trie.nexts[cell]
    else:
        cell = state[CELLS_END]
        state[CELLS_END] += 1
    trie.payloads[cell] = payload
    trie.nexts[cell] = trie.heads[node]
    trie.heads[node] = cell
    state[ROWS] += 1


@kernel
def insert_rows(trie, offsets, terms, payloads, first):
    """Add rows from `first` on (Algorithm 5); returns the first row for which room might not suffice."""
    state = trie.state
    limit = child_limit(len(trie.keys))
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        new = end - start
        if state[NODES_END] + new > len(trie.heads) or state[NODES] + new > limit:
            return row
        if state[CELLS_END] == len(trie.nexts):
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
    before, cell = np.int64(-1), np.int64(trie.heads[node])
    while cell >= 0 and trie.payloads[cell] != payload:
        before, cell = cell, np.int64(trie.nexts[cell])
    if cell < 0:
        return False
    if before < 0:
        trie.heads[node] = trie.nexts[cell]
    else:
        trie.nexts[before] = trie.nexts[cell]
    trie.nexts[cell] = trie.state[FREE_CELL]
    trie.state[FREE_CELL] = cell
    trie.state[ROWS] -= 1
    return True


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
    while depth > 0 and trie.heads[path[depth]] < 0 and trie.degrees[path[depth]] == 0:
        node, parent = path[depth], path[depth - 1]
        drop_child(trie.keys, trie.values, parent, terms[depth - 1])
        trie.degrees[parent] -= 1
        if trie.degrees[parent] == 0:
            trie.marks[parent] = 0
        trie.degrees[node] = -1
        trie.heads[node] = trie.state[FREE_NODE]
        trie.state[FREE_NODE] = node
        trie.state[NODES] -= 1
        depth -= 1
    return True


@kernel
def _match_item(trie, terms, start, end, stack, used, found):
    """Write the payloads of one item behind `used` (Algorithm 6); returns the new fill, or -1, and the visits.

    `stack` holds, for each node between the root and the current one, the node and where in the item to go on.
    """
    node, place, depth, visits = np.int64(0), start, 0, 0
    marks = trie.marks[0]
    while True:
        child = np.int64(-1)
        while place < end and child < 0:
            if (marks >> (terms[place] & 31)) & 1:
                child = find_child(trie.keys, trie.values, node, terms[place])
            place += 1
        if child < 0:
            if depth == 0:
                return used, visits
            depth -= 1
            node, place = stack[depth, 0], stack[depth, 1]
            marks = trie.marks[node]
            continue
        visits += 1
        cell = trie.heads[child]
        while cell >= 0:
            if used == len(found):
                return np.int64(-1), visits
            found[used] = trie.payloads[cell]
            used += 1
            cell = trie.nexts[cell]
        if trie.marks[child] != 0 and place < end:
            stack[depth, 0], stack[depth, 1] = node, place
            depth += 1
            node, marks = child, trie.marks[child]


@kernel
def match_items(trie, offsets, terms, first, used, ends, found):
    """Match items from `first` on, as `watchword.keywords.structure.Step` asks."""
    stack = np.empty((trie.state[LONGEST] + 1, 2), np.int64)
    operations = 0
    for item in range(first, len(offsets) - 1):
        fill, visits = _match_item(trie, terms, offsets[item], offsets[item + 1], stack, used, found)
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
        if trie.degrees[node] >= 0:
            counts[0, _bucket(trie.degrees[node])] += 1
            rows, cell = 0, trie.heads[node]
            while cell >= 0:
                rows += 1
                cell = trie.nexts[cell]
            counts[1, _bucket(rows)] += 1
    return counts
