"""The compact count index (Kourdounakis 2011, section 3.1.2): hash table, posting blocks, two-level counter.

Layout of the inverted file
- ``buckets[term % capacity]`` is the first term node of the collision list, or -1. The thesis's figures (a
  full table and lists of exactly 2.00 for 800,000 uniform terms in 400,000 buckets, Table 4.4) are those of
  the plain remainder.
- Term node `n` is ``nodes[4n : 4n + 4]``: the term, the next node of the collision list or -1, the head
  block, and the number of postings.
- Block `b` is ``blocks[(K + 1) * b :][: K + 1]``: K rows, and last the next block or -1. `width` is K + 1.
- Nodes and blocks given back are chains through their link to the next.
- ``state``: nodes used, first free node, live nodes, blocks used, first free block, live blocks, postings.

Layout of the counter: ``ground[row // (FANOUT * SEGMENT)]`` is a second-level table, whose entry
``row // SEGMENT % FANOUT`` in ``second`` is a segment, which has at ``row % SEGMENT`` in ``segments`` the
row's number of terms. (The thesis takes the remainder by the product of all three levels; that of the lower
two is meant.)

Invariant: every block but the head is full, so that the head's fill follows from the number of postings; a
term node has at least one posting.

Cost: a posting goes into the head block or a new head, O(1) behind the walk along the collision list. Taking
one out is a walk along the blocks; the head's last entry fills the hole.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel

NODES_USED, NODE_FREE, NODES_LIVE, BLOCKS_USED, BLOCK_FREE, BLOCKS_LIVE, POSTINGS = range(7)
TERM, NEXT, HEAD, SIZE = range(4)
FANOUT = 20
SEGMENT = 50_000
_FANOUT, _SEGMENT = np.uint64(FANOUT), np.uint64(SEGMENT)


@inline
def counter_slot(row, ground, second):
    """Return where in the segments a row's counter is."""
    # Unsigned, because a division by a constant is then one multiplication.
    group = np.uint64(row) // _SEGMENT
    table = group // _FANOUT
    entry = np.uint64(ground[table]) * _FANOUT + (group - table * _FANOUT)
    return np.uint64(second[entry]) * _SEGMENT + (np.uint64(row) - group * _SEGMENT)


@kernel
def counter_set(rows, sizes, ground, second, segments):
    """Set the counters of rows whose segments exist."""
    for i in range(len(rows)):
        segments[counter_slot(rows[i], ground, second)] = sizes[i]


@kernel
def term_node(term, buckets, nodes):
    """Return a term's node, or -1."""
    node = buckets[term % len(buckets)] if term >= 0 else -1
    while node >= 0 and nodes[4 * node + TERM] != term:
        node = nodes[4 * node + NEXT]
    return node


@kernel
def by_term(rows, offsets, terms, vocabulary):
    """Return the postings of rows in CSR form as two arrays, their rows and terms, sorted by term."""
    cursors = np.zeros(vocabulary + 1, np.int64)
    for j in range(len(terms)):
        cursors[terms[j] + 1] += 1
    for term in range(vocabulary):
        cursors[term + 1] += cursors[term]
    sorted_rows, sorted_terms = np.empty(len(terms), np.int32), np.empty(len(terms), np.int32)
    for i in range(len(rows)):
        for j in range(offsets[i], offsets[i + 1]):
            place = cursors[terms[j]]
            cursors[terms[j]] += 1
            sorted_rows[place], sorted_terms[place] = rows[i], terms[j]
    return sorted_rows, sorted_terms


@kernel
def compact_insert(first, rows, terms, buckets, nodes, blocks, width, state):
    """Add postings from `first` on; return the first for which `nodes` or `blocks` may lack room."""
    for i in range(first, len(rows)):
        if 4 * state[NODES_LIVE] == len(nodes) or width * state[BLOCKS_LIVE] == len(blocks):
            return i
        node = term_node(terms[i], buckets, nodes)
        if node < 0:
            node = _new_node(terms[i], buckets, nodes, state)
        fill = nodes[4 * node + SIZE] % (width - 1)
        if fill == 0:
            nodes[4 * node + HEAD] = _new_block(nodes[4 * node + HEAD], blocks, width, state)
        blocks[nodes[4 * node + HEAD] * width + fill] = rows[i]
        nodes[4 * node + SIZE] += 1
        state[POSTINGS] += 1
    return len(rows)


@kernel
def _new_node(term, buckets, nodes, state):
    """Put a node without postings in front of its collision list."""
    node = state[NODE_FREE]
    if node >= 0:
        state[NODE_FREE] = nodes[4 * node + NEXT]
    else:
        node = state[NODES_USED]
        state[NODES_USED] += 1
    state[NODES_LIVE] += 1
    nodes[4 * node + TERM] = term
    nodes[4 * node + NEXT] = buckets[term % len(buckets)]
    nodes[4 * node + HEAD] = -1
    nodes[4 * node + SIZE] = 0
    buckets[term % len(buckets)] = node
    return node


@kernel
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


@kernel
def compact_match(
    first,
    used,
    offsets,
    terms,
    buckets,
    nodes,
    blocks,
    width,
    payloads,
    ground,
    second,
    segments,
    ends,
    found,
):
    """Match items from `first` on; see `Step` for the buffer's rules. Operations: counter decrements.

    `segments` is the caller's private copy; every item leaves it as it was (see `count`).
    """
    operations = 0
    for item in range(first, len(offsets) - 1):
        fill, spent = used, 0
        for i in range(offsets[item], offsets[item + 1]):
            node = term_node(terms[i], buckets, nodes)
            block = nodes[4 * node + HEAD] if node >= 0 else -1
            count = (nodes[4 * node + SIZE] - 1) % (width - 1) + 1 if node >= 0 else 0
            while block >= 0:
                start = block * width
                for j in range(start, start + count):
                    slot = counter_slot(blocks[j], ground, second)
                    segments[slot] -= 1
                    if segments[slot] == 0:
                        if fill < len(found):
                            found[fill] = payloads[blocks[j]]
                        fill += 1
                spent += count
                block = blocks[start + width - 1]
                count = width - 1
        _restore(terms[offsets[item] : offsets[item + 1]], buckets, nodes, blocks, width, ground, second, segments)
        if fill > len(found):
            return item, used, operations
        used = fill
        ends[item] = used
        operations += spent
    return len(offsets) - 1, used, operations


@kernel
def _restore(terms, buckets, nodes, blocks, width, ground, second, segments):
    """Undo an item's decrements."""
    for i in range(len(terms)):
        node = term_node(terms[i], buckets, nodes)
        block = nodes[4 * node + HEAD] if node >= 0 else -1
        count = (nodes[4 * node + SIZE] - 1) % (width - 1) + 1 if node >= 0 else 0
        while block >= 0:
            start = block * width
            for j in range(start, start + count):
                segments[counter_slot(blocks[j], ground, second)] += 1
            block = blocks[start + width - 1]
            count = width - 1
