"""Patterns along a stream of text: what has come so far of each, and which are complete.

Words between which no `*` stands make a *segment*: they lie at exact distances. A segment that ends earlier leaves more
room for the rest, so each is placed as early as it goes, from the first on, and nothing is ever taken back. All that
must be kept of a pattern is therefore which segment comes next and where that may start. A segment has a *key*, its
rarest word: the pattern waits in the list of that word. When the key comes, the words before it are looked for in the
text kept; those behind it when the end of the segment has come, at most `PATIENCE` characters later, so that the ends
still to be asked for fit into the bits of one number. When the segment is placed, the pattern moves on to another list.

What the patterns are, never written to (numbers of states, `moves`, `cells` and `endings` as in `automaton`, with words
numbered from 0):

    limits    int64: how many states are dense; how many classes of bytes there are
    words     int32, for each word of a pattern: its number; how many characters before its segment's end it ends
    segments  int32, for each, those of a pattern side by side: its first word, up to the next one's; its key, one of
              them; how many characters there are from its start to its key's end; how many come at least between the
              segment before it, or the start of the text, and it; its pattern. One more, of no pattern, comes last.
    tails     int32, for each pattern: how many characters must come behind its last segment

What has come, one set for each stream, of a size that the patterns alone decide:

    heads     int32, for each word the first pattern that waits for it, or -1
    waits     int64, for each pattern: the next and the previous one in the list of a word, or -1; the next in a list
              of `due`, or -1; its next segment; where that may start; its ends still to be asked for, end `e` as bit
              ``e % 64``
    ring      int32, a power of two: the state reached at each of the last places, -1 where no word ends
    due       int32, a power of two: for each of the next places, the first pattern to be asked there, or -1
    found     int32, one for each pattern: those complete, in the order in which they became so
    marks     int64: the state to go on from; how many characters have come; how many patterns were found

Invariant: a pattern is found, or in the list of its next segment's key, or has no next segment and is in the list of
`due` where its tail ends. One that waits for a segment is in the list of `due` of the first end it has to be asked for.

Cost: a step of the automaton for each byte; a visit for each word that ends there; a look at each pattern that waits
for it, which moves on, at most once for each of its segments, unless the segment must start later or has other words
that are not there.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.memory import trailing_zeros
from watchword.kernels.sequences.automaton import step

PATIENCE = 63
NUMBER, BACK = 0, 1
BEGIN, KEY, BEFORE, LEAST, PATTERN = 0, 1, 2, 3, 4
NEXT, PREVIOUS, DUE, SEGMENT, LOW, ENDS = 0, 1, 2, 3, 4, 5
STATE, PLACE, FOUND = 0, 1, 2


@kernel
def begin(words, segments, heads, waits, ring, due, marks):
    """Set everything to the start of a text: each pattern waits for its first segment."""
    heads[:] = -1
    ring[:] = -1
    due[:] = -1
    marks[:] = 0
    for segment in range(len(segments) - 2, -1, -1):
        row = np.int64(segments[segment, PATTERN])
        if segment == 0 or segments[segment - 1, PATTERN] != row:
            _await(segment, row, np.int64(0), words, segments, heads, waits)


@kernel
def feed(data, classes, moves, cells, endings, limits, words, segments, tails, heads, waits, ring, due, found, marks):
    """Go on with `data`, whole characters in UTF-8."""
    dense, width = limits[0], limits[1]
    state, place = marks[STATE], marks[PLACE]
    for at in range(len(data)):
        byte = data[at]
        if byte & 0xC0 != 0x80:  # the character before is whole
            if due[place & (len(due) - 1)] >= 0:
                _ask(place, endings, words, segments, tails, heads, waits, ring, due, found, marks)
            place += 1
        kind = np.int64(classes[byte])
        if state < dense:
            move = 2 * (state * width + kind)
            reached, state = np.int64(moves[move]), np.int64(moves[move + 1])
        else:
            reached, state = step(moves, cells, dense, width, state, kind)
        ring[place & (len(ring) - 1)] = reached
        while reached > 0:
            word = endings[2 * reached]
            if word >= 0 and heads[word] >= 0:
                _visit(word, place, endings, words, segments, tails, heads, waits, ring, due, found, marks)
            reached = np.int64(endings[2 * reached + 1])
    _ask(place, endings, words, segments, tails, heads, waits, ring, due, found, marks)
    marks[STATE], marks[PLACE] = state, place


@kernel
def _visit(word, place, endings, words, segments, tails, heads, waits, ring, due, found, marks):
    """Look at the patterns that wait for a word, which ends at `place`: their segments may end there, or later."""
    row = np.int64(heads[word])
    while row >= 0:
        following = waits[row, NEXT]
        segment = waits[row, SEGMENT]
        if place - segments[segment, BEFORE] >= waits[row, LOW]:
            key = segments[segment, KEY]
            end = place + words[key, BACK]
            if _holds(segments[segment, BEGIN], key, end, endings, words, ring):
                if end == place:
                    _place(row, place, words, segments, tails, heads, waits, due, found, marks)
                else:
                    if waits[row, ENDS] == 0:
                        _defer(row, end, waits, due)
                    waits[row, ENDS] |= np.int64(1) << (end & 63)
        row = following


@kernel
def _ask(place, endings, words, segments, tails, heads, waits, ring, due, found, marks):
    """Settle what is due at `place`: segments that may end there, and patterns whose tails do."""
    bucket = place & (len(due) - 1)
    row = np.int64(due[bucket])
    due[bucket] = -1
    while row >= 0:
        following = waits[row, DUE]
        segment = waits[row, SEGMENT]
        if segments[segment, PATTERN] != row:
            found[marks[FOUND]] = row
            marks[FOUND] += 1
        elif _holds(segments[segment, KEY] + 1, segments[segment + 1, BEGIN], place, endings, words, ring):
            _place(row, place, words, segments, tails, heads, waits, due, found, marks)
        else:
            waits[row, ENDS] &= ~(np.int64(1) << (place & 63))
            if waits[row, ENDS] != 0:
                ends, turn = np.uint64(waits[row, ENDS]), np.uint64(place & 63)
                ahead = ends >> turn | ends << (np.uint64(64) - turn & np.uint64(63))
                _defer(row, place + trailing_zeros(ahead), waits, due)
        row = following


@kernel
def _holds(first, last, end, endings, words, ring):
    """Say whether words from `first` to `last` of a segment that ends at `end` are where they must be."""
    for k in range(first, last):
        state = np.int64(ring[(end - words[k, BACK]) & (len(ring) - 1)])
        while state > 0 and endings[2 * state] != words[k, NUMBER]:
            state = np.int64(endings[2 * state + 1])
        if state <= 0:
            return False
    return True


@kernel
def _place(row, place, words, segments, tails, heads, waits, due, found, marks):
    """Let the next segment of a pattern end at `place`."""
    segment = waits[row, SEGMENT]
    following, previous = waits[row, NEXT], waits[row, PREVIOUS]
    if following >= 0:
        waits[following, PREVIOUS] = previous
    if previous >= 0:
        waits[previous, NEXT] = following
    else:
        heads[words[segments[segment, KEY], NUMBER]] = following
    if segments[segment + 1, PATTERN] == row:
        _await(segment + 1, row, place, words, segments, heads, waits)
    elif tails[row] == 0:
        found[marks[FOUND]] = row
        marks[FOUND] += 1
    else:
        waits[row, SEGMENT] = segment + 1
        _defer(row, place + tails[row], waits, due)


@kernel
def _await(segment, row, place, words, segments, heads, waits):
    """Let a pattern wait for a segment, which comes behind `place`."""
    word = words[segments[segment, KEY], NUMBER]
    first = np.int64(heads[word])
    if first >= 0:
        waits[first, PREVIOUS] = row
    waits[row, NEXT], waits[row, PREVIOUS] = first, -1
    waits[row, SEGMENT], waits[row, LOW] = segment, place + segments[segment, LEAST]
    waits[row, ENDS] = 0
    heads[word] = row


@kernel
def _defer(row, place, waits, due):
    """Let a pattern be asked at `place`."""
    bucket = place & (len(due) - 1)
    waits[row, DUE] = due[bucket]
    due[bucket] = row
