"""Tables of the folded form of each character (made by `watchword.text.unicode` from Python's own Unicode data).

The *value* of a character is ``values[256 * pages[code >> 8] + (code & 255)]``:

    SEPARATOR   it is no part of a term                                    space, -, 🙂
    SAME        a word character that stays as it is                       é, ж
    IGNORED     it is left out, as if it were not there                    soft hyphen, joiners, variation selectors
    SAME_CJK    as SAME, and one of the characters that terms pair         東, where `cjk="bigrams"`
    k           anything else: the entries of `folds` from k on, to the first that has LAST

An entry has a code point in its lowest 21 bits; its kind (SEPARATOR, WORD, MARK or CJK) in two more; JOINS where
the code point may unite with one before it (the acute accent of ``e`` + ``´``); in eight bits its combining class, by
which marks are put in order. "Ǆ" has one entry, "ǆ"; "ﬁ" has two, "f" and "i"; an acute accent has itself, for it is no
plain word character.

`pairs` has what unites, twice: from `first << 42 | second << 21 | united`, sorted, to find what two make; then
`united << 42 | first << 21 | second`, sorted, to take one apart. Syllables of Hangul follow a rule and are not in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt16
from watchword.kernels.handles import arrays_at
from watchword.kernels.jit import inline, kernel

SEPARATOR, SAME, IGNORED, SAME_CJK = 0, 1, 2, 3
WORD, MARK, CJK = 1, 2, 3

POINT = (1 << 21) - 1
KIND_SHIFT = 21
JOINS = 1 << 23
CLASS_SHIFT = 24
LAST = 1 << 32


class Unicode(NamedTuple):
    """The tables."""

    pages: UInt16
    values: UInt16
    folds: Int64
    pairs: Int64


UNICODE_KINDS = (np.uint16, np.uint16, np.int64, np.int64)


@kernel
def unicode_at(handles, first):
    """Return the tables behind the handles from number `first` on."""
    return Unicode(*arrays_at(handles, first, UNICODE_KINDS))


@inline
def value_of(point, unicode):
    """Return the value of a code point."""
    return np.int64(unicode.values[(np.int64(unicode.pages[point >> 8]) << 8) | (point & 0xFF)])


@inline
def entry_of(point, unicode):
    """Return the entry of a code point that folds to itself, as all do in a folded text."""
    value = value_of(point, unicode)
    if value > SAME_CJK:
        return unicode.folds[value]
    if value == SAME:
        return point | (WORD << KIND_SHIFT)
    return point | (CJK << KIND_SHIFT) if value == SAME_CJK else point
