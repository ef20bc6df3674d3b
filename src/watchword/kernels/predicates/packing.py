"""Writes rows into the packed form, and reads them back; `layout` describes it.

Rows come in CSR form with their access keys. They are sorted by key and by the number of literals left without the key;
then their blocks are measured and written, front to back.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.child_table import put_child
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.predicates.choice import NODE, PAIR, POINT
from watchword.kernels.predicates.layout import LAZILY, MORE, ROWS, ROWS_AT
from watchword.kernels.predicates.nodes import put_node
from watchword.kernels.tombstones import is_dead


@kernel
def leave_keys_out(row_offsets, literals, chances, kinds, firsts, seconds, places, first_lazy, sizes):
    """Remove the key's points from each row, sort the other literals by their chance, least first, and replace them by
    places. Writes their number to `sizes`, with `LAZILY` if a place is `first_lazy` or more."""
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
        _sort_by_chance(literals, begin, fill, chances)
        lazily = False
        for k in range(begin, fill):
            place = places[literals[k] >> 1]
            literals[k] = place + (len(places) if literals[k] & 1 else 0)
            lazily = lazily or place >= first_lazy
        sizes[row] = fill - begin | (LAZILY if lazily else 0)


@kernel
def expect_looks(row_offsets, literals, atoms, chances, keys, looks):
    """Add to `looks` the spans of each field that an event is expected to read; `keys` are kinds, firsts, seconds."""
    kinds, firsts, seconds = keys
    for row in range(len(row_offsets) - 1):
        chance = 1.0
        if kinds[row] == POINT or kinds[row] == PAIR:
            chance = chances[firsts[row]] * (chances[seconds[row]] if kinds[row] == PAIR else 1.0)
        elif kinds[row] == NODE:
            for k in range(row_offsets[row], row_offsets[row + 1]):
                chance = min(chance, chances[literals[k] >> 1]) if literals[k] & 1 == 0 else chance
        for k in range(row_offsets[row], row_offsets[row + 1]):
            kind = atoms[literals[k] >> 1]
            if kind & 3:
                looks[kind >> 2] += chance


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
def write_blocks(row_offsets, literals, payloads, order, keys, sizes, per_word, starts, arena, words):
    """Write the rows in `order`, in which keys and sizes ascend, and the start of each key's block to `starts`; returns
    the numbers of blocks and words. Only counts if `words` is empty. `arena` is `words` seen as literals, `per_word`
    in each."""
    write = len(words) > 0
    blocks = np.int64(0)
    at = np.int64(0)
    i = np.int64(0)
    while i < len(order):
        key = keys[order[i]]
        if write:
            starts[blocks] = at
        while i < len(order) and keys[order[i]] == key:
            kind = np.int64(sizes[order[i]])
            j = i
            while j < len(order) and j < i + ROWS and keys[order[j]] == key and sizes[order[j]] == kind:
                j += 1
            rows, size = j - i, kind & (MORE - 1)
            owners = at + 1 + (size * rows + per_word - 1) // per_word
            if write:
                follows = j < len(order) and keys[order[j]] == key
                words[owners - 1] = 0  # half of it may stay free
                words[at] = kind | (MORE if follows else 0) | rows << ROWS_AT
                for k in range(rows):
                    row = order[i + k]
                    words[owners + k] = payloads[row]
                    for column in range(size):
                        arena[per_word * (at + 1) + rows * column + k] = literals[row_offsets[row] + column]
            at = owners + rows
            i = j
        blocks += 1
    return blocks, at


@leaf
def _unpack_block(arena, words, key, by_place, dead, offsets, literals, payloads, rows, fill):
    """Append the live rows of a block in CSR form; `key` has its two points (-1 for none) and its start. Returns the
    numbers of rows and literals so far."""
    at = key[2]
    write = len(offsets) > 1
    per_word = len(arena) // len(words)
    more = np.int64(1)
    while more:
        header = np.int64(words[at])
        size, count, more = header & (MORE - 1), header >> ROWS_AT, header & MORE
        first = per_word * (at + 1)
        owners = at + 1 + (size * count + per_word - 1) // per_word
        for row in range(count):
            if is_dead(dead, words[owners + row]):
                continue
            start = fill
            fill += size
            for point in key[:2]:
                if point >= 0:
                    if write:
                        literals[fill] = 2 * point
                    fill += 1
            if write:
                payloads[rows] = words[owners + row]
                for column in range(size):
                    literal = np.int64(arena[first + row + count * column])
                    negated = literal >= len(by_place)
                    literals[start + column] = by_place[literal - negated * len(by_place)] << 1 | negated
                offsets[rows + 1] = fill
            rows += 1
        at = owners + count
    return rows, fill


@kernel
def unpack(arena, words, keys, by_place, dead, offsets, literals, payloads):
    """Write the live rows of blocks in CSR form; ``keys[b]`` has the two points of block `b` (-1 for none) and its
    start, `by_place` the atom of each place.

    Returns the numbers of rows and literals. Only counts if `offsets` has one entry.
    """
    rows = np.int64(0)
    fill = np.int64(0)
    for k in range(len(keys)):
        rows, fill = _unpack_block(arena, words, keys[k], by_place, dead, offsets, literals, payloads, rows, fill)
    return rows, fill


@kernel
def renumber(words, per_word, renumbered):
    """Replace every payload `p` below ``len(renumbered)`` by ``renumbered[p]``."""
    at = np.int64(0)
    while at < len(words):
        header = np.int64(words[at])
        size, rows = header & (MORE - 1), header >> ROWS_AT
        owners = at + 1 + (size * rows + per_word - 1) // per_word
        at = owners + rows
        for row in range(owners, at):
            if words[row] < len(renumbered):
                words[row] = renumbered[words[row]]


@kernel
def put_pairs(keys, values, pairs, starts):
    """Put pairs of points, ``first << 30 | second``, into the table, with the starts of their blocks."""
    for k in range(len(pairs)):
        put_child(keys, values, pairs[k] >> 30, pairs[k] & (1 << 30) - 1, starts[k])


@kernel
def put_nodes(keys, values, owners, starts, levels):
    """Put nodes, each an owner ``field << 8 | level`` and a prefix, into the table, with the starts of their blocks."""
    for k in range(len(owners)):
        owner = owners[k, 0]
        put_node(keys, values, owner, owners[k, 1], starts[k])
        levels[owner >> 8] |= np.uint64(1) << np.uint64(owner & 255)
