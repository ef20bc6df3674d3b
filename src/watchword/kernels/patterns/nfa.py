"""The NFA that the paper compares with: one automaton for all patterns, prefixes shared, in the manner of YFilter
(Wang and Jacobsen 2004, section 2.3; Diao et al. 2003).

A pattern is a row of *steps*: code points, `ANY` for each `?`, `LOOP` for a `*`. Questions beside a star come
before it. The steps are entered into a `share_trie`. `LOOP` is an epsilon move to a state that stays active
until the end of the text; the initial state is active at every position, so that a pattern may start anywhere. A
pattern ends where its last step leads; its payload hangs there (`payload_lists`). ``so*be`` (payload 0) and ``so?be``
(payload 1)::

    1 s ×2
      2 o ×2
        6 ?
          7 b
            8 e     states[56 + ACCEPTS] = 1: cell 1
        3 *
          4 b
            5 e     states[35 + ACCEPTS] = 0: cell 0

    cells   0 -1 | 1 -1

Invariant: a state is there as long as a pattern's steps lead through it; what hangs at a state are the payloads of the
patterns that its path spells. Cost: inserting takes a look-up per step; deleting also walks the list of payloads.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.growing import copy_into
from watchword.kernels.jit import kernel
from watchword.kernels.sequences.payload_lists import hang, list_has_room, take_down
from watchword.kernels.sequences.share_trie import enter, follow, has_room, leave

ANY, LOOP = 0x110000, 0x110001


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
        copy_into(steps, fill, points, begin, stop)
        fill = _write_gap(gaps[word + 1], steps, fill + stop - begin)
    return fill


@kernel
def insert_patterns(trie, lists, rows, sizes, payloads, first):
    """Insert patterns (`PointRows`) from `first` on, of ``sizes[row]`` steps; returns the first one that might lack
    room."""
    offsets, word_offsets, points, gaps = rows.offsets, rows.word_offsets, rows.points, rows.gaps
    steps = np.empty(np.max(sizes), np.int32)
    for row in range(first, len(payloads)):
        start, end = offsets[row], offsets[row + 1]
        if not has_room(trie, sizes[row]) or not list_has_room(lists):
            return row
        count = write_steps(word_offsets[start : end + 1], points, gaps[start + row : end + row + 1], steps)
        state = np.int64(0)
        for k in range(count):
            state = enter(trie, state, np.int64(steps[k]))
        hang(trie, lists, state, payloads[row])
    return len(payloads)


@kernel
def delete_pattern(trie, lists, steps, payload):
    """Delete a pattern and the states that only it needed; returns whether it was there."""
    state = np.int64(0)
    for k in range(len(steps)):
        state = follow(trie.keys, trie.values, trie.states, state, np.int64(steps[k]))
        if state < 0:
            return False
    if not take_down(trie, lists, state, payload):
        return False
    leave(trie, state)
    return True
