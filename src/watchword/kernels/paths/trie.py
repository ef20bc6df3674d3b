"""One automaton for all paths, those that begin alike share states: YFilter's (Diao et al. 2003, section 3).

A path is entered into a `share_trie` as a row of *keys*: a label's key for each step, and before the label of a
descendant step `LOOP`, an epsilon move to a state that stays active below the element where it became so. A path's
payload hangs at its last state (`payload_lists`). With `a` = 1, `b` = 2, the paths ``/a//b`` (payload 0), ``/a/*``
(payload 1) and ``//b`` (payload 2)::

    1 a ×2
      4 * accept [1]
      2 //
        3 b accept [0]
    5 //
      6 b accept [2]

The key of a label is the label itself, that of a condition (below 0) comes from the top of what fits.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sequences.payload_lists import hang, list_has_room, take_down
from watchword.kernels.sequences.share_trie import ACCEPTS, KEY, PARENT, STATE_WORDS, enter, follow, has_room, leave

LOOP = (1 << 30) + 31
"""The key before a descendant step; no label has it, and few share its mark."""

_TOP = (1 << 31) - 1


@leaf
def key_of(label):
    """Return the key of a label."""
    return np.int64(label) if label >= 0 else _TOP + 1 + np.int64(label)


@leaf
def label_of(key):
    """Return the label that has a key other than `LOOP`."""
    return key if key < LOOP else key - _TOP - 1


@kernel
def insert_paths(trie, lists, offsets, steps, payloads, first):
    """Insert paths from `first` on; returns the first one that might lack room."""
    for row in range(first, len(payloads)):
        begin, end = offsets[row], offsets[row + 1]
        if not has_room(trie, 2 * (end - begin)) or not list_has_room(lists):
            return row
        state = np.int64(0)
        for k in range(begin, end):
            if steps[k] & 1:
                state = enter(trie, state, np.int64(LOOP))
            state = enter(trie, state, key_of(steps[k] >> 1))
        hang(trie, lists, state, payloads[row])
    return len(payloads)


@kernel
def state_of(trie, steps):
    """Return the state where a path ends, or -1."""
    state = np.int64(0)
    for k in range(len(steps)):
        if steps[k] & 1:
            state = follow(trie.keys, trie.values, trie.states, state, np.int64(LOOP))
            if state < 0:
                return state
        state = follow(trie.keys, trie.values, trie.states, state, key_of(steps[k] >> 1))
        if state < 0:
            return state
    return state


@kernel
def delete_path(trie, lists, steps, payload):
    """Delete a path and the states that only it needed; returns whether it was there."""
    state = state_of(trie, steps)
    if state < 0 or not take_down(trie, lists, state, payload):
        return False
    leave(trie, state)
    return True


@kernel
def has_path(trie, lists, steps, payload):
    """Say whether a path is there under a payload."""
    state = state_of(trie, steps)
    if state < 0:
        return False
    cell = trie.states[STATE_WORDS * state + ACCEPTS]
    while cell >= 0:
        if lists.cells[2 * cell] == payload:
            return True
        cell = lists.cells[2 * cell + 1]
    return False


@kernel
def spell(trie, state, steps, end):
    """Write the steps of the path to a state so that they end before `end`; returns where they begin."""
    states = trie.states
    while state > 0:
        at = STATE_WORDS * state
        key, parent = np.int64(states[at + KEY]), np.int64(states[at + PARENT])
        end -= 1
        steps[end] = label_of(key) << 1
        if parent > 0 and states[STATE_WORDS * parent + KEY] == LOOP:
            steps[end] |= 1
            parent = np.int64(states[STATE_WORDS * parent + PARENT])
        state = parent
    return end


@kernel
def count_steps(trie, lists, states_end):
    """Return how many steps all paths have."""
    states, total = trie.states, np.int64(0)
    for state in range(1, states_end):
        cell = states[STATE_WORDS * state + ACCEPTS]
        if cell >= 0:
            depth, above = 0, np.int64(state)
            while above > 0:
                depth += states[STATE_WORDS * above + KEY] != LOOP
                above = np.int64(states[STATE_WORDS * above + PARENT])
            while cell >= 0:
                total += depth
                cell = lists.cells[2 * cell + 1]
    return total


@kernel
def unpack(trie, lists, states_end, offsets, steps, payloads):
    """Write all paths and their payloads, back to front, into arrays of just their size."""
    states, row, end = trie.states, len(payloads), len(steps)
    offsets[row] = end
    for state in range(1, states_end):
        cell = states[STATE_WORDS * state + ACCEPTS]
        while cell >= 0:
            row -= 1
            end = spell(trie, np.int64(state), steps, end)
            offsets[row], payloads[row] = end, lists.cells[2 * cell]
            cell = lists.cells[2 * cell + 1]
