"""From UTF-8 bytes to terms: decode, fold case, cut at everything that is not a word character.

Input and output rows are Arrow-like: one run of bytes, and offsets that cut it.

Tables (built by `watchword.text.analyzer` from Python's own Unicode data):

- `pages[cp >> 8]` names a page of 256 entries in `values`; an entry is 0 for a separator, 1 for a word
  character that folds to itself, and `2 + k` where folding changes it: the result is then the code points
  ``folds[fold_starts[k]:fold_starts[k + 1]]``, all of them word characters.

Case folding never looks at a neighbour, so one pass is exact. ASCII is told apart and folded eight bytes at a time
(`classify`); what is left to decode are the runs with other bytes in them (`fold_run`).

Output of `tokenize`: term `j` is ``out[cuts[j]:cuts[j + 1]]``, and row `i` has the terms up to `row_offsets[i + 1]`. A
fold makes at most three bytes of one, which is the capacity asked of `out`, and eight more for whole words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt16, UInt32
from watchword.kernels.handles import arrays_at
from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import load_word, store_word, trailing_zeros

INVALID = -1

# Constants for eight bytes at once.
_ONES = np.uint64(0x0101010101010101)
_TOP = _ONES * np.uint64(0x80)
_LOW = _ONES * np.uint64(0x7F)
_SPACES = _ONES * np.uint64(0x20)
_GATHER = np.uint64(0x0102040810204080)  # as a factor, moves the lowest bits of eight bytes side by side to the top

SLACK = 72
"""How much longer than the data the outputs of `classify` are, so that words may be read beyond its end."""


class Unicode(NamedTuple):
    """The tables of word characters and their foldings."""

    pages: UInt16
    values: UInt16
    fold_starts: Int64
    folds: UInt32


UNICODE_KINDS = (np.uint16, np.uint16, np.int64, np.uint32)


@kernel
def unicode_at(handles, first):
    """Return the tables of handles, from number `first` on."""
    return Unicode(*arrays_at(handles, first, UNICODE_KINDS))


@kernel
def decode(data, at, end, surrogates):
    """Return the code point at `at` and its length, or (INVALID, 0)."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xC2 or lead > 0xF4:
        return INVALID, 0
    size = 2 if lead < 0xE0 else (3 if lead < 0xF0 else 4)
    if at + size > end:
        return INVALID, 0
    point = lead & (0xFF >> (size + 1))
    for k in range(1, size):
        byte = np.int64(data[at + k])
        if byte & 0xC0 != 0x80:
            return INVALID, 0
        point = (point << 6) | (byte & 0x3F)
    if (size == 3 and point < 0x800) or (size == 4 and (point < 0x10000 or point > 0x10FFFF)):
        return INVALID, 0
    if 0xD800 <= point < 0xE000 and not surrogates:
        return INVALID, 0
    return point, size


@inline
def _put(out, fill, point):
    if point < 0x80:
        out[fill] = point
        return fill + 1
    if point < 0x800:
        out[fill] = 0xC0 | (point >> 6)
        out[fill + 1] = 0x80 | (point & 0x3F)
        return fill + 2
    if point < 0x10000:
        out[fill] = 0xE0 | (point >> 12)
        out[fill + 1] = 0x80 | ((point >> 6) & 0x3F)
        out[fill + 2] = 0x80 | (point & 0x3F)
        return fill + 3
    out[fill] = 0xF0 | (point >> 18)
    out[fill + 1] = 0x80 | ((point >> 12) & 0x3F)
    out[fill + 2] = 0x80 | ((point >> 6) & 0x3F)
    out[fill + 3] = 0x80 | (point & 0x3F)
    return fill + 4


@inline
def _classes(word):
    """Return eight bytes with the top bit set in each that is no ASCII separator, and eight in lower case.

    A sum of a byte below 128 and ``128 - c`` has the top bit where the byte is at least `c`, and never carries.
    """
    plain = word & _LOW
    small = plain | _SPACES
    letters = (small + (_TOP - _ONES * np.uint64(0x61))) & ~(small + (_TOP - _ONES * np.uint64(0x7B))) & ~word
    digits = (plain + (_TOP - _ONES * np.uint64(0x30))) & ~(plain + (_TOP - _ONES * np.uint64(0x3A)))
    underscores = _TOP - (plain ^ (_ONES * np.uint64(0x5F)))
    capitals = letters & ~(word << np.uint64(2)) & _TOP
    return (letters | digits | underscores | word) & _TOP, word | (capitals >> np.uint64(2))


@kernel
def classify(data, kinds, lower):
    """Say of every byte whether it is part of a run (top bit in `kinds`), and put its lower case into `lower`.

    A run is made of ASCII word characters and of bytes that are not ASCII, about which only decoding can tell. Both
    outputs are `SLACK` longer than `data`. The loop is made for vector instructions.
    """
    whole = len(data) >> 3
    for i in range(whole):
        kind, small = _classes(load_word(data, 8 * i))
        store_word(kinds, 8 * i, kind)
        store_word(lower, 8 * i, small)
    word = np.uint64(0)
    for k in range(8 * whole, len(data)):
        word |= np.uint64(data[k]) << np.uint64(8 * (k & 7))
    kind, small = _classes(word)
    store_word(kinds, 8 * whole, kind)
    store_word(lower, 8 * whole, small)


@kernel
def find_runs(kinds, begin, end, edges):
    """Write where the runs of a row begin and end, in turn; returns how many runs there are.

    Sixty-four bytes at a time become bits, and a change from bit to bit is an edge: there is no branch that depends on
    where a run ends. `kinds` is `SLACK` longer than the data.
    """
    fill = 0
    before = np.uint64(0)  # the last bit of the bytes before
    while begin < end:
        bits = np.uint64(0)
        for k in range(8):
            tops = (load_word(kinds, begin + 8 * k) >> np.uint64(7)) & _ONES
            bits |= ((tops * _GATHER) >> np.uint64(56)) << np.uint64(8 * k)
        if end - begin < 64:
            bits &= (np.uint64(1) << np.uint64(end - begin)) - np.uint64(1)
        changes = bits ^ ((bits << np.uint64(1)) | before)
        before = bits >> np.uint64(63)
        while changes != np.uint64(0):
            edges[fill] = begin + trailing_zeros(changes)
            fill += 1
            changes &= changes - np.uint64(1)
        begin += 64
    edges[fill] = end  # of a run that has no other end
    return (fill + 1) >> 1


@inline
def is_plain(data, at, stop):
    """Say whether a run is ASCII; eight bytes from `at` on must exist."""
    bits = np.uint64(0)
    while at + 8 <= stop:
        bits |= load_word(data, at)
        at += 8
    if at < stop:
        bits |= load_word(data, at) << np.uint64(64 - 8 * (stop - at))
    return bits & _TOP == 0


@kernel
def fold_run(data, at, stop, surrogates, unicode, out, fill, cuts, terms):
    """Decode a run, append its folded terms to `out` and `cuts`. Returns the new fill and number of terms, or -1s."""
    start = fill
    while at < stop:
        point, size = decode(data, at, stop, surrogates)
        if size == 0:
            return -1, -1
        at += size
        value = unicode.values[(np.int64(unicode.pages[point >> 8]) << 8) | (point & 0xFF)]
        is_cut = value == 0
        if value == 1:
            fill = _put(out, fill, point)
        elif value > 1:
            for k in range(unicode.fold_starts[value - 2], unicode.fold_starts[value - 1]):
                fill = _put(out, fill, np.int64(unicode.folds[k]))
        if fill > start and (is_cut or at == stop):
            terms += 1
            cuts[terms] = start = fill
    return fill, terms


@kernel
def tokenize(data, offsets, surrogates, unicode, out, cuts, row_offsets):
    """Cut every row into folded terms. Returns the number of terms, or ``-1 - row`` for invalid UTF-8."""
    kinds = np.empty(len(data) + SLACK, np.uint8)
    lower = np.empty(len(data) + SLACK, np.uint8)
    classify(data, kinds, lower)
    edges = np.empty(longest_row(offsets) + 2, np.int64)
    fill = terms = cuts[0] = 0
    for row in range(len(offsets) - 1):
        for run in range(find_runs(kinds, offsets[row], offsets[row + 1], edges)):
            at, stop = edges[2 * run], edges[2 * run + 1]
            if is_plain(lower, at, stop):
                while at < stop:
                    store_word(out, fill, load_word(lower, at))
                    fill += min(8, stop - at)
                    at += 8
                terms += 1
                cuts[terms] = fill
                continue
            fill, terms = fold_run(data, at, stop, surrogates, unicode, out, fill, cuts, terms)
            if terms < 0:
                return -1 - row
        row_offsets[row + 1] = terms
    return terms


@kernel
def longest_row(offsets):
    """Return the length of the longest row."""
    longest = np.int64(0)
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest


# Bytes of a subscription's text, by what they mean for the plain form (`plain_rows`).
WORD, SPACE, MARK, SYNTAX, MINUS = 0, 1, 2, 3, 4


@kernel
def plain_rows(data, offsets, classes, unicode, plain):
    """Say which rows are plain: words that are one term each, between spaces or `AND`.

    `classes[b]` is the class of an ASCII byte. A plain row means the conjunction of its terms, so it needs
    no parser; its `AND`s are overwritten by spaces in `data`. Whatever is not obviously plain is not: a
    quote, a parenthesis, a leading minus, another operator, two terms in one word, a dangling `AND`, no
    term at all, a non-ASCII character other than an unchanging word character.
    """
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        plain[row] = False
        operand = False  # a word with a term stands since the last operator
        wanted = False  # an AND waits for its right side
        good = True
        while good and at < end:
            if data[at] < 0x80 and classes[data[at]] == SPACE:
                at += 1
                continue
            start = at
            runs = 0
            inside = False
            while at < end:
                byte = data[at]
                if byte < 0x80:
                    kind = classes[byte]
                    if kind == SPACE:
                        break
                    at += 1
                    if kind == SYNTAX or (kind == MINUS and at - 1 == start):
                        good = False
                        break
                    if kind == WORD:
                        runs += not inside
                        inside = True
                    else:
                        inside = False
                else:
                    point, size = decode(data, at, end, False)
                    if size == 0 or unicode.values[(np.int64(unicode.pages[point >> 8]) << 8) | (point & 0xFF)] != 1:
                        good = False
                        break
                    runs += not inside
                    inside = True
                    at += size
            if not good or runs > 1:
                good = False
                break
            operator = _operator(data, start, at)
            if operator == 1 and operand:
                data[start:at] = 32
                operand = False
                wanted = True
            elif operator:
                good = False
            elif runs:
                operand = True
                wanted = False
        plain[row] = good and operand and not wanted


@kernel
def _operator(data, start, end):
    """Return 1 for AND, 2 for OR and NOT, 0 for any other word."""
    size = end - start
    if size == 3:
        a, b, c = data[start], data[start + 1], data[start + 2]
        if a == 65 and b == 78 and c == 68:
            return 1
        if a == 78 and b == 79 and c == 84:
            return 2
    elif size == 2 and data[start] == 79 and data[start + 1] == 82:
        return 2
    return 0
