"""The simple trie: a node per prefix (Kourdounakis 2011, section 3.2.1, Algorithms 5 and 6).

The rows of Table 2.1, S1 = {1, 2, 4} to S6 = {2, 3, 13}, make the trie of Figure 2.5. Before each atom stands the
number of its node, behind it what the four words of the node hold; payload `p` hangs in cell ``p - 1``:

                                    head  count   XOR  marks
     0                                -1      2  1^2=3  1 2           the root
     1  1                             -1      3     22  2 12 24
     2      2                         -1      2      7  3 4
     5          3      S3              2      0      0
     3          4      S1              0      0      0
     6     12          S4              3      0      0
     4     24          S2              1      0      0
     7  2                             -1      2      7  3 4
     9      3                         -1      1     13  13            an only child: the XOR is its atom
    10          13     S6              5      0      0
     8      4          S5              4      0      0

    cells      1 -1   2 -1   3 -1   4 -1   5 -1   6 -1                 payload and next cell, six times

Layout: node 0 is the root. Node `n` is the four words of `nodes` from ``4 * n`` on, so that a visit reads one cache
line: its first payload cell or -1, then its family (see `trie_walk`): the number of its children (-1 for a free node),
the XOR of their atoms, and their marks. Its own atom stands in the table of children (`keys`, `values`, see
`child_table`). Cell `c` of the linked lists of payloads is the two words of `cells` from ``2 * c`` on: payload, next
cell or -1. Free nodes are chained through their first word, free cells through their second.

Invariant: a node other than the root has a payload or a child. The path from the root to a node spells, in the
caller's order of atoms, the rows whose payloads hang there.

Cost: a row of `n` atoms is added or removed with `n` look-ups, and removal searches the node's list. Matching visits
the nodes whose path lies within the item, and looks at the rest of the item from each of them, unless it has a single
child. Most inner nodes do (Table 4.2); `compact_trie`, the thesis's answer, makes one node of such a chain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.child_table import child_limit, drop_child, find_child, new_table, put_child
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.positions import Item, fill_slots, new_slots
from watchword.kernels.sets.tries.trie_walk import add_to_family, new_stack, next_child, push_node, take_from_family

NODES_END, FREE_NODE, CELLS_END, FREE_CELL, NODES, ROWS, LONGEST = range(7)
NODE_WORDS, CELL_WORDS = 4, 2
_HEAD, _FAMILY = 0, 1


class TrieArrays(NamedTuple):
    """The whole trie; `state` holds the figures named above."""

    keys: Int64
    values: Int32
    nodes: Int32
    cells: Int32
    state: Int64


def new_trie() -> TrieArrays:
    """Return a trie that has only its root."""
    root = np.array([-1, 0, 0, 0], np.int32)
    state = np.array([1, -1, 0, -1, 0, 0, 0], np.int64)
    return TrieArrays(*new_table(), root, np.empty(0, np.int32), state)


@leaf
def _new_child(trie, parent, atom):
    """Return a new node below `parent`."""
    state, nodes = trie.state, trie.nodes
    node = state[FREE_NODE]
    if node >= 0:
        state[FREE_NODE] = nodes[4 * node + _HEAD]
    else:
        node = state[NODES_END]
        state[NODES_END] += 1
    nodes[4 * node + _HEAD] = -1
    nodes[4 * node + _FAMILY : 4 * node + NODE_WORDS] = 0
    put_child(trie.keys, trie.values, parent, atom, node)
    add_to_family(nodes, 4 * parent + _FAMILY, atom)
    state[NODES] += 1
    return node


@leaf
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
def insert_rows(trie, row_offsets, row_atoms, payloads, first):
    """Add rows from `first` on (Algorithm 5); returns the first row for which room might not suffice."""
    state = trie.state
    limit = child_limit(len(trie.keys))
    for row in range(first, len(payloads)):
        start, end = row_offsets[row], row_offsets[row + 1]
        new = end - start
        if NODE_WORDS * (state[NODES_END] + new) > len(trie.nodes) or state[NODES] + new > limit:
            return row
        if CELL_WORDS * (state[CELLS_END] + 1) > len(trie.cells):
            return row
        node = np.int64(0)
        for i in range(start, end):
            child = find_child(trie.keys, trie.values, node, row_atoms[i])
            if child < 0:
                child = _new_child(trie, node, row_atoms[i])
            node = child
        _push(trie, node, payloads[row])
    return len(payloads)


@leaf
def _unlink(trie, node, payload):
    """Remove one payload from a node's list; returns whether it was there."""
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


@leaf
def _drop_node(trie, parent, node, atom):
    """Remove a childless node without payloads from the trie."""
    nodes = trie.nodes
    drop_child(trie.keys, trie.values, parent, atom)
    take_from_family(nodes, 4 * parent + _FAMILY, atom)
    nodes[4 * node + _FAMILY] = -1
    nodes[4 * node + _HEAD] = trie.state[FREE_NODE]
    trie.state[FREE_NODE] = node
    trie.state[NODES] -= 1


@kernel
def remove_row(trie, atoms, payload):
    """Remove a row, and the nodes left without payload and child; returns whether it was there."""
    path = np.zeros(len(atoms) + 1, np.int64)
    for depth in range(len(atoms)):
        path[depth + 1] = find_child(trie.keys, trie.values, path[depth], atoms[depth])
        if path[depth + 1] < 0:
            return False
    depth = len(atoms)
    if not _unlink(trie, path[depth], payload):
        return False
    nodes = trie.nodes
    while depth > 0 and nodes[4 * path[depth] + _HEAD] < 0 and nodes[4 * path[depth] + _FAMILY] == 0:
        _drop_node(trie, path[depth - 1], path[depth], atoms[depth - 1])
        depth -= 1
    return True


@leaf
def _match_item(trie, item, stack, used, payloads):
    """Write the payloads of one item from `used` on (Algorithm 6); returns the new fill, or -1, and the visits."""
    nodes, cells = trie.nodes, trie.cells
    push_node(stack, 0, 0, _FAMILY, item.start)
    depth, visits = 0, 0
    while True:
        node, position, depth = next_child(trie.keys, trie.values, nodes, item, stack, depth)
        if node < 0:
            return used, visits
        visits += 1
        cell = np.int64(nodes[4 * node + _HEAD])
        while cell >= 0:
            if used == len(payloads):
                return np.int64(-1), visits
            payloads[used] = cells[2 * cell]
            used += 1
            cell = np.int64(cells[2 * cell + 1])
        if nodes[4 * node + _FAMILY] > 0 and position + 1 < item.end:
            depth += 1
            push_node(stack, depth, node, 4 * node + _FAMILY, position + 1)


@kernel
def match(item_offsets, item_atoms, trie, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: nodes visited."""
    stack = new_stack(trie.state[LONGEST])
    slots = new_slots(item_offsets)
    operations = 0
    for number in range(first, len(item_offsets) - 1):
        start, end = item_offsets[number], item_offsets[number + 1]
        item = Item(item_atoms, start, end, slots, fill_slots(slots, item_atoms, start, end))
        fill, visits = _match_item(trie, item, stack, used, payloads)
        if fill < 0:
            return number, used, operations
        operations += visits
        offsets[number + 1] = used = fill
    return len(item_offsets) - 1, used, operations


@leaf
def _bucket(number):
    """Return 0 for 0, 1 for 1, 2 for 2 and 3, 3 for 4 to 7, and so on."""
    bits = 0
    while number > 0:
        number >>= 1
        bits += 1
    return bits


@kernel
def census(trie):
    """Count the nodes, the root included, by `_bucket` of their numbers of children and of payloads."""
    counts = np.zeros((2, 33), np.int64)
    for node in range(trie.state[NODES_END]):
        if trie.nodes[4 * node + _FAMILY] >= 0:
            counts[0, _bucket(trie.nodes[4 * node + _FAMILY])] += 1
            rows, cell = 0, np.int64(trie.nodes[4 * node + _HEAD])
            while cell >= 0:
                rows += 1
                cell = np.int64(trie.cells[2 * cell + 1])
            counts[1, _bucket(rows)] += 1
    return counts
