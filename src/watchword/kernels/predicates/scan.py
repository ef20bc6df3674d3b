r"""Reads JSON texts once, and records the values of the attributes that subscriptions ask for.

Asked for are `name` (node 1 of the tree of names) and `quote.value` (3), which is below `quote` (2). The two texts
``{"name": "RBS", "quote": {"value": 25}, "noise": [1]}`` and ``{"name": ["a", null], "x": "\u00e9"}`` give the records

    node   kind      owner   start, end
    1      STRING    0       10, 13             the bytes of RBS
    3      INTEGER   0       25, 37             the value
    1      STRING    1       11, 12, + 52       lists are gone into; null is no value

An object at an attribute that is asked for is a record, too, with the bytes from ``{`` to ``}``. Other values are
checked, and not kept. A text that is not taken has the state `GENERAL` and no records, for one of these reasons:

- it is no JSON, or no object, or nested more than `MAX_DEPTH` deep, or an object in it has a key twice;
- it is rare: half of a surrogate pair, an integer of 39 digits, more than `CROWDED` keys, a key of more than `LONG_KEY`
  bytes with an escape.

So whoever calls this reads such texts again by the rules that are written in Python, and these decide.

Keys of one object are compared by their 64 bits of `string_key`: keys that are equal have equal bits, and where the
bits are equal the text is `GENERAL`. They stand in one open table for all objects of all texts, each with the number of
its object; numbers ascend, so an entry with a lower number than the first object of this text is free, and the table is
never cleared. A text of `n` bytes uses the first ``n / 2`` places, at least; it has fewer than ``n / 4`` keys. Nesting
is a stack of `MAX_DEPTH` levels; nothing recurses, and the work is bounded by the bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Float64, Int32, Int64, UInt8, UInt64
from watchword.kernels.intrinsics import load_word, same_bytes
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.predicates.tokens import (
    ESCAPED,
    HALVED,
    INTEGER,
    LONG,
    decoded_into,
    end_of_string,
    number_at,
    special_byte,
)
from watchword.kernels.text.vocabulary import is_own_key, mix, string_key

MAX_DEPTH = 200
"""How deep an event may be nested: an object or a list is one deeper than the deepest inside."""

CROWDED = 1 << 15
"""A text with more keys than this is read in Python."""

CHAIN = 64
"""The most places that are looked at for one key: a text whose keys were chosen to meet is read in Python."""

LONG_KEY = 4096
"""A key with escapes that has more bytes than this is read in Python."""

BOOLEAN, STRING, ESCAPED_STRING, OBJECT = 4, 5, 6, 7
"""Kinds of values, beside those of numbers: the start of a boolean is 0 or 1, of the others a place in the bytes."""

TAKEN, GENERAL = 0, 1
"""States of texts."""

HAS_FIELDS, HAS_NAMES = 1, 2
"""What a node of the tree of names has: fields that read its values; names below."""

NO_NODE, NO_OBJECT, NO_RECORD = -1, -1, -1
WORDS = 3
"""What an open object or list has on the stack: the node of its values, its number, its record."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_QUOTE, _COMMA, _COLON, _OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = 34, 44, 58, 123, 125, 91, 93
_T, _F, _N = 116, 102, 110
_TRUE, _FALSE, _NULL = (np.frombuffer(word, np.uint8) for word in (b"true", b"false", b"null"))
_NOT_TAKEN = np.int64(-1)


class NameTree(NamedTuple):
    """The tree of names, node 0 being the event: `flags`, parents and names by node, and a hash table of the names.

    A bucket of `table` has the `string_key` of a name and its node (0: empty). The name of node `n` is
    ``names[borders[n]:borders[n + 1]]``. At most half of the buckets are taken, a power of two.
    """

    table: UInt64
    parents: Int32
    flags: UInt8
    names: UInt8
    borders: Int64


class Records(NamedTuple):
    """Values that were found, in the order of the texts; `near` has the doubles."""

    nodes: Int32
    kinds: UInt8
    owners: Int64
    starts: Int64
    ends: Int64
    near: Float64


class Scratch(NamedTuple):
    """The keys met, with their objects, both by place; the open objects and lists, `WORDS` words each; room for one
    key; the number of the last object."""

    keys: UInt64
    objects: Int64
    levels: Int64
    key: UInt8
    last: Int64


@kernel
def scan(data, offsets, first, fill, tree, scratch, records, states):
    """Record the values of texts ``data[offsets[i]:offsets[i + 1]]`` from text `first` on, behind `fill` records, and
    write their states.

    Stops before the text for which `records` has no room. Returns the first text that is not read and the number of
    records.
    """
    for row in range(first, len(offsets) - 1):
        end = read(data, offsets[row], offsets[row + 1], row, tree, scratch, records, fill)
        if end > len(records.nodes):
            return row, fill
        states[row] = GENERAL if end < 0 else TAKEN
        fill = max(fill, end)
    return len(offsets) - 1, fill


@inline
def _after_space(data, at, stop):
    while at < stop and (data[at] == 32 or data[at] == 10 or data[at] == 13 or data[at] == 9):
        at += 1
    return at


@leaf
def read(data, at, stop, row, tree, scratch, records, fill):
    """Record the values of one text from `fill` on; returns the new fill, which is beyond the room if there is none,
    or -1 for a text that is not taken."""
    levels, oldest, flags = scratch.levels, scratch.last[0] + 1, tree.flags
    mask = _mask(len(scratch.keys), stop - at)
    words = len(data) - 8
    depth, node, keys, is_key = np.int64(0), np.int64(0), np.int64(0), False
    at = _after_space(data, at, stop)
    if at == stop or data[at] != _OPEN:
        return _NOT_TAKEN
    while True:
        at = _after_space(data, at, stop)
        if at == stop:
            return _NOT_TAKEN
        byte = data[at]
        level = WORDS * depth
        if byte == _QUOTE:
            start = at + 1
            plain = special_byte(data, start) if start <= words else np.int64(8)
            if plain < 8 and start + plain < stop and data[start + plain] == _QUOTE:
                end = (start + plain + 1) << 2
            else:
                end = end_of_string(data, start, stop)
            has, at = end & 3, end >> 2
            if end < 0 or (has & HALVED and (is_key or _is_asked(node, flags))):
                return _NOT_TAKEN
            if not is_key:
                if _is_asked(node, flags):
                    kind = ESCAPED_STRING if has & ESCAPED else STRING
                    fill = _put(records, fill, node, kind, row, start, at - 1, 0.0)
            else:
                keys += 1
                parent, number = levels[level - WORDS], levels[level - WORDS + 1]
                if has & ESCAPED:
                    if at - start >= len(scratch.key) or keys > CROWDED:
                        return _NOT_TAKEN
                    size = decoded_into(data, start, at - 1, scratch.key, 0)
                    key = string_key(scratch.key, 0, size)
                    node = _child(scratch.key, 0, size, key, parent, tree)
                else:
                    is_short = plain < 8 and plain == at - start - 1
                    key = _short_key(load_word(data, start), plain) if is_short else string_key(data, start, at - 1)
                    node = _child(data, start, at - 1, key, parent, tree)
                at = _after_space(data, at, stop)
                if at == stop or data[at] != _COLON or not _is_new(key, number, oldest, mask, scratch):
                    return _NOT_TAKEN
                at += 1
                is_key = False
                continue
        elif is_key:
            return _NOT_TAKEN
        elif byte in (_OPEN, _OPEN_LIST):
            if depth == MAX_DEPTH:
                return _NOT_TAKEN
            depth += 1
            is_key = byte == _OPEN
            levels[level], levels[level + 1], levels[level + 2] = node, NO_OBJECT, NO_RECORD
            if is_key:
                scratch.last[0] += 1
                levels[level + 1] = scratch.last[0]
                if _is_asked(node, flags):
                    levels[level + 2] = fill
                    fill = _put(records, fill, node, OBJECT, row, at, at, 0.0)
            at = _after_space(data, at + 1, stop)
            if at == stop:
                return _NOT_TAKEN
            if data[at] != (_CLOSE if is_key else _CLOSE_LIST):
                continue
        elif byte in (_T, _F, _N):
            at = _end_of_word(data, at, stop)
            if at < 0:
                return _NOT_TAKEN
            if byte != _N and _is_asked(node, flags):
                fill = _put(records, fill, node, BOOLEAN, row, np.int64(byte == _T), 0, 0.0)
        else:
            start = at
            at, kind, value, near = number_at(data, at, stop)
            if at < 0:
                return _NOT_TAKEN
            if _is_asked(node, flags):
                if kind == LONG:
                    return _NOT_TAKEN
                fill = _put(records, fill, node, kind, row, value if kind == INTEGER else start, at, near)
        while depth > 0:  # behind a value
            at = _after_space(data, at, stop)
            if at == stop:
                return _NOT_TAKEN
            byte = data[at]
            level = WORDS * (depth - 1)
            is_key = levels[level + 1] != NO_OBJECT
            at += 1
            if byte == _COMMA:
                node = levels[level]
                break
            if byte != (_CLOSE if is_key else _CLOSE_LIST):
                return _NOT_TAKEN
            if NO_RECORD < levels[level + 2] < len(records.ends):
                records.ends[levels[level + 2]] = at
            depth -= 1
        if depth == 0:
            return fill if keys <= CROWDED and _after_space(data, at, stop) == stop else _NOT_TAKEN


@inline
def _is_asked(node, flags):
    return node >= 0 and flags[node] & HAS_FIELDS != 0


@inline
def _short_key(word, size):
    """Return the `string_key` of a string of less than eight bytes, which are the first of `word`."""
    return word & ((np.uint64(1) << np.uint64(8 * size)) - np.uint64(1)) | (np.uint64(size) << np.uint64(56))


@inline
def _child(data, start, end, key, parent, tree):
    """Return the node of a name below a node, `NO_NODE` if no subscription asks for it."""
    found = np.int64(NO_NODE)
    if parent >= 0 and tree.flags[parent] & HAS_NAMES != 0:
        table, borders, size = tree.table, tree.borders, end - start
        buckets = len(table) - 1
        at = np.int64(_bucket_of(key, parent)) << 1 & buckets
        while table[at + 1] != 0:
            node = np.int64(table[at + 1])
            is_same = table[at] == key and tree.parents[node] == parent and borders[node + 1] - borders[node] == size
            if is_same and (is_own_key(key) or same_bytes(data, start, tree.names, borders[node], size)):
                found = node
                break
            at = (at + 2) & buckets
    return found


@kernel
def fill_table(tree):
    """Enter the names of all nodes but the first into the table, which has zeros."""
    table, borders = tree.table, tree.borders
    buckets = len(table) - 1
    for node in range(1, len(borders) - 1):
        key = string_key(tree.names, borders[node], borders[node + 1])
        at = np.int64(_bucket_of(key, tree.parents[node])) << 1 & buckets
        while table[at + 1] != 0:
            at = (at + 2) & buckets
        table[at] = key
        table[at + 1] = node


@inline
def _bucket_of(key, node):
    """Return a number that spreads the name with this key below a node over the buckets of a table."""
    return mix(key + np.uint64(node) * _SPREAD)


@inline
def _mask(places, size):
    """Return the last of the first places that a text of `size` bytes uses."""
    used = np.int64(64)
    while 2 * used < size and used < places:
        used <<= 1
    return used - 1


@inline
def _is_new(key, number, oldest, mask, scratch):
    """Note a key of an object; returns whether it was not there, and the table has room."""
    keys, objects = scratch.keys, scratch.objects
    at = np.int64(_bucket_of(key, number)) & mask
    last = at + CHAIN
    place = at
    while at < last and objects[place] >= oldest and (objects[place] != number or keys[place] != key):
        at += 1
        place = at & mask
    is_new = at < last and objects[place] < oldest
    if is_new:
        keys[place], objects[place] = key, number
    return is_new


@leaf
def _end_of_word(data, at, stop):
    """Return the place behind true, false or null, -1 if none of them is at `at`."""
    word = _TRUE if data[at] == _T else (_FALSE if data[at] == _F else _NULL)
    if at + len(word) > stop:
        return np.int64(-1)
    for k in range(len(word)):
        if data[at + k] != word[k]:
            return np.int64(-1)
    return at + len(word)


@inline
def _put(records, fill, node, kind, owner, start, end, near):
    """Write a record if there is room; returns the new fill."""
    if fill < len(records.nodes):
        records.nodes[fill] = node
        records.kinds[fill] = kind
        records.owners[fill] = owner
        records.starts[fill] = start
        records.ends[fill] = end
        records.near[fill] = near
    return fill + 1
