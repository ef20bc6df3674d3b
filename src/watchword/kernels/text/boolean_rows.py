"""Encodes subscriptions with phrases, OR, NOT or parentheses, for rows in which nothing has to be refused.

``"debt crisis" OR -(greece AND imf)`` becomes the codes ``2 OR NOT OPEN 1 AND 1 CLOSE``: a positive code `n` is an atom
of `n` terms, the next terms of the row without its operators. `kernels.keywords.dnf` makes clauses from codes and the
terms' numbers.

Whatever is not obvious is left to the parser, `keywords.query`: syntax of other tools, lower-case operators, words
without a term, quotes that are not ASCII or never closed, characters that change when they are folded, and more than
`MOST_TERMS` terms. So this file has no error messages, and decides no errors.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.text.characters import SAME, value_of
from watchword.kernels.text.plain_rows import (
    AMPERSAND,
    LOWER,
    MINUS,
    NO_OPERATOR,
    RESERVED,
    SPACE,
    SYNTAX,
    WORD,
    operator_at,
)
from watchword.kernels.text.plain_rows import AND as AND_WORD
from watchword.kernels.text.plain_rows import NOT as NOT_WORD
from watchword.kernels.text.plain_rows import OR as OR_WORD
from watchword.kernels.text.utf8 import decode

OPEN, CLOSE, AND, OR, NOT = -1, -2, -3, -4, -5

MOST_TERMS = 64
"""How many terms a row may have."""

_QUOTE, _OPEN, _CLOSE, _SLASH = 34, 40, 41, 47
_AROUND = np.frombuffer(b"AROUND", np.uint8)


@kernel
def boolean_rows(source, offsets, classes, unicode, literal, rows, data, code_offsets, codes):
    """Write the codes of some rows to `codes`, and the rows to `data`, with spaces in place of their operators.

    `codes`, int8, has room for a code per byte of these rows. A row that is left to the parser has none.
    """
    fill = 0
    code_offsets[0] = 0
    for k in range(len(rows)):
        begin, end = offsets[rows[k]], offsets[rows[k] + 1]
        for at in range(begin, end):
            data[at] = source[at]
        at, first, terms = begin, fill, 0
        while at >= 0 and at < end:
            byte = source[at]
            kind = classes[byte] if byte < 0x80 else WORD
            if kind == SPACE:
                at += 1
                continue
            if byte in (_OPEN, _CLOSE):
                codes[fill] = OPEN if byte == _OPEN else CLOSE
                at += 1
            elif kind == MINUS:
                codes[fill] = NOT
                at = at + 1 if _can_be_negated(source, at + 1, end, classes) else np.int64(-1)
            elif byte == _QUOTE:
                at, size = _piece(source, at + 1, end, classes, unicode, True)
                codes[fill] = size
                terms += size
            else:
                start = at
                at, size = _piece(source, at, end, classes, unicode, False)
                operator = NO_OPERATOR if at < 0 else operator_at(source, start, at)
                codes[fill] = size
                terms += size
                if operator in (AND_WORD, OR_WORD, NOT_WORD):
                    codes[fill] = AND if operator == AND_WORD else (OR if operator == OR_WORD else NOT)
                    terms -= size
                    data[start:at] = 32
                elif (
                    operator == RESERVED
                    or (operator == LOWER and not literal)
                    or _is_around(source, start, at, end)
                    or (at - start == 2 and _is_of(source, start, end))
                ):
                    at = np.int64(-1)
            fill += 1
            if terms > MOST_TERMS:
                at = np.int64(-1)
        if at < 0:
            fill = first
        code_offsets[k + 1] = fill


@kernel
def _can_be_negated(source, at, end, classes):
    """Return whether a word, a quotation or a parenthesis begins at `at`, so that the minus before it is a NOT."""
    if at == end:
        return False
    byte = source[at]
    return byte >= 128 or classes[byte] == WORD or byte in (_QUOTE, _OPEN)


@kernel
def _piece(source, at, end, classes, unicode, quoted):
    """Return the end of a word or quotation, and its number of terms; -1 and 0 if it is left to the parser."""
    size = 0
    inside = False
    while at < end:
        byte = source[at]
        if byte == _QUOTE:
            break
        if byte >= 0x80:
            point, width = decode(source, at, end, False)
            if width == 0 or value_of(point, unicode) != SAME:
                return np.int64(-1), 0
            size += not inside
            inside = True
            at += width
            continue
        kind = classes[byte]
        if not quoted:
            if kind == SPACE or byte in (_OPEN, _CLOSE):
                break
            doubled = kind == AMPERSAND and at + 1 < end and source[at + 1] == byte
            if kind == SYNTAX or byte == _SLASH or doubled:
                return np.int64(-1), 0
        size += kind == WORD and not inside
        inside = kind == WORD
        at += 1
    if size == 0 or size > MOST_TERMS or (quoted and at == end):
        return np.int64(-1), 0
    return at + quoted, size


@kernel
def _is_around(source, start, at, end):
    """Return whether a word is AROUND, followed by a parenthesis."""
    if at < 0 or at == end or at - start != len(_AROUND) or source[at] != _OPEN:
        return False
    for k in range(len(_AROUND)):
        if source[start + k] != _AROUND[k]:
            return False
    return True


@kernel
def _is_of(source, start, end):
    """Return whether a word of two letters is `of`, followed by a parenthesis, perhaps behind ASCII spaces."""
    at = start + 2
    while at < end and source[at] <= 32:
        at += 1
    return source[start] == 111 and source[start + 1] == 102 and at < end and source[at] == _OPEN
