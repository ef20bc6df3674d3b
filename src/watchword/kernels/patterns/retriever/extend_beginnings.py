"""A word was found: which partial matches does it extend?

The beginnings that wait for it where it starts: exactly there, or from somewhere before on. What they are with this
word added is collected in `found_now`. If pie was found before, and now tea, the wait of beginning pie for a word
behind a star leads to the beginning pie*tea. Layout and invariant: see `waits`; EXACT_MARKS and OPEN_MARKS, which say
in 32 bits who waits for a word, are in `beginnings`.

Cost: a step per wait that is open, a look-up per one that shares a mark with the word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import leaf
from watchword.kernels.patterns.retriever.beginnings import EXACT
from watchword.kernels.patterns.retriever.waits import (
    EXACT_FREE,
    EXACT_WORDS,
    FROM,
    LEFT,
    NEXT,
    OPEN_END,
    OPEN_WORDS,
    SINCE,
    STEPS,
    WAIT,
    WHAT,
)
from watchword.kernels.sequences.share_trie import STATE_WORDS, follow
from watchword.kernels.stamped_table import VALUE, entry_of


@leaf
def extend_exact(beginnings, scratch, entry, state, waiting, count):
    """Collect beginnings from the list of waits for a word that starts here; returns their new number.

    `state` is the word, `waiting` its marks.
    """
    exact_waits, found_now, steps = scratch.exact_waits, scratch.found_now, 0
    while entry >= 0:
        steps += 1
        wait = np.int64(exact_waits[EXACT_WORDS * entry + WHAT])
        if (waiting >> (wait & 31)) & 1:
            longer = follow(beginnings.keys, beginnings.values, beginnings.states, wait, state)
            if longer >= 0:
                found_now[count] = longer
                count += 1
        entry = np.int64(exact_waits[EXACT_WORDS * entry + NEXT])
    scratch.marks[STEPS] += steps
    return count


@leaf
def extend_open(beginnings, scratch, start, state, waiting, count):
    """Collect beginnings from the waits for a word that starts here or later; returns their new number.

    One that needs no further word at an exact distance has told everything when it is found for the first time. A wait
    that can bring no others is over.
    """
    states = beginnings.states
    cells, marks, open_waits, found_now = scratch.cells, scratch.marks, scratch.open_waits, scratch.found_now
    at, end = 0, OPEN_WORDS * marks[OPEN_END]
    marks[STEPS] += marks[OPEN_END]
    while at < end:
        wait, longer = np.int64(open_waits[at + WAIT]), np.int64(-1)
        if (waiting >> (wait & 31)) & 1 and open_waits[at + FROM] <= start:
            longer = follow(beginnings.keys, beginnings.values, states, wait, state)
        if longer >= 0:
            final = states[STATE_WORDS * longer + EXACT] == 0
            if not final or entry_of(cells, marks, 2 * longer) < 0:
                found_now[count] = longer
                count += 1
                open_waits[at + LEFT] -= final
        if open_waits[at + LEFT] == 0:
            end -= OPEN_WORDS
            for k in range(OPEN_WORDS):
                open_waits[at + k] = open_waits[end + k]
        else:
            at += OPEN_WORDS
    marks[OPEN_END] = end // OPEN_WORDS
    return count


@leaf
def extend_listed(states, scratch, start, state, count):
    """Collect beginnings from the list of those that wait for this word alone; returns their new number.

    `states` are those of the beginnings, `state` is the word.
    """
    cells, marks, exact_waits = scratch.cells, scratch.marks, scratch.exact_waits
    cell = entry_of(cells, marks, 2 * state + 1)
    entry = np.int64(cells[cell + VALUE]) if cell >= 0 else np.int64(-1)
    kept = np.int64(-1)
    while entry >= 0:
        at = EXACT_WORDS * entry
        marks[STEPS] += 1
        longer, after = np.int64(exact_waits[at + WHAT]), np.int64(exact_waits[at + NEXT])
        opens = exact_waits[at + SINCE] <= start
        if opens:
            scratch.found_now[count] = longer
            count += 1
        if opens and states[STATE_WORDS * longer + EXACT] == 0:
            if kept >= 0:
                exact_waits[EXACT_WORDS * kept + NEXT] = after
            else:
                cells[cell + VALUE] = after
            exact_waits[at + NEXT] = marks[EXACT_FREE]
            marks[EXACT_FREE] = entry
        else:
            kept = entry
        entry = after
    return count


@leaf
def recycle(exact_waits, marks, entry):
    """Give back the list of a position whose window has passed."""
    last = entry
    while exact_waits[EXACT_WORDS * last + NEXT] >= 0:
        last = np.int64(exact_waits[EXACT_WORDS * last + NEXT])
    exact_waits[EXACT_WORDS * last + NEXT] = marks[EXACT_FREE]
    marks[EXACT_FREE] = entry
