"""The compact count index (Kourdounakis 2011, section 3.1.2): hash table, posting blocks, two-level counter.

The rows 0 to 5 of Table 2.1, in a table of four buckets with blocks of K = 3 rows. An atom's node is drawn as the atom,
the next node of its bucket, its first block, and the number of its postings:

    bucket       0            1            2            3
    buckets      5            6            1            4                  atom % 4
    nodes     5: 12  3 6 1   6: 13  0 8 1  1: 2 -1 7 4  4: 3 -1 4 2        bucket 0 goes on with node 3 (24), then 2 (4)
              3: 24  2 3 1   0:  1 -1 5 4
              2:  4 -1 2 2
    blocks    0: 0 1 2 -1    5: 3 . .  0                                   the list of 1: row 3, then rows 0, 1, 2
              1: 0 2 4 -1    7: 5 . .  1                                   the list of 2: row 5, then rows 0, 2, 4
    state     7 -1 7 9 -1 9 15

Layout of the inverted file
- ``buckets[atom % capacity]`` is the first node of the collision list, or -1. The thesis's figures (a full table and
  lists of exactly 2.00 for 800,000 uniform terms in 400,000 buckets, Table 4.4) are those of the plain remainder.
- Node `n` of an atom (a "term node" in Table 3.1) is ``nodes[4n : 4n + 4]``: the atom, the next node of the collision
  list or -1, the head block, and the number of postings.
- Block `b` is ``blocks[(K + 1) * b :][: K + 1]``: K rows, and last the next block or -1. `width` is K + 1.
- Nodes and blocks given back are chains through their link to the next.
- ``state``: nodes used, first free node, live nodes, blocks used, first free block, live blocks, postings.

Layout of the counter: ``ground[row // (FANOUT * SEGMENT)]`` is a second-level table, whose entry
``row // SEGMENT % FANOUT`` in ``second`` is a segment, which has at ``row % SEGMENT`` in ``segments`` the row's number
of atoms: for row 1,234,567 the second-level table ``ground[1]``, its entry 4, and there place 34,567. (The thesis takes
the remainder by the product of all three levels; that of the lower two is meant.)

Invariant: every block but the head is full, so that the head's fill follows from the number of postings; an atom's node
has at least one posting.

Cost: a posting goes into the head block or a new head, O(1) behind the walk along the collision list. Taking one out
is a walk along the blocks (`compact_removal`); the head's last entry fills the hole. Matching is that of `count`, with
a division by constants for each counter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int16, Int32, Int64
from watchword.kernels.jit import inline, kernel, leaf

NODES_USED, NODE_FREE, NODES_LIVE, BLOCKS_USED, BLOCK_FREE, BLOCKS_LIVE, POSTINGS = range(7)
ATOM, NEXT, HEAD, SIZE = range(4)
FANOUT = 20
SEGMENT = 50_000
_FANOUT, _SEGMENT = np.uint64(FANOUT), np.uint64(SEGMENT)


class PostingBlocks(NamedTuple):
    """The inverted file; `state` holds the figures named above."""

    buckets: Int32
    nodes: Int32
    blocks: Int32
    width: int
    state: Int64


class Counter(NamedTuple):
    """The two-level counter."""

    ground: Int32
    second: Int32
    segments: Int16


class CompactIndex(NamedTuple):
    """The whole index as one flat tuple; nested ones take longer to pass. A batch is matched on its own `segments`."""

    buckets: Int32
    nodes: Int32
    blocks: Int32
    width: int
    state: Int64
    ground: Int32
    second: Int32
    segments: Int16
    payloads: Int32


@inline
def counter_slot(row, ground, second):
    """Return the position of a row's counter in `segments`."""
    # Unsigned, because a division by a constant is then one multiplication.
    group = np.uint64(row) // _SEGMENT
    table = group // _FANOUT
    entry = np.uint64(ground[table]) * _FANOUT + (group - table * _FANOUT)
    return np.uint64(second[entry]) * _SEGMENT + (np.uint64(row) - group * _SEGMENT)


@kernel
def set_counters(counter, rows, sizes):
    """Set the counters of rows whose segments exist."""
    for i in range(len(rows)):
        counter.segments[counter_slot(rows[i], counter.ground, counter.second)] = sizes[i]


@leaf
def atom_node(atom, buckets, nodes):
    """Return an atom's node, or -1."""
    node = buckets[atom % len(buckets)] if atom >= 0 else -1
    while node >= 0 and nodes[4 * node + ATOM] != atom:
        node = nodes[4 * node + NEXT]
    return node


@inline
def head_fill(nodes, node, width):
    """Return the number of rows in the head block of an atom that has postings."""
    return (nodes[4 * node + SIZE] - 1) % (width - 1) + 1


@kernel
def sort_by_atom(rows, row_offsets, row_atoms, atoms_end):
    """Return the postings of rows as two arrays, rows and atoms, sorted by atom; all atoms are below `atoms_end`."""
    cursors = np.zeros(atoms_end + 1, np.int64)
    for j in range(len(row_atoms)):
        cursors[row_atoms[j] + 1] += 1
    for atom in range(atoms_end):
        cursors[atom + 1] += cursors[atom]
    sorted_rows, sorted_atoms = np.empty(len(row_atoms), np.int32), np.empty(len(row_atoms), np.int32)
    for i in range(len(rows)):
        for j in range(row_offsets[i], row_offsets[i + 1]):
            at = cursors[row_atoms[j]]
            cursors[row_atoms[j]] += 1
            sorted_rows[at], sorted_atoms[at] = rows[i], row_atoms[j]
    return sorted_rows, sorted_atoms


@kernel
def insert_postings(lists, rows, atoms, first):
    """Add postings from `first` on; returns the first for which `nodes` or `blocks` may lack room."""
    buckets, nodes, blocks, width, state = lists.buckets, lists.nodes, lists.blocks, lists.width, lists.state
    for i in range(first, len(rows)):
        if 4 * state[NODES_LIVE] == len(nodes) or width * state[BLOCKS_LIVE] == len(blocks):
            return i
        node = atom_node(atoms[i], buckets, nodes)
        if node < 0:
            node = _new_node(atoms[i], buckets, nodes, state)
        fill = nodes[4 * node + SIZE] % (width - 1)
        if fill == 0:
            nodes[4 * node + HEAD] = _new_block(nodes[4 * node + HEAD], blocks, width, state)
        blocks[nodes[4 * node + HEAD] * width + fill] = rows[i]
        nodes[4 * node + SIZE] += 1
        state[POSTINGS] += 1
    return len(rows)


@leaf
def _new_node(atom, buckets, nodes, state):
    """Add a node without postings at the head of its collision list; returns it."""
    node = state[NODE_FREE]
    if node >= 0:
        state[NODE_FREE] = nodes[4 * node + NEXT]
    else:
        node = state[NODES_USED]
        state[NODES_USED] += 1
    state[NODES_LIVE] += 1
    nodes[4 * node + ATOM] = atom
    nodes[4 * node + NEXT] = buckets[atom % len(buckets)]
    nodes[4 * node + HEAD] = -1
    nodes[4 * node + SIZE] = 0
    buckets[atom % len(buckets)] = node
    return node


@leaf
def _new_block(following, blocks, width, state):
    """Return an empty block in front of the block `following`."""
    block = state[BLOCK_FREE]
    if block >= 0:
        state[BLOCK_FREE] = blocks[(block + 1) * width - 1]
    else:
        block = state[BLOCKS_USED]
        state[BLOCKS_USED] += 1
    state[BLOCKS_LIVE] += 1
    blocks[(block + 1) * width - 1] = following
    return block


@leaf
def _count_down(index, atoms, begin, end, fill, payloads):
    """Decrement the counter of every posting of an item; return the new fill and the number of postings.

    Payloads of counters that reach 0 are written from `fill` on, which counts on where the buffer has no more room.
    """
    buckets, nodes, blocks, width = index.buckets, index.nodes, index.blocks, index.width
    ground, second, segments = index.ground, index.second, index.segments
    postings = 0
    for i in range(begin, end):
        node = atom_node(atoms[i], buckets, nodes)
        if node < 0:
            continue
        block, count = nodes[4 * node + HEAD], head_fill(nodes, node, width)
        while block >= 0:
            start = block * width
            for j in range(start, start + count):
                slot = counter_slot(blocks[j], ground, second)
                segments[slot] -= 1
                if segments[slot] == 0:
                    if fill < len(payloads):
                        payloads[fill] = index.payloads[blocks[j]]
                    fill += 1
            postings += count
            block, count = blocks[start + width - 1], width - 1
    return fill, postings


@leaf
def _count_up(index, atoms, begin, end):
    """Undo an item's decrements. A separate walk: testing for 0 in the same walk would cost a few percent."""
    buckets, nodes, blocks, width = index.buckets, index.nodes, index.blocks, index.width
    ground, second, segments = index.ground, index.second, index.segments
    for i in range(begin, end):
        node = atom_node(atoms[i], buckets, nodes)
        if node < 0:
            continue
        block, count = nodes[4 * node + HEAD], head_fill(nodes, node, width)
        while block >= 0:
            start = block * width
            for j in range(start, start + count):
                segments[counter_slot(blocks[j], ground, second)] += 1
            block, count = blocks[start + width - 1], width - 1


@kernel
def match(item_offsets, item_atoms, index, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: counter decrements.

    As in `count`, every item leaves the counters as they were.
    """
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        begin, end = item_offsets[item], item_offsets[item + 1]
        fill, postings = _count_down(index, item_atoms, begin, end, used, payloads)
        _count_up(index, item_atoms, begin, end)
        if fill > len(payloads):
            return item, used, operations
        offsets[item + 1] = used = fill
        operations += postings
    return len(item_offsets) - 1, used, operations
