"""Which words the items have, for a word of a draft that none of them has: ``harbuor``, and 12 items have ``harbour``.

Words are the terms of a sample, the newest items, with the number of items that have them. Words within two edits (a
character put in, left out or replaced) are found by one table of distances for all words of a similar length at once.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.archive.events import text_events
from watchword.arrays import Int64, distinct_numbers
from watchword.text.analyzer import Analyzer

ITEMS = 20_000
"""Items of the sample."""
BYTES = 16 << 20
"""Bytes of the sample."""
WORDS = 200_000
"""Words that are kept, those of the most items."""
_LONGEST = 40
_TABLES = 2


class Words:
    """Words by the number of items that have them.

    >>> words = Words(["harbour", "harbor", "ferry"], [12, 3, 40])
    >>> words.nearest("harbuor")
    ['harbour', 'harbor']
    >>> "ferry" in words, words.nearest("xy")
    (True, [])
    """

    def __init__(self, words: list[str], counts: list[int]) -> None:
        self._counts = dict(zip(words, counts, strict=True))
        self._by_length: dict[int, tuple[list[str], Any]] = {}
        for word in words:
            self._by_length.setdefault(len(word), ([], None))[0].append(word)

    def __contains__(self, word: str) -> bool:
        return word in self._counts

    def nearest(self, word: str, most: int = 3) -> list[str]:
        """Return the most frequent words within two edits, of short words within one."""
        edits = 0 if len(word) < 3 else 1 if len(word) < 5 else 2
        if not edits or len(word) > _LONGEST:
            return []
        found = [
            known
            for length in range(len(word) - edits, len(word) + edits + 1)
            for known in self._within(word, length, edits)
            if known != word
        ]
        return sorted(found, key=lambda known: (-self._counts[known], known))[:most]

    def _within(self, word: str, length: int, edits: int) -> list[str]:
        if length not in self._by_length:
            return []
        words, codes = self._by_length[length]
        if codes is None:
            codes = np.array([[*map(ord, known)] for known in words], np.int32).reshape(len(words), length)
            self._by_length[length] = words, codes
        return [words[at] for at in np.flatnonzero(distances(word, codes) <= edits).tolist()]


def distances(word: str, codes: Any) -> Int64:
    """Return the edits (Levenshtein) between a word and others of one length, a row of code points each.

    >>> distances("harbuor", np.array([[*map(ord, "harbour")], [*map(ord, "hardout")]])).tolist()
    [2, 4]
    """
    rows, length = codes.shape
    before = np.broadcast_to(np.arange(length + 1), (rows, length + 1)).T
    for number, letter in enumerate(word, 1):
        after = np.empty((length + 1, rows), np.int64)
        after[0] = number
        for at in range(length):
            replaced = before[at] + (codes[:, at] != ord(letter))
            after[at + 1] = np.minimum(np.minimum(before[at + 1], after[at]) + 1, replaced)
        before = after
    return np.asarray(before[length], np.int64)


_known: list[tuple[weakref.ref[pa.Table], Words]] = []


def words_of(table: pa.Table) -> Words:
    """Return the words of a table's newest items; remembered for as long as the table, of the last two tables."""
    for known, words in _known:
        if known() is table:
            return words
    words = count_words(table)
    _known[:] = [(weakref.ref(table), words), *_known[: _TABLES - 1]]
    return words


def count_words(table: pa.Table) -> Words:
    """Return the words of the newest items, at most `ITEMS` of them and about `BYTES`."""
    texts = text_events(table.slice(max(len(table) - ITEMS, 0)))
    sizes = np.cumsum(pc.binary_length(texts).to_numpy()[::-1])
    kept = max(int(np.searchsorted(sizes, BYTES)), 1)
    terms = Analyzer().terms_many(texts.slice(max(len(texts) - kept, 0)).combine_chunks())
    numbered = terms.flatten().dictionary_encode()
    rows = np.repeat(np.arange(len(terms)), np.diff(terms.offsets.to_numpy()))
    pairs = distinct_numbers(rows * (len(numbered.dictionary) + 1) + numbered.indices.to_numpy())
    counts = np.bincount(pairs % (len(numbered.dictionary) + 1), minlength=len(numbered.dictionary))
    chosen = np.argsort(-counts, kind="stable")[:WORDS]
    return Words(numbered.dictionary.take(pa.array(chosen)).to_pylist(), counts[chosen].tolist())
