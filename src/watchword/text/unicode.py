"""Python's own Unicode data as arrays for kernels.

`word_tables` has the folded form and kind of every character, by `text.folding` (`kernels.text.characters` has the
layout); `fold_tables` is the case folding alone, for patterns. Both are in pages: the entry of a character is
``values[256 * pages[code >> 8] + (code & 255)]``, and equal pages are there once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import compress
from operator import ne

import numpy as np

from watchword.arrays import Int64, UInt8, UInt16
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
_CODES = np.r_[0:0x40000, 0xE0000:0xE1000]

_JOINING_HANGUL = frozenset(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
"""The vowels and last consonants, which unite with the character before them by a rule."""

Pairs = list[tuple[int, int, int]]


@cache
def word_tables(folding: Folding) -> Unicode:
    """Return the tables of every character's folded form (made once a process, in a tenth of a second)."""
    chars = _chars()
    parted = list(compress(chars, map(unicodedata.decomposition, chars)))
    pairs = _pairs(parted)
    joining = _JOINING_HANGUL | {chr(second) for _, second, _ in pairs}
    values = np.zeros(0x110000, np.uint16)
    groups = _groups(chars)
    values[_CODES] = (groups == ord("L")) | (groups == ord("N"))
    values[ord("_")] = SAME
    for first, last in CJK_RANGES if folding.cjk is not None else ():
        values[first : last + 1][values[first : last + 1] == SAME] = SAME_CJK
    entries = [0] * (SAME_CJK + 1)
    known: dict[str, int] = {}
    for char in _not_simple(chars, groups, joining.union(parted)):
        folded = folding.char(char)
        if folded == char and char not in joining and kind_of(char) != MARK:
            continue
        value = known.setdefault(folded, len(entries))
        if value == len(entries):
            entries += _entries(folded, joining, folding)
        values[ord(char)] = value if folded else IGNORED
    for first, last in IGNORABLE:
        values[first : last + 1] = IGNORED
    return Unicode(*_make_pages(values), np.array(entries, np.int64), _sort_both_ways(pairs))


def _chars() -> list[str]:
    """Return all characters that may be assigned."""
    return list(map(chr, _CODES.tolist()))


def _groups(chars: list[str]) -> UInt8:
    """Return the first letter of the category of each character, such as L for letters."""
    return np.frombuffer("".join(map(unicodedata.category, chars)).encode(), np.uint8)[::2]


def _not_simple(chars: list[str], groups: UInt8, others: frozenset[str]) -> list[str]:
    """Return the characters that may become something else, are marks, or are among the others, in order."""
    marks = compress(chars, (groups == ord("M")).tolist())
    return sorted(others.union(_folded(chars), marks, map(chr, BARE)))


def _folded(chars: list[str]) -> Iterator[str]:
    """Return the characters that differ from their case folding."""
    return compress(chars, map(ne, chars, map(str.casefold, chars)))


def _entries(folded: str, joining: frozenset[str], folding: Folding) -> list[int]:
    """Return the entries for the folded form of a character."""
    entries = [
        ord(char)
        | folding.kind(char) << KIND_SHIFT
        | (JOINS if char in joining else 0)
        | unicodedata.combining(char) << CLASS_SHIFT
        for char in folded
    ]
    return [*entries[:-1], entries[-1] | LAST] if entries else []


def _pairs(parted: list[str]) -> Pairs:
    """Return the pairs of code points that compose, each with its composition, without excluded ones."""
    found: Pairs = []
    for char in parted:
        decomposition = unicodedata.decomposition(char)
        if not decomposition.startswith("<") and unicodedata.is_normalized("NFC", char):
            first, second = decomposition.split()
            found.append((int(first, 16), int(second, 16), ord(char)))
    return found


def _sort_both_ways(pairs: Pairs) -> Int64:
    """Return the pairs sorted by their parts, then again sorted by their composition."""
    together = sorted(first << 42 | second << 21 | united for first, second, united in pairs)
    apart = sorted(united << 42 | first << 21 | second for first, second, united in pairs)
    return np.array(together + apart, np.int64)


@cache
def fold_tables() -> FoldTables:
    """Return the case folding of every character as UTF-8 (once a process)."""
    values = np.zeros(0x110000, np.uint16)
    offsets, folds = [0], bytearray()
    for char in _folded(_chars()):
        folds += char.casefold().encode()
        offsets.append(len(folds))
        values[ord(char)] = len(offsets) - 1
    return FoldTables(*_make_pages(values), np.array(offsets, np.int64), np.frombuffer(folds, np.uint8))


def _make_pages(values: UInt16) -> tuple[UInt16, UInt16]:
    """Return the page of each 256 characters, and the distinct pages end to end."""
    numbers: dict[bytes, int] = {}
    rows = values.reshape(-1, 256)
    pages = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    return np.array(pages, np.uint16), np.frombuffer(bytearray(b"".join(numbers)), np.uint16)  # writable: one signature
