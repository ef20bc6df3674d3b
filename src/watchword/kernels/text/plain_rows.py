"""Which subscriptions are plain: words between spaces or `AND`, that need no parser."""

from __future__ import annotations

from watchword.kernels.jit import kernel
from watchword.kernels.text.characters import SAME, value_of
from watchword.kernels.text.utf8 import decode

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
                    if size == 0 or value_of(point, unicode) != SAME:
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
