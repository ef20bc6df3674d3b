"""Which subscriptions are plain: words between spaces or `AND`, that need no parser."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.text.characters import SAME, value_of
from watchword.kernels.text.utf8 import decode

# Bytes of a subscription's text, by what they mean for the plain form (`plain_rows`).
WORD, SPACE, MARK, SYNTAX, MINUS, AMPERSAND = 0, 1, 2, 3, 4, 5

_RESERVED = np.frombuffer(b"NEAR..ONEAR.ANDNOT", np.uint8)

NO_OPERATOR, AND, OTHER, LOWER = 0, 1, 2, 3
"""What a word may be: nothing special, AND, another operator, or one in lower case."""


@kernel
def plain_rows(data, offsets, classes, unicode, literal, plain):
    """Say which rows are plain: words that are one term each, between spaces or `AND`.

    `classes[b]` is the class of an ASCII byte. A plain row means the conjunction of its terms, so it needs
    no parser; its `AND`s are overwritten by spaces in `data`. Whatever is not obviously plain is not: a
    quote, a parenthesis, a leading minus, another operator, two terms in one word, a dangling `AND`, no
    term at all, a non-ASCII character other than an unchanging word character, a sign that other tools
    have a meaning for, and, unless they are `literal`, `and`, `or` and `not`.
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
            at, runs = _word(data, at, end, classes, unicode)
            operator = _operator(data, start, at)
            if runs > 1 or (operator == LOWER and not literal):
                good = False
            elif operator == AND and operand:
                data[start:at] = 32
                operand = False
                wanted = True
            elif operator in (AND, OTHER):
                good = False
            elif runs:
                operand = True
                wanted = False
        plain[row] = good and operand and not wanted


@kernel
def _word(data, at, end, classes, unicode):
    """Return where a word ends, and how many terms it has; two where it is nothing plain."""
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
def _operator(data, start, end):
    """Return what a word is, among operators."""
    size = end - start
    if size == 2:
        a, b = data[start], data[start + 1]
        if a == 79 and b == 82:
            return OTHER
        if a == 111 and b == 114:
            return LOWER
    elif size == 3:
        a, b, c = data[start], data[start + 1], data[start + 2]
        if a == 65 and b == 78 and c == 68:
            return AND
        if (a == 78 and b == 79 and c == 84) or (a == 88 and b == 79 and c == 82):
            return OTHER
        if (a == 97 and b == 110 and c == 100) or (a == 110 and b == 111 and c == 116):
            return LOWER
    elif 4 <= size <= 6 and _is_reserved(data, start, size):
        return OTHER
    return NO_OPERATOR


@kernel
def _is_reserved(data, start, size):
    """Say whether a word is NEAR, ONEAR or ANDNOT."""
    first = 6 * (size - 4)
    for k in range(size):
        if data[start + k] != _RESERVED[first + k]:
            return False
    return True
