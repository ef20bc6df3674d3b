"""Parses a column of property subscriptions into literals; stops at the first row that is not well-formed.

With the properties sports, politics and arts as 0, 1 and 2::

    10*                           1 2         literal 1 is sports=1, 2 is politics=0
    arts=0, sports=1 AND arts=0   1 4
    sports=2                      refused: the parser in Python says why, and where

A row is trimmed of spaces. It is a ternary string if it has a character of 0, 1 and * for each property and nothing
else. Otherwise it is pairs, ``name=value``, with spaces, a comma or AND between them; spaces may stand around `=`.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.text.vocabulary import find_at, home_bucket, string_key

_ZERO, _ONE, _STAR, _COMMA, _EQUALS = 48, 49, 42, 44, 61
_A, _N, _D = 65, 78, 68
_BAD = -1


@inline
def _is_space(byte):
    return byte == 32 or 9 <= byte <= 13


@inline
def _after_spaces(data, at, end):
    """Return the first position from `at` on that is no space."""
    while at < end and _is_space(data[at]):
        at += 1
    return at


@inline
def _value(byte):
    """Return 0, 1 or 2 for 0, 1 and *, and -1 for any other byte."""
    value = -1
    if byte == _ZERO:
        value = 0
    elif byte == _ONE:
        value = 1
    elif byte == _STAR:
        value = 2
    return value


@leaf
def _ternary(data, start, end, width, atoms, fill):
    """Write the literals of a ternary string from `fill` on; return the new fill, or -1 if it is none."""
    if end - start != width:
        return np.int64(_BAD)
    for at in range(start, end):
        value = _value(data[at])
        if value < 0:
            return np.int64(_BAD)
        if value < 2:
            atoms[fill] = 2 * (at - start) + value
            fill += 1
    return np.int64(fill)


@leaf
def _name_end(data, at, end):
    """Return the end of the name that begins at `at`."""
    while at < end and data[at] != _EQUALS and data[at] != _COMMA and not _is_space(data[at]):
        at += 1
    return at


@leaf
def _is_and(data, at, end):
    """Return whether AND and a space are at `at`."""
    return at + 3 < end and data[at] == _A and data[at + 1] == _N and data[at + 2] == _D and _is_space(data[at + 3])


@leaf
def _joined(data, at, end):
    """Return the start of the next pair, after the space, comma or AND at `at`; -1 if there is none of these."""
    next_at = _after_spaces(data, at, end)
    if next_at < end and data[next_at] == _COMMA:
        return np.int64(_after_spaces(data, next_at + 1, end))
    if next_at == at:
        return np.int64(_BAD)
    return np.int64(_after_spaces(data, next_at + 3, end) if _is_and(data, next_at, end) else next_at)


@kernel
def _pairs(data, start, end, known, atoms, fill):
    """Write ``4 * property + value`` of each pair from `fill` on; return the new fill, or -1 if the row is refused."""
    at = start
    while True:
        name = at
        at = _name_end(data, at, end)
        if at == name:
            return np.int64(_BAD)
        key = string_key(data, name, at)
        number = find_at(key, home_bucket(key, known.table), data, name, at, known)
        at = _after_spaces(data, at, end)
        if number < 0 or at == end or data[at] != _EQUALS:
            return np.int64(_BAD)
        at = _after_spaces(data, at + 1, end)
        value = _value(data[at]) if at < end else -1
        if value < 0:
            return np.int64(_BAD)
        atoms[fill] = 4 * number + value
        fill += 1
        at += 1
        if at == end:
            return np.int64(fill)
        at = _joined(data, at, end)
        if at < 0:
            return np.int64(_BAD)


@leaf
def _settled(atoms, first, fill):
    """Replace pairs by literals: sorted, each once, without stars. Returns the new fill, -1 for a contradiction."""
    for k in range(first + 1, fill):
        pair, at = atoms[k], k
        while at > first and atoms[at - 1] > pair:
            atoms[at] = atoms[at - 1]
            at -= 1
        atoms[at] = pair
    kept, before = first, -1
    for k in range(first, fill):
        pair = atoms[k]
        if pair != before and before >= 0 and pair >> 2 == before >> 2:
            return np.int64(_BAD)
        if pair != before and pair & 3 < 2:
            atoms[kept] = 2 * (pair >> 2) + (pair & 3)
            kept += 1
        before = pair
    return np.int64(kept)


@kernel
def parse(data, text_offsets, width, known, offsets, atoms):
    """Write the literals of each row; return -1, or the first row that is refused."""
    fill = np.int64(0)
    for row in range(len(text_offsets) - 1):
        start, end = text_offsets[row], text_offsets[row + 1]
        start = _after_spaces(data, start, end)
        while end > start and _is_space(data[end - 1]):
            end -= 1
        found = _ternary(data, start, end, width, atoms, fill)
        if found < 0:
            found = _pairs(data, start, end, known, atoms, fill)
            if found >= 0:
                found = _settled(atoms, fill, found)
        if found < 0:
            return row
        fill = found
        offsets[row + 1] = fill
    return -1
