"""A trie whose states count how many words pass through them (REtriever, Wang and Jacobsen 2004, Table 1).

It is the automaton of REtriever, over code points, and of the NFA, over code points and wildcards; REtriever keeps the
beginnings of its subscriptions in another. The words "blue" and "berry" make eight states, one of them shared::

    1 b ×2
      5 e           state 5 is states[35:42]: key 101 ("e"), parent 1, share degree 1, marks with bit 18 (114 & 31) for
        6 r         the "r" behind it, and three words for the owner
          7 r
            8 y
      2 l
        3 u
          4 e

Layout: state 0 is the initial state. State `s` is the seven words of `states` from ``7 * s`` on: the key that leads to
it, its parent, its share degree (0 for a free state), marks, and three words for the owner: -1, 0 and 0 in a new
state. All transitions share one hash table (`keys`, `values`, see `child_table`). Bit ``key & 31`` of the marks is
set for each transition: a clear bit saves a probe; one left over from a deleted state only costs one. Free states are
chained through their parents.

Invariant: the share degree of a state is the number of words entered and not yet left whose path goes through it, so
it never grows on the way down, and a state whose degree drops to 0 has no states below it.

Cost: entering or leaving a word is a look-up per key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, reserve
from watchword.kernels.child_table import child_limit, drop_child, find_child, new_table, put_child, roomy_table
from watchword.kernels.jit import kernel, leaf

STATES_END, FREE_STATE, STATES = range(3)
STATE_WORDS = 7
KEY, PARENT, SHARE, MARKS, ACCEPTS, SECOND, THIRD = range(STATE_WORDS)


class ShareTrie(NamedTuple):
    """The states and their transitions; `figures` holds those named above."""

    keys: Int64
    values: Int32
    states: Int32
    figures: Int64


def new_trie() -> ShareTrie:
    """Return a trie that has only its initial state."""
    initial = np.array([-1, -1, 0, 0, -1, 0, 0], np.int32)
    return ShareTrie(*new_table(), initial, np.array([1, -1, 0], np.int64))


def saved_trie(arrays: Arrays) -> ShareTrie:
    """Return the trie whose arrays, `ShareTrie._asdict`, were saved."""
    return ShareTrie(**{field: np.asarray(arrays[field]) for field in ShareTrie._fields})


def grown(trie: ShareTrie, new: int) -> ShareTrie:
    """Return the trie with room for so many new states."""
    keys, values = roomy_table(trie.keys, trie.values, int(trie.figures[STATES]) + new)
    needed = STATE_WORDS * (int(trie.figures[STATES_END]) + new)
    return ShareTrie(keys, values, reserve(trie.states, needed), trie.figures)


def trimmed(trie: ShareTrie) -> ShareTrie:
    """Return the trie without spare states; it shares memory with this one."""
    return trie._replace(states=trie.states[: STATE_WORDS * trie.figures[STATES_END]])


@leaf
def has_room(trie, new):
    """Say whether so many new states fit."""
    figures = trie.figures
    fits = STATE_WORDS * (figures[STATES_END] + new) <= len(trie.states)
    return fits and figures[STATES] + new <= child_limit(len(trie.keys))


@leaf
def follow(keys, values, states, state, key):
    """Return the state behind `key`, or -1."""
    if not (states[STATE_WORDS * state + MARKS] >> (key & 31)) & 1:
        return np.int64(-1)
    return find_child(keys, values, state, key)


@kernel
def _new_state(trie, parent, key):
    """Return a new state behind `key`, shared by nothing yet."""
    figures, states = trie.figures, trie.states
    state = figures[FREE_STATE]
    if state >= 0:
        figures[FREE_STATE] = states[STATE_WORDS * state + PARENT]
    else:
        state = figures[STATES_END]
        figures[STATES_END] += 1
    at = STATE_WORDS * state
    states[at + KEY], states[at + PARENT] = key, parent
    states[at + SHARE], states[at + MARKS] = 0, 0
    states[at + ACCEPTS], states[at + SECOND], states[at + THIRD] = -1, 0, 0
    states[STATE_WORDS * parent + MARKS] |= np.int32(1) << (key & 31)
    put_child(trie.keys, trie.values, parent, key, state)
    figures[STATES] += 1
    return state


@kernel
def enter(trie, state, key):
    """Return the state behind `key`, made if it is not there, and count one word more that passes through it."""
    child = follow(trie.keys, trie.values, trie.states, state, key)
    if child < 0:
        child = _new_state(trie, state, key)
    trie.states[STATE_WORDS * child + SHARE] += 1
    return child


@kernel
def leave(trie, state):
    """Count one word less on the path up from `state`; delete, bottom-up, the states that no word needs."""
    figures, states = trie.figures, trie.states
    while state > 0:
        at = STATE_WORDS * state
        parent = np.int64(states[at + PARENT])
        states[at + SHARE] -= 1
        if states[at + SHARE] == 0:
            drop_child(trie.keys, trie.values, parent, np.int64(states[at + KEY]))
            states[at + PARENT] = figures[FREE_STATE]
            figures[FREE_STATE] = state
            figures[STATES] -= 1
        state = parent
