"""REtriever's MATCH as published, corrected: note where words are, and go back from every accept record.

A window starts at each character and follows the automaton as far as it goes. At each state that it reaches, every
half-accept record there is given the position of the word; from every accept record there the subscription's words are
put together, from the last to the first (`recombine`).

The subscription ``pie*tea`` in "welikeapplepieandtea": the window at 11 finds pie, whose half-accept record gets the
pair (11, 14). The window at 17 finds tea. Its accept record points to that of pie, behind a star: of its pairs, one
ends at or before 17, so the subscription is found.

Where the pseudo-code is wrong: it looks at records before literal j is read, so that a match at the end of the text is
lost; it adds the subscription before the earlier words are checked; and it keeps one start position, moved by whichever
pair fits last. Here records are looked at behind the literal, and `recombine` keeps every position that fits. A
subscription that was found is not put together again in the same text.

Layout of the scratch:

    points          the text
    cells, marks    a `stamped_table` of records: for a half-accept record its last pair, for an accept record that its
                    subscription was found
    marks           besides: the pairs in use, the steps of recombination so far (pairs noted, accept records looked at,
                    pairs looked at), and the states visited in the texts done
    pairs           three words each: where the word starts and ends, and the record's pair before, or -1
    starts          two lists of positions, for `recombine`

Invariant: windows come in the order of their starts, and words have characters. So when a window starts, every pair
that ends there or before has been noted; and a record's pairs go down, in starts as in ends.

Cost: a look-up per state visited, a step per record there, and per accept record up to as many steps as its
subscription's words have pairs. Pairs take room in proportion to the text times the words of all subscriptions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import leaf
from watchword.kernels.patterns.retriever.recombine import PAIR_WORDS, PAIRS_END, STEPS, VISITED, recombine
from watchword.kernels.patterns.retriever.word_records import (
    ACCEPTED,
    AFTER,
    BEHIND,
    HALF,
    PAYLOAD,
    RECORD_WORDS,
)
from watchword.kernels.sequences.share_trie import STATE_WORDS, follow
from watchword.kernels.stamped_table import (
    CELL_WORDS,
    DONE,
    NO_ROOM,
    NO_SCRATCH,
    VALUE,
    entry_for,
    entry_of,
    new_entry,
    renew,
)
from watchword.kernels.text.code_points import decode_points


class Scratch(NamedTuple):
    """What one call keeps in mind about the text at hand."""

    points: Int32
    cells: Int32
    marks: Int64
    pairs: Int32
    starts: Int32


def new_scratch(longest: int, entries: int) -> Scratch:
    """Return scratch for texts of at most `longest` characters; `entries` is a power of two."""
    return Scratch(
        points=np.empty(longest, np.int32),
        cells=np.zeros(CELL_WORDS * entries, np.int32),
        marks=np.zeros(5, np.int64),
        pairs=np.empty(PAIR_WORDS * entries, np.int32),
        starts=np.empty(2 * longest, np.int32),
    )


@leaf
def _note(words, record, scratch, start, end):
    """Give a pair to each of a list of half-accept records; returns whether there was room."""
    cells, marks, pairs = scratch.cells, scratch.marks, scratch.pairs
    fits = True
    while record >= 0 and fits:
        cell, at = entry_for(cells, marks, record), PAIR_WORDS * marks[PAIRS_END]
        fits = cell >= 0 and at < len(pairs)
        if fits:
            pairs[at], pairs[at + 1], pairs[at + 2] = start, end, cells[cell + VALUE]
            cells[cell + VALUE] = marks[PAIRS_END]
            marks[PAIRS_END] += 1
            marks[STEPS] += 1
        record = np.int64(words[RECORD_WORDS * record + AFTER])
    return fits


@leaf
def _accept(words, record, scratch, start, room, used, payloads):
    """Write the payloads of those of a list of accept records whose subscription is whole with a word at `start`.

    `room` is how many characters follow. Returns the new fill, or what lacks.
    """
    cells, marks = scratch.cells, scratch.marks
    while record >= 0 and used >= 0:
        row = RECORD_WORDS * record
        marks[STEPS] += 1
        new = room >= words[row + BEHIND] >> 1 and entry_of(cells, marks, record) < 0
        if new and recombine(words, record, scratch, start):
            if new_entry(cells, marks, record) < 0:
                used = np.int64(NO_SCRATCH)
            elif used == len(payloads):
                used = np.int64(NO_ROOM)
            else:
                payloads[used] = words[row + PAYLOAD]
                used += 1
        record = np.int64(words[row + AFTER])
    return used


@leaf
def _match_text(trie, words, scratch, size, used, payloads):
    """Write the payloads found in a text behind `used`; returns the new fill or what lacks, and the states visited."""
    keys, values, states, points = trie.keys, trie.values, trie.states, scratch.points
    renew(scratch.marks)
    scratch.marks[PAIRS_END], scratch.marks[STEPS] = 0, 0
    start, visited = 0, 0
    while start < size and used >= 0:
        state, at = np.int64(0), start
        while state >= 0 and at < size and used >= 0:
            state = follow(keys, values, states, state, np.int64(points[at]))
            if state >= 0:
                at, visited = at + 1, visited + 1
                half = np.int64(states[STATE_WORDS * state + HALF]) - 1
                if half >= 0 and not _note(words, half, scratch, start, at):
                    used = np.int64(NO_SCRATCH)
                accepted = np.int64(states[STATE_WORDS * state + ACCEPTED])
                if accepted >= 0 and used >= 0:
                    used = _accept(words, accepted, scratch, start, size - at, used, payloads)
        start += 1
    return used, visited


@leaf
def match(data, text_offsets, trie, records, scratch, first, used, offsets, payloads):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks; also returns what lacks, `DONE` for nothing."""
    spent = 0
    for text in range(first, len(text_offsets) - 1):
        size = decode_points(data, text_offsets[text], text_offsets[text + 1], scratch.points)
        fill, visited = _match_text(trie, records.words, scratch, size, np.int64(used), payloads)
        if fill < 0:
            return text, used, spent, fill
        spent += visited + scratch.marks[STEPS]
        scratch.marks[VISITED] += visited
        offsets[text + 1] = used = fill
    return len(text_offsets) - 1, used, spent, np.int64(DONE)
