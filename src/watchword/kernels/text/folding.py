"""Validates UTF-8 texts, counts their characters, and folds their case.

The texts "Tea" and "É" are the bytes ``54 65 61 c3 89`` with the offsets 0, 3, 5: three characters and one. Folded they
are ``74 65 61 c3 a9``, "tea" and "é", with the same offsets; "ß" would become "ss".

Texts lie in one run of bytes, cut by `offsets`. Tables of case folding (built by `watchword.text.unicode` from
Python's own Unicode data): ``pages[point >> 8]`` names a page of 256 entries in `values`; an entry is 0 for a
character that folds to itself, else `k`, and the folding is the UTF-8 ``folds[offsets[k - 1]:offsets[k]]``. Folding
never looks at a neighbour, so that folding a text is folding its characters. It makes at most three bytes of one,
which is the room asked of the output.

Cost: eight bytes at a time where all are ASCII, one character at a time elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt8, UInt16
from watchword.kernels.intrinsics import load_word, store_word
from watchword.kernels.jit import inline, kernel
from watchword.kernels.text.utf8 import decode

_HIGH_BITS = np.uint64(0x8080808080808080)


class FoldTables(NamedTuple):
    """What each character folds to."""

    pages: UInt16
    values: UInt16
    offsets: Int64
    folds: UInt8


@kernel
def is_ascii(data, start, end):
    """Return whether all bytes from `start` to `end` are below 128."""
    at = start
    while at + 32 <= end:
        words = load_word(data, at) | load_word(data, at + 8) | load_word(data, at + 16) | load_word(data, at + 24)
        if words & _HIGH_BITS:
            return False
        at += 32
    while at + 8 <= end:
        if load_word(data, at) & _HIGH_BITS:
            return False
        at += 8
    while at < end:
        if data[at] >= 0x80:
            return False
        at += 1
    return True


@kernel
def measure(data, offsets, surrogates, counts):
    """Count the characters of every text; returns -1, or the number of the first text that is not valid UTF-8."""
    rows = len(offsets) - 1
    plain = is_ascii(data, offsets[0], offsets[rows])
    for row in range(rows):
        at, end = offsets[row], offsets[row + 1]
        if plain or is_ascii(data, at, end):
            counts[row] = end - at
            continue
        count = 0
        while at < end:
            if at + 8 <= end and load_word(data, at) & _HIGH_BITS == 0:
                at += 8
                count += 8
                continue
            _, size = decode(data, at, end, surrogates)
            if size == 0:
                return row
            at += size
            count += 1
        counts[row] = count
    return -1


@inline
def _lower(word):
    """Return eight ASCII bytes in lower case.

    A sum of a byte below 128 and ``128 - c`` has the top bit where the byte is at least `c`, and never carries.
    """
    capitals = (word + np.uint64(0x3F3F3F3F3F3F3F3F)) & ~(word + np.uint64(0x2525252525252525)) & _HIGH_BITS
    return word | (capitals >> np.uint64(2))


@inline
def _lower_run(data, at, end, out, fill):
    """Lower ASCII bytes."""
    while at + 8 <= end:
        store_word(out, fill, _lower(load_word(data, at)))
        at += 8
        fill += 8
    while at < end:
        byte = data[at]
        out[fill] = byte | 0x20 if 65 <= byte <= 90 else byte
        at += 1
        fill += 1
    return fill


@kernel
def fold(data, offsets, tables, out, out_offsets):
    """Case-fold texts of valid UTF-8: text `i` becomes ``out[out_offsets[i]:out_offsets[i + 1]]``.

    Return the bytes written.
    """
    rows = len(offsets) - 1
    if is_ascii(data, offsets[0], offsets[rows]):
        for row in range(rows + 1):
            out_offsets[row] = offsets[row] - offsets[0]
        return _lower_run(data, offsets[0], offsets[rows], out, 0)
    pages, values, fold_offsets, folds = tables.pages, tables.values, tables.offsets, tables.folds
    fill = 0
    out_offsets[0] = 0
    for row in range(rows):
        at, end = offsets[row], offsets[row + 1]
        while at < end:
            if data[at] < 0x80:
                start = at
                while at < end and data[at] < 0x80:
                    at += 1
                fill = _lower_run(data, start, at, out, fill)
                continue
            point, size = decode(data, at, end, True)
            value = values[(np.int64(pages[point >> 8]) << 8) | (point & 0xFF)]
            if value == 0:
                for k in range(at, at + size):
                    out[fill] = data[k]
                    fill += 1
            else:
                for k in range(fold_offsets[value - 1], fold_offsets[value]):
                    out[fill] = folds[k]
                    fill += 1
            at += size
        out_offsets[row + 1] = fill
    return fill
