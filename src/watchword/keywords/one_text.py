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

Buffers = tuple[Int32, Int32]
"""Room for the terms of a text, and for what it finds."""


class OneText:
    """Matches single texts with the reader, the structure and the clauses of an index."""

    def __init__(self, reader: Reader, structure: PackedRows, clauses: ClauseTable) -> None:
        self._reader, self._structure, self._clauses = reader, structure, clauses
        self._spare: list[Buffers] = []

    def find(self, text: bytes) -> tuple[Int32, int]:
        """Return the slots that a text of at most `LONGEST` bytes satisfies, and the operations spent."""
        structure = self._structure
        try:
            numbers, payloads = self._spare.pop()
        except IndexError:
            numbers, payloads = np.empty(most_terms(LONGEST), np.int32), np.empty(1024, np.int32)
        reads, finds = self._reader.state(), structure.state()
        terms, count, operations, has_clause = match_text(text, reads, finds, numbers, payloads)
        while count < 0:
            payloads = np.empty(4 * len(payloads), np.int32)
            terms, count, operations, has_clause = match_text(text, reads, finds, numbers, payloads)
        structure.observed(1)
        slots = payloads[:count].copy()
        if has_clause or self._clauses.has_unbound:
            slots = self._clauses.check_one(numbers[:terms], slots)
        self._spare.append((numbers, payloads))
        return slots, operations
