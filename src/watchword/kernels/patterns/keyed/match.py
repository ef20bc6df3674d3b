"""Matching patterns that are stored under their rarest word, their key (`candidates` has the layout).

Short texts are taken together. `grams` finds where keys may be in them, `text_keys` which there are. A key brings its
patterns: those that are nothing else match; the others are out if the print of their probe is not among the text's, and
are looked for as they are spelled (`spelled_patterns`) if it is.

That is fast wherever keys are told apart by a few bytes and few of their patterns come close. Where a gram is crowded,
and where looking for patterns takes more than `_STEPS` steps for each byte of a text, it is not known what the text
matches: `placed_patterns` finds out, in time linear in text and candidates.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.int_set import set_capacity
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.patterns.keyed.by_search import UNDECIDED, YES, holds
from watchword.kernels.patterns.keyed.candidates import ROOM, candidates
from watchword.kernels.patterns.keyed.grams import PRINT_BITS, locate, refine, scan
from watchword.kernels.patterns.keyed.keys_in_text import MARKED, UNSURE, keys_of_text
from watchword.kernels.tombstones import drop_dead

DONE, NO_ROOM, UNKNOWN = 0, -1, -2

_BYTES = 1 << 12  # of short texts taken together
_STEPS = 32
_HITS = 1 << 16


@kernel
def match(first, used, data, offsets, keyed, words, dead, ends, payloads):
    """Match texts from `first` on (the protocol of `collect`). Operations: candidates of the keys that were found.

    `keyed` are levels, bits, fine, table, heads, their other view, arena, and the levels of prints; `words` is how many
    words there are. Also returns `DONE`, `NO_ROOM`, or that it is `UNKNOWN` what the first text not done matches.
    """
    levels = keyed[0]
    longest = np.int64(0)
    for text in range(first, len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    room = max(longest, min(_BYTES, offsets[-1] - offsets[first])) + 1
    places, spots = np.empty((len(levels) + 1, room), np.int32), np.empty((len(levels), room), np.int64)
    counts, nexts = np.zeros(len(levels), np.int64), np.zeros(len(levels), np.int64)
    hits = np.empty((2, min(16 * longest, longest + _HITS) + 64), np.int32)
    most = min(words, len(levels) * hits.shape[1])
    seen, noted = np.full(set_capacity(most), -1, np.int32), np.empty((2, most), np.int32)
    marks = np.zeros(1 << PRINT_BITS, np.uint8)
    waiting, steps = np.empty(64, np.int64), np.zeros(1, np.int64)
    scratch = places, spots, counts, nexts, hits, seen, noted, marks, steps
    operations = 0
    while True:
        first, used, work, lack = _match_spelled(
            first, used, data, offsets, keyed, scratch, waiting, dead, ends, payloads
        )
        operations += work
        if lack <= 0:
            return first, used, operations, lack
        waiting = np.empty(2 * lack, np.int64)


@leaf
def _match_spelled(first, used, data, offsets, keyed, scratch, waiting, dead, ends, payloads):
    """Match texts from `first` on as they are spelled; returns where it came to, and what lacks as `match` does.

    What lacks is positive if `waiting` is too short: how long it must be.
    """
    _, _, _, _, heads, spelled, arena, probes = keyed
    places, spots, counts, nexts, hits, seen, noted, marks, steps = scratch
    marks[:] = 0
    stamp = operations = 0
    lack = np.int64(DONE)
    text = last = np.int64(first)
    origin = offsets[first]
    while text < len(offsets) - 1:
        if text == last:
            origin = offsets[text]
            last += 1
            while last < len(offsets) - 1 and offsets[last + 1] - origin <= _BYTES:
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
        count = flags >> 2
        for k in range(count):
            seen[noted[1, k]] = -1
        if flags & UNSURE:
            lack = np.int64(UNKNOWN)
        elif count:
            fill, pending, work = candidates(
                noted[0],
                count,
                heads,
                arena,
                data,
                begin,
                stop,
                probes,
                marks,
                stamp,
                flags & MARKED,
                payloads,
                used,
                waiting,
            )
            operations += work
            if pending < 0:
                lack = work + ROOM
            elif pending and fill >= 0:
                fill = _look_for(waiting, pending, data, begin, stop, arena, heads, spelled, steps, payloads, fill)
            if fill < 0:
                lack = fill
        if lack != DONE:
            break
        used = drop_dead(dead, payloads, used, fill)
        ends[text] = used
        text += 1
    return text, used, operations, lack


@leaf
def _find_spots(data, begin, stop, keyed, places, spots, counts):
    """Write where keys may be in a stretch of texts: for level `k`, ``counts[k]`` places and spots."""
    levels, bits, fine, table, _, _, _, _ = keyed
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
