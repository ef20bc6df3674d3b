"""Python's own Unicode data as arrays for kernels.

`word_tables` is what `text.folding` says of every character (`kernels.text.characters` has the layout); `fold_tables`
is the case folding alone, for patterns. Both are in pages: the entry of a character is
``values[256 * pages[code >> 8] + (code & 255)]``, and equal pages are there once.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from watchword.arrays import Int64, UInt16
from watchword.kernels.text.characters import (
    CLASS_SHIFT,
    IGNORED,
    JOINS,
    KIND_SHIFT,
    LAST,
    MARK,
    SAME,
    SAME_CJK,
    Unicode,
)
from watchword.kernels.text.folding import FoldTables
from watchword.text.folding import BARE, CJK_RANGES, IGNORABLE, Folding, kind_of

# Every assigned character lies here; the planes between hold nothing, those above are for private use.
_PLANES = (range(0x40000), range(0xE0000, 0xE1000))

_JOINING_HANGUL = frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
"""The vowels and last consonants, which unite with what is before them by a rule."""

Pairs = list[tuple[int, int, int]]


@cache
def word_tables(folding: Folding) -> Unicode:
    """Return what every character becomes in a term (once a process, a few tenths of a second)."""
    pairs = _pairs()
    joining = _JOINING_HANGUL | {chr(second) for _, second, _ in pairs}
    values = np.zeros(0x110000, np.uint16)
    for plane in _PLANES:
        values[plane.start : plane.stop] = [
            category[0] in "LN" for category in map(unicodedata.category, map(chr, plane))
        ]
    values[ord("_")] = SAME
    for first, last in CJK_RANGES if folding.cjk is not None else ():
        values[first : last + 1][values[first : last + 1] == SAME] = SAME_CJK
    entries = [0] * (SAME_CJK + 1)
    known: dict[str, int] = {}
    for char in _not_simple(joining):
        folded = folding.char(char)
        if folded == char and char not in joining and kind_of(char) != MARK:
            continue
        value = known.setdefault(folded, len(entries))
        if value == len(entries):
            entries += _entries(folded, joining, folding)
        values[ord(char)] = value if folded else IGNORED
    for first, last in IGNORABLE:
        values[first : last + 1] = IGNORED
    return Unicode(*_paged(values), np.array(entries, np.int64), _sorted_twice(pairs))


def _not_simple(joining: frozenset[str]) -> list[str]:
    """Return the characters that may become something else, or have to do with what is before them."""
    chars = [char for plane in _PLANES for char in map(chr, plane)]
    facts = zip(
        chars,
        map(str.casefold, chars),
        map(unicodedata.decomposition, chars),
        map(unicodedata.category, chars),
        strict=True,
    )
    return [
        char
        for char, folded, parts, category in facts
        if parts or char != folded or category[0] == "M" or char in joining or ord(char) in BARE
    ]


def _entries(folded: str, joining: frozenset[str], folding: Folding) -> list[int]:
    """Return the entries of what a character becomes."""
    entries = [
        ord(char)
        | folding.kind(char) << KIND_SHIFT
        | (JOINS if char in joining else 0)
        | unicodedata.combining(char) << CLASS_SHIFT
        for char in folded
    ]
    return [*entries[:-1], entries[-1] | LAST] if entries else []


def _pairs() -> Pairs:
    """Return which two code points unite, and into what: what decomposes into two, and is not excluded from uniting."""
    found: Pairs = []
    for code, decomposition in enumerate(map(unicodedata.decomposition, map(chr, _PLANES[0]))):
        if decomposition and not decomposition.startswith("<") and unicodedata.is_normalized("NFC", chr(code)):
            first, second = decomposition.split()
            found.append((int(first, 16), int(second, 16), code))
    return found


def _sorted_twice(pairs: Pairs) -> Int64:
    """Return the pairs by what unites, then by what it makes."""
    together = sorted(first << 42 | second << 21 | united for first, second, united in pairs)
    apart = sorted(united << 42 | first << 21 | second for first, second, united in pairs)
    return np.array(together + apart, np.int64)


@cache
def fold_tables() -> FoldTables:
    """Return the case folding of every character as UTF-8 (once a process)."""
    values = np.zeros(0x110000, np.uint16)
    offsets, folds = [0], bytearray()
    for plane in _PLANES:
        for code, char in enumerate(map(chr, plane), plane.start):
            folded = char.casefold()
            if folded != char:
                folds += folded.encode()
                offsets.append(len(folds))
                values[code] = len(offsets) - 1
    return FoldTables(*_paged(values), np.array(offsets, np.int64), np.frombuffer(folds, np.uint8))


def _paged(values: UInt16) -> tuple[UInt16, UInt16]:
    """Return the page of each 256 characters, and the distinct pages end to end."""
    numbers: dict[bytes, int] = {}
    rows = values.reshape(-1, 256)
    pages = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return np.array(pages, np.uint16), np.frombuffer(bytearray(b"".join(numbers)), np.uint16)  # writable: one signature
