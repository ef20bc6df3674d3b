"""Python's own Unicode data as arrays for kernels: which characters are word characters, and how they fold.

The entry of a character is ``values[256 * pages[code >> 8] + (code & 255)]``: pages of 256 entries, equal ones once.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from watchword.arrays import UInt16
from watchword.kernels.text.folding import FoldTables
from watchword.kernels.text.scan import Unicode

# Every assigned character lies here; the planes between hold nothing, those above are for private use.
_PLANES = (range(0x40000), range(0xE0000, 0xE1000))


def is_word(char: str) -> bool:
    """Say whether a character may be part of a term."""
    return char == "_" or unicodedata.category(char)[0] in "LNM"


@cache
def word_tables() -> Unicode:
    """Return which characters are word characters, and their foldings (once a process, a tenth of a second)."""
    values = np.zeros(0x110000, np.uint16)
    folds: list[int] = []
    fold_starts = [0]
    for plane in _PLANES:
        chars = list(map(chr, plane))
        values[plane.start : plane.stop] = [is_word(char) for char in chars]
        for char, folded in zip(chars, map(str.casefold, chars), strict=True):
            if char == folded:
                continue
            if not all(map(is_word, folded)):  # circled letters: a separator, whatever its case
                values[ord(char)] = 0
                continue
            folds += map(ord, folded)
            fold_starts.append(len(folds))
            values[ord(char)] = len(fold_starts)
    return Unicode(*_paged(values), np.array(fold_starts, np.int64), np.array(folds, np.uint32))


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
    distinct, pages = np.unique(values.reshape(-1, 256), axis=0, return_inverse=True)
    return pages.reshape(-1).astype(np.uint16), np.ascontiguousarray(distinct).reshape(-1)
