"""Which rows of literals hold in an event: the packed base, and the delta beside it.

A *literal* is an atom or its negation, ``atom << 1 | negated``. A row is a conjunction of literals with a payload; it
is kept under one *access key*, which the event must have for the row to be looked at:

    a point           ``name = 'RBS'``              of the points that the event lists
    a pair of points  ``name = 'RBS'`` and ``city = 'Oslo'``, of two fields that are partners
    a node            an interval of labels that holds the row's span, see `nodes`
    always            nothing: rows of negations only

Layout of the base: `point_blocks`, `pair_blocks` or `grid`, `node_blocks` and `always` say where a key's block begins
in `arena`, -1 for none. A block has groups of rows with as many literals left; a group has its literals column by
column:

    group   literals left, `MORE` added if another group follows; rows; first literal × rows, second literal × rows …

The payload of a row stands in `owners` where its first literal stands in `arena`; a group without literals has empty
places for them. The rows {1, 4, ¬6} as 10, {1, 4} as 11 and {1, 5} as 12, all under the point 1, are the block::

    arena    1+MORE 2   8 10    2 1   8 13
    owners               11 12         10

`arena` has 16 bits a word while there are few atoms, else 32: what is read for every event should stay in the cache.

A row under a point or a pair leaves those out; one under a node is checked for its span again, as a node is wider.

Where most pairs of two partner fields are keys, their blocks stand in a grid, a row for each point of the lower field
(`ranks` counts the points of a field) and a column for each of the other; elsewhere in a hash table (`pair_keys`).

An event's blocks are collected first (`heads`), then read: the look-ups do not wait for one another.

What holds in the event is scattered over arrays first, and taken back after it: `hold` has for each atom 0 or 1, or
`LAZY` for a span, which is compared with the event's labels when it is asked for. The spans of a field that has few
are *eager* (see `Eager`): which of them hold is read off a table, a row for each place where a label can stand, and
written into `hold` when an event stands in another row than the one before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8, UInt64
from watchword.kernels.child_table import find_child
from watchword.kernels.handles import array_at, arrays_at, bytes_at
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.memory import prefetch
from watchword.kernels.predicates.nodes import find_node
from watchword.kernels.tombstones import Dead, drop_dead

LAZY = 2
NONE, SEVERAL = -1, -2
VALUES_AT, VALUES, POINTS_AT, POINTS, RANK = range(5)
MARKS = 5
OUTSIDE = 2


class Base(NamedTuple):
    """The packed rows. `partners` has three words each: a field, where its grid begins (-1 for none), its width."""

    point_blocks: Int32
    pair_keys: Int64
    pair_blocks: Int32
    partner_offsets: Int32
    partners: Int64
    ranks: Int32
    grid: Int32
    node_keys: Int64
    node_blocks: Int32
    levels: UInt64
    always: Int32
    arena: Any
    owners: Int32


class Delta(NamedTuple):
    """Rows that came since, in linked lists by access key: a record is ``next payload count literal × count``."""

    point_heads: Int32
    node_keys: Int64
    node_heads: Int32
    levels: UInt64
    always: Int32
    pool: Int32


class Atoms(NamedTuple):
    """What every atom of an index is, by its number: ``field << 2 | mode`` (0 a point, 1 a span that wants a label
    inside, 2 one that wants a label outside), and the two ends of its span."""

    kinds: Int32
    spans: Int64

    @property
    def fields(self) -> Int32:
        """Return the field of each."""
        return self.kinds >> 2

    @property
    def modes(self) -> Int32:
        """Return the mode of each."""
        return self.kinds & 3

    @property
    def lows(self) -> Int64:
        """Return where each span begins."""
        return self.spans[0::2].copy()

    @property
    def highs(self) -> Int64:
        """Return where each span ends."""
        return self.spans[1::2].copy()

    def copied(self) -> Atoms:
        """Return them as they are now, for work that goes on while atoms are added."""
        return Atoms(self.kinds.copy(), self.spans.copy())


class Eager(NamedTuple):
    """Fields whose spans are read off a table.

    `places` has six words for each: the field, where its cuts begin and end, where its atoms begin and end, and where
    its table begins. A label stands in row `r` if `r` of the cuts are not above it; `table` has a byte for each row and
    atom. With ``value > 20`` (atom 1, labels [201, 399]) alone, the cuts are 201 and 400, and the table is 0, 1, 0.
    """

    places: Int64
    cuts: Int64
    atoms: Int32
    table: UInt8


class Scratch(NamedTuple):
    """What holds in the event at hand, by atom and by field; empty between events.

    `marks` has five words for a field: where its values begin, how many there are; where its points begin, how many
    there are; and the rank of its only point, `NONE` or `SEVERAL`.
    """

    hold: UInt8
    eager_rows: Int32
    marks: Int32


class State(NamedTuple):
    """All that matching reads: `Base` but for its arena, `Eager`, `Delta`, `Dead`, `Atoms`, counts and `Scratch`."""

    point_blocks: Int32
    pair_keys: Int64
    pair_blocks: Int32
    partner_offsets: Int32
    partners: Int64
    ranks: Int32
    grid: Int32
    node_keys: Int64
    node_blocks: Int32
    levels: UInt64
    always: Int32
    owners: Int32
    eager_places: Int64
    eager_cuts: Int64
    eager_atoms: Int32
    eager_table: UInt8
    point_heads: Int32
    new_node_keys: Int64
    new_node_heads: Int32
    new_levels: UInt64
    new_always: Int32
    pool: Int32
    dead_slots: UInt8
    dead_clauses: UInt8
    kinds: Int32
    spans: Int64
    seen: Int32
    hold: UInt8
    eager_rows: Int32
    marks: Int32
    arena: Any


_INT, _LONG, _BYTE, _WORD = np.int32, np.int64, np.uint8, np.uint64
STATE_KINDS = (
    *(_INT, _LONG, _INT, _INT, _LONG, _INT, _INT, _LONG, _INT, _WORD, _INT, _INT),  # of the base
    *(_LONG, _LONG, _INT, _BYTE),  # of eager spans
    *(_INT, _LONG, _INT, _WORD, _INT, _INT),  # of the delta
    *(_BYTE, _BYTE),  # of tombstones
    *(_INT, _LONG, _INT),  # of atoms, and of counts
    *(_BYTE, _INT, _INT),  # of scratch
)
"""The types of the arrays of a `State` but for its arena, in their order."""

_FLAT = STATE_KINDS[:-1]


@kernel
def _state_at(handles, arena):
    """Return the state of which all but the arena, which is of one of two types, are given by handles."""
    marks = array_at(handles, len(_FLAT), np.int32)
    rest = marks.reshape((len(marks) // MARKS, MARKS)), arena
    return State(*(arrays_at(handles, 0, _FLAT) + rest))


MORE = 1 << 14
ROWS = (1 << 16) - 1
"""The most rows that a group has."""

AHEAD = 12
"""How many blocks before it is read a block is asked for from memory."""

MANY = 16
"""From this many rows on, a group is read column by column."""

HEADS = 4096
"""How many blocks or lists are collected before they are read."""


@kernel
def match(event_offsets, points, value_offsets, fields, positions, state, arena, first, used, offsets, payloads):
    """Match events from `first` on: event `e` lists points, and has labels `positions` in `fields`, field by field.

    `state` are the handles of a `State` but for its arena.
    """
    s = _state_at(state, arena)
    dead = Dead(s.dead_slots, s.dead_clauses)
    heads = np.empty(HEADS, np.int32)
    work = 0
    for event in range(first, len(event_offsets) - 1):
        own = points[event_offsets[event] : event_offsets[event + 1]]
        begin, end = value_offsets[event], value_offsets[event + 1]
        _scatter(own, fields, begin, end, s)
        _read_off(positions, s)
        count, fill = _base_heads(own, fields, positions, begin, end, s, heads, payloads, used)
        if fill >= 0:
            fill = _read_blocks(heads, count, positions, s, payloads, fill)
        if fill >= 0:
            fill = drop_dead(dead, payloads, used, fill)
            if len(s.pool) > 0:
                fill = _match_delta(own, fields, positions, begin, end, s, payloads, fill)
                count += 1
        _clear(own, fields, begin, end, s)
        if fill < 0:
            return event, used, work
        used = fill
        offsets[event + 1] = used
        work += count
    return len(event_offsets) - 1, used, work


@kernel
def match_one(points, fields, positions, state, arena, payloads):
    """Match one event, given as Python's bytes; returns how many payloads there are, -1 for no room, and the blocks."""
    own, own_fields, labels = bytes_at(points, np.int32), bytes_at(fields, np.int32), bytes_at(positions, np.int64)
    borders, value_borders, found = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    borders[1], value_borders[1] = len(own), len(own_fields)
    reached, used, work = match(borders, own, value_borders, own_fields, labels, state, arena, 0, 0, found, payloads)
    return used if reached else -1, work


@inline
def _scatter(points, fields, begin, end, s):
    for k in range(begin, end):
        field = fields[k]
        if s.marks[field, VALUES] == 0:
            s.marks[field, VALUES_AT] = k
        s.marks[field, VALUES] += 1
    learns = len(s.seen) > 0
    for k in range(len(points)):
        point = points[k]
        s.hold[point] = 1
        if learns:
            s.seen[point] += 1
        field = s.kinds[point] >> 2
        if s.marks[field, POINTS] == 0:
            s.marks[field, POINTS_AT] = k
            s.marks[field, RANK] = s.ranks[point] if point < len(s.ranks) else NONE
        else:
            s.marks[field, RANK] = SEVERAL
        s.marks[field, POINTS] += 1


@leaf
def _read_off(positions, s):
    """Write which eager spans hold, for fields in which the event stands in another row than the one before."""
    for e in range(len(s.eager_places) // 6):
        field = s.eager_places[6 * e]
        low, high = s.eager_places[6 * e + 1], s.eager_places[6 * e + 2]
        first, last = s.eager_places[6 * e + 3], s.eager_places[6 * e + 4]
        start = s.marks[field, VALUES_AT]
        row = NONE
        for k in range(start, start + s.marks[field, VALUES]):
            row = _row_of(positions[k], s.eager_cuts, low, high) if k == start else np.int64(SEVERAL)
        if row == s.eager_rows[e] and row != SEVERAL:
            continue
        s.eager_rows[e] = row
        begin = s.eager_places[6 * e + 5] + max(row, 0) * (last - first)
        for a in range(first, last):
            s.hold[s.eager_atoms[a]] = s.eager_table[begin + a - first] if row >= 0 else 0
        if row == SEVERAL:
            for k in range(start, start + s.marks[field, VALUES]):
                begin = s.eager_places[6 * e + 5] + _row_of(positions[k], s.eager_cuts, low, high) * (last - first)
                for a in range(first, last):
                    s.hold[s.eager_atoms[a]] |= s.eager_table[begin + a - first]


@leaf
def _row_of(label, cuts, low, high):
    """Return how many of the cuts, ascending from `low` to `high`, are not above a label."""
    first = low
    while low < high:
        middle = (low + high) >> 1
        if cuts[middle] <= label:
            low = middle + 1
        else:
            high = middle
    return low - first


@inline
def _clear(points, fields, begin, end, s):
    for k in range(begin, end):
        s.marks[fields[k], VALUES] = 0
    for point in points:
        s.hold[point] = 0
        s.marks[s.kinds[point] >> 2, POINTS] = 0
        s.marks[s.kinds[point] >> 2, RANK] = NONE


@leaf
def _base_heads(points, fields, positions, begin, end, s, heads, payloads, fill):
    """Collect where the blocks of an event's access keys begin; what does not fit is read at once."""
    count = 0
    if s.always[0] >= 0:
        heads[0] = s.always[0]
        count = 1
    for k in range(len(points)):
        point = points[k]
        field = s.kinds[point] >> 2
        if point >= len(s.point_blocks) or _is_repeated(points, k, s.marks[field, POINTS_AT]):
            continue
        if count == len(heads):
            fill = _read_blocks(heads, count, positions, s, payloads, fill)
            count = 0
        block = s.point_blocks[point]
        heads[count] = block
        count += block >= 0
        if field + 1 < len(s.partner_offsets):
            first, last = s.partner_offsets[field], s.partner_offsets[field + 1]
            if count + last - first > len(heads):
                fill = _read_blocks(heads, count, positions, s, payloads, fill)
                count = 0
            rank = s.ranks[point]
            for p in range(first, last):
                other, begins = s.marks[s.partners[3 * p], RANK], s.partners[3 * p + 1]
                if other >= 0 and begins >= 0:
                    block = s.grid[begins + rank * s.partners[3 * p + 2] + other]
                    heads[count] = block
                    count += block >= 0
                elif other != NONE:
                    count, fill = _pair_heads(p, point, points, positions, s, heads, count, payloads, fill)
        if fill < 0:
            return 0, fill
    if len(s.levels):
        for k in range(begin, end):
            if fields[k] < len(s.levels) and s.levels[fields[k]]:
                if count + 64 > len(heads) and fill >= 0:
                    fill = _read_blocks(heads, count, positions, s, payloads, fill)
                    count = 0
                count = _node_heads(
                    fields[k], k, positions, s.marks, s.node_keys, s.node_blocks, s.levels, heads, count
                )
    return count, fill


@leaf
def _pair_heads(p, point, points, positions, s, heads, count, payloads, fill):
    """Collect the blocks of a point with each point of a partner, where they are several, or stand in the table."""
    partner, begins, width = s.partners[3 * p], s.partners[3 * p + 1], s.partners[3 * p + 2]
    start = s.marks[partner, POINTS_AT]
    for j in range(start, start + s.marks[partner, POINTS]):
        other = points[j]
        if other >= len(s.ranks) or _is_repeated(points, j, start):
            continue
        if count + 64 > len(heads):  # as many as a field has partners stay free
            fill = _read_blocks(heads, count, positions, s, payloads, fill)
            count = 0
        if begins >= 0:
            block = np.int64(s.grid[begins + s.ranks[point] * width + s.ranks[other]])
        else:
            block = find_child(s.pair_keys, s.pair_blocks, point, other)
        heads[count] = block
        count += block >= 0
    return count, fill


@leaf
def _is_repeated(points, k, start):
    """Say whether the point at `k` stands among those of its field before, which begin at `start`."""
    for j in range(start, k):
        if points[j] == points[k]:
            return True
    return False


@leaf
def _node_heads(field, k, positions, marks, keys, values, all_levels, heads, count):
    """Collect what stands under the nodes that hold the label at `k`, each node once an event; at most 64."""
    levels = all_levels[field]
    level = np.int64(0)
    while levels:
        if levels & np.uint64(1):
            prefix = positions[k] >> level
            fresh = True
            for j in range(marks[field, VALUES_AT], k):
                fresh = fresh and positions[j] >> level != prefix
            head = find_node(keys, values, field, level, prefix) if fresh else np.int64(-1)
            heads[count] = head
            count += head >= 0
        levels >>= np.uint64(1)
        level += 1
    return count


@leaf
def _read_blocks(heads, count, positions, s, payloads, fill):
    """Append the payloads of the blocks' rows that hold; returns the new fill, or -1 if there is no room."""
    arena, hold, owners = s.arena, s.hold, s.owners
    for h in range(min(AHEAD, count)):
        prefetch(arena, np.int64(heads[h]))
        prefetch(owners, np.int64(heads[h]) + 2)
    for h in range(count):
        if h + AHEAD < count:
            prefetch(arena, np.int64(heads[h + AHEAD]))
            prefetch(owners, np.int64(heads[h + AHEAD]) + 2)
        at = np.int64(heads[h])
        more = True
        while more:
            size, rows = np.int64(arena[at]), np.int64(arena[at + 1])
            more = size >= MORE
            size &= MORE - 1
            at += 2
            if fill < 0 or fill + rows > len(payloads):
                return np.int64(-1)
            if size == 0:
                for row in range(at, at + rows):
                    payloads[fill] = owners[row]
                    fill += 1
                at += rows
                continue
            if rows >= MANY:
                fill = _read_columns(at, size, rows, positions, s, payloads, fill)
                at += size * rows
                continue
            for row in range(at, at + rows):
                literal = np.int64(arena[row])
                held = np.int64(hold[literal >> 1])
                if held == LAZY:
                    held = _lies(literal >> 1, positions, s.kinds, s.spans, s.marks)
                holds = held != literal & 1
                other = row + rows
                while holds and other < at + size * rows:
                    literal = np.int64(arena[other])
                    held = np.int64(hold[literal >> 1])
                    if held == LAZY:
                        held = _lies(literal >> 1, positions, s.kinds, s.spans, s.marks)
                    holds = held != literal & 1
                    other += rows
                if holds:
                    payloads[fill] = owners[row]
                    fill += 1
            at += size * rows
    return np.int64(fill)


@leaf
def _read_columns(at, size, rows, positions, s, payloads, fill):
    """As `_read_blocks` for one large group: column by column, over the rows that are left. Returns the new fill.

    The rows that are left stand where their payloads will; none of it branches on whether a row is left.
    """
    left = np.int64(0)
    for row in range(rows):
        payloads[fill + left] = row
        left += _literal_holds(s.arena[at + row], positions, s.hold, s.kinds, s.spans, s.marks)
    for column in range(1, size):
        kept = np.int64(0)
        begin = at + column * rows
        for k in range(left):
            row = payloads[fill + k]
            payloads[fill + kept] = row
            kept += _literal_holds(s.arena[begin + row], positions, s.hold, s.kinds, s.spans, s.marks)
        left = kept
    for k in range(left):
        payloads[fill + k] = s.owners[at + payloads[fill + k]]
    return fill + left


@inline
def _literal_holds(literal, positions, hold, kinds, spans, marks):
    held = np.int64(hold[literal >> 1])
    if held == LAZY:
        held = _lies(np.int64(literal >> 1), positions, kinds, spans, marks)
    return held ^ np.int64(literal & 1)


@leaf
def _lies(atom, positions, kinds, spans, marks):
    """Say whether a span holds: some label of its field lies inside, or outside."""
    kind = kinds[atom]
    field = kind >> 2
    low, high = spans[2 * atom], spans[2 * atom + 1]
    outside = kind & 3 == OUTSIDE
    start = marks[field, VALUES_AT]
    for k in range(start, start + marks[field, VALUES]):
        if (low <= positions[k] <= high) != outside:
            return np.int64(1)
    return np.int64(0)


@leaf
def _match_delta(points, fields, positions, begin, end, s, payloads, fill):
    """Match one event with the delta; returns the new fill, or -1 if there is no room."""
    fill = _read_list(s.new_always[0], positions, s, payloads, fill)
    for k in range(len(points)):
        point = points[k]
        if point >= len(s.point_heads) or s.point_heads[point] < 0:
            continue
        if fill >= 0 and not _is_repeated(points, k, s.marks[s.kinds[point] >> 2, POINTS_AT]):
            fill = _read_list(s.point_heads[point], positions, s, payloads, fill)
    for k in range(begin, end):
        if fill >= 0 and fields[k] < len(s.new_levels) and s.new_levels[fields[k]]:
            fill = _read_node_lists(fields[k], k, positions, s, payloads, fill)
    return fill


@leaf
def _read_node_lists(field, k, positions, s, payloads, fill):
    """As `_node_heads`, for the delta: reads the lists at once."""
    levels = s.new_levels[field]
    level = np.int64(0)
    while levels and fill >= 0:
        if levels & np.uint64(1):
            prefix = positions[k] >> level
            fresh = True
            for j in range(s.marks[field, VALUES_AT], k):
                fresh = fresh and positions[j] >> level != prefix
            if fresh:
                head = find_node(s.new_node_keys, s.new_node_heads, field, level, prefix)
                fill = _read_list(head, positions, s, payloads, fill)
        levels >>= np.uint64(1)
        level += 1
    return fill


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
                held = np.int64(s.hold[atom])
                if held == LAZY:
                    held = _lies(atom, positions, s.kinds, s.spans, s.marks)
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
