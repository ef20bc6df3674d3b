"""From UTF-8 bytes to terms: decode, fold case, cut at everything that is not a word character.

Input and output rows are Arrow-like: one run of bytes, and offsets that cut it.

Tables (built by `watchword.text` from Python's own Unicode data):

- `ascii_fold[b]` for b < 128: the folded byte of a word character, 0 for a separator.
- `pages[cp >> 8]` names a page of 256 entries in `values`; an entry is 0 for a separator, 1 for a word
  character that folds to itself, and `2 + k` where folding changes it: the result is then the code points
  ``folds[fold_starts[k]:fold_starts[k + 1]]``, each with bit 31 set where it is a word character.

Case folding never looks at a neighbour, so one pass is exact; a fold may itself hold a separator.

Output of `tokenize`: term `j` is ``out[cuts[j]:cuts[j + 1]]``, and row `i` has the terms up to `row_ends[i]`. A
fold makes at most three bytes of one, which is the capacity asked of `out`.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel

INVALID = -1


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


@kernel
def tokenize(data, offsets, surrogates, ascii_fold, pages, values, fold_starts, folds, out, cuts, row_ends):
    """Cut every row into folded terms. Returns the number of terms, or ``-1 - row`` for invalid UTF-8."""
    fill = 0
    terms = 0
    cuts[0] = 0
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        start = fill
        while at < end:
            byte = data[at]
            if byte < 0x80:
                at += 1
                folded = ascii_fold[byte]
                if folded:
                    out[fill] = folded
                    fill += 1
                elif fill > start:
                    cuts[terms + 1] = fill
                    terms += 1
                    start = fill
                continue
            point, size = decode(data, at, end, surrogates)
            if size == 0:
                return -1 - row
            at += size
            value = values[(np.int64(pages[point >> 8]) << 8) | (point & 0xFF)]
            if value == 1:
                fill = _put(out, fill, point)
            elif value == 0:
                if fill > start:
                    cuts[terms + 1] = fill
                    terms += 1
                    start = fill
            else:
                for k in range(fold_starts[value - 2], fold_starts[value - 1]):
                    point = np.int64(folds[k])
                    if point >> 31:
                        fill = _put(out, fill, point & 0x7FFFFFFF)
                    elif fill > start:
                        cuts[terms + 1] = fill
                        terms += 1
                        start = fill
        if fill > start:
            cuts[terms + 1] = fill
            terms += 1
        row_ends[row] = terms
    return terms


# Bytes of a subscription's text, by what they mean for the plain form (`plain_rows`).
WORD, SPACE, MARK, SYNTAX, MINUS = 0, 1, 2, 3, 4


@kernel
def plain_rows(data, offsets, classes, pages, values, plain):
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
                    if size == 0 or values[(np.int64(pages[point >> 8]) << 8) | (point & 0xFF)] != 1:
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
