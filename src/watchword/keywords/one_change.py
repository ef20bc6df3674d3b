"""One subscription of plain words at a time, stored or removed by one call of a kernel (`kernels.keywords.one_change`).

Everything else goes the general way, by a parser and clauses: other texts, and a change for which an array has no room,
which that way makes. Who calls has the index to itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from watchword.arrays import Int64
from watchword.kernels.handles import handles_of
from watchword.kernels.jit import BYTES, FLOAT, HANDLES, INT, entry
from watchword.kernels.keywords import one_change as kernels
from watchword.keywords.query import Limits, may_be_plain
from watchword.lazy import lazy
from watchword.sets.packed import PackedRows
from watchword.text.vocabulary import Vocabulary

LONGEST = 256
"""Bytes of a text up to which it is changed here."""


class OneChange:
    """Changes the vocabulary and the structure of an index by single texts."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        structure: PackedRows,
        counts: dict[str, int],
        limits: Limits,
        literal_operators: bool,
    ) -> None:
        """Stored rows are counted in `counts`."""
        self._vocabulary, self._structure, self._counts = vocabulary, structure, counts
        self._own = (
            np.empty(LONGEST, np.uint8),
            np.empty(LONGEST // 2 + 2, np.int64),
            np.empty(LONGEST // 2 + 2, np.int32),
            np.array([limits.terms, limits.term_bytes, literal_operators], np.int64),
        )

    takes = staticmethod(may_be_plain)

    def add(self, slot: int, text: str) -> bool:
        """Store a plain text; returns False, and stores nothing, if it is not plain or there is no room."""
        vocabulary, structure = self._vocabulary, self._structure
        share, record = structure.next_row()
        mark, vocabulary.size = self._calls[0](text.encode(), self._state(), slot, record, vocabulary.size, share)
        if mark < 0:
            return False
        structure.note_added(slot, record, mark)
        self._counts["plain"] += 1
        return True

    def remove(self, slot: int, text: str) -> bool:
        """Remove the plain text of a slot; returns False, and removes nothing, if it is not plain or not stored."""
        structure = self._structure
        record = structure.record_of(slot)
        if record is None or not text.isascii() or not self._calls[1](text.encode(), self._state(), slot, record):
            return False
        structure.note_removed(slot, record)
        self._counts["plain"] -= 1
        return True

    def _state(self) -> Int64:
        """Return the handles for the kernels, cached in the delta: most of the arrays belong to it."""
        vocabulary, structure = self._vocabulary, self._structure
        known, uses, counts, delta = vocabulary.known, vocabulary.uses, structure.counts, structure.delta
        made = delta.change_state
        if made is None or known is not made[0] or uses is not made[1] or counts is not made[2]:
            arrays = *known, uses, *counts, *delta.lists, *structure.base.packed, *self._own
            made = delta.change_state = known, uses, counts, handles_of(arrays, kernels.CHANGE_KINDS)
        handles: Int64 = made[3]
        return handles

    @lazy
    def _calls(self) -> tuple[Any, Any]:
        """Return the kernels that add and remove, loaded together, so that the first removal does not wait."""
        add = entry(kernels.add_text, BYTES, HANDLES, INT, INT, INT, FLOAT)
        return add, entry(kernels.remove_text, BYTES, HANDLES, INT, INT)
