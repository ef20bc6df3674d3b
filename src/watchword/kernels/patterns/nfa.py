"""The NFA that the paper compares with: one automaton for all patterns, prefixes shared, in the manner of YFilter
(Wang and Jacobsen 2004, section 2.3; Diao et al. 2003).

A pattern is a row of *steps*: code points, `ANY` for each `?`, `LOOP` for a `*`. Questions beside a star come
before it. The steps are entered into a `share_trie`. `LOOP` is an epsilon move to a state that stays active
until the end of the text; the initial state is active at every position, so that a pattern may start anywhere. A
pattern ends where its last step leads; its payload hangs there.

Layout: cell `c` of the lists of payloads is the two words of `cells` from ``2 * c`` on: payload (-1 for a free cell),
next cell or -1. The trie's head `ACCEPTS` is a state's first cell. Free cells are chained through their second word.

Invariant: a state is there as long as a pattern's steps lead through it; what hangs at a state are the payloads of the
patterns that its path spells. Cost: inserting takes a look-up per step; deleting also walks the list of payloads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.arrays import reserve
from watchword.kernels.jit import kernel
from watchword.kernels.sequences.share_trie import ACCEPTS, STATE_WORDS, enter, follow, has_room, leave

ANY, LOOP = 0x110000, 0x110001
CELLS_END, FREE_CELL, ROWS = range(3)
CELL_WORDS = 2


class Payloads(NamedTuple):
    """The lists of payloads; `counts` holds the figures named above."""

    cells: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]


def new_payloads() -> Payloads:
    """Return no payloads."""
    return Payloads(np.empty(0, np.int32), np.array([0, -1, 0], np.int64))


def with_room(payloads: Payloads) -> Payloads:
    """Return the lists with room for one more."""
    return payloads._replace(cells=reserve(payloads.cells, CELL_WORDS * (int(payloads.counts[CELLS_END]) + 1)))


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
def write_steps(cuts, points, gaps, steps):
    """Write the steps of the pattern with the words ``points[cuts[k]:cuts[k + 1]]``; returns their number."""
    fill = _write_gap(gaps[0], steps, np.int64(0))
    for word in range(len(cuts) - 1):
        size = cuts[word + 1] - cuts[word]
        steps[fill : fill + size] = points[cuts[word] : cuts[word + 1]]
        fill = _write_gap(gaps[word + 1], steps, fill + size)
    return fill


@kernel
def _push(trie, payloads, state, payload):
    """Put a payload in front of a state's list."""
    cells, counts = payloads.cells, payloads.counts
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
def insert_patterns(trie, payloads, offsets, cuts, points, gaps, sizes, numbers, first):
    """Insert patterns from `first` on, of ``sizes[row]`` steps; returns the first one that might lack room."""
    steps = np.empty(np.max(sizes), np.int32)
    for row in range(first, len(numbers)):
        start, end = offsets[row], offsets[row + 1]
        if not has_room(trie, sizes[row]) or CELL_WORDS * (payloads.counts[CELLS_END] + 1) > len(payloads.cells):
            return row
        count = write_steps(cuts[start : end + 1], points, gaps[start + row : end + row + 1], steps)
        state = np.int64(0)
        for k in range(count):
            state = enter(trie, state, np.int64(steps[k]))
        _push(trie, payloads, state, numbers[row])
    return len(numbers)


@kernel
def delete_pattern(trie, payloads, steps, payload):
    """Delete a pattern and the states that only it needed; returns whether it was there."""
    cells, counts = payloads.cells, payloads.counts
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
