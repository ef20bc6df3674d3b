"""Patterns one behind the other in arrays that grow, each with its payload.

Layout as in `Patterns`; a removed row has the payload -1 and stays as waste until waste is more than half, then the
rest is moved together.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from watchword.arrays import NO_BYTES, Arrays, Int32, Int64, UInt8, reserve
from watchword.kernels.patterns.naive import squeeze
from watchword.patterns.structure import Patterns


class PatternStore:
    """Patterns and payloads; `live` counts rows, words and bytes of those not removed."""

    def __init__(self) -> None:
        self.rows = self._words = 0
        self.live = np.zeros(3, np.int64)
        self._offsets: Int64 = np.zeros(1, np.int64)
        self._cuts: Int64 = np.zeros(1, np.int64)
        self._pool: UInt8 = NO_BYTES
        self._chars: Int32 = np.empty(0, np.int32)
        self._gaps: Int32 = np.empty(0, np.int32)
        self._payloads: Int32 = np.empty(0, np.int32)

    def __len__(self) -> int:
        return int(self.live[0])

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns behind those already there."""
        rows, words = self.rows, self._words
        used = int(self._cuts[words])
        more_rows, more_words = len(patterns), len(patterns.chars)
        self._offsets = reserve(self._offsets, rows + more_rows + 1)
        self._cuts = reserve(self._cuts, words + more_words + 1)
        self._pool = reserve(self._pool, used + len(patterns.data))
        self._chars = reserve(self._chars, words + more_words)
        self._gaps = reserve(self._gaps, rows + words + more_rows + more_words)
        self._payloads = reserve(self._payloads, rows + more_rows)
        self._offsets[rows : rows + more_rows + 1] = patterns.offsets + words
        self._cuts[words : words + more_words + 1] = patterns.cuts + used
        self._pool[used : used + len(patterns.data)] = patterns.data
        self._chars[words : words + more_words] = patterns.chars
        self._gaps[rows + words : rows + words + more_rows + more_words] = patterns.gaps
        self._payloads[rows : rows + more_rows] = payloads
        self.rows, self._words = rows + more_rows, words + more_words
        self.live += (more_rows, more_words, len(patterns.data))

    def remove(self, row: int, pattern: Patterns) -> None:
        """Remove a row, which must hold this pattern: a `KeyError` if it does not. Rows may move then."""
        first, stop = int(self._offsets[row]), int(self._offsets[row + 1])
        stored = self._pool[self._cuts[first] : self._cuts[stop]], self._gaps[first + row : stop + row + 1]
        if not (np.array_equal(stored[0], pattern.data) and np.array_equal(stored[1], pattern.gaps)):
            raise KeyError(int(self._payloads[row]))
        self._payloads[row] = -1
        self.live -= (1, stop - first, len(pattern.data))

    def squeeze(self) -> bool:
        """Drop the waste if it is more than half; say whether rows moved."""
        if 2 * self.live[1] >= self._words:
            return False
        patterns, payloads = self.patterns(), self.payloads
        self.rows, self._words, _ = squeeze(*patterns, payloads)
        return True

    @property
    def payloads(self) -> Int32:
        """Return the payload of each row, -1 for those removed."""
        return self._payloads[: self.rows]

    def patterns(self) -> Patterns:
        """Return all rows, those removed among them; not a copy."""
        rows, words = self.rows, self._words
        return Patterns(
            self._offsets[: rows + 1],
            self._cuts[: words + 1],
            self._pool[: self._cuts[words]],
            self._chars[:words],
            self._gaps[: rows + words],
        )

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        return {**self.patterns()._asdict(), "payloads": self.payloads, "live": self.live}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the store that `arrays` describes."""
        made = cls()
        made._offsets, made._cuts, made._pool = arrays["offsets"], arrays["cuts"], arrays["data"]
        made._chars, made._gaps, made._payloads = arrays["chars"], arrays["gaps"], arrays["payloads"]
        made.rows, made._words = len(made._payloads), len(made._chars)
        made.live = arrays["live"].copy()
        return made
