"""The naive engine: every pattern is tried by itself against every text (Wang and Jacobsen 2004, section 4).

It shares nothing between patterns; the paper measures it to show what sharing is worth. Layout and cost:
`kernels.patterns.naive`. Adding is a copy, removing a scan of the payloads, because there is nothing that could lead
to the row.

    add      song?blue → 0, pie*tea → 1
    match    "apple pie and tea" finds 1; 6 operations: 2 rows were tried, at 4 positions
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits, collect
from watchword.kernels.patterns import naive as kernels
from watchword.kernels.patterns.naive import NaiveRows
from watchword.patterns.rows import Patterns, PatternStore, PatternStructure
from watchword.strings import Strings


class Naive(PatternStructure):
    """Every pattern against every text."""

    operation: ClassVar[str] = "positions and patterns tried"

    def __init__(self) -> None:
        self._store = PatternStore()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Append patterns."""
        self._store.add(patterns, payloads)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern, found by a scan of the payloads."""
        self._store.remove(self._store.row(payload), pattern)
        self._store.squeeze()

    def match(self, texts: Strings) -> Hits:
        """Try every pattern against each text."""
        stored = self._store.patterns()
        rows = NaiveRows(stored.offsets, stored.word_offsets, stored.data, stored.gaps, self._store.payloads)
        return collect(texts.count, partial(kernels.match, texts.data, texts.offsets, rows))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        self._store.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes`` and ``postings``, the number of words stored."""
        return {"bytes": self._store.bytes, "postings": int(self._store.live[1])}

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        return self._store.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._store.restore(arrays)
