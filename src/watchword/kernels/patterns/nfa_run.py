"""A run of the NFA over a text, with explicit sets of active states.

Layout of the scratch: `points` is the text, `active` two lists of states, now and next, `loops` a list of looping
states, `seen` and `marks` a `stamped_table` table of states.

Invariant: the list of now holds the states reached by the last character, `loops` the looping states reached so far.
Both are sets: a state has one way in, from one state by one key, except that a looping state may be reached again,
which `seen` tells. It also keeps an accepting state from reporting twice.

Cost: two look-ups per character and active or looping state, and one per state reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.jit import kernel
from watchword.kernels.patterns.nfa import ANY, LOOP
from watchword.kernels.sequences.share_trie import ACCEPTS, STATE_WORDS, follow
from watchword.kernels.stamped_table import CELL_WORDS, DONE, NO_ROOM, NO_SCRATCH, entry_of, new_entry, renew
from watchword.kernels.text.code_points import decode_points


class Scratch(NamedTuple):
    """What one call keeps in mind about the text at hand."""

    points: npt.NDArray[np.int32]
    seen: npt.NDArray[np.int32]
    marks: npt.NDArray[np.int64]
    active: npt.NDArray[np.int32]
    loops: npt.NDArray[np.int32]


def new_scratch(points: npt.NDArray[np.int32], entries: int) -> Scratch:
    """Return scratch for texts of at most ``len(points)`` characters; `entries` is a power of two."""
    seen, marks = np.zeros(CELL_WORDS * entries, np.int32), np.zeros(2, np.int64)
    return Scratch(points, seen, marks, np.empty(4 * entries, np.int32), np.empty(entries, np.int32))


@kernel
def _step(keys, values, states, state, point, out, fill):
    """Write the states that a character leads to from `state`; returns the new fill."""
    child = follow(keys, values, states, state, point)
    if child >= 0:
        out[fill] = child
        fill += 1
    child = follow(keys, values, states, state, np.int64(ANY))
    if child >= 0:
        out[fill] = child
        fill += 1
    return fill


@kernel
def _report(chain, cell, used, found):
    """Write the payloads of a list behind `used`; returns the new fill or what lacks."""
    while cell >= 0:
        if used == len(found):
            return np.int64(NO_ROOM)
        found[used] = chain[2 * cell]
        used += 1
        cell = np.int64(chain[2 * cell + 1])
    return np.int64(used)


@kernel
def _match_text(keys, values, states, chain, points, size, seen, marks, active, loops, used, found):
    """Write the payloads found in a text behind `used`; returns the new fill or what lacks, and the states reached."""
    now, count, looping, visits = 0, 0, 0, 0
    width = len(active) // 2
    renew(marks)
    for at in range(size):
        if 2 * (count + looping + 1) > width:
            return np.int64(NO_SCRATCH), visits
        point, here, there = np.int64(points[at]), now * width, (1 - now) * width
        fill = _step(keys, values, states, np.int64(0), point, active, there)
        for k in range(here, here + count):
            fill = _step(keys, values, states, np.int64(active[k]), point, active, fill)
        for k in range(looping):
            fill = _step(keys, values, states, np.int64(loops[k]), point, active, fill)
        for k in range(there, fill):
            state = np.int64(active[k])
            loop = follow(keys, values, states, state, np.int64(LOOP))
            if loop >= 0 and entry_of(seen, marks, loop) < 0:
                if new_entry(seen, marks, loop) < 0:
                    return np.int64(NO_SCRATCH), visits
                loops[looping] = loop
                looping += 1
            cell = np.int64(states[STATE_WORDS * state + ACCEPTS])
            if cell >= 0 and entry_of(seen, marks, state) < 0:
                if new_entry(seen, marks, state) < 0:
                    return np.int64(NO_SCRATCH), visits
                used = _report(chain, cell, used, found)
                if used < 0:
                    return used, visits
        now, count = 1 - now, fill - there
        visits += count
    return used, visits


@kernel
def match_texts(trie, payloads, scratch, data, offsets, first, used, ends, found):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks; also returns what lacks, `DONE` for nothing."""
    keys, values, states, chain = trie.keys, trie.values, trie.states, payloads.cells
    points, seen, marks, active, loops = scratch.points, scratch.seen, scratch.marks, scratch.active, scratch.loops
    visits = 0
    for text in range(first, len(offsets) - 1):
        size = decode_points(data, offsets[text], offsets[text + 1], points)
        fill, visited = _match_text(keys, values, states, chain, points, size, seen, marks, active, loops, used, found)
        if fill < 0:
            return text, used, visits, fill
        visits += visited
        ends[text] = used = fill
    return len(offsets) - 1, used, visits, np.int64(DONE)
