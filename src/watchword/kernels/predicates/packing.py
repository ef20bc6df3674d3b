"""Into the packed form and back; `match` has the layout.

Rows come in CSR form with their access keys. They are sorted by key and by the number of literals that are left; then
their blocks are measured and written, front to back.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import put_child
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.predicates.choice import PAIR, POINT
from watchword.kernels.predicates.match import MORE, ROWS
from watchword.kernels.predicates.nodes import put_node
from watchword.kernels.tombstones import is_dead


@kernel
def leave_keys_out(row_offsets, literals, chances, kinds, firsts, seconds, sizes):
    """Put what is left of each row to its front, the literal that fails most often first; write how many those are."""
    for row in range(len(row_offsets) - 1):
        begin, end = row_offsets[row], row_offsets[row + 1]
        fill = begin
        for k in range(begin, end):
            atom = literals[k] >> 1
            is_key = literals[k] & 1 == 0 and (
                (kinds[row] == POINT and atom == firsts[row])
                or (kinds[row] == PAIR and (atom == firsts[row] or atom == seconds[row]))
            )
            if not is_key:
                literals[fill] = literals[k]
                fill += 1
        sizes[row] = fill - begin
        _sort_by_chance(literals, begin, fill, chances)


@leaf
def _sort_by_chance(literals, begin, end, chances):
    for i in range(begin + 1, end):
        literal = literals[i]
        chance = _chance(literal, chances)
        j = i - 1
        while j >= begin and _chance(literals[j], chances) > chance:
            literals[j + 1] = literals[j]
            j -= 1
        literals[j + 1] = literal


@leaf
def _chance(literal, chances):
    chance = chances[literal >> 1]
    return 1 - chance if literal & 1 else chance


@kernel
def write_blocks(row_offsets, literals, payloads, order, keys, sizes, starts, arena, owners):
    """Write the rows in `order`, whose keys and sizes ascend; returns the blocks and words. Counts only, if `arena` is
    empty; else writes where the block of each key begins."""
    write = len(arena) > 0
    blocks = np.int64(0)
    at = np.int64(0)
    i = np.int64(0)
    while i < len(order):
        key = keys[order[i]]
        if write:
            starts[blocks] = at
        while i < len(order) and keys[order[i]] == key:
            size = np.int64(sizes[order[i]])
            j = i
            while j < len(order) and j < i + ROWS and keys[order[j]] == key and sizes[order[j]] == size:
                j += 1
            rows = j - i
            if write:
                follows = j < len(order) and keys[order[j]] == key
                arena[at], arena[at + 1] = size + (MORE if follows else 0), rows
                for k in range(rows):
                    row = order[i + k]
                    owners[at + 2 + k] = payloads[row]
                    for column in range(size):
                        arena[at + 2 + rows * column + k] = literals[row_offsets[row] + column]
            at += 2 + rows * max(size, 1)
            i = j
        blocks += 1
    return blocks, at


@leaf
def _unpack_block(arena, owners, at, keys, dead, offsets, literals, payloads, rows, fill):
    """Write the live rows of a block behind others; `keys` are its points, -1 for none. Returns rows and fill."""
    write = len(offsets) > 1
    more = True
    while more:
        size, count = np.int64(arena[at]), np.int64(arena[at + 1])
        more = size >= MORE
        size &= MORE - 1
        at += 2
        for row in range(at, at + count):
            if is_dead(dead, owners[row]):
                continue
            start = fill
            fill += size
            for key in keys:
                if key >= 0:
                    if write:
                        literals[fill] = 2 * key
                    fill += 1
            if write:
                payloads[rows] = owners[row]
                for column in range(size):
                    literals[start + column] = arena[row + count * column]
                offsets[rows + 1] = fill
            rows += 1
        at += count * max(size, 1)
    return rows, fill


@kernel
def unpack(arena, owners, keys, dead, offsets, literals, payloads):
    """Write the live rows of blocks, for each of which `keys` has its first point, its second, and where it begins.

    Returns the rows and literals. Counts only, if `offsets` has one entry.
    """
    rows = np.int64(0)
    fill = np.int64(0)
    for k in range(len(keys)):
        rows, fill = _unpack_block(
            arena, owners, keys[k, 2], keys[k, :2], dead, offsets, literals, payloads, rows, fill
        )
    return rows, fill


@kernel
def renumber(arena, owners, renumbered):
    """Replace every payload `p` below ``len(renumbered)`` by ``renumbered[p]``."""
    at = np.int64(0)
    while at < len(arena):
        size, rows = np.int64(arena[at]) & (MORE - 1), np.int64(arena[at + 1])
        at += 2
        for row in range(at, at + rows):
            if owners[row] < len(renumbered):
                owners[row] = renumbered[owners[row]]
        at += rows * max(size, 1)


@kernel
def put_pairs(keys, values, pairs, starts):
    """Make pairs of points, ``first << 30 | second``, lead to where their blocks begin."""
    for k in range(len(pairs)):
        put_child(keys, values, pairs[k] >> 30, pairs[k] & (1 << 30) - 1, starts[k])


@kernel
def put_nodes(keys, values, owners, starts, levels):
    """Make nodes, each an owner ``field << 8 | level`` and a prefix, lead to where their blocks begin."""
    for k in range(len(owners)):
        owner = owners[k, 0]
        put_node(keys, values, owner, owners[k, 1], starts[k])
        levels[owner >> 8] |= np.uint64(1) << np.uint64(owner & 255)
