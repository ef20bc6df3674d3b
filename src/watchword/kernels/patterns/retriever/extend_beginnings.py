"""Which beginnings does a word make longer that was found in a text?

Those whose waits are open where the word starts: exactly there, or from somewhere before on. They are collected in
`fresh`. Layout and invariant: see `waits`; DUE and LATE, the marks of a word, are in `beginnings`.

Cost: a step per wait that is open, a look-up per one that shares a mark with the word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.patterns.retriever.beginnings import EXACT
from watchword.kernels.patterns.retriever.waits import (
    DUE_FREE,
    DUE_WORDS,
    FROM,
    LATE_END,
    LATE_WORDS,
    LEFT,
    NEXT,
    SINCE,
    WAIT,
    WHAT,
)
from watchword.kernels.sequences.share_trie import STATE_WORDS, follow
from watchword.kernels.stamped_table import VALUE, entry_of


@kernel
def find_due(keys, values, ways, due, entry, state, sign, fresh, count):
    """Collect beginnings from the list of waits for a word that starts here; returns their new number."""
    while entry >= 0:
        wait = np.int64(due[DUE_WORDS * entry + WHAT])
        if (sign >> (wait & 31)) & 1:
            longer = follow(keys, values, ways, wait, state)
            if longer >= 0:
                fresh[count] = longer
                count += 1
        entry = np.int64(due[DUE_WORDS * entry + NEXT])
    return count


@kernel
def find_late(keys, values, ways, cells, marks, late, start, state, sign, fresh, count):
    """Collect beginnings from the waits for a word that starts here or later; returns their new number.

    One that needs no further word at an exact distance has told everything when it is found for the first time. A wait
    that can bring no others is over.
    """
    at, end = 0, LATE_WORDS * marks[LATE_END]
    while at < end:
        wait, longer = np.int64(late[at + WAIT]), np.int64(-1)
        if (sign >> (wait & 31)) & 1 and late[at + FROM] <= start:
            longer = follow(keys, values, ways, wait, state)
        if longer >= 0:
            final = ways[STATE_WORDS * longer + EXACT] == 0
            if not final or entry_of(cells, marks, 2 * longer) < 0:
                fresh[count] = longer
                count += 1
                late[at + LEFT] -= final
        if late[at + LEFT] == 0:
            end -= LATE_WORDS
            late[at + WAIT], late[at + FROM], late[at + LEFT] = late[end + WAIT], late[end + FROM], late[end + LEFT]
        else:
            at += LATE_WORDS
    marks[LATE_END] = end // LATE_WORDS
    return count


@kernel
def find_listed(ways, cells, marks, due, start, state, fresh, count):
    """Collect beginnings from the list of those that wait for this word alone; returns their new number."""
    place = entry_of(cells, marks, 2 * state + 1)
    entry = np.int64(cells[place + VALUE]) if place >= 0 else np.int64(-1)
    kept = np.int64(-1)
    while entry >= 0:
        at = DUE_WORDS * entry
        longer, after = np.int64(due[at + WHAT]), np.int64(due[at + NEXT])
        opens = due[at + SINCE] <= start
        if opens:
            fresh[count] = longer
            count += 1
        if opens and ways[STATE_WORDS * longer + EXACT] == 0:
            if kept >= 0:
                due[DUE_WORDS * kept + NEXT] = after
            else:
                cells[place + VALUE] = after
            due[at + NEXT] = marks[DUE_FREE]
            marks[DUE_FREE] = entry
        else:
            kept = entry
        entry = after
    return count


@kernel
def recycle(due, marks, entry):
    """Give back the list of a position whose window has passed."""
    last = entry
    while due[DUE_WORDS * last + NEXT] >= 0:
        last = np.int64(due[DUE_WORDS * last + NEXT])
    due[DUE_WORDS * last + NEXT] = marks[DUE_FREE]
    marks[DUE_FREE] = entry
