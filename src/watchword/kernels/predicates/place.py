"""One JSON text into points and labels, by one call: the records of `scan`, looked up among the constants of fields.

With ``name = 'RBS'`` as atom 0 of field 0 and ``value > 20`` in field 1, the text ``{"value": 25, "name": "RBS"}`` has
the points ``[0]``, and the label ``[201]`` of the fields ``[1]``.

A field is three words of `fields`: its number, the number of its first handle in `tables`, and whether it has spans;
the fields of node `n` are those from ``starts[n]`` on. It has `ARRAYS` handles, by which constants lie as
`predicates.constants` describes them, for texts and then, twice, for numbers; the second time for booleans:

    texts       table, blob, offsets     the vocabulary
    numbers     near, rest               ascending
    both        starts, atoms            constant `i` satisfies atoms[starts[i]:starts[i + 1]]
                breaks (two arrays)      breakpoints, ascending, with
                labels

A field whose handle is `PYTHON` reads values in another way. It is left to Python, which finds the records in `rest`,
and so is a field with a rare value. Records are sorted by node, so points and labels of a field stand side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.handles import arrays_at, bytes_at
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.predicates.match import match
from watchword.kernels.predicates.scan import BOOLEAN, ESCAPED_STRING, STRING, NameTree, Records, Scratch, read
from watchword.kernels.predicates.tokens import DOUBLE, INTEGER, UNDECIDED, decoded_into
from watchword.kernels.predicates.values import first_not_below, label_of_text
from watchword.kernels.text.vocabulary import StringTable, find_at, home_bucket, string_key

POINTS, LABELS, REST = range(3)
"""The counts in `Out`."""

NO_ROOM, NOT_TAKEN, LEFT = -1, -2, -2
"""Outcomes of matching, instead of a number of payloads."""

PYTHON = -1
WORDS = 3
ARRAYS = 22
_TEXTS, _NUMBERS, _BOOLEANS = 0, 8, 15
"""The first handle of each kind, among those of a field."""

ZONE_BITS = 56
_ZONES = {"boolean": 0, "number": 1, "text": 2, "other": 6}
_BOOLEAN_ZONE, _NUMBER_ZONE, _TEXT_ZONE, _OTHER_ZONE = ((kind << ZONE_BITS) + 1 for kind in _ZONES.values())
"""The labels of values below all breakpoints of their kind."""


class Out(NamedTuple):
    """Points; labels with their fields; records that are left to Python, with their fields; and the number of each."""

    points: Int32
    fields: Int32
    labels: Int64
    rest: Int64
    counts: Int64


_TREE = (np.uint64, np.int32, np.uint8, np.uint8, np.int64)
_SCRATCH = (np.uint64, np.int64, np.int64, np.uint8, np.int64)
_RECORDS = (np.int32, np.uint8, np.int64, np.int64, np.int64, np.float64)
_PLACES = (np.int64, np.int64, np.int64, np.int64)
_OUT = (np.int32, np.int32, np.int64, np.int64, np.int64)
KINDS = (*_TREE, *_SCRATCH, *_RECORDS, *_PLACES, *_OUT)
"""The types of the arrays of a tree, scratch, records, `starts`, `fields`, `tables`, room for an order, and `Out`."""

TEXT_KINDS = (np.uint64, np.uint8, np.int64, np.int64, np.int32, np.uint8, np.int64, np.int64)
NUMBER_KINDS = (np.float64, np.int64, np.int64, np.int32, np.float64, np.int64, np.int64)
"""The types of the arrays of a field, for texts and for numbers."""


@kernel
def match_text(text, handles, state, arena, payloads):
    """Read one text, given as bytes, and match it; returns the number of payloads and of blocks read.

    The number is `NO_ROOM` where there is none for the payloads, `NOT_TAKEN` for a text that is not taken, and ``LEFT -
    n`` if `n` records are left to Python, after which `match_read` goes on.
    """
    left = _read_one(bytes_at(text, np.uint8), handles)
    if left != 0:
        return NOT_TAKEN if left < 0 else LEFT - left, np.int64(0)
    return match_read(handles, state, arena, payloads)


@kernel
def _read_one(data, handles):
    """Write the points and labels of one text; returns the number of records that are left to Python, -1 if it was not
    taken or there was no room."""
    tree, scratch = NameTree(*arrays_at(handles, 0, _TREE)), Scratch(*arrays_at(handles, 5, _SCRATCH))
    records, out = Records(*arrays_at(handles, 10, _RECORDS)), Out(*arrays_at(handles, 20, _OUT))
    starts, fields, tables, order = arrays_at(handles, 16, _PLACES)
    if len(data) > 2 * len(scratch.keys):
        return np.int64(-1)
    count = read(data, np.int64(0), len(data), np.int64(0), tree, scratch, records, np.int64(0))
    if count < 0 or count > len(records.nodes):
        return np.int64(-1)
    _sort(records.nodes, count, order)
    for k in range(len(out.counts)):
        out.counts[k] = 0
    first = np.int64(0)
    while first < count:
        node = records.nodes[order[first]]
        end = first + 1
        while end < count and records.nodes[order[end]] == node:
            end += 1
        for field in range(starts[node], starts[node + 1]):
            if not _place(data, order, first, end, fields, field, records, tables, scratch.key, out):
                return np.int64(-1)
        first = end
    return out.counts[REST]


@leaf
def _sort(nodes, count, order):
    """Write the first `count` records by their nodes, in their order where these are equal."""
    for k in range(count):
        at, node = k, nodes[k]
        while at > 0 and nodes[order[at - 1]] > node:
            order[at] = order[at - 1]
            at -= 1
        order[at] = k


@leaf
def _place(data, order, first, end, fields, field, records, tables, room, out):
    """Place the records ``order[first:end]`` in one field; returns whether there was room."""
    number, handle, has_spans = fields[WORDS * field], fields[WORDS * field + 1], fields[WORDS * field + 2] != 0
    is_left = handle == PYTHON
    for k in range(first, end):
        is_left |= _is_hard(order[k], records, len(room))
    for k in range(first, end):
        record = order[k]
        kind, start, stop = records.kinds[record], records.starts[record], records.ends[record]
        if is_left:
            at = 2 * out.counts[REST]
            if at + 2 > len(out.rest):
                return False
            out.rest[at], out.rest[at + 1] = record, number
            out.counts[REST] += 1
            continue
        label = np.int64(_OTHER_ZONE)
        is_placed = True
        if kind == STRING:
            is_placed, label = _place_text(data, start, stop, tables, handle + _TEXTS, out)
        elif kind == ESCAPED_STRING:
            size = decoded_into(data, start, stop, room, 0)
            is_placed, label = _place_text(room, np.int64(0), size, tables, handle + _TEXTS, out)
        elif kind == INTEGER:
            near, more = _split(start)
            is_placed, label = _place_number(near, more, tables, handle + _NUMBERS, np.int64(_NUMBER_ZONE), out)
        elif kind == DOUBLE:
            near, more = records.near[record], np.int64(0)
            is_placed, label = _place_number(near, more, tables, handle + _NUMBERS, np.int64(_NUMBER_ZONE), out)
        elif kind == BOOLEAN:
            near, more = np.float64(start), np.int64(0)
            is_placed, label = _place_number(near, more, tables, handle + _BOOLEANS, np.int64(_BOOLEAN_ZONE), out)
        if not is_placed:
            return False
        if has_spans:
            at = out.counts[LABELS]
            if at == len(out.labels):
                return False
            out.fields[at], out.labels[at] = number, label
            out.counts[LABELS] += 1
    return True


@inline
def _is_hard(record, records, room):
    """Return whether a value is left to Python: a number that is not exact here, a long text with escapes."""
    kind = records.kinds[record]
    is_long = records.ends[record] - records.starts[record] > room
    return kind == UNDECIDED or (kind == ESCAPED_STRING and is_long)


@leaf
def _split(value):
    """Return the double nearest to an integer and the integer missing to it."""
    near = np.float64(value)
    if -9007199254740992 < value < 9007199254740992:
        return near, np.int64(0)
    if near >= 9223372036854775808.0:  # its double is no int64
        return near, value - np.int64(9223372036854775807) - np.int64(1)
    return near, value - np.int64(near)


@leaf
def _place_text(data, start, stop, tables, handle, out):
    """Write the points of a text; returns whether there was room, and its label."""
    table, blob, offsets, starts, atoms, breaks, borders, labels = arrays_at(tables, handle, TEXT_KINDS)
    known = StringTable(table, blob, offsets)
    key = string_key(data, start, stop)
    found = find_at(key, home_bucket(key, table), data, start, stop, known)
    label = label_of_text(data, start, stop, breaks, borders, labels, np.int64(_TEXT_ZONE))
    return _put_points(found, starts, atoms, out), label


@leaf
def _place_number(near, more, tables, handle, zone, out):
    """Write the points of a number; returns whether there was room, and its label."""
    knowns, rests, starts, atoms, breaks, break_rests, labels = arrays_at(tables, handle, NUMBER_KINDS)
    at = first_not_below(near, more, knowns, rests)
    found = np.int64(at if at < len(knowns) and knowns[at] == near and rests[at] == more else -1)
    at = first_not_below(near, more, breaks, break_rests)
    if at < len(breaks) and breaks[at] == near and break_rests[at] == more:
        label = labels[at]
    else:
        label = labels[at - 1] + 1 if at else zone
    return _put_points(found, starts, atoms, out), label


@inline
def _put_points(constant, starts, atoms, out):
    """Write the atoms of a constant, -1 for none; returns whether there was room."""
    has_room = True
    if constant >= 0:
        fill, first, last = out.counts[POINTS], starts[constant], starts[constant + 1]
        has_room = fill + last - first <= len(out.points)
        if has_room:
            for k in range(first, last):
                out.points[fill] = atoms[k]
                fill += 1
            out.counts[POINTS] = fill
    return has_room


@kernel
def match_read(handles, state, arena, payloads):
    """Match the text that was read last; returns the number of payloads, or `NO_ROOM`, and of blocks read."""
    out = Out(*arrays_at(handles, 20, _OUT))
    borders, value_borders, found = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    points, labels = out.counts[POINTS], out.counts[LABELS]
    borders[1], value_borders[1] = points, labels
    event = borders, out.points[:points], value_borders, out.fields[:labels], out.labels[:labels]
    reached, used, work = match(event, state, arena, 0, 0, found, payloads)
    return np.int64(used if reached else NO_ROOM), np.int64(work)
