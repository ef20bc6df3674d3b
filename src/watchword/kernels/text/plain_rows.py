"""Finds the plain subscriptions, words between spaces or `AND`, which need no parser."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.text.characters import SAME, value_of
from watchword.kernels.text.utf8 import decode

# Bytes of a subscription's text, by what they mean for the plain form (`plain_rows`).
WORD, SPACE, MARK, SYNTAX, MINUS, AMPERSAND = 0, 1, 2, 3, 4, 5

_FOREIGN = np.frombuffer(b"NEAR..ONEAR.ANDNOT", np.uint8)

NO_OPERATOR, AND, OR, NOT, RESERVED, LOWER = range(6)
"""The kinds of a word: no operator, an operator, one that only the parser reads or refuses (OF, NEAR), or one in lower
case."""

OTHER, PLAIN, CODED = range(3)
"""The forms of a row: for the parser, plain, or with codes (`boolean_rows`)."""


@kernel
def plain_rows(data, offsets, classes, unicode, literal, forms):
    """Write `PLAIN` for rows of words with one term each, between spaces or `AND`; `OTHER` for all others.

    `classes[b]` is the class of an ASCII byte. A plain row means the conjunction of its terms, so it needs no parser;
    its `AND`s are overwritten by spaces in `data`. A row is not plain if it has a quote, a parenthesis, a leading
    minus, another operator, two terms in one word, a dangling `AND`, no term at all, a non-ASCII character other than
    an unchanging word character, a sign that other tools have a meaning for, and, unless they are `literal`, `and`,
    `or` and `not`.
    """
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        operand = False  # a word with a term stands since the last operator
        wanted = False  # an AND waits for its right side
        good = True
        while good and at < end:
            if data[at] < 0x80 and classes[data[at]] == SPACE:
                at += 1
                continue
            start = at
            at, runs = _word(data, at, end, classes, unicode)
            operator = operator_at(data, start, at)
            if runs > 1 or (operator == LOWER and not literal):
                good = False
            elif operator == AND and operand:
                data[start:at] = 32
                operand = False
                wanted = True
            elif operator != NO_OPERATOR and operator != LOWER:
                good = False
            elif runs:
                operand = True
                wanted = False
        forms[row] = PLAIN if good and operand and not wanted else OTHER


@kernel
def _word(data, at, end, classes, unicode):
    """Return the end of a word and its number of terms; 2 for a word that is not plain."""
    start = at
    runs = 0
    inside = False
    while at < end:
        byte = data[at]
        if byte < 0x80:
            kind = classes[byte]
            if kind == SPACE:
                break
            if kind == SYNTAX or (kind == MINUS and at == start):
                return end, 2
            if kind == AMPERSAND and at > start and data[at - 1] == byte:
                return end, 2
            runs += kind == WORD and not inside
            inside = kind == WORD
            at += 1
        else:
            point, size = decode(data, at, end, False)
            if size == 0 or value_of(point, unicode) != SAME:
                return end, 2
            runs += not inside
            inside = True
            at += size
    return at, runs


@kernel
def operator_at(data, start, end):
    """Return the kind of a word: `AND`, `OR`, `NOT`, `RESERVED`, `LOWER` or `NO_OPERATOR`."""
    size = end - start
    if size == 2:
        a, b = data[start], data[start + 1]
        if a == 79 and b == 82:
            return OR
        if a == 79 and b == 70:
            return RESERVED
        if a == 111 and b == 114:
            return LOWER
    elif size == 3:
        a, b, c = data[start], data[start + 1], data[start + 2]
        if a == 65 and b == 78 and c == 68:
            return AND
        if a == 78 and b == 79 and c == 84:
            return NOT
        if a == 88 and b == 79 and c == 82:
            return RESERVED
        if (a == 97 and b == 110 and c == 100) or (a == 110 and b == 111 and c == 116):
            return LOWER
    elif 4 <= size <= 6 and _is_reserved(data, start, size):
        return RESERVED
    return NO_OPERATOR


@kernel
def _is_reserved(data, start, size):
    """Return whether a word is NEAR, ONEAR or ANDNOT."""
    first = 6 * (size - 4)
    for k in range(size):
        if data[start + k] != _FOREIGN[first + k]:
            return False
    return True
