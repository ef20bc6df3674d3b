"""From ids to rows: an index over a column of ids, and taking ids back out.

`table` (int32) is open addressing with linear probing: the row of an id, -1 where empty. Its length is one and
a half times the number of ids, any number; the home of an id is its hash scaled to that length. The ids
themselves stay in their column: int64, or byte strings as ``data[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.handles import arrays_at, bytes_at
from watchword.kernels.intrinsics import load_word, prefetch, store_word
from watchword.kernels.jit import brief, inline, kernel
from watchword.kernels.text.vocabulary import mix, string_key

_AHEAD = 16

INT_ID_KINDS = (np.int64, np.int32)
STRING_ID_KINDS = (np.uint8, np.int64, np.int32)
"""What `row_of_int` and `row_of_string` want handles of: a column of ids, and its table."""


@inline
def _home(hashed, table):
    return np.int64(((hashed >> np.uint64(32)) * np.uint64(len(table))) >> np.uint64(32))


@inline
def _next(at, table):
    return at + 1 if at + 1 < len(table) else 0


@kernel
def find_int(wanted, ids, table):
    """Return the bucket that has `wanted`, or the empty one where it would go."""
    at = _home(mix(np.uint64(wanted)), table)
    while table[at] >= 0 and ids[table[at]] != wanted:
        at = _next(at, table)
    return at


@brief
def row_of_int(handles, wanted):
    """Return the row that has `wanted`, -1 if there is none."""
    ids, table = arrays_at(handles, 0, INT_ID_KINDS)
    return np.int64(table[find_int(wanted, ids, table)])


@kernel
def index_ints(ids, table):
    """Enter every row; return the first row whose id stands before it, or -1."""
    for row in range(len(ids)):
        at = find_int(ids[row], ids, table)
        if table[at] >= 0:
            return row
        table[at] = row
    return -1


@kernel
def find_ints(wanted, ids, table, rows):
    """Set `rows[i]` to the row of `wanted[i]`, -1 where there is none."""
    for i in range(len(wanted)):
        rows[i] = table[find_int(wanted[i], ids, table)]


@kernel
def _equal(data, start, end, column, offsets, row):
    first = offsets[row]
    if offsets[row + 1] - first != end - start:
        return False
    for k in range(end - start):
        if data[start + k] != column[first + k]:
            return False
    return True


@kernel
def find_string(data, start, end, column, offsets, table):
    """Return the bucket that has ``data[start:end]``, or the empty one where it would go."""
    at = _home(mix(string_key(data, start, end)), table)
    while table[at] >= 0 and not _equal(data, start, end, column, offsets, table[at]):
        at = _next(at, table)
    return at


@brief
def row_of_string(handles, wanted):
    """Return the row that has `wanted`, which is Python's bytes, -1 if there is none."""
    column, offsets, table = arrays_at(handles, 0, STRING_ID_KINDS)
    data = bytes_at(wanted, np.uint8)
    return np.int64(table[find_string(data, 0, len(data), column, offsets, table)])


@kernel
def index_strings(column, offsets, table):
    """Enter every row; return the first row whose id stands before it, or -1."""
    for row in range(len(offsets) - 1):
        at = find_string(column, offsets[row], offsets[row + 1], column, offsets, table)
        if table[at] >= 0:
            return row
        table[at] = row
    return -1


@kernel
def find_strings(data, cuts, column, offsets, table, rows):
    """Set `rows[i]` to the row of string `i`, -1 where there is none."""
    for i in range(len(cuts) - 1):
        rows[i] = table[find_string(data, cuts[i], cuts[i + 1], column, offsets, table)]


@kernel
def ascend_by_one(ids):
    """Say whether each id is one more than the id before it, where the last is as far from the first as it would be."""
    for i in range(len(ids)):
        if ids[i] != ids[0] + i:
            return False
    return True


@kernel
def take_ints(rows, base, tail, result):
    """Set `result[i]` to the id of row `rows[i]`; rows from ``len(base)`` on lie in `tail`."""
    for i in range(len(rows)):
        prefetch(base, np.int64(rows[min(i + _AHEAD, len(rows) - 1)]))
        row = rows[i]
        result[i] = base[row] if row < len(base) else tail[row - len(base)]


@kernel
def take_lengths(rows, offsets, tail_offsets, gap, cuts):
    """Set `cuts` to the offsets of the strings of `rows`, end to end, each with a gap of so many bytes behind it."""
    base = len(offsets) - 1
    cuts[0] = 0
    for i in range(len(rows)):
        prefetch(offsets, np.int64(rows[min(i + _AHEAD, len(rows) - 1)]))
        row = rows[i]
        if row < base:
            size = offsets[row + 1] - offsets[row]
        else:
            size = tail_offsets[row - base + 1] - tail_offsets[row - base]
        cuts[i + 1] = cuts[i] + size + gap


@kernel
def take_strings(rows, column, offsets, tail, tail_offsets, gap, cuts, result):
    """Copy the strings of `rows` to where `cuts` says, one behind the other, and zeros into the gaps."""
    base = len(offsets) - 1
    for i in range(len(rows)):
        near = rows[min(i + _AHEAD, len(rows) - 1)]
        prefetch(column, offsets[min(near, base)])
        row = rows[i]
        if row < base:
            _copy(column, offsets[row], result, cuts[i], cuts[i + 1] - gap)
        else:
            _copy(tail, tail_offsets[row - base], result, cuts[i], cuts[i + 1] - gap)
        result[cuts[i + 1] - gap : cuts[i + 1]] = 0


@inline
def _copy(source, start, result, at, stop):
    """Copy what fills ``result[at:stop]``, eight bytes at a time where that stays inside of both; what it writes behind
    `stop` is written again by the next."""
    if start + stop - at + 8 <= len(source) and stop + 8 <= len(result):
        while at < stop:
            store_word(result, at, load_word(source, start))
            start += 8
            at += 8
    else:
        for k in range(stop - at):
            result[at + k] = source[start + k]
