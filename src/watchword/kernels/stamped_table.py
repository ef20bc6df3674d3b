"""A small hash table from numbers to numbers, which is emptied in one step: the notes of one text.

With four entries, in the third text (stamp 3), and the key 9 entered with the value 40 since::

    cells   2 7 11 | 0 0 0 | 3 9 40 | 2 5 -1       stamp, key, value; what has another stamp than 3 is not there
    marks   3 1                                    the stamp, and how many entries have it

Layout: entry `e` is the three words of `cells` from ``3 * e`` on: stamp, key, value. An entry counts only if its
stamp is that of the present text, ``marks[STAMP]``; a new stamp empties the table. Linear probing, at most half full;
entries are never deleted one by one.

The table lives in its caller's scratch, as large as a text has needed so far, so that threads share nothing and no text
pays for the number of subscriptions. Filling an array with zeros before every text would cost more than most texts do.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import leaf

DONE, NO_ROOM, NO_SCRATCH = 0, -1, -2
"""How a run over a text ends: well, for want of room for its payloads, or of room in its scratch."""

STAMP, ENTRIES = range(2)
CELL_WORDS = 3
_STAMP, _KEY, VALUE = range(CELL_WORDS)


@leaf
def renew(marks):
    """Empty the table."""
    marks[STAMP] += 1
    marks[ENTRIES] = 0


@leaf
def entry_of(cells, marks, key):
    """Return where in `cells` the entry with this key begins, or -1."""
    mask = len(cells) // CELL_WORDS - 1
    entry = ((key * 0x9E3779B1) >> 15) & mask
    while cells[CELL_WORDS * entry + _STAMP] == marks[STAMP]:
        if cells[CELL_WORDS * entry + _KEY] == key:
            return CELL_WORDS * entry
        entry = (entry + 1) & mask
    return np.int64(-1)


@leaf
def new_entry(cells, marks, key):
    """Enter a key that is not there, its value -1; returns where in `cells` it begins, or -1 if the table is full.

    It is entered even then, so the caller must give up.
    """
    mask = len(cells) // CELL_WORDS - 1
    fits = 2 * marks[ENTRIES] <= mask
    entry = ((key * 0x9E3779B1) >> 15) & mask
    while cells[CELL_WORDS * entry + _STAMP] == marks[STAMP]:
        entry = (entry + 1) & mask
    at = CELL_WORDS * entry
    cells[at + _STAMP], cells[at + _KEY], cells[at + VALUE] = marks[STAMP], key, -1
    marks[ENTRIES] += 1
    return at if fits else np.int64(-1)


@leaf
def entry_for(cells, marks, key):
    """Return where the entry with this key begins, entered if it is not there, or -1, as `new_entry`."""
    mask = len(cells) // CELL_WORDS - 1
    entry = ((key * 0x9E3779B1) >> 15) & mask
    while cells[CELL_WORDS * entry + _STAMP] == marks[STAMP] and cells[CELL_WORDS * entry + _KEY] != key:
        entry = (entry + 1) & mask
    at = CELL_WORDS * entry
    fits = 2 * marks[ENTRIES] <= mask
    if cells[at + _STAMP] != marks[STAMP]:
        cells[at + VALUE] = -1
        marks[ENTRIES] += 1
    cells[at + _STAMP], cells[at + _KEY] = marks[STAMP], key
    return at if fits else np.int64(-1)
