"""Brute force: test every row, term by term, until one is missing (Kourdounakis 2011, section 2.1).

`Brute` tests the terms in the order of the text (Algorithm 1); `OrderedBrute` is the same code over rows that
come rarest term first, so that most rows fail at their first test (end of section 2.1, Example 2.2; the
example's count of 10 tests without the order is a slip, it is 15).

Layout: the rows of `RowPool` and nothing else; the thesis asks for no more space than the subscriptions
themselves. Cost: matching is O(rows x terms), adding is O(terms), and removing is a scan too, because there
is no index that could lead to the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, Int64, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.sets.brute import brute_match, payload_row, squeeze
from watchword.sets.numbering import RowNumbers, one_row, row_sizes
from watchword.sets.structure import Rows, Structure


class RowPool:
    """Numbered rows with their terms, one behind the other in one array.

    A removed row's terms stay in the pool as waste until they are more than half of it; then the pool is
    packed, which makes removal O(1) on average. Row numbers stay as they are.
    """

    def __init__(self) -> None:
        self.numbers = RowNumbers()
        self.starts: Int64 = np.empty(0, np.int64)
        self.sizes: npt.NDArray[np.int16] = np.empty(0, np.int16)
        self.pool: Int32 = np.empty(0, np.int32)
        self.end = 0
        self.stored = 0

    def load(self, rows: Rows, payloads: Int32) -> Int32:
        """Add many rows; return their numbers."""
        sizes = row_sizes(rows)
        taken = self.numbers.take(payloads)
        self.starts = reserve(self.starts, self.numbers.used)
        self.sizes = reserve(self.sizes, self.numbers.used)
        self.pool = reserve(self.pool, self.end + len(rows.terms))
        self.starts[taken] = rows.offsets[:-1] + self.end
        self.sizes[taken] = sizes
        self.pool[self.end : self.end + len(rows.terms)] = rows.terms
        self.end += len(rows.terms)
        self.stored += len(rows.terms)
        return taken

    def remove(self, row: int) -> None:
        """Forget a row."""
        self.stored -= int(self.sizes[row])
        self.sizes[row] = 0
        self.numbers.give(row)
        if 2 * self.stored < self.end:
            packed = np.empty(self.stored + self.stored // 2, np.int32)
            squeeze(self.starts[: self.numbers.used], self.sizes[: self.numbers.used], self.pool, packed)
            self.pool, self.end = packed, self.stored

    def terms(self, row: int) -> Int32:
        """Return a row's terms."""
        return self.pool[self.starts[row] : self.starts[row] + self.sizes[row]]

    @property
    def bytes(self) -> int:
        """Bytes in use: terms, and per row its start, its size and its payload."""
        return 4 * self.stored + (8 + 2 + 4) * self.numbers.live

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        used = self.numbers.used
        arrays = self.numbers.arrays()
        arrays |= {"starts": self.starts[:used], "sizes": self.sizes[:used], "pool": self.pool[: self.end]}
        arrays["stored"] = np.array([self.stored], np.int64)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the pool that `arrays` describes."""
        made = cls()
        made.numbers = RowNumbers.from_arrays(arrays)
        made.starts, made.sizes, made.pool = (np.asarray(arrays[name]) for name in ("starts", "sizes", "pool"))
        made.end, made.stored = len(made.pool), int(arrays["stored"][0])
        return made


class Brute(Structure):
    """Every row against every item, terms in the order of the text."""

    order: ClassVar[str | None] = None
    operation: ClassVar[str] = "membership tests"

    def __init__(self) -> None:
        self._rows = RowPool()

    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once: a few array copies."""
        self._rows.load(rows, payloads)

    def add(self, terms: Int32, payload: int) -> None:
        """Add one row."""
        self._rows.load(one_row(terms), np.array([payload], np.int32))

    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row, found by a scan of the payloads."""
        row = payload_row(self._rows.numbers.payloads[: self._rows.numbers.used], payload)
        if row < 0 or not np.array_equal(np.sort(self._rows.terms(row)), np.sort(terms)):
            raise KeyError(payload)
        self._rows.remove(row)

    def match(self, items: Rows) -> Hits:
        """Test every row against each item (Algorithm 1)."""
        rows, end = self._rows, self._rows.numbers.used
        store = (rows.starts[:end], rows.sizes[:end], rows.numbers.payloads[:end], rows.pool)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return brute_match(first, used, *items, *store, ends, payloads)  # type: ignore[no-any-return]

        return collect(len(items), step, rows.numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        self._rows.numbers.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes`` and ``postings``, the number of terms stored."""
        return {"bytes": self._rows.bytes, "postings": self._rows.stored}

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        return self._rows.arrays()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._rows = RowPool.from_arrays(arrays)
        return made


class OrderedBrute(Brute):
    """Every row against every item, rarest term first."""

    order: ClassVar[str | None] = "reverse-rank"
