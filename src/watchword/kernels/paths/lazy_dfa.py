"""The automaton of all paths, made deterministic as documents ask for it (Green et al. 2004).

A state of this automaton is the set of states of `trie` that are active at an element: those that it reached, and the
looping ones. Which state an element's child has depends on nothing but the child's name, so that it is worked out once.
With the paths of `trie`, the document ``<a><c><b/></c></a>``, where `c` is a name that nobody asks for, makes four::

    0  {0 5}       the document              0 -a-> 1
    1  {1 2 5}     /a                        1 -0-> 2
    2  {2 4 5}     accept 1                  2 -b-> 3
    3  {2 3 5 6}   accept 0 2

Layout: state `s` is the set ``members[spans[4 * s]:spans[4 * s + 1]]``, ascending, and accepts
``accepted[spans[4 * s + 2]:spans[4 * s + 3]]``. Transitions share a `child_table`; `homes` finds a set by its hash, as
an open table of states plus one.

An element's conditions come behind its name. They are not part of the transitions: what they add is worked out each
time, and the larger set is looked up.

Invariant: equal sets are one state. Cost: a look-up for each element, and a copy of what its state accepts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, reserve, resized
from watchword.kernels.child_table import child_limit, find_child, new_table, put_child, roomy_table
from watchword.kernels.jit import leaf
from watchword.kernels.paths.moves import (
    AT,
    DEPTH,
    DONE,
    ELEMENT,
    END,
    FULL,
    GROW,
    OPERATIONS,
    emit,
    end_document,
    has_room,
)
from watchword.kernels.paths.trie import LOOP, key_of
from watchword.kernels.sequences.share_trie import ACCEPTS, KEY, STATE_WORDS, follow

STATES, MEMBERS, ACCEPTED, TRANSITIONS, MOST = range(5)

TOO_MANY, CROWDED = 3, 4
"""Besides `DONE`, `FULL` and `GROW`: the states are as many as allowed; their arrays need room."""


class Dfa(NamedTuple):
    """The states made so far; `figures` has how many states, members, payloads and transitions there are, and the most
    states."""

    keys: Int64
    values: Int32
    homes: Int32
    spans: Int64
    members: Int32
    accepted: Int32
    figures: Int64


class DfaTrail(NamedTuple):
    """Where a run stands: ``states[d]`` is the state of the open element at depth `d`. `fresh` is room for one set, and
    ``is_fresh[s]`` says whether `s` is in it; `found` is room for the payloads of one element."""

    states: Int32
    fresh: Int32
    is_fresh: Int32
    found: Int32


def new_dfa(most: int) -> Dfa:
    """Return an automaton without states, of which there may be so many."""
    none: Int32 = np.empty(0, np.int32)
    return Dfa(
        *new_table(64),
        np.zeros(64, np.int32),
        np.zeros(0, np.int64),
        none,
        none,
        np.array([0, 0, 0, 0, most], np.int64),
    )


def grown_dfa(dfa: Dfa, members: int, payloads: int) -> Dfa:
    """Return the automaton with room for one more state of so many members and payloads."""
    states, filled, accepted, transitions, _ = dfa.figures.tolist()
    keys, values = roomy_table(dfa.keys, dfa.values, transitions + 1)
    homes = dfa.homes
    if 2 * (states + 1) > len(homes):
        homes = np.zeros(2 * len(homes), np.int32)
        larger = dfa._replace(homes=homes)
        for state in range(states):
            _enter_home(larger, state)
    return Dfa(
        keys,
        values,
        homes,
        reserve(dfa.spans, 4 * (states + 1)),
        reserve(dfa.members, filled + members),
        reserve(dfa.accepted, accepted + payloads),
        dfa.figures,
    )


def dfa_bytes(dfa: Dfa) -> int:
    """Return the bytes in use."""
    states, members, accepted, _, _ = dfa.figures.tolist()
    return int(32 * states + 4 * (members + accepted) + dfa.keys.nbytes + dfa.values.nbytes + dfa.homes.nbytes)


def new_dfa_trail(states: int, payloads: int) -> DfaTrail:
    """Return the trail before the first document, for an automaton of so many states."""
    fresh: Int32 = np.empty(states + 1, np.int32)
    return DfaTrail(np.full(64, -1, np.int32), fresh, np.zeros(states, np.int32), np.empty(payloads, np.int32))


def grown_dfa_trail(trail: DfaTrail) -> DfaTrail:
    """Return the trail with room for twice the depth."""
    return trail._replace(states=resized(trail.states, 2 * len(trail.states), -1))


@leaf
def _hash(members, first, last):
    value = np.uint64(last - first)
    for k in range(first, last):
        value = (value ^ np.uint64(members[k])) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
    return np.int64(value >> np.uint64(8))


@leaf
def _enter_home(dfa, state):
    """Enter a state into the table of sets, where it is not yet."""
    mask = len(dfa.homes) - 1
    at = _hash(dfa.members, dfa.spans[4 * state], dfa.spans[4 * state + 1]) & mask
    while dfa.homes[at] != 0:
        at = (at + 1) & mask
    dfa.homes[at] = state + 1


@leaf
def _find_set(dfa, fresh, count):
    """Return the state that is the set of the first `count` of `fresh`, or -1."""
    mask = len(dfa.homes) - 1
    at = _hash(fresh, 0, count) & mask
    while dfa.homes[at] != 0:
        state = np.int64(dfa.homes[at]) - 1
        first = dfa.spans[4 * state]
        if dfa.spans[4 * state + 1] - first == count:
            same = True
            for k in range(count):
                if dfa.members[first + k] != fresh[k]:
                    same = False
                    break
            if same:
                return state
        at = (at + 1) & mask
    return np.int64(-1)


@leaf
def _join(trie, trail, count, state):
    """Put a state, and the looping state behind it, into the fresh set; returns how many it has."""
    if trail.is_fresh[state] == 0:
        trail.is_fresh[state] = 1
        trail.fresh[count] = state
        count += 1
    loop = follow(trie.keys, trie.values, trie.states, state, np.int64(LOOP))
    if loop >= 0 and trail.is_fresh[loop] == 0:
        trail.is_fresh[loop] = 1
        trail.fresh[count] = loop
        count += 1
    return count


@leaf
def _join_moves(trie, dfa, trail, count, above, key):
    """Put what the members of `above` lead to by a key into the fresh set."""
    for k in range(dfa.spans[4 * above], dfa.spans[4 * above + 1]):
        state = follow(trie.keys, trie.values, trie.states, np.int64(dfa.members[k]), key)
        if state >= 0:
            count = _join(trie, trail, count, state)
    return count


@leaf
def _sorted_set(trail, count):
    """Bring the fresh set into order, by shell sort, and forget that it is fresh."""
    fresh = trail.fresh
    for k in range(count):
        trail.is_fresh[fresh[k]] = 0
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, count):
            value, place = fresh[k], k
            while place >= gap and fresh[place - gap] > value:
                fresh[place] = fresh[place - gap]
                place -= gap
            fresh[place] = value
        gap //= 3


@leaf
def _intern(trie, lists, dfa, trail, count):
    """Return the state that is the fresh set, made if it is not there; below 0 what lacks."""
    state = _find_set(dfa, trail.fresh, count)
    if state >= 0:
        return state
    figures = dfa.figures
    state, filled, accepted = figures[STATES], figures[MEMBERS], figures[ACCEPTED]
    if state == figures[MOST]:
        return np.int64(-TOO_MANY)
    fits = filled + count <= len(dfa.members) and accepted + len(trail.found) <= len(dfa.accepted)
    if not fits or 4 * (state + 1) > len(dfa.spans) or 2 * (state + 1) > len(dfa.homes):
        return np.int64(-CROWDED)
    dfa.spans[4 * state], dfa.spans[4 * state + 1] = filled, filled + count
    dfa.spans[4 * state + 2] = accepted
    for k in range(count):
        member = np.int64(trail.fresh[k])
        dfa.members[filled + k] = member
        cell = trie.states[STATE_WORDS * member + ACCEPTS]
        while cell >= 0:
            dfa.accepted[accepted] = lists.cells[2 * cell]
            accepted += 1
            cell = lists.cells[2 * cell + 1]
    dfa.spans[4 * state + 3] = accepted
    figures[STATES], figures[MEMBERS], figures[ACCEPTED] = state + 1, filled + count, accepted
    _enter_home(dfa, state)
    return state


@leaf
def first_state(trie, lists, dfa, trail):
    """Return the state of the document; below 0 what lacks."""
    count = _join(trie, trail, np.int64(0), np.int64(0))
    _sorted_set(trail, count)
    return _intern(trie, lists, dfa, trail, count)


@leaf
def enter_set(trie, lists, dfa, trail, members):
    """Return the state that is a set of another automaton; below 0 what lacks."""
    for k in range(len(members)):
        trail.fresh[k] = members[k]
    return _intern(trie, lists, dfa, trail, np.int64(len(members)))


@leaf
def _child(trie, lists, dfa, trail, above, label):
    """Return the state of an element with a name below one with the state `above`; below 0 what lacks."""
    state = find_child(dfa.keys, dfa.values, above, np.int64(label))
    if state >= 0:
        return state
    if dfa.figures[TRANSITIONS] >= child_limit(len(dfa.keys)):
        return np.int64(-CROWDED)
    count = np.int64(0)
    for k in range(dfa.spans[4 * above], dfa.spans[4 * above + 1]):
        member = np.int64(dfa.members[k])
        if trie.states[STATE_WORDS * member + KEY] == LOOP:
            count = _join(trie, trail, count, member)
    count = _join_moves(trie, dfa, trail, count, above, np.int64(0))
    if label > 0:
        count = _join_moves(trie, dfa, trail, count, above, np.int64(label))
    _sorted_set(trail, count)
    state = _intern(trie, lists, dfa, trail, count)
    if state >= 0:
        put_child(dfa.keys, dfa.values, above, np.int64(label), state)
        dfa.figures[TRANSITIONS] += 1
    return state


@leaf
def _with_condition(trie, lists, dfa, trail, depth, key):
    """Return the state of the element at `depth` when it also satisfies a condition; below 0 what lacks."""
    here, above = np.int64(trail.states[depth]), np.int64(trail.states[depth - 1])
    count = np.int64(0)
    for k in range(dfa.spans[4 * here], dfa.spans[4 * here + 1]):
        member = np.int64(dfa.members[k])
        trail.is_fresh[member], trail.fresh[count] = 1, member
        count += 1
    count = _join_moves(trie, dfa, trail, count, above, key)
    _sorted_set(trail, count)
    return _intern(trie, lists, dfa, trail, count)


@leaf
def _emit_condition(trie, lists, dfa, trail, above, key, progress, found):
    """Write the payloads of the states that a condition leads to."""
    count = np.int64(0)
    for k in range(dfa.spans[4 * above], dfa.spans[4 * above + 1]):
        state = follow(trie.keys, trie.values, trie.states, np.int64(dfa.members[k]), key)
        cell = trie.states[STATE_WORDS * state + ACCEPTS] if state >= 0 else np.int32(-1)
        while cell >= 0:
            trail.found[count] = lists.cells[2 * cell]
            count += 1
            cell = lists.cells[2 * cell + 1]
    emit(trail.found, 0, count, progress, found)


@leaf
def follow_dfa(automaton, dfa, trail, moves, progress, found):
    """Follow moves; ``trail.states[0]`` is the state of the document."""
    trie, lists = automaton
    counters, states = progress.counters, trail.states
    for at in range(counters[AT], len(moves)):
        move, depth = moves[at], counters[DEPTH]
        counters[AT] = at
        if move == END:
            counters[DEPTH] = depth - 1
            if depth == 1:
                end_document(progress, found)
            continue
        if not has_room(progress, found):
            return FULL
        if depth + 1 >= len(states):
            return GROW
        counters[OPERATIONS] += 1
        if move >= 0:
            state = _child(trie, lists, dfa, trail, np.int64(states[depth]), move)
            if state < 0:
                return -state
            states[depth + 1] = state
            counters[DEPTH] = depth + 1
            counters[ELEMENT] += 1
            emit(dfa.accepted, dfa.spans[4 * state + 2], dfa.spans[4 * state + 3], progress, found)
        else:
            key = key_of(move)
            state = _with_condition(trie, lists, dfa, trail, depth, key)
            if state < 0:
                return -state
            _emit_condition(trie, lists, dfa, trail, np.int64(states[depth - 1]), key, progress, found)
            states[depth] = state
    counters[AT] = len(moves)
    return DONE
