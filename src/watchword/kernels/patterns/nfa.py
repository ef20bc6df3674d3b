"""The NFA that the paper compares with: one automaton for all patterns, prefixes shared, in the manner of YFilter
(Wang and Jacobsen 2004, section 2.3; Diao et al. 2003).

A pattern is a row of *steps*: code points, `ANY` for each `?`, `LOOP` for a `*`. Questions beside a star come
before it. The steps are entered into a `share_trie`. `LOOP` is an epsilon move to a state that stays active
until the end of the text; the initial state is active at every position, so that a pattern may start anywhere. A
pattern ends where its last step leads; its payload hangs there. ``so*be`` (payload 0) and ``so?be`` (payload 1)::

    1 s ×2
      2 o ×2
        6 ?
          7 b
            8 e     states[56 + ACCEPTS] = 1: cell 1
        3 *
          4 b
            5 e     states[35 + ACCEPTS] = 0: cell 0

    cells   0 -1 | 1 -1

Layout: cell `c` of the lists of payloads is the two words of `cells` from ``2 * c`` on: payload (-1 for a free cell),
next cell or -1. The trie's word `ACCEPTS` is a state's first cell. Free cells are chained through their second word.

Invariant: a state is there as long as a pattern's steps lead through it; what hangs at a state are the payloads of the
patterns that its path spells. Cost: inserting takes a look-up per step; deleting also walks the list of payloads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, reserve
from watchword.kernels.jit import kernel
from watchword.kernels.sequences.share_trie import ACCEPTS, STATE_WORDS, enter, follow, has_room, leave

ANY, LOOP = 0x110000, 0x110001
CELLS_END, FREE_CELL, ROWS = range(3)
CELL_WORDS = 2


class PayloadLists(NamedTuple):
    """The lists of payloads; `counts` holds the figures named above."""

    cells: Int32
    counts: Int64


def new_lists() -> PayloadLists:
    """Return no payloads."""
    return PayloadLists(np.empty(0, np.int32), np.array([0, -1, 0], np.int64))


def with_room(lists: PayloadLists) -> PayloadLists:
    """Return the lists with room for one more."""
    return lists._replace(cells=reserve(lists.cells, CELL_WORDS * (int(lists.counts[CELLS_END]) + 1)))


def trimmed(lists: PayloadLists) -> PayloadLists:
    """Return the lists without spare room; they share memory with these."""
    return lists._replace(cells=lists.cells[: CELL_WORDS * int(lists.counts[CELLS_END])])


@kernel
def _write_gap(gap, steps, fill):
    """Write the steps of a gap; returns the new fill."""
    questions = gap >> 1
    steps[fill : fill + questions] = ANY
    fill += questions
    if gap & 1:
        steps[fill] = LOOP
        fill += 1
    return fill


@kernel
def write_steps(word_offsets, points, gaps, steps):
    """Write the steps of one pattern, whose words are cut from `points`; returns their number."""
    fill = _write_gap(gaps[0], steps, np.int64(0))
    for word in range(len(word_offsets) - 1):
        begin, stop = word_offsets[word], word_offsets[word + 1]
        steps[fill : fill + stop - begin] = points[begin:stop]
        fill = _write_gap(gaps[word + 1], steps, fill + stop - begin)
    return fill


@kernel
def _push(trie, lists, state, payload):
    """Put a payload in front of a state's list."""
    cells, counts = lists.cells, lists.counts
    cell = counts[FREE_CELL]
    if cell >= 0:
        counts[FREE_CELL] = cells[2 * cell + 1]
    else:
        cell = counts[CELLS_END]
        counts[CELLS_END] += 1
    head = STATE_WORDS * state + ACCEPTS
    cells[2 * cell], cells[2 * cell + 1] = payload, trie.states[head]
    trie.states[head] = cell
    counts[ROWS] += 1


@kernel
def insert_patterns(trie, lists, rows, sizes, payloads, first):
    """Insert patterns (`PointRows`) from `first` on, of ``sizes[row]`` steps; returns the first one that might lack
    room."""
    offsets, word_offsets, points, gaps = rows.offsets, rows.word_offsets, rows.points, rows.gaps
    steps = np.empty(np.max(sizes), np.int32)
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        if not has_room(trie, sizes[row]) or CELL_WORDS * (lists.counts[CELLS_END] + 1) > len(lists.cells):
            return row
        count = write_steps(word_offsets[start : end + 1], points, gaps[start + row : end + row + 1], steps)
        state = np.int64(0)
        for k in range(count):
            state = enter(trie, state, np.int64(steps[k]))
        _push(trie, lists, state, payloads[row])
    return len(payloads)


@kernel
def delete_pattern(trie, lists, steps, payload):
    """Delete a pattern and the states that only it needed; returns whether it was there."""
    cells, counts = lists.cells, lists.counts
    state = np.int64(0)
    for k in range(len(steps)):
        state = follow(trie.keys, trie.values, trie.states, state, np.int64(steps[k]))
        if state < 0:
            return False
    head = STATE_WORDS * state + ACCEPTS
    before, cell = np.int64(-1), np.int64(trie.states[head])
    while cell >= 0 and cells[2 * cell] != payload:
        before, cell = cell, np.int64(cells[2 * cell + 1])
    if cell < 0:
        return False
    if before < 0:
        trie.states[head] = cells[2 * cell + 1]
    else:
        cells[2 * before + 1] = cells[2 * cell + 1]
    cells[2 * cell], cells[2 * cell + 1] = -1, counts[FREE_CELL]
    counts[FREE_CELL] = cell
    counts[ROWS] -= 1
    leave(trie, state)
    return True
