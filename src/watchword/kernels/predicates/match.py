"""Which rows of literals hold in an event: the packed base, and the delta beside it.

A *literal* is an atom or its negation, ``atom << 1 | negated``. A row is a conjunction of literals with a payload; it is
kept under one *access key*, which the event must have for the row to be looked at:

    a point           ``name = 'RBS'``              of the points that the event lists
    a pair of points  ``name = 'RBS'`` and ``city = 'Oslo'``, of two fields that are partners
    a node            an interval of labels that holds the row's span, see `nodes`
    always            nothing: rows of negations only

Layout of the base: `point_blocks`, `pair_blocks`, `node_blocks` and `always` say where a key's block begins in `arena`
(int32), -1 for none. A block has groups of rows of one length, their payloads and then their literals column by column:

    block   groups  group…
    group   literals rows  payload × rows  first literal × rows  second literal × rows …

The rows {1, 4, ¬6} as 10, {1, 4} as 11 and {1, 5} as 12, all under the point 1, are the block::

    2    1 2  11 12  8 10    2 1  10  8  13

A row under a point or a pair leaves those out; one under a node is checked for its span again, as a node is wider.

What holds in the event is scattered over arrays first, and taken back after it: `hold` has for each atom 0 or 1, or
`LAZY` for a span, which is compared with the event's labels when it is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8, UInt64
from watchword.kernels.child_table import find_child
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.predicates.nodes import find_node
from watchword.kernels.tombstones import Dead, drop_dead

LAZY = 2
OUTSIDE = 2


class Base(NamedTuple):
    """The packed rows."""

    point_blocks: Int32
    pair_keys: Int64
    pair_blocks: Int32
    partner_offsets: Int32
    partners: Int32
    node_keys: Int64
    node_blocks: Int32
    levels: UInt64
    always: Int32
    arena: Int32


class Delta(NamedTuple):
    """Rows that came since, in linked lists by access key: a record is ``next payload count literal × count``."""

    point_heads: Int32
    node_keys: Int64
    node_heads: Int32
    levels: UInt64
    always: Int32
    pool: Int32


class Atoms(NamedTuple):
    """What atoms are: field, mode (0 point, 1 inside, 2 outside), ends of the span."""

    fields: Int32
    modes: UInt8
    lows: Int64
    highs: Int64


class Scratch(NamedTuple):
    """What holds in the event at hand, by atom and by field; empty between events."""

    hold: UInt8
    value_starts: Int32
    value_counts: Int32
    point_starts: Int32
    point_counts: Int32


class State(NamedTuple):
    """All that matching reads, as one flat tuple: `Base`, `Delta`, `Dead`, `Atoms`, `Scratch`, then counts by atom."""

    point_blocks: Int32
    pair_keys: Int64
    pair_blocks: Int32
    partner_offsets: Int32
    partners: Int32
    node_keys: Int64
    node_blocks: Int32
    levels: UInt64
    always: Int32
    arena: Int32
    point_heads: Int32
    new_node_keys: Int64
    new_node_heads: Int32
    new_levels: UInt64
    new_always: Int32
    pool: Int32
    dead_slots: UInt8
    dead_clauses: UInt8
    fields: Int32
    modes: UInt8
    lows: Int64
    highs: Int64
    hold: UInt8
    value_starts: Int32
    value_counts: Int32
    point_starts: Int32
    point_counts: Int32
    seen: Int32


@kernel
def match(event_offsets, points, value_offsets, fields, positions, state, first, used, offsets, payloads):
    """Match events from `first` on: event `e` lists points, and has labels `positions` in `fields`, field by field."""
    s = State(*state)
    dead = Dead(s.dead_slots, s.dead_clauses)
    work = 0
    for event in range(first, len(event_offsets) - 1):
        own = points[event_offsets[event] : event_offsets[event + 1]]
        begin, end = value_offsets[event], value_offsets[event + 1]
        _scatter(own, fields, begin, end, s)
        fill, read = _match_base(own, fields, positions, begin, end, s, payloads, used)
        if fill >= 0:
            fill = drop_dead(dead, payloads, used, fill)
            if len(s.pool) > 0:
                fill = _match_delta(own, fields, positions, begin, end, s, payloads, fill)
                read += 1
        _gather(own, fields, begin, end, s)
        if fill < 0:
            return event, used, work
        used = fill
        offsets[event + 1] = used
        work += read
    return len(event_offsets) - 1, used, work


@leaf
def _scatter(points, fields, begin, end, s):
    for k in range(begin, end):
        field = fields[k]
        if s.value_counts[field] == 0:
            s.value_starts[field] = k
        s.value_counts[field] += 1
    for k in range(len(points)):
        point = points[k]
        s.hold[point] = 1
        if point < len(s.seen):
            s.seen[point] += 1
        field = s.fields[point]
        if s.point_counts[field] == 0:
            s.point_starts[field] = k
        s.point_counts[field] += 1


@leaf
def _gather(points, fields, begin, end, s):
    for k in range(begin, end):
        s.value_counts[fields[k]] = 0
    for point in points:
        s.hold[point] = 0
        s.point_counts[s.fields[point]] = 0


@leaf
def _match_base(points, fields, positions, begin, end, s, payloads, fill):
    """Match one event with the base; returns the new fill, or -1 if there is no room, and the blocks read."""
    work = 0
    if s.always[0] >= 0:
        fill = _read_block(s.always[0], positions, s, payloads, fill)
        work += 1
    for k in range(len(points)):
        point = points[k]
        field = s.fields[point]
        if fill < 0 or _is_repeated(points, k, s.point_starts[field]):
            continue
        if point < len(s.point_blocks) and s.point_blocks[point] >= 0:
            fill = _read_block(s.point_blocks[point], positions, s, payloads, fill)
            work += 1
        if field + 1 >= len(s.partner_offsets):
            continue
        for p in range(s.partner_offsets[field], s.partner_offsets[field + 1]):
            partner = s.partners[p]
            start = s.point_starts[partner]
            for j in range(start, start + s.point_counts[partner]):
                block = find_child(s.pair_keys, s.pair_blocks, point, points[j])
                if block >= 0 and fill >= 0 and not _is_repeated(points, j, start):
                    fill = _read_block(block, positions, s, payloads, fill)
                    work += 1
    if len(s.levels):
        for k in range(begin, end):
            field = fields[k]
            if fill >= 0 and field < len(s.levels) and s.levels[field]:
                fill = _read_nodes(field, k, positions, s, s.node_keys, s.node_blocks, s.levels, True, payloads, fill)
                work += 1
    return fill, work


@leaf
def _match_delta(points, fields, positions, begin, end, s, payloads, fill):
    """Match one event with the delta; returns the new fill, or -1 if there is no room."""
    fill = _read_list(s.new_always[0], positions, s, payloads, fill)
    for k in range(len(points)):
        point = points[k]
        if fill >= 0 and point < len(s.point_heads) and s.point_heads[point] >= 0:
            if not _is_repeated(points, k, s.point_starts[s.fields[point]]):
                fill = _read_list(s.point_heads[point], positions, s, payloads, fill)
    for k in range(begin, end):
        field = fields[k]
        if fill >= 0 and field < len(s.new_levels) and s.new_levels[field]:
            fill = _read_nodes(
                field, k, positions, s, s.new_node_keys, s.new_node_heads, s.new_levels, False, payloads, fill
            )
    return fill


@leaf
def _is_repeated(points, k, start):
    """Say whether the point at `k` stands among those of its field before, which begin at `start`."""
    for j in range(start, k):
        if points[j] == points[k]:
            return True
    return False


@leaf
def _read_nodes(field, k, positions, s, keys, heads, all_levels, packed, payloads, fill):
    """Read what is kept under the nodes that hold the label at `k`, each node once an event."""
    levels = all_levels[field]
    level = np.int64(0)
    while levels and fill >= 0:
        if levels & np.uint64(1):
            prefix = positions[k] >> level
            fresh = True
            for j in range(s.value_starts[field], k):
                fresh = fresh and positions[j] >> level != prefix
            head = find_node(keys, heads, field, level, prefix) if fresh else np.int64(-1)
            if head >= 0:
                if packed:
                    fill = _read_block(head, positions, s, payloads, fill)
                else:
                    fill = _read_list(head, positions, s, payloads, fill)
        levels >>= np.uint64(1)
        level += 1
    return fill


@leaf
def _read_block(at, positions, s, payloads, fill):
    """Append the payloads of a block's rows that hold; returns the new fill, or -1 if there is no room."""
    arena = s.arena
    at = np.int64(at)
    groups = arena[at]
    at += 1
    for _ in range(groups):
        size, rows = np.int64(arena[at]), np.int64(arena[at + 1])
        at += 2
        if fill + rows > len(payloads):
            return np.int64(-1)
        first = at + rows
        if size == 0:
            for row in range(rows):
                payloads[fill + row] = arena[at + row]
            fill += rows
        else:
            for row in range(rows):
                literal = arena[first + row]
                held = np.int32(s.hold[literal >> 1])
                if held == LAZY:
                    held = _lies(literal >> 1, positions, s.fields, s.modes, s.lows, s.highs, s.value_starts, s.value_counts)
                if held != literal & 1 and _rest_holds(first + row, size, rows, positions, s):
                    payloads[fill] = arena[at + row]
                    fill += 1
        at = first + size * rows
    return np.int64(fill)


@leaf
def _rest_holds(at, size, rows, positions, s):
    """Say whether the literals behind the first one of a row hold."""
    for _ in range(size - 1):
        at += rows
        literal = s.arena[at]
        held = np.int32(s.hold[literal >> 1])
        if held == LAZY:
            held = _lies(literal >> 1, positions, s.fields, s.modes, s.lows, s.highs, s.value_starts, s.value_counts)
        if held == literal & 1:
            return False
    return True


@leaf
def _lies(atom, positions, fields, modes, lows, highs, starts, counts):
    """Say whether a span holds: some label of its field lies inside, or outside."""
    field = fields[atom]
    low, high = lows[atom], highs[atom]
    outside = modes[atom] == OUTSIDE
    start = starts[field]
    for k in range(start, start + counts[field]):
        if (low <= positions[k] <= high) != outside:
            return np.int32(1)
    return np.int32(0)


@leaf
def _read_list(record, positions, s, payloads, fill):
    """Append the payloads of a list's records that hold; returns the new fill, or -1 if there is no room."""
    pool = s.pool
    record = np.int64(record)
    while record >= 0:
        payload = pool[record + 1]
        if payload >= 0:
            holds = True
            for k in range(record + 3, record + 3 + pool[record + 2]):
                atom = pool[k] >> 1
                held = np.int32(s.hold[atom])
                if held == LAZY:
                    held = _lies(atom, positions, s.fields, s.modes, s.lows, s.highs, s.value_starts, s.value_counts)
                if held == pool[k] & 1:
                    holds = False
                    break
            if holds:
                if fill == len(payloads):
                    return np.int64(-1)
                payloads[fill] = payload
                fill += 1
        record = np.int64(pool[record])
    return np.int64(fill)
