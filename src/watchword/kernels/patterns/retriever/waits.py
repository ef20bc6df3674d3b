"""Which beginnings were found in a text so far, and where the words that may follow them are waited for.

The subscriptions are ``song?blue`` and ``pie*tea`` (their beginnings are drawn in `beginnings`); the text begins with
"a song, pie and". When song has been found, from position 2 to 6, its wait 3, for blue, is due at exactly position 7:
it becomes entry 0 of `exact_waits`, the first of the list of position 7. When pie has been found, from 8 to 11, its
wait 6 goes to `open_waits`: from position 11 on, for one word.

Layout of the scratch:

    points              the text, then two zeros
    positions           two words per position: LEAD, the state behind its character or -1, and FIRST_WAIT, the list of
                        waits for a word that starts exactly there, or -1
    open_waits          three words per wait for a word from some position on: WAIT, that position (FROM), and how many
                        of the words waited for may still tell something new (LEFT)
    exact_waits         the entries of all lists, three words each: the wait, or the listed beginning (WHAT), the next
                        entry or -1 (NEXT), and for a listed beginning where the wait for its last word begins (SINCE)
    cells, marks        a `stamped_table`: under ``2 * beginning``, that one was found which has something to say once
                        per text; under ``2 * state + 1``, the list of beginnings that wait for this word
    marks               besides: the entries of `exact_waits` ever used, the free ones among them, the waits in
                        `open_waits`, bit ``wait & 31`` for each one that is listed, the steps of recombination so far
                        (beginnings found, waits made and looked at, records looked at), and the states visited in the
                        texts done
    found_now           the beginnings that the word just found completes

A wait with a star goes to `open_waits`, where every word found looks through it; but if many are there and only one
word is waited for, the beginning that it would complete is listed under that word instead.

Invariant: windows come in the order of their starts, and words have characters. So when a window starts, every
beginning that ends there or before is known; and the first time that a beginning is found is the one that ends
earliest: it leaves the most room, for a star and for what stands behind. Accept records and waits with a star are
looked at then, and never again in this text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import inline, leaf
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

POSITION_WORDS, OPEN_WORDS, EXACT_WORDS = 2, 3, 3
LEAD, FIRST_WAIT = range(POSITION_WORDS)
WAIT, FROM, LEFT = range(OPEN_WORDS)
WHAT, NEXT, SINCE = range(EXACT_WORDS)
EXACT_END, EXACT_FREE, OPEN_END, LISTED, STEPS, VISITED = range(2, 8)  # behind what `stamped_table` keeps in the marks
MANY = 16
"""From how many waits in `open_waits` on others are listed."""


class Scratch(NamedTuple):
    """What one call keeps in mind about the text at hand."""

    points: Int32
    positions: Int32
    cells: Int32
    marks: Int64
    exact_waits: Int32
    open_waits: Int32
    found_now: Int32


def new_scratch(longest: int, entries: int) -> Scratch:
    """Return scratch for texts of at most `longest` characters; `entries` is a power of two."""
    return Scratch(
        points=np.empty(longest + 2, np.int32),
        positions=np.empty(POSITION_WORDS * longest, np.int32),
        cells=np.zeros(CELL_WORDS * entries, np.int32),
        marks=np.zeros(8, np.int64),
        exact_waits=np.empty(EXACT_WORDS * (entries + 1), np.int32),  # the last one is never handed out
        open_waits=np.empty(OPEN_WORDS * entries, np.int32),
        found_now=np.empty(2 * entries + 1, np.int32),
    )


@leaf
def begin(trie, size, scratch):
    """Forget the last text, and take the first step of every window of this one: they do not wait for each other."""
    points, positions, marks = scratch.points, scratch.positions, scratch.marks
    renew(marks)
    marks[EXACT_END], marks[EXACT_FREE], marks[OPEN_END], marks[LISTED], marks[STEPS] = 0, -1, 0, 0, 0
    points[size], points[size + 1] = 0, 0
    for at in range(size):
        lead = follow(trie.keys, trie.values, trie.states, np.int64(0), np.int64(points[at]))
        positions[POSITION_WORDS * at + LEAD] = lead
        positions[POSITION_WORDS * at + FIRST_WAIT] = -1


@leaf
def _new_entry(exact_waits, marks, what, after, since):
    """Return a new entry of a list, or -1 if there is no room: then the caller must give up."""
    entry = marks[EXACT_FREE]
    if entry >= 0:
        marks[EXACT_FREE] = exact_waits[EXACT_WORDS * entry + NEXT]
    else:
        entry = marks[EXACT_END]
        marks[EXACT_END] += 1
    at = EXACT_WORDS * entry
    exact_waits[at + WHAT], exact_waits[at + NEXT], exact_waits[at + SINCE] = what, after, since
    return entry if at + EXACT_WORDS < len(exact_waits) else np.int64(-1)


@leaf
def _wait_exactly(states, scratch, wait, end, size):
    """Wait for words at the distances of a list of waits; returns whether there was room."""
    positions = scratch.positions
    fits = True
    while wait > 0 and fits:
        scratch.marks[STEPS] += 1
        start = end + (states[STATE_WORDS * wait + KEY] >> 1)
        if start < size:
            head = POSITION_WORDS * start + FIRST_WAIT
            entry = _new_entry(scratch.exact_waits, scratch.marks, wait, positions[head], start)
            positions[head] = entry
            fits = entry >= 0
        wait = np.int64(states[STATE_WORDS * wait + AFTER])
    return fits


@leaf
def _list(states, scratch, beginning, start):
    """List a beginning under its last word, waited for from `start` on; returns whether there was room."""
    cells, marks = scratch.cells, scratch.marks
    cell = entry_for(cells, marks, 2 * np.int64(states[STATE_WORDS * beginning + KEY]) + 1)
    entry = _new_entry(scratch.exact_waits, marks, beginning, cells[max(cell, 0) + VALUE], start)
    cells[max(cell, 0) + VALUE] = entry
    return cell >= 0 and entry >= 0


@inline
def wait_openly(states, scratch, wait, end, size):
    """Wait for words from where the gaps of a list of waits allow; returns whether there was room."""
    marks, open_waits = scratch.marks, scratch.open_waits
    fits = True
    while wait > 0 and fits:
        marks[STEPS] += 1
        gap, left = states[STATE_WORDS * wait + KEY], states[STATE_WORDS * wait + CHILDREN]
        start = end + (gap >> 1)
        if gap == 0 or start >= size:
            pass
        elif left < 0 and marks[OPEN_END] >= MANY:
            fits = _list(states, scratch, -np.int64(left), start)
            marks[LISTED] |= np.int64(1) << (wait & 31)
        else:
            at = OPEN_WORDS * marks[OPEN_END]
            fits = at < len(open_waits)
            if fits:
                open_waits[at + WAIT], open_waits[at + FROM], open_waits[at + LEFT] = wait, start, max(left, 1)
                marks[OPEN_END] += 1
        wait = np.int64(states[STATE_WORDS * wait + AFTER])
    return fits


@leaf
def _report(words, record, room, marks, used, payloads):
    """Write the payloads of those of a list of records that need no more room; returns the new fill or what lacks."""
    while record >= 0 and used >= 0:
        marks[STEPS] += 1
        if room >= words[RECORD_WORDS * record + BEHIND] >> 1:
            if used < len(payloads):
                payloads[used] = words[RECORD_WORDS * record + PAYLOAD]
                used += 1
            else:
                used = np.int64(NO_ROOM)
        record = np.int64(words[RECORD_WORDS * record + RECORD_AFTER])
    return used


@leaf
def note_found(states, words, size, scratch, count, end, used, payloads):
    """Take note of the first `count` beginnings of `found_now`, which end at `end`; returns the new fill or what lacks.

    `states` are those of the beginnings, `words` the accept records.
    """
    k = 0
    scratch.marks[STEPS] += count
    while k < count and used >= 0:
        beginning = np.int64(scratch.found_now[k])
        at = STATE_WORDS * beginning
        fits = True
        once = states[at + RECORDS] >= 0 or states[at + STARRED] > 0
        if once and entry_of(scratch.cells, scratch.marks, 2 * beginning) < 0:
            fits = new_entry(scratch.cells, scratch.marks, 2 * beginning) >= 0
            fits = fits and wait_openly(states, scratch, np.int64(states[at + STARRED]), end, size)
            used = _report(words, np.int64(states[at + RECORDS]), size - end, scratch.marks, used, payloads)
        if not fits or not _wait_exactly(states, scratch, np.int64(states[at + EXACT]), end, size):
            used = np.int64(NO_SCRATCH)
        k += 1
    return used
