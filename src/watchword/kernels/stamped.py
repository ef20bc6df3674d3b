"""A small hash table from numbers to three numbers, which is emptied in one step: the notes of one text.

Layout: entry `e` is the five words of `cells` from ``5 * e`` on: stamp, key, three values. An entry counts only if its
stamp is that of the present text, ``marks[STAMP]``; a new stamp empties the table. Linear probing, at most half full;
entries are never deleted one by one.

The table lives in its caller's scratch, as large as a text has needed so far, so that threads share nothing and no text
pays for the number of subscriptions.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel

DONE, NO_ROOM, NO_SCRATCH = 0, -1, -2
"""How a run over a text ends: well, for want of room for its payloads, or of room in its scratch."""

STAMP, ENTRIES = range(2)
CELL_WORDS = 5
_STAMP, _KEY, FIRST, SECOND, THIRD = range(CELL_WORDS)


@kernel
def renew(marks):
    """Empty the table."""
    marks[STAMP] += 1
    marks[ENTRIES] = 0


@kernel
def entry_of(cells, marks, key):
    """Return the place in `cells` of the entry with this key, or -1."""
    mask = len(cells) // CELL_WORDS - 1
    entry = ((key * 0x9E3779B1) >> 15) & mask
    while cells[CELL_WORDS * entry + _STAMP] == marks[STAMP]:
        if cells[CELL_WORDS * entry + _KEY] == key:
            return CELL_WORDS * entry
        entry = (entry + 1) & mask
    return np.int64(-1)


@kernel
def new_entry(cells, marks, key):
    """Enter a key that is not there, its values -1; returns its place in `cells`, or -1 if the table is full."""
    mask = len(cells) // CELL_WORDS - 1
    if 2 * marks[ENTRIES] > mask:
        return np.int64(-1)
    entry = ((key * 0x9E3779B1) >> 15) & mask
    while cells[CELL_WORDS * entry + _STAMP] == marks[STAMP]:
        entry = (entry + 1) & mask
    at = CELL_WORDS * entry
    cells[at + _STAMP], cells[at + _KEY] = marks[STAMP], key
    cells[at + FIRST], cells[at + SECOND], cells[at + THIRD] = -1, -1, -1
    marks[ENTRIES] += 1
    return at
