"""Matches events against the packed base and the delta of `auto` for predicates; `layout` describes both."""

from __future__ import annotations

import numpy as np

from watchword.kernels.handles import bytes_at
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.predicates.blocks import read_blocks
from watchword.kernels.predicates.heads import HEADS, base_heads
from watchword.kernels.predicates.layout import (
    EAGER_WORDS,
    FIELD,
    NONE,
    PLACE,
    POINT_RANK,
    POINT_WORDS,
    POINTS,
    POINTS_AT,
    RANK,
    SEVERAL,
    VALUES,
    VALUES_AT,
    negations,
    state_at,
)
from watchword.kernels.predicates.lists import match_delta
from watchword.kernels.predicates.programs import drop_failed
from watchword.kernels.tombstones import Dead, drop_dead


@kernel
def match(events, state, arena, first, used, offsets, payloads):
    """Match events from `first` on: each has points, and labels `positions` of its `fields`, field by field.

    `state` are the handles of a `State` without its arena. Returns the first event not matched, the number of payloads
    and the number of blocks read.
    """
    event_offsets, points, value_offsets, fields, positions = events
    s = state_at(state, arena)
    dead = Dead(s.dead_slots, s.dead_clauses)
    heads = np.empty(HEADS, np.int32)
    distinct = np.empty(_most_points(event_offsets, first), np.int32)
    work = 0
    for event in range(first, len(event_offsets) - 1):
        begin, end = value_offsets[event], value_offsets[event + 1]
        own = _scatter(points[event_offsets[event] : event_offsets[event + 1]], fields, begin, end, s, distinct)
        _compare(positions, s)
        count, fill = base_heads(own, fields, positions, begin, end, s, heads, payloads, used)
        if fill >= 0:
            fill = read_blocks(heads, count, positions, s, payloads, fill)
        if fill >= 0:
            fill = drop_dead(dead, payloads, used, fill)
            if len(s.pool) > 0:
                fill = match_delta(own, fields, positions, begin, end, s, payloads, fill)
                count += 1
        if fill > used:
            fill = drop_failed(positions, s, payloads, used, fill, heads)  # the heads are used up
        _clear(own, fields, begin, end, s)
        if fill < 0:
            return event, used, work
        used = fill
        offsets[event + 1] = used
        work += count
    return len(event_offsets) - 1, used, work


@kernel
def match_one(points, fields, positions, state, arena, payloads):
    """Match one event, given as bytes; returns the number of payloads (-1 for no room) and of blocks read."""
    own, own_fields, labels = bytes_at(points, np.int32), bytes_at(fields, np.int32), bytes_at(positions, np.int64)
    borders, value_borders, found = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    borders[1], value_borders[1] = len(own), len(own_fields)
    event = borders, own, value_borders, own_fields, labels
    reached, used, work = match(event, state, arena, 0, 0, found, payloads)
    return used if reached else -1, work


@leaf
def _most_points(offsets, first):
    """Return the number of points of the event that has the most."""
    most = np.int64(0)
    for event in range(first, len(offsets) - 1):
        most = max(most, offsets[event + 1] - offsets[event])
    return most


@inline
def _scatter(points, fields, begin, end, s, distinct):
    """Write down the points and labels of an event; returns its points, each once, in `distinct`."""
    half = negations(s)
    count = 0
    for k in range(begin, end):
        field = fields[k]
        if s.marks[field, VALUES] == 0:
            s.marks[field, VALUES_AT] = k
        s.marks[field, VALUES] += 1
    learns = len(s.seen) > 0
    for k in range(len(points)):
        point = points[k]
        at = POINT_WORDS * np.int64(point)
        place = np.int64(s.points[at + PLACE])
        if s.hold[place] == 1:
            continue
        s.hold[place] = 1
        if place < half:
            s.hold[place + half] = 0
        if learns:
            s.seen[point] += 1
        field = s.points[at + FIELD]
        if s.marks[field, POINTS] == 0:
            s.marks[field, POINTS_AT] = count
            s.marks[field, RANK] = s.points[at + POINT_RANK]
        else:
            s.marks[field, RANK] = SEVERAL
        s.marks[field, POINTS] += 1
        distinct[count] = point
        count += 1
    return distinct[:count]


@leaf
def _compare(positions, s):
    """Write which eager spans hold, for the fields whose number differs from that of the event before."""
    half = negations(s)
    for e in range(len(s.eager) // EAGER_WORDS):
        field, at, cuts = s.eager[EAGER_WORDS * e], s.eager[EAGER_WORDS * e + 1], s.eager[EAGER_WORDS * e + 2]
        start, count = np.int64(s.marks[field, VALUES_AT]), s.marks[field, VALUES]
        number = np.int64(NONE)
        if count:
            number = _number_of(positions[start], s.cuts, at, cuts) if count == 1 else np.int64(SEVERAL)
        if number == s.numbers[e] and number != SEVERAL:
            continue
        s.numbers[e] = number
        ends, place, spans = s.eager[EAGER_WORDS * e + 3], s.eager[EAGER_WORDS * e + 4], s.eager[EAGER_WORDS * e + 5]
        lows, highs, flips = s.lows[ends : ends + spans], s.highs[ends : ends + spans], s.flips[ends : ends + spans]
        hold, negated = s.hold[place : place + spans], s.hold[place + half : place + half + spans]
        if number >= 0:
            _write_all(np.int16(number), lows, highs, flips, hold, negated)
            continue
        for k in range(spans):
            hold[k] = 0
        if number == SEVERAL:
            for k in range(start, start + count):
                _write_more(np.int16(_number_of(positions[k], s.cuts, at, cuts)), lows, highs, flips, hold)
        for k in range(spans):
            negated[k] = hold[k] ^ 1


@leaf
def _write_all(number, lows, highs, flips, hold, negated):
    """Write which spans of a field hold at a number. Without branches, so that one instruction compares many spans."""
    for k in range(len(hold)):
        held = np.uint8((lows[k] <= number) & (number <= highs[k])) ^ flips[k]
        hold[k] = held
        negated[k] = held ^ np.uint8(1)


@leaf
def _write_more(number, lows, highs, flips, hold):
    """As `_write_all`, for a field with several values: a span holds if it holds at any of them."""
    for k in range(len(hold)):
        hold[k] |= np.uint8((lows[k] <= number) & (number <= highs[k])) ^ flips[k]


@leaf
def _number_of(label, cuts, at, size):
    """Return how many of the ascending ``cuts[at : at + size]`` are not above a label; a branch-free binary search."""
    first = at
    while size > 1:
        half = size >> 1
        at += half if cuts[at + half - 1] <= label else 0
        size -= half
    return at - first + (size > 0 and cuts[at] <= label)


@inline
def _clear(points, fields, begin, end, s):
    half = negations(s)
    for k in range(begin, end):
        s.marks[fields[k], VALUES] = 0
    for point in points:
        at = POINT_WORDS * np.int64(point)
        place, field = np.int64(s.points[at + PLACE]), s.points[at + FIELD]
        s.hold[place] = 0
        if place < half:
            s.hold[place + half] = 1
        s.marks[field, POINTS] = 0
        s.marks[field, RANK] = NONE
