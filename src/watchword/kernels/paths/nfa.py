"""The states of the automaton that are active at each open element, level below level.

Level 0 is the document, level `d` the open element at depth `d`. A state is *reached* in the element that its path's
last step names; it is left when the element closes. A looping state is active from the element that reached it
downwards. The paths of `trie` over ``<a><c><b/></c></a>``::

    depth  element  reached  looping        at `b`: 3 from the looping state 2, 6 from 5; both accept
    0               0        5
    1      a        1        2
    2      c        4
    3      b        3 6

Layout: level `d` reached ``reached[reached_ends[d - 1]:reached_ends[d]]``, and the looping states that are active
below it are ``looping[:looping_ends[d]]``, each once: ``is_looping[state]`` says whether it is there.

Invariant: a state has one way in, from one state by one key, so no element reaches it twice.

Cost: two look-ups for each state reached one level up and each looping state. YFilter copies the looping states into
each level; here they are written once, where they begin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8, resized
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
from watchword.kernels.sequences.share_trie import ACCEPTS, STATE_WORDS, follow


class Levels(NamedTuple):
    """The active states, as laid out above; `accepted` is room for the payloads of one element."""

    reached: Int32
    looping: Int32
    reached_ends: Int64
    looping_ends: Int64
    is_looping: UInt8
    accepted: Int32


def new_levels(states: int, payloads: int) -> Levels:
    """Return the levels before the first document, for an automaton of so many states and payloads."""
    return Levels(
        reached=np.zeros(1024, np.int32),
        looping=np.zeros(256, np.int32),
        reached_ends=np.zeros(64, np.int64),
        looping_ends=np.zeros(64, np.int64),
        is_looping=np.zeros(states, np.uint8),
        accepted=np.empty(payloads, np.int32),
    )


def grown_levels(levels: Levels) -> Levels:
    """Return the levels with twice the room."""
    return levels._replace(
        reached=resized(levels.reached, 2 * len(levels.reached), 0),
        looping=resized(levels.looping, 2 * len(levels.looping), 0),
        reached_ends=resized(levels.reached_ends, 2 * len(levels.reached_ends), 0),
        looping_ends=resized(levels.looping_ends, 2 * len(levels.looping_ends), 0),
    )


@leaf
def levels_have_room(levels, depth):
    """Say whether a level below the one at `depth` fits, whatever its element satisfies first."""
    if depth + 2 > len(levels.reached_ends):
        return False
    before = levels.reached_ends[depth - 1] if depth > 0 else np.int64(0)
    most = 2 * (levels.reached_ends[depth] - before + levels.looping_ends[depth])
    top, loops = levels.reached_ends[depth], levels.looping_ends[depth]
    if len(levels.reached_ends) > depth + 1:
        top = max(top, levels.reached_ends[depth + 1])
        loops = max(loops, levels.looping_ends[depth + 1])
    return top + most <= len(levels.reached) and loops + most <= len(levels.looping)


@leaf
def begin(trie, levels):
    """Make level 0: the initial state, and the state that loops in the whole document."""
    levels.reached[0] = 0
    levels.reached_ends[0], levels.looping_ends[0] = 1, 0
    loop = follow(trie.keys, trie.values, trie.states, np.int64(0), np.int64(LOOP))
    if loop >= 0:
        levels.looping[0], levels.looping_ends[0], levels.is_looping[loop] = loop, 1, 1


@leaf
def _reach(trie, levels, state, depth):
    """Note that the level below `depth` reaches a state."""
    top, loops = levels.reached_ends[depth + 1], levels.looping_ends[depth + 1]
    levels.reached[top] = state
    levels.reached_ends[depth + 1] = top + 1
    loop = follow(trie.keys, trie.values, trie.states, state, np.int64(LOOP))
    if loop >= 0 and levels.is_looping[loop] == 0:
        levels.looping[loops], levels.is_looping[loop] = loop, 1
        levels.looping_ends[depth + 1] = loops + 1


@leaf
def satisfy(trie, levels, depth, key):
    """Let the element below `depth` reach what it reaches because it satisfies a label."""
    keys, values, states = trie.keys, trie.values, trie.states
    first = levels.reached_ends[depth - 1] if depth > 0 else np.int64(0)
    for k in range(first, levels.reached_ends[depth]):
        state = follow(keys, values, states, np.int64(levels.reached[k]), key)
        if state >= 0:
            _reach(trie, levels, state, depth)
    for k in range(levels.looping_ends[depth]):
        state = follow(keys, values, states, np.int64(levels.looping[k]), key)
        if state >= 0:
            _reach(trie, levels, state, depth)


@leaf
def open_level(trie, levels, depth, label):
    """Make the level below `depth`, of an element with a name."""
    levels.reached_ends[depth + 1] = levels.reached_ends[depth]
    levels.looping_ends[depth + 1] = levels.looping_ends[depth]
    satisfy(trie, levels, depth, np.int64(0))
    if label > 0:
        satisfy(trie, levels, depth, np.int64(label))


@leaf
def close_level(levels, depth):
    """Leave the level at `depth`."""
    for k in range(levels.looping_ends[depth - 1], levels.looping_ends[depth]):
        levels.is_looping[levels.looping[k]] = 0


@leaf
def accepts(trie, lists, levels, first, last):
    """Write the payloads at the states that were reached from `first` up to `last`; returns how many they are."""
    count = np.int64(0)
    for k in range(first, last):
        cell = trie.states[STATE_WORDS * levels.reached[k] + ACCEPTS]
        while cell >= 0:
            levels.accepted[count] = lists.cells[2 * cell]
            count += 1
            cell = lists.cells[2 * cell + 1]
    return count


@leaf
def follow_walk(trie, lists, levels, moves, progress, found):
    """Follow moves with the automaton alone: the method `yfilter`."""
    counters = progress.counters
    for at in range(counters[AT], len(moves)):
        move, depth = moves[at], counters[DEPTH]
        if move == END:
            close_level(levels, depth)
            counters[DEPTH] = depth - 1
            if depth == 1:
                end_document(progress, found)
            continue
        above = depth if move >= 0 else depth - 1
        if not has_room(progress, found) or not levels_have_room(levels, above):
            counters[AT] = at
            return FULL if not has_room(progress, found) else GROW
        if move >= 0:
            if depth == 0 and levels.reached_ends[0] == 0:
                begin(trie, levels)
            first = levels.reached_ends[depth]
            open_level(trie, levels, depth, move)
            counters[DEPTH] = depth + 1
            counters[ELEMENT] += 1
        else:
            first = levels.reached_ends[depth]
            satisfy(trie, levels, above, key_of(move))
        last = levels.reached_ends[above + 1]
        counters[OPERATIONS] += last - first
        emit(levels.accepted, 0, accepts(trie, lists, levels, first, last), progress, found)
    counters[AT] = len(moves)
    return DONE
