"""Cuts UTF-8 texts into terms: decode, fold, cut at everything that is not a word character.

Input and output rows are Arrow-like: one run of bytes, and offsets that cut it. The folded form of each character is in
tables (`characters`). ASCII is classified and folded sixty-four bytes at a time (`find_runs`); only runs with other
bytes are decoded (`fold_run`). There each character is replaced on its own, unless a mark is out of order or may unite
with the character before it: then the whole run goes through `nfc`. No mark unites with an ASCII separator to make a
word character, so a run needs nothing from beyond its ends.

A mark that follows no word character is left out: it would begin an invisible term.

Output of `tokenize`: term `j` is ``out[cuts[j]:cuts[j + 1]]``, and row `i` has the terms up to `row_offsets[i + 1]`.
Folding makes at most eleven bytes of one (U+FDFA is a sentence of four words), pairs of characters twice as many.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.growing import with_room
from watchword.kernels.intrinsics import bytes_between, load_word, lower_bytes, store_word, trailing_zeros
from watchword.kernels.jit import inline, kernel
from watchword.kernels.text.characters import (
    CJK,
    CLASS_SHIFT,
    IGNORED,
    JOINS,
    KIND_SHIFT,
    LAST,
    MARK,
    POINT,
    SAME,
    SAME_CJK,
    SEPARATOR,
    WORD,
    entry_of,
    value_of,
)
from watchword.kernels.text.nfc import compose, take_apart
from watchword.kernels.text.utf8 import decode, put

_TOP = np.uint64(0x8080808080808080)

BEFORE, BEHIND = 8, 72
"""Bytes that `find_runs` needs before and after a row in `lower`, so that it can read whole words there."""

GROWTH = 22
"""The most bytes of terms for a byte of text."""

POINTS = 6
"""The most decomposed code points for a byte of text."""


@kernel
def find_runs(data, begin, end, lower, edges):
    """Copy a row to `lower`, ASCII in lower case, from index `BEFORE` on, and write the start and end of each run there
    to `edges`. Returns the number of runs, and whether a byte is not ASCII.

    A run consists of ASCII word characters and of bytes that are not ASCII, which must be decoded; only dashes and
    quotation marks are recognised here: "I’m" has two runs and needs no decoding. Sixty-four bytes at a time become
    bits, and a change from bit to bit is an edge: there is no branch that depends on where a run ends.
    """
    fill, to = 0, BEFORE
    before = others = np.uint64(0)  # the last bit of the bytes before; bytes that are not ASCII
    while begin < end:
        if begin + 64 <= len(data):
            bits, high = lower_bytes(data, begin, lower, to)
        else:
            for k in range(end - begin):
                lower[to + k] = data[begin + k]
            bits, high = lower_bytes(lower, to, lower, to)
        if end - begin < 64:
            inside = (np.uint64(1) << np.uint64(end - begin)) - np.uint64(1)
            bits &= inside
            high &= inside
        if high != np.uint64(0):
            separators = _separators(lower, to, high)
            bits &= ~separators
            high &= ~separators
        others |= high
        changes = bits ^ ((bits << np.uint64(1)) | before)
        before = bits >> np.uint64(63)
        while changes != np.uint64(0):
            edges[fill] = to + trailing_zeros(changes)
            fill += 1
            changes &= changes - np.uint64(1)
        begin += 64
        to += 64
    edges[fill] = to + end - begin  # of a run that has no other end
    return (fill + 1) >> 1, others != np.uint64(0)


@inline
def _separators(lower, to, high):
    """Return, as bits, which of 64 bytes are those of U+2010 to U+2027: dashes, quotation marks, dots.

    They are three bytes each, E2 80 and one from 90 to A7, and separators whatever is beside them. `high` has the bytes
    of the row that are no ASCII. A character that the end of the 64 bytes or of the row cuts has no bits here.
    """
    one, two = np.uint64(1), np.uint64(2)
    second = bytes_between(lower, to, np.uint8(0x80), np.uint8(0x80)) & high
    third = bytes_between(lower, to, np.uint8(0x90), np.uint8(0xA7)) & high
    first = bytes_between(lower, to, np.uint8(0xE2), np.uint8(0xE2)) & (second >> one) & (third >> two)
    return first | (first << one) | (first << two)


@inline
def is_ascii(lower, at, stop):
    """Return whether a run is ASCII; eight bytes before its end must exist."""
    bits = load_word(lower, stop - 8) & _TOP
    if stop - at < 8:
        return bits >> np.uint64(64 - 8 * (stop - at)) == 0
    while at + 8 < stop:
        bits |= load_word(lower, at) & _TOP
        at += 8
    return bits == 0


@kernel
def fold_run(data, at, stop, surrogates, unicode, out, fill, cuts, terms):
    """Decode a run, append its folded terms to `out` and `cuts`. Returns the new fill and number of terms, or -1s."""
    begin, first, first_term = at, fill, terms
    start = fill  # of the term at hand
    before = 0  # the combining class of the last code point
    paired = False
    while at < stop:
        point, size = decode(data, at, stop, surrogates)
        if size == 0:
            return -1, -1
        at += size
        value = value_of(point, unicode)
        if value in (SAME, SAME_CJK):
            fill = put(out, fill, point)
            before = 0
            paired |= value == SAME_CJK
        elif value == SEPARATOR:
            if fill > start:
                terms += 1
                cuts[terms] = start = fill
        elif value != IGNORED:
            while True:
                entry = unicode.folds[value]
                kind = (entry >> KIND_SHIFT) & 3
                if kind == SEPARATOR:
                    if fill > start:
                        terms += 1
                        cuts[terms] = start = fill
                elif kind != MARK or fill > start:
                    rank = (entry >> CLASS_SHIFT) & 0xFF
                    if fill > start and (entry & JOINS or 0 < rank < before):
                        return _normalized_run(data, begin, stop, surrogates, unicode, out, first, cuts, first_term)
                    fill = put(out, fill, entry & POINT)
                    before = rank
                    paired |= kind == CJK
                if entry & LAST:
                    break
                value += 1
    if fill > start:
        terms += 1
        cuts[terms] = fill
    if paired:
        return _pair(out, first, fill, cuts, first_term, terms, unicode)
    return fill, terms


@kernel
def _normalized_run(data, at, stop, surrogates, unicode, out, fill, cuts, terms):
    """As `fold_run`, for a run whose characters must be decomposed, sorted and composed (`nfc`)."""
    points = np.empty(POINTS * (stop - at) + 4, np.int64)
    count = 0
    while at < stop:
        point, size = decode(data, at, stop, surrogates)
        if size == 0:
            return -1, -1
        at += size
        value = value_of(point, unicode)
        if value <= SAME_CJK:
            if value != IGNORED:
                count = take_apart(point, points, count, unicode)
            continue
        while True:
            entry = unicode.folds[value]
            count = take_apart(entry & POINT, points, count, unicode)
            if entry & LAST:
                break
            value += 1
    return _cut(points, compose(points, count, unicode), unicode, out, fill, cuts, terms)


@kernel
def _cut(points, count, unicode, out, fill, cuts, terms):
    """Append the terms of folded code points; returns as `fold_run`."""
    first, first_term, start = fill, terms, fill
    paired = False
    for k in range(count):
        kind = (entry_of(points[k], unicode) >> KIND_SHIFT) & 3
        if kind in (WORD, CJK) or (kind == MARK and fill > start):
            fill = put(out, fill, points[k])
            paired |= kind == CJK
        elif kind == SEPARATOR and fill > start:
            terms += 1
            cuts[terms] = start = fill
    if fill > start:
        terms += 1
        cuts[terms] = fill
    if paired:
        return _pair(out, first, fill, cuts, first_term, terms, unicode)
    return fill, terms


@kernel
def _pair(out, first, fill, cuts, first_term, last_term, unicode):
    """Cut the terms from `first_term` on, of the bytes from `first` on, into pairs where they are CJK.

    "ab東京都" has the terms "ab", "東京", "京都": other scripts stay together, and a single character stays alone.
    """
    whole = out[first:fill].copy()
    ends = cuts[first_term + 1 : last_term + 1] - first
    fill, terms, at = first, first_term, 0
    for end in ends:
        before = -1  # where the CJK character before begins, with its marks
        alone = False  # nothing has been written of it yet
        while at < end:
            begin = at
            point, size = decode(whole, at, end, True)
            kind = (entry_of(point, unicode) >> KIND_SHIFT) & 3
            at += size
            while at < end:  # its marks, and all that follows a character of another script
                point, size = decode(whole, at, end, True)
                other = (entry_of(point, unicode) >> KIND_SHIFT) & 3
                if other == CJK or (other == WORD and kind == CJK):
                    break
                at += size
            if alone and kind != CJK:
                fill, terms = _copy(whole, before, begin, out, fill, cuts, terms)
            if kind == CJK and before >= 0:
                fill, terms = _copy(whole, before, at, out, fill, cuts, terms)
            if kind != CJK:
                fill, terms = _copy(whole, begin, at, out, fill, cuts, terms)
            alone = kind == CJK and before < 0
            before = begin if kind == CJK else -1
        if alone:
            fill, terms = _copy(whole, before, end, out, fill, cuts, terms)
    return fill, terms


@kernel
def _copy(data, begin, stop, out, fill, cuts, terms):
    """Append a term."""
    for k in range(begin, stop):
        out[fill] = data[k]
        fill += 1
    cuts[terms + 1] = fill
    return fill, terms + 1


@kernel
def tokenize(data, offsets, surrogates, unicode, row_offsets):
    """Cut every row into folded terms. Returns their bytes, their cuts, and their number, or ``-1 - row`` for invalid
    UTF-8.

    `out` always has room for the rest of the data, unchanged; before a run that is not ASCII is folded, it grows.
    """
    longest = longest_row(offsets)
    lower = np.empty(BEFORE + longest + BEHIND, np.uint8)
    edges = np.empty(longest + 2, np.int64)
    out = np.empty(len(data) + 8, np.uint8)
    cuts = np.empty(len(data) // 2 + len(offsets) + 2, np.int64)
    fill = terms = cuts[0] = 0
    for row in range(len(offsets) - 1):
        runs, mixed = find_runs(data, offsets[row], offsets[row + 1], lower, edges)
        for run in range(runs):
            at, stop = edges[2 * run], edges[2 * run + 1]
            if not mixed or is_ascii(lower, at, stop):
                while at < stop:
                    store_word(out, fill, load_word(lower, at))
                    fill += min(8, stop - at)
                    at += 8
                terms += 1
                cuts[terms] = fill
                continue
            at, stop = at - BEFORE + offsets[row], stop - BEFORE + offsets[row]
            rest = len(data) - stop
            out = with_room(out, fill, fill + GROWTH * (stop - at) + rest + 8)
            cuts = with_room(cuts, terms + 1, terms + 3 * (stop - at) // 2 + rest // 2 + len(offsets) + 2)
            fill, terms = fold_run(data, at, stop, surrogates, unicode, out, fill, cuts, terms)
            if terms < 0:
                return out, cuts, np.int64(-1 - row)
        row_offsets[row + 1] = terms
    return out, cuts, np.int64(terms)


@kernel
def longest_row(offsets):
    """Return the length of the longest row."""
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest
