"""Reads the blocks of an event's access keys and appends the payloads of matching rows; `layout` describes blocks.

Most of the time is spent here, so a row is refused without a branch: its payload is always written after the last
match, and `fill` advances only if all its literals hold, so that the next row overwrites a refused one. In a group of
many rows the first literals of all rows are read first, then the second literals of the remaining rows, and so on.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import inline, leaf
from watchword.kernels.predicates.layout import LAZILY, LAZY, MORE, OUTSIDE, ROWS_AT, VALUES, VALUES_AT, negations

AHEAD = 12
"""Prefetch distance: a block is requested from memory 12 blocks before it is read."""

LINE = 16
"""Words of 4 bytes in a cache line."""

MANY = 16
"""From this many rows on, a group of two literals is read column by column, else row by row."""


@leaf
def read_blocks(heads, count, positions, s, payloads, fill):
    """Append the payloads of matching rows in the blocks at `heads`; returns the new fill, -1 if there is no room."""
    arena, hold, words = s.arena, s.hold, s.words
    shift = np.int64(len(arena) > len(words))
    for h in range(min(AHEAD, count)):
        _ask_for(words, np.int64(heads[h]))
    for h in range(count):
        if h + AHEAD < count:
            _ask_for(words, np.int64(heads[h + AHEAD]))
        at = np.int64(heads[h])
        more = np.int64(1)
        while more:
            header = np.int64(words[at])
            size, rows, more = header & (MORE - 1), header >> ROWS_AT, header & MORE
            literals = at + 1 << shift
            owners = at + 1 + (size * rows + shift >> shift)
            at = owners + rows
            if fill < 0 or fill + rows > len(payloads):
                return np.int64(-1)
            if size == 0:
                for row in range(owners, at):
                    payloads[fill] = words[row]
                    fill += 1
            elif header & LAZILY:
                fill = _read_lazily(literals, size, rows, owners, positions, s, payloads, fill)
            elif size == 1:
                for row in range(rows):
                    payloads[fill] = words[owners + row]
                    fill += np.int64(hold[arena[literals + row]])
            elif size == 2 and rows < MANY:
                second = literals + rows
                for row in range(rows):
                    payloads[fill] = words[owners + row]
                    fill += np.int64(hold[arena[literals + row]] & hold[arena[second + row]])
            else:
                fill = _read_columns(literals, size, rows, owners, arena, hold, words, payloads, fill)
    return np.int64(fill)


@inline
def _ask_for(words, at):
    prefetch(words, at)
    prefetch(words, at + LINE)
    prefetch(words, at + 2 * LINE)


@leaf
def _read_columns(literals, size, rows, owners, arena, hold, words, payloads, fill):
    """Match a group of two literals or more column by column; returns the new fill. The numbers of the remaining rows
    are kept in ``payloads[fill:]``, and replaced by their payloads at the end."""
    left = np.int64(0)
    for row in range(rows):
        payloads[fill + left] = row
        left += np.int64(hold[arena[literals + row]])
    for column in range(1, size - 1):
        kept = np.int64(0)
        begin = literals + column * rows
        for k in range(left):
            row = payloads[fill + k]
            payloads[fill + kept] = row
            kept += np.int64(hold[arena[begin + row]])
        left = kept
    last = literals + (size - 1) * rows
    for k in range(fill, fill + left):
        row = np.int64(payloads[k])
        payloads[fill] = words[owners + row]
        fill += np.int64(hold[arena[last + row]])
    return fill


@leaf
def _read_lazily(literals, size, rows, owners, positions, s, payloads, fill):
    """Match a group with lazy spans row by row, each up to its first literal that fails; returns the new fill."""
    half = negations(s)
    for row in range(rows):
        holds = True
        at = literals + row
        while holds and at < literals + size * rows:
            literal = np.int64(s.arena[at])
            held = np.int64(s.hold[literal])
            if held == LAZY:
                negated = literal >= half
                held = lies(s.by_place[literal - half * negated], positions, s.kinds, s.spans, s.marks) ^ negated
            holds = held != 0
            at += rows
        if holds:
            payloads[fill] = s.words[owners + row]
            fill += 1
    return fill


@leaf
def lies(atom, positions, kinds, spans, marks):
    """Return 1 if a span holds, else 0: whether some label of its field lies inside (or, if `OUTSIDE`, outside) it."""
    kind = kinds[atom]
    field = kind >> 2
    low, high = spans[2 * atom], spans[2 * atom + 1]
    outside = kind & 3 == OUTSIDE
    start = marks[field, VALUES_AT]
    for k in range(start, start + marks[field, VALUES]):
        if (low <= positions[k] <= high) != outside:
            return np.int64(1)
    return np.int64(0)
