"""One text at a time, by one call of a kernel that reads it and matches it (`kernels.keywords.one_text`).

Buffers are kept from text to text. A thread takes a pair of them and puts it back, so that no two threads have the same
one; a pair that an interruption leaves behind is lost, and the next text makes another.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.keywords.one_text import match_text
from watchword.kernels.text.read_terms import most_terms
from watchword.keywords.reader import Reader
from watchword.sets.clauses import ClauseTable
from watchword.sets.packed import PackedRows

LONGEST = 1 << 14
"""Bytes of a text up to which it is matched here; a longer one has work enough to be a batch of its own."""

Buffers = tuple[Int32, Int32, Int32]
"""Buffers for the terms of a text, the payloads that it finds, and the slots that remain after checking clauses."""


class OneText:
    """Matches single texts with the reader, the structure and the clauses of an index."""

    def __init__(self, reader: Reader, structure: PackedRows, clauses: ClauseTable) -> None:
        self._reader, self._structure, self._clauses = reader, structure, clauses
        self._spare: list[Buffers] = []

    def find(self, text: bytes) -> tuple[Int32, int]:
        """Return the slots that a text of at most `LONGEST` bytes satisfies, and the operations spent."""
        structure = self._structure
        try:
            numbers, payloads, slots = self._spare.pop()
        except IndexError:
            numbers, payloads, slots = np.empty(most_terms(LONGEST), np.int32), *_room(1024)
        states = self._reader.state(), structure.state(), self._clauses.state(), self._clauses.rare
        count, operations, is_checked = match_text(text, *states, numbers, payloads, slots)
        while count < 0:
            payloads, slots = _room(4 * len(payloads))
            count, operations, is_checked = match_text(text, *states, numbers, payloads, slots)
        structure.count_events(1)
        found = (slots if is_checked else payloads)[:count].copy()
        self._spare.append((numbers, payloads, slots))
        return found, operations


def _room(size: int) -> tuple[Int32, Int32]:
    return np.empty(size, np.int32), np.empty(size, np.int32)
