"""Matching patterns that are stored under their rarest word, their key (`candidates` has the layout).

Short texts are taken together. `grams` finds the keys in them. A key brings its patterns: those that are nothing else
match; the others are out if the print of their probe is not among the text's, and are looked for as they are spelled
(`spelled_patterns`) if it is.

That is fast wherever keys are told apart by a few bytes and few of their patterns come close. Where a gram is crowded,
and where looking for patterns takes more than `_STEPS` places for each byte of a text, the text is matched by
`placed_patterns` instead, in time linear in text and candidates. That takes an automaton of the words, which need not
be there until a text asks for it.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.candidates import candidates
from watchword.kernels.grams import PRINT_BITS, confirm, look_up, refine, scan
from watchword.kernels.heads import size_of
from watchword.kernels.jit import inline, kernel
from watchword.kernels.placed_patterns import match_places
from watchword.kernels.spelled_patterns import UNDECIDED, YES, holds
from watchword.kernels.termset import set_capacity, set_slot
from watchword.kernels.tombstones import drop_dead

DONE, NO_ROOM, UNKNOWN = 0, -1, -2

_BYTES, _TEXTS = 1 << 12, 512  # of short texts taken together
_STEPS = 32


@kernel
def match(first, used, data, offsets, keyed, automaton, limits, dead, ends, payloads):
    """Match texts from `first` on (the protocol of `collect`). Operations: candidates of the keys that were found.

    `keyed` are levels, bits, fine, table, heads, their other view, and arena; `automaton` are classes, moves, cells and
    endings.
    `limits` are the most words of a pattern, how many words there are, and, once there is an automaton, the most words
    that end at one place, its dense states, and its classes of bytes. Also returns `DONE` or what lacks: `NO_ROOM`
    among the payloads, or an automaton, `UNKNOWN` being what the next text matches without one.
    """
    levels, _, _, _, heads, spelled, arena = keyed
    longest = np.int64(0)
    for text in range(first, len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    room = max(longest, min(_BYTES, offsets[-1] - offsets[first])) + 1
    places = np.empty((2, room), np.int32)
    found = np.empty((len(levels), 3, room), np.int32)
    counts = np.zeros(len(levels), np.int64)
    nexts = np.zeros(len(levels), np.int64)
    seen, noted = _sets(64)
    marks = np.zeros(1 << PRINT_BITS, np.uint8)
    waiting = np.empty(64, np.int64)
    steps = np.zeros(1, np.int64)
    stamp = operations = 0
    last = np.int64(first)
    origin = offsets[first]
    for text in range(first, len(offsets) - 1):
        if text == last:
            origin = offsets[text]
            last += 1
            while last < len(offsets) - 1 and last - text < _TEXTS and offsets[last + 1] - origin <= _BYTES:
                last += 1
            _find_keys(data, origin, offsets[last], keyed, places, found, counts)
            nexts[:] = 0
            if counts.sum() > noted.shape[1]:
                seen, noted = _sets(counts.sum())
        begin, stop = offsets[text], offsets[text + 1]
        fill = np.int64(used)
        noting = _note(origin, begin, stop, levels, found, counts, nexts, heads, seen, noted)
        if noting:
            count, is_known = noting >> 1, noting & 1 == 0
            if stamp == 255:
                marks[:] = 0
                stamp = 0
            stamp += 1
            if is_known:
                fill, pending, work, waiting = candidates(
                    noted[0], count, heads, arena, data, begin, stop, marks, stamp, payloads, used, waiting
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
def _sets(most):
    """Return an empty set for so many keys, and what they are noted in: keys, and their slots in the set."""
    return np.full(set_capacity(most), -1, np.int32), np.empty((2, most), np.int32)


@kernel
def _find_keys(data, begin, stop, keyed, places, found, counts):
    """Write the keys in a stretch of texts: those of level `k` into ``found[k]``.

    There are ``counts[k]``, or more than fit if they are not known.
    """
    levels, bits, fine, table, heads, spelled, _ = keyed
    count = longer = np.int64(0)
    for k in range(len(levels)):
        level = levels[k]
        if k == 0 or level < 4:
            least = min(level, 4)
            count = scan(data, begin, stop, least, bits, places[0])
            if level > 4:
                count, longer = refine(data, begin, least, level, fine, places[0], count, places[0], places[1])
        row, size = (1, longer) if level > 4 else (0, count)
        counts[k] = look_up(data, begin, stop, level, places[row], size, table, heads, found[k])
        if counts[k] <= found.shape[2]:
            counts[k] = confirm(data, begin, stop, counts[k], heads, spelled, found[k])


@inline
def _note(origin, begin, stop, levels, found, counts, nexts, heads, seen, noted):
    """Note the keys of a text, each once; returns twice their number, plus one if there may be more.

    ``nexts[k]`` is the first of the keys found at level `k` that lies in this text or behind it, before and afterwards.
    """
    count = 0
    is_unknown = False
    for k in range(len(levels)):
        at = nexts[k]
        is_unknown |= counts[k] > found.shape[2]
        while at < min(counts[k], found.shape[2]) and origin + found[k, 0, at] < stop:
            place, head, start = origin + found[k, 0, at], np.int64(found[k, 1, at]), origin + found[k, 2, at]
            at += 1
            if head < 0:
                is_unknown |= place + levels[k] <= stop
                continue
            if start < begin or start + size_of(heads, head) > stop:
                continue
            slot = set_slot(seen, len(seen) - 1, head)
            if seen[slot] != head:
                seen[slot] = head
                noted[0, count] = head
                noted[1, count] = slot
                count += 1
        nexts[k] = at
    return 2 * count + is_unknown


@kernel
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
