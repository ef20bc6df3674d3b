"""Matching patterns that are stored under their rarest word, their key (`candidates` has the layout).

Short texts are taken together. `grams` finds where keys may be in them, `text_keys` which there are. A key brings its
patterns: those that are nothing else match; the others are out if the print of their probe is not among the text's, and
are looked for as they are spelled (`spelled_patterns`) if it is.

That is fast wherever keys are told apart by a few bytes and few of their patterns come close. Where a gram is crowded,
and where looking for patterns takes more than `_STEPS` places for each byte of a text, the text is matched by
`placed_patterns` instead, in time linear in text and candidates. That takes an automaton of the words, which need not
be there until a text asks for it.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.candidates import candidates
from watchword.kernels.grams import PRINT_BITS, locate, refine, scan
from watchword.kernels.jit import inline, kernel
from watchword.kernels.placed_patterns import match_places
from watchword.kernels.spelled_patterns import UNDECIDED, YES, holds
from watchword.kernels.termset import set_capacity
from watchword.kernels.text_keys import MARKED, UNSURE, keys_of_text
from watchword.kernels.tombstones import drop_dead

DONE, NO_ROOM, UNKNOWN = 0, -1, -2

_BYTES, _TEXTS = 1 << 12, 512  # of short texts taken together
_STEPS = 32


@kernel
def match(first, used, data, offsets, keyed, automaton, limits, dead, ends, payloads):
    """Match texts from `first` on (the protocol of `collect`). Operations: candidates of the keys that were found.

    `keyed` are levels, bits, fine, table, heads, their other view, and arena; `automaton` are classes, moves, cells and
    endings, empty until there is one. `limits` are the most words of a pattern, how many words there are, and, of the
    automaton, the most words that end at one place, dense states, and classes of bytes. Also returns `DONE` or what
    lacks: `NO_ROOM` among the payloads, or an automaton, because it is `UNKNOWN` what the next text matches.
    """
    levels, _, _, _, heads, spelled, arena = keyed
    longest = np.int64(0)
    for text in range(first, len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    room = max(longest, min(_BYTES, offsets[-1] - offsets[first])) + 1
    places, spots = np.empty((len(levels) + 1, room), np.int32), np.empty((len(levels), room), np.int64)
    counts, nexts = np.zeros(len(levels), np.int64), np.zeros(len(levels), np.int64)
    hits = np.empty((2, longest + 64), np.int32)
    most = min(limits[1], len(levels) * hits.shape[1])
    seen, noted = np.full(set_capacity(most), -1, np.int32), np.empty((2, most), np.int32)
    marks = np.zeros(1 << PRINT_BITS, np.uint8)
    waiting, steps = np.empty(64, np.int64), np.zeros(1, np.int64)
    stamp = operations = 0
    origin, last = offsets[first], np.int64(first)
    for text in range(first, len(offsets) - 1):
        if text == last:
            origin = offsets[text]
            last += 1
            while last < len(offsets) - 1 and last - text < _TEXTS and offsets[last + 1] - origin <= _BYTES:
                last += 1
            _find_spots(data, origin, offsets[last], keyed, places, spots, counts)
            nexts[:] = 0
        begin, stop, fill = offsets[text], offsets[text + 1], np.int64(used)
        if stamp == 255:
            marks[:] = 0
            stamp = 0
        stamp += 1
        flags = keys_of_text(
            data, origin, begin, stop, keyed, places, spots, counts, nexts, marks, stamp, hits, seen, noted
        )
        if flags & ~MARKED:
            count, is_known, is_marked = flags >> 2, flags & UNSURE == 0, flags & MARKED > 0
            if is_known:
                fill, pending, work, waiting = candidates(
                    noted[0], count, heads, arena, data, begin, stop, marks, stamp, is_marked, payloads, used, waiting
                )
                operations += work
                if pending:
                    fill = _look_for(waiting, pending, data, begin, stop, arena, heads, spelled, steps, payloads, fill)
            for k in range(count):
                seen[noted[1, k]] = -1
            if fill == UNKNOWN or not is_known:
                if len(automaton[0]) == 0:
                    return text, used, operations, UNKNOWN
                fill, work, waiting = match_places(
                    data, begin, stop, automaton, heads, arena, limits, marks, stamp, payloads, used, waiting
                )
                operations += work
            if fill < 0:
                return text, used, operations, NO_ROOM
            used = drop_dead(dead, payloads, used, fill) if len(dead) else fill
        ends[text] = used
    return len(offsets) - 1, used, operations, DONE


@kernel
def _find_spots(data, begin, stop, keyed, places, spots, counts):
    """Write where keys may be in a stretch of texts: for level `k`, ``counts[k]`` places and spots."""
    levels, bits, fine, table, _, _, _ = keyed
    count = np.int64(0)
    for k in range(len(levels)):
        level = levels[k]
        if level > 4:  # the next row is for level 4
            count = scan(data, begin, stop, np.int64(4), bits, places[k + 1])
            count, counts[k] = refine(data, begin, np.int64(4), level, fine, places[k + 1], count, places[k])
        elif level < 4 or k == 0:
            count = scan(data, begin, stop, level, bits, places[k])
        if level <= 4:
            counts[k] = count
        counts[k] = locate(data, begin, stop, level, places[k], counts[k], table, spots[k])


@inline
def _look_for(waiting, pending, data, begin, stop, arena, heads, spelled, steps, payloads, fill):
    """Append the payloads of the waiting patterns that a text holds; returns the new fill, `NO_ROOM` or `UNKNOWN`."""
    steps[0] = 0
    limit = _STEPS * (stop - begin) + 1024
    if fill + pending > len(payloads):
        return np.int64(NO_ROOM)
    for i in range(pending):
        answer = holds(data, begin, stop, arena, waiting[i], heads, spelled, steps, limit)
        if answer == UNDECIDED:
            return np.int64(UNKNOWN)
        payloads[fill] = arena[waiting[i]]
        fill += answer == YES
    return fill
