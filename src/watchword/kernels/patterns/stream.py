"""Patterns along a stream of text: what has come so far of each, and which are complete.

Words between which no `*` stands make a *segment*: they lie at exact distances. A segment that ends earlier leaves more
room for the rest, so each is placed as early as it goes, from the first on, and nothing is ever taken back. All that
must be kept of a pattern is therefore which segment comes next and where that may start. A segment has a *key*, its
rarest word: the pattern waits in the list of that word. When the key comes, the words before it are looked for in the
text kept; those behind it when the end of the segment has come, at most `PATIENCE` characters later, so that the ends
still to be asked for fit into the bits of one number. When the segment is placed, the pattern moves on to another list.

``pie*song?blue??`` has the segments pie and song?blue; the key of the second is blue. After "apple pie, song" the
pattern waits for blue, in a segment that may start from position 9 on. When " blue" has come, song is looked for five
characters back, in the states kept, and found. The pattern is complete two characters later.

What the patterns are, never written to (`StreamPatterns`; words numbered from 0, as in the automaton of all words):

    words     int32, for each word of a pattern: its number; how many characters before its segment's end it ends
    segments  int32, for each, those of a pattern side by side: its first word, up to the next one's; its key, one of
              them; how many characters there are from its start to its key's end; how many come at least between the
              segment before it, or the start of the text, and it; its pattern. One more, of no pattern, comes last.
    tails     int32, for each pattern: how many characters must come behind its last segment

What has come, one set for each stream, of a size that the patterns alone decide (`StreamState`):

    first_waiting  int32, for each word the first pattern that waits for it, or -1
    waits     int64, for each pattern: the next and the previous one in the list of a word, or -1; the next in a list
              of `due`, or -1; its next segment; where that may start; its ends still to be asked for, end `e` as bit
              ``e % 64``
    ring      int32, a power of two: the state reached at each of the last positions, -1 where no word ends
    due       int32, a power of two: for each of the next positions, the first pattern to be asked there, or -1
    found     int32, one for each pattern: those complete, in the order in which they became so
    marks     int64: the state to go on from; how many characters have come; how many patterns were found

Invariant: a pattern is found, or in the list of its next segment's key, or has no next segment and is in the list of
`due` where its tail ends. One that waits for a segment is in the list of `due` of the first end it has to be asked for.

Cost: a step of the automaton for each byte; a visit for each word that ends there; a look at each pattern that waits
for it, which moves on, at most once for each of its segments, unless the segment must start later or has other words
that are not there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.intrinsics import trailing_zeros
from watchword.kernels.jit import leaf
from watchword.kernels.sequences.automaton import DENSE, WIDTH, step

PATIENCE = 63
NUMBER, BACK = 0, 1
BEGIN, KEY, BEFORE, LEAST, PATTERN = 0, 1, 2, 3, 4
NEXT, PREVIOUS, DUE, SEGMENT, LOW, ENDS = 0, 1, 2, 3, 4, 5
STATE, POSITION, FOUND = 0, 1, 2


class StreamPatterns(NamedTuple):
    """What the patterns are."""

    words: Int32
    segments: Int32
    tails: Int32


class StreamState(NamedTuple):
    """What has come of one stream."""

    first_waiting: Int32
    waits: Int64
    ring: Int32
    due: Int32
    found: Int32
    marks: Int64


@leaf
def begin(patterns, stream):
    """Set everything to the start of a text: each pattern waits for its first segment."""
    stream.first_waiting[:] = -1
    stream.ring[:] = -1
    stream.due[:] = -1
    stream.marks[:] = 0
    segments = patterns.segments
    for segment in range(len(segments) - 2, -1, -1):
        row = np.int64(segments[segment, PATTERN])
        if segment == 0 or segments[segment - 1, PATTERN] != row:
            _await(segment, row, np.int64(0), patterns, stream)


@leaf
def feed(data, automaton, patterns, stream):
    """Go on with `data`, whole characters in UTF-8."""
    classes, moves, cells, endings = automaton.classes, automaton.moves, automaton.cells, automaton.endings
    dense, width = automaton.limits[DENSE], automaton.limits[WIDTH]
    first_waiting, ring, due, marks = stream.first_waiting, stream.ring, stream.due, stream.marks
    state, position = marks[STATE], marks[POSITION]
    for at in range(len(data)):
        byte = data[at]
        if byte & 0xC0 != 0x80:  # the character before is whole
            if due[position & (len(due) - 1)] >= 0:
                _ask(position, endings, patterns, stream)
            position += 1
        kind = np.int64(classes[byte])
        if state < dense:
            move = 2 * (state * width + kind)
            reached, state = np.int64(moves[move]), np.int64(moves[move + 1])
        else:
            reached, state = step(moves, cells, dense, width, state, kind)
        ring[position & (len(ring) - 1)] = reached
        while reached > 0:
            word = endings[2 * reached]
            if word >= 0 and first_waiting[word] >= 0:
                _visit(word, position, endings, patterns, stream)
            reached = np.int64(endings[2 * reached + 1])
    _ask(position, endings, patterns, stream)
    marks[STATE], marks[POSITION] = state, position


@leaf
def _visit(word, position, endings, patterns, stream):
    """Look at the patterns that wait for a word, which ends at `position`: their segments may end there, or later."""
    words, segments, waits = patterns.words, patterns.segments, stream.waits
    row = np.int64(stream.first_waiting[word])
    while row >= 0:
        following = waits[row, NEXT]
        segment = waits[row, SEGMENT]
        if position - segments[segment, BEFORE] >= waits[row, LOW]:
            key = segments[segment, KEY]
            end = position + words[key, BACK]
            if _holds(segments[segment, BEGIN], key, end, endings, words, stream.ring):
                if end == position:
                    _place(row, position, patterns, stream)
                else:
                    if waits[row, ENDS] == 0:
                        _defer(row, end, waits, stream.due)
                    waits[row, ENDS] |= np.int64(1) << (end & 63)
        row = following


@leaf
def _ask(position, endings, patterns, stream):
    """Settle what is due at `position`: segments that may end there, and patterns whose tails do."""
    segments, waits, due = patterns.segments, stream.waits, stream.due
    bucket = position & (len(due) - 1)
    row = np.int64(due[bucket])
    due[bucket] = -1
    while row >= 0:
        following = waits[row, DUE]
        segment = waits[row, SEGMENT]
        if segments[segment, PATTERN] != row:
            _found(row, stream)
        elif _holds_behind(segment, position, endings, patterns, stream.ring):
            _place(row, position, patterns, stream)
        else:
            waits[row, ENDS] &= ~(np.int64(1) << (position & 63))
            if waits[row, ENDS] != 0:
                ends, turn = np.uint64(waits[row, ENDS]), np.uint64(position & 63)
                ahead = ends >> turn | ends << (np.uint64(64) - turn & np.uint64(63))
                _defer(row, position + trailing_zeros(ahead), waits, due)
        row = following


@leaf
def _holds_behind(segment, end, endings, patterns, ring):
    """Say whether the words behind the key of a segment that ends at `end` are where they must be."""
    first, last = patterns.segments[segment, KEY] + 1, patterns.segments[segment + 1, BEGIN]
    return _holds(first, last, end, endings, patterns.words, ring)


@leaf
def _holds(first, last, end, endings, words, ring):
    """Say whether words from `first` to `last` of a segment that ends at `end` are where they must be."""
    for k in range(first, last):
        state = np.int64(ring[(end - words[k, BACK]) & (len(ring) - 1)])
        while state > 0 and endings[2 * state] != words[k, NUMBER]:
            state = np.int64(endings[2 * state + 1])
        if state <= 0:
            return False
    return True


@leaf
def _place(row, position, patterns, stream):
    """Let the next segment of a pattern end at `position`."""
    words, segments, waits = patterns.words, patterns.segments, stream.waits
    segment = waits[row, SEGMENT]
    following, previous = waits[row, NEXT], waits[row, PREVIOUS]
    if following >= 0:
        waits[following, PREVIOUS] = previous
    if previous >= 0:
        waits[previous, NEXT] = following
    else:
        stream.first_waiting[words[segments[segment, KEY], NUMBER]] = following
    if segments[segment + 1, PATTERN] == row:
        _await(segment + 1, row, position, patterns, stream)
    elif patterns.tails[row] == 0:
        _found(row, stream)
    else:
        waits[row, SEGMENT] = segment + 1
        _defer(row, position + patterns.tails[row], waits, stream.due)


@leaf
def _found(row, stream):
    """Note that a pattern is complete."""
    stream.found[stream.marks[FOUND]] = row
    stream.marks[FOUND] += 1


@leaf
def _await(segment, row, position, patterns, stream):
    """Let a pattern wait for a segment, which comes behind `position`."""
    segments, waits = patterns.segments, stream.waits
    word = patterns.words[segments[segment, KEY], NUMBER]
    first = np.int64(stream.first_waiting[word])
    if first >= 0:
        waits[first, PREVIOUS] = row
    waits[row, NEXT], waits[row, PREVIOUS] = first, -1
    waits[row, SEGMENT], waits[row, LOW] = segment, position + segments[segment, LEAST]
    waits[row, ENDS] = 0
    stream.first_waiting[word] = row


@leaf
def _defer(row, position, waits, due):
    """Let a pattern be asked at `position`."""
    bucket = position & (len(due) - 1)
    waits[row, DUE] = due[bucket]
    due[bucket] = row
