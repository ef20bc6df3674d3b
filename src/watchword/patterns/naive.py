"""The naive engine: every pattern is tried by itself against every text (Wang and Jacobsen 2004, section 4).

It shares nothing between patterns; the paper measures it to show what sharing is worth. Layout and cost:
`kernels.naive`. Patterns lie one behind the other; a removed one stays as waste until waste is more than half, then
the rest is moved together. Adding is a copy, removing a scan of the payloads, because there is nothing that could
lead to the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from watchword.buffers import NO_BYTES, Strings, UInt8
from watchword.hits import Hits, Int32, Int64, collect
from watchword.kernels.arrays import reserve
from watchword.kernels.brute import payload_row
from watchword.kernels.naive import naive_match, squeeze
from watchword.patterns.structure import Arrays, Patterns, Structure


class Naive(Structure):
    """Every pattern against every text."""

    operation: ClassVar[str] = "places and patterns tried"

    def __init__(self) -> None:
        self._rows = self._words = 0
        self._live = np.zeros(3, np.int64)  # rows, words and bytes of patterns not removed
        self._offsets: Int64 = np.zeros(1, np.int64)
        self._cuts: Int64 = np.zeros(1, np.int64)
        self._pool: UInt8 = NO_BYTES
        self._gaps: Int32 = np.empty(0, np.int32)
        self._payloads: Int32 = np.empty(0, np.int32)

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns behind those already there."""
        rows, words = self._rows, self._words
        used = int(self._cuts[words])
        more_rows, more_words = len(patterns), len(patterns.chars)
        self._offsets = reserve(self._offsets, rows + more_rows + 1)
        self._cuts = reserve(self._cuts, words + more_words + 1)
        self._pool = reserve(self._pool, used + len(patterns.data))
        self._gaps = reserve(self._gaps, rows + words + more_rows + more_words)
        self._payloads = reserve(self._payloads, rows + more_rows)
        self._offsets[rows : rows + more_rows + 1] = patterns.offsets + words
        self._cuts[words : words + more_words + 1] = patterns.cuts + used
        self._pool[used : used + len(patterns.data)] = patterns.data
        self._gaps[rows + words : rows + words + more_rows + more_words] = patterns.gaps
        self._payloads[rows : rows + more_rows] = payloads
        self._rows, self._words = rows + more_rows, words + more_words
        self._live += (more_rows, more_words, len(patterns.data))

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern, found by a scan of the payloads."""
        row = payload_row(self._payloads[: self._rows], payload)
        if payload < 0 or row < 0:
            raise KeyError(payload)
        first, stop = int(self._offsets[row]), int(self._offsets[row + 1])
        stored = self._pool[self._cuts[first] : self._cuts[stop]], self._gaps[first + row : stop + row + 1]
        if not (np.array_equal(stored[0], pattern.data) and np.array_equal(stored[1], pattern.gaps)):
            raise KeyError(payload)
        self._payloads[row] = -1
        self._live -= (1, stop - first, len(pattern.data))
        if 2 * self._live[1] < self._words:
            self._rows, self._words, _ = squeeze(*self._store())

    def match(self, texts: Strings) -> Hits:
        """Try every pattern against each text."""
        store = self._store()

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return naive_match(  # type: ignore[no-any-return]
                first, used, texts.data, texts.offsets, *store, ends, payloads
            )

        return collect(texts.count, step)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        held = self._payloads[: self._rows]
        live = held >= 0
        held[live] = payloads[held[live]]

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes`` and ``postings``, the number of words stored."""
        rows, words, text = self._live.tolist()
        per_row, per_word = 8 + 4 + 4, 8 + 4  # start, last gap and payload; start and gap
        return {"bytes": text + per_row * rows + per_word * words, "postings": words}

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        names = ("offsets", "cuts", "pool", "gaps", "payloads")
        return dict(zip(names, self._store(), strict=True), live=self._live)

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._offsets, made._cuts, made._pool = arrays["offsets"], arrays["cuts"], arrays["pool"]
        made._gaps, made._payloads = arrays["gaps"], arrays["payloads"]
        made._rows, made._words = len(made._payloads), len(made._cuts) - 1
        made._live = arrays["live"].copy()
        return made

    def _store(self) -> tuple[Int64, Int64, UInt8, Int32, Int32]:
        """Return offsets, cuts, pool, gaps and payloads, trimmed to what is in use."""
        rows, words = self._rows, self._words
        return (
            self._offsets[: rows + 1],
            self._cuts[: words + 1],
            self._pool[: self._cuts[words]],
            self._gaps[: rows + words],
            self._payloads[:rows],
        )
