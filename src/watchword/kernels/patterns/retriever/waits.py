"""Which beginnings were found in a text so far, and where the words that may follow them are waited for.

Layout of the scratch:

    points              the text, then two zeros
    spots               two words per position: LEAD, the state behind its character or -1, and HEAD, the list of waits
                        for a word that starts exactly there, or -1
    late                three words per wait for a word from some position on: WAIT, that position (FROM), and how many
                        of the words waited for may still tell something new (LEFT)
    due                 the entries of all lists, three words each: the wait or beginning (WHAT), the next entry or -1
                        (NEXT), and for a listed beginning where the wait for its last word begins (SINCE)
    cells, marks        a `stamped_table` table: under ``2 * beginning``, that one was found which has something to
                        say once per text; under ``2 * state + 1``, the list of beginnings that wait for this word
    marks               besides: the entries of `due` ever used, the free ones among them, the waits in `late`, and bit
                        ``wait & 31`` for each one that is listed
    fresh               the beginnings that a word just found makes longer

A wait with a star goes to `late`, where every word found looks through it; but if many are there and only one word is
waited for, it is listed under that word instead.

Invariant: windows come in the order of their starts, and words have characters. So when a window starts, every
beginning that ends there or before is known; and the first time that a beginning is found is the one that ends
earliest: it leaves the most room, for a star and for what stands behind. Accept records and waits with a star are
looked at then, and never again in this text.

The kernels have one way out, behind their loops: Numba counts references at every call of those that leave earlier,
which costs more than all they do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.kernels.jit import inline, kernel
from watchword.kernels.patterns.retriever.beginnings import AFTER, CHILDREN, EXACT, RECORDS, STARRED
from watchword.kernels.patterns.retriever.records import AFTER as RECORD_AFTER
from watchword.kernels.patterns.retriever.records import BEHIND, PAYLOAD, RECORD_WORDS
from watchword.kernels.sequences.share_trie import KEY, STATE_WORDS, follow
from watchword.kernels.stamped_table import (
    CELL_WORDS,
    NO_ROOM,
    NO_SCRATCH,
    VALUE,
    entry_for,
    entry_of,
    new_entry,
    renew,
)

SPOT_WORDS, LATE_WORDS, DUE_WORDS = 2, 3, 3
LEAD, HEAD = range(SPOT_WORDS)
WAIT, FROM, LEFT = range(LATE_WORDS)
WHAT, NEXT, SINCE = range(DUE_WORDS)
DUE_END, DUE_FREE, LATE_END, LISTED = range(2, 6)  # behind what `stamped_table` keeps in the marks
MANY = 16
"""From how many waits in `late` on others are listed."""


class Scratch(NamedTuple):
    """What one call keeps in mind about the text at hand."""

    points: npt.NDArray[np.int32]
    spots: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]
    marks: npt.NDArray[np.int64]
    due: npt.NDArray[np.int32]
    late: npt.NDArray[np.int32]
    fresh: npt.NDArray[np.int32]


def new_scratch(points: npt.NDArray[np.int32], entries: int) -> Scratch:
    """Return scratch for texts of at most ``len(points)`` characters; `entries` is a power of two."""
    return Scratch(
        points=np.empty(len(points) + 2, np.int32),
        spots=np.empty(SPOT_WORDS * len(points), np.int32),
        cells=np.zeros(CELL_WORDS * entries, np.int32),
        marks=np.zeros(6, np.int64),
        due=np.empty(DUE_WORDS * (entries + 1), np.int32),  # the last one is never handed out
        late=np.empty(LATE_WORDS * entries, np.int32),
        fresh=np.empty(2 * entries + 1, np.int32),
    )


@kernel
def begin(keys, values, states, points, size, spots, marks):
    """Forget the last text, and take the first step of every window of this one: they do not wait for each other."""
    renew(marks)
    marks[DUE_END], marks[DUE_FREE], marks[LATE_END], marks[LISTED] = 0, -1, 0, 0
    points[size], points[size + 1] = 0, 0
    for at in range(size):
        spots[SPOT_WORDS * at + LEAD] = follow(keys, values, states, np.int64(0), np.int64(points[at]))
        spots[SPOT_WORDS * at + HEAD] = -1


@kernel
def _new_due(due, marks, what, after, since):
    """Return a new entry of a list, or -1 if there is no room: then the caller must give up."""
    entry = marks[DUE_FREE]
    if entry >= 0:
        marks[DUE_FREE] = due[DUE_WORDS * entry + NEXT]
    else:
        entry = marks[DUE_END]
        marks[DUE_END] += 1
    at = DUE_WORDS * entry
    due[at + WHAT], due[at + NEXT], due[at + SINCE] = what, after, since
    return entry if at + DUE_WORDS < len(due) else np.int64(-1)


@kernel
def wait_exactly(ways, spots, due, marks, wait, end, size):
    """Wait for words at the distances of a list of waits; returns whether there was room."""
    fits = True
    while wait > 0 and fits:
        start = end + (ways[STATE_WORDS * wait + KEY] >> 1)
        if start < size:
            head = SPOT_WORDS * start + HEAD
            entry = _new_due(due, marks, wait, spots[head], start)
            spots[head] = entry
            fits = entry >= 0
        wait = np.int64(ways[STATE_WORDS * wait + AFTER])
    return fits


@kernel
def _list(ways, cells, marks, due, beginning, start):
    """List a beginning under its last word, waited for from `start` on; returns whether there was room."""
    place = entry_for(cells, marks, 2 * np.int64(ways[STATE_WORDS * beginning + KEY]) + 1)
    entry = _new_due(due, marks, beginning, cells[max(place, 0) + VALUE], start)
    cells[max(place, 0) + VALUE] = entry
    return place >= 0 and entry >= 0


@inline
def wait_late(ways, cells, marks, due, late, wait, end, size):
    """Wait for words from where the gaps of a list of waits allow; returns whether there was room."""
    fits = True
    while wait > 0 and fits:
        gap, left = ways[STATE_WORDS * wait + KEY], ways[STATE_WORDS * wait + CHILDREN]
        start = end + (gap >> 1)
        if gap == 0 or start >= size:
            pass
        elif left < 0 and marks[LATE_END] >= MANY:
            fits = _list(ways, cells, marks, due, -np.int64(left), start)
            marks[LISTED] |= np.int64(1) << (wait & 31)
        else:
            at = LATE_WORDS * marks[LATE_END]
            fits = at < len(late)
            if fits:
                late[at + WAIT], late[at + FROM], late[at + LEFT] = wait, start, max(left, 1)
                marks[LATE_END] += 1
        wait = np.int64(ways[STATE_WORDS * wait + AFTER])
    return fits


@kernel
def _report(words, record, room, used, found):
    """Write the payloads of those of a list of records that need no more room; returns the new fill or what lacks."""
    while record >= 0 and used >= 0:
        if room >= words[RECORD_WORDS * record + BEHIND] >> 1:
            if used < len(found):
                found[used] = words[RECORD_WORDS * record + PAYLOAD]
                used += 1
            else:
                used = np.int64(NO_ROOM)
        record = np.int64(words[RECORD_WORDS * record + RECORD_AFTER])
    return used


@kernel
def open_fresh(ways, words, size, spots, cells, marks, due, late, fresh, count, end, used, found):
    """Take note of the first `count` fresh beginnings, which end at `end`; returns the new fill or what lacks."""
    k = 0
    while k < count and used >= 0:
        beginning = np.int64(fresh[k])
        at = STATE_WORDS * beginning
        fits = True
        once = ways[at + RECORDS] >= 0 or ways[at + STARRED] > 0
        if once and entry_of(cells, marks, 2 * beginning) < 0:
            fits = new_entry(cells, marks, 2 * beginning) >= 0
            fits = fits and wait_late(ways, cells, marks, due, late, np.int64(ways[at + STARRED]), end, size)
            used = _report(words, np.int64(ways[at + RECORDS]), size - end, used, found)
        if not fits or not wait_exactly(ways, spots, due, marks, np.int64(ways[at + EXACT]), end, size):
            used = np.int64(NO_SCRATCH)
        k += 1
    return used
