"""The naive engine: every pattern is tried by itself against every text (Wang and Jacobsen 2004, section 4).

It shares nothing between patterns; the paper measures it to show what sharing is worth. Layout and cost:
`kernels.patterns.naive`. Adding is a copy, removing a scan of the payloads, because there is nothing that could lead
to the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from watchword.arrays import Arrays, Int32, Int64
from watchword.index.hits import Hits, collect
from watchword.kernels.free_rows import payload_row
from watchword.kernels.patterns.naive import naive_match
from watchword.patterns.store import PatternStore
from watchword.patterns.structure import Patterns, Structure
from watchword.strings import Strings


class Naive(Structure):
    """Every pattern against every text."""

    operation: ClassVar[str] = "places and patterns tried"

    def __init__(self) -> None:
        self._store = PatternStore()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns behind those already there."""
        self._store.add(patterns, payloads)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern, found by a scan of the payloads."""
        row = payload_row(self._store.payloads, payload)
        if payload < 0 or row < 0:
            raise KeyError(payload)
        self._store.remove(int(row), pattern)
        self._store.squeeze()

    def match(self, texts: Strings) -> Hits:
        """Try every pattern against each text."""
        offsets, cuts, pool, _, gaps = self._store.patterns()
        rows = (offsets, cuts, pool, gaps, self._store.payloads)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return naive_match(  # type: ignore[no-any-return]
                first, used, texts.data, texts.offsets, *rows, ends, payloads
            )

        return collect(texts.count, step)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        held = self._store.payloads
        live = held >= 0
        held[live] = payloads[held[live]]

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes`` and ``postings``, the number of words stored."""
        rows, words, text = self._store.live.tolist()
        per_row, per_word = 8 + 4 + 4, 8 + 4 + 4  # start, last gap and payload; start, length and gap
        return {"bytes": text + per_row * rows + per_word * words, "postings": words}

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        return self._store.arrays()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._store = PatternStore.from_arrays(arrays)
        return made
