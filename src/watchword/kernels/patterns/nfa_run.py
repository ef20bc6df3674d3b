"""A run of the NFA over a text, with explicit sets of active states.

The automaton of ``so*be`` (drawn in `nfa`) over "sobe": after "s" state 1 is active; after "o" state 2, and with it,
by its epsilon move, the looping state 3; "b" leads from 3 to 4 while 3 stays; "e" from 4 to 5, which accepts.

Layout of the scratch: `points` is the text, `active` two lists of states, now and next, `loops` a list of looping
states, `seen` and `marks` a `stamped_table` of states; the last of the marks counts the states reached in the texts
done. Looping states tried, each at every character, are the other operations.

Invariant: the list of now holds the states reached by the last character, `loops` the looping states reached so far.
Both are sets: a state has one way in, from one state by one key, except that a looping state may be reached again,
which `seen` tells. It also keeps an accepting state from reporting twice.

Cost: two look-ups per character and active or looping state, and one per state reached. Making the automaton
deterministic would take one look-up per character, and states without bound: each star doubles them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import leaf
from watchword.kernels.patterns.nfa import ANY, LOOP
from watchword.kernels.sequences.share_trie import ACCEPTS, STATE_WORDS, follow
from watchword.kernels.stamped_table import CELL_WORDS, DONE, NO_ROOM, NO_SCRATCH, entry_of, new_entry, renew
from watchword.kernels.text.code_points import decode_points

REACHED = 2  # behind what `stamped_table` keeps in the marks


class Scratch(NamedTuple):
    """What one call keeps in mind about the text at hand."""

    points: Int32
    seen: Int32
    marks: Int64
    active: Int32
    loops: Int32


def new_scratch(longest: int, entries: int) -> Scratch:
    """Return scratch for texts of at most `longest` characters; `entries` is a power of two."""
    return Scratch(
        points=np.empty(longest, np.int32),
        seen=np.zeros(CELL_WORDS * entries, np.int32),
        marks=np.zeros(3, np.int64),
        active=np.empty(4 * entries, np.int32),
        loops=np.empty(entries, np.int32),
    )


@leaf
def _step(trie, state, point, out, fill):
    """Write the states that a character leads to from `state`; returns the new fill."""
    child = follow(trie.keys, trie.values, trie.states, state, point)
    if child >= 0:
        out[fill] = child
        fill += 1
    child = follow(trie.keys, trie.values, trie.states, state, np.int64(ANY))
    if child >= 0:
        out[fill] = child
        fill += 1
    return fill


@leaf
def _report(cells, cell, used, payloads):
    """Write the payloads of a list behind `used`; returns the new fill, or `NO_ROOM`."""
    while cell >= 0:
        if used == len(payloads):
            return np.int64(NO_ROOM)
        payloads[used] = cells[2 * cell]
        used += 1
        cell = np.int64(cells[2 * cell + 1])
    return np.int64(used)


@leaf
def _match_text(trie, cells, scratch, size, used, payloads):
    """Write the payloads found in a text behind `used`; returns the new fill or what lacks, and the operations."""
    keys, values, states = trie.keys, trie.values, trie.states
    points, seen, marks, active, loops = scratch.points, scratch.seen, scratch.marks, scratch.active, scratch.loops
    now, count, looping, visits, tried = 0, 0, 0, 0, 0
    width = len(active) // 2
    renew(marks)
    for at in range(size):
        if 2 * (count + looping + 1) > width:
            return np.int64(NO_SCRATCH), visits, tried
        point, here, there = np.int64(points[at]), now * width, (1 - now) * width
        fill = _step(trie, np.int64(0), point, active, there)
        for k in range(here, here + count):
            fill = _step(trie, np.int64(active[k]), point, active, fill)
        tried += looping
        for k in range(looping):
            fill = _step(trie, np.int64(loops[k]), point, active, fill)
        for k in range(there, fill):
            state = np.int64(active[k])
            loop = follow(keys, values, states, state, np.int64(LOOP))
            if loop >= 0 and entry_of(seen, marks, loop) < 0:
                if new_entry(seen, marks, loop) < 0:
                    return np.int64(NO_SCRATCH), visits, tried
                loops[looping] = loop
                looping += 1
            cell = np.int64(states[STATE_WORDS * state + ACCEPTS])
            if cell >= 0 and entry_of(seen, marks, state) < 0:
                if new_entry(seen, marks, state) < 0:
                    return np.int64(NO_SCRATCH), visits, tried
                used = _report(cells, cell, used, payloads)
                if used < 0:
                    return used, visits, tried
        now, count = 1 - now, fill - there
        visits += count
    return used, visits, tried


@leaf
def match(data, text_offsets, trie, lists, scratch, first, used, offsets, payloads):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks; also returns what lacks, `DONE` for nothing."""
    visits = 0
    for text in range(first, len(text_offsets) - 1):
        size = decode_points(data, text_offsets[text], text_offsets[text + 1], scratch.points)
        fill, visited, tried = _match_text(trie, lists.cells, scratch, size, used, payloads)
        if fill < 0:
            return text, used, visits, fill
        visits += visited + tried
        scratch.marks[REACHED] += visited
        offsets[text + 1] = used = fill
    return len(text_offsets) - 1, used, visits, np.int64(DONE)
