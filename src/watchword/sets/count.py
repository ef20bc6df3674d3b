"""The simple count index: postings and a counter, no look at the rows (Kourdounakis 2011, sections 2.2.1,
2.2.2 and 3.1.1).

Layout: `LinkedPostings`, and ``counters[row]``, the number of terms of the row as int16, in an array that
doubles when it is full. Adding is Algorithm 3; matching, Algorithm 4, counts down in a private copy of the
counter, made once per batch.

Invariant: ``counters[row]`` is the number of lists that hold the row.

Cost: matching is one decrement per posting of the item's terms, and a second walk to undo them; adding is
O(terms); removing walks the row's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, Int64, resized
from watchword.index.hits import Hits, collect
from watchword.kernels.sets.count import count_match
from watchword.kernels.sets.postings import postings_find
from watchword.sets.numbering import RowNumbers, one_row, row_sizes
from watchword.sets.postings import LinkedPostings
from watchword.sets.structure import Rows, Structure


class Count(Structure):
    """A row matches when as many of its terms were met as it has."""

    operation: ClassVar[str] = "counter decrements"

    def __init__(self) -> None:
        self._numbers = RowNumbers()
        self._postings = LinkedPostings()
        self._counters: npt.NDArray[np.int16] = np.empty(16, np.int16)

    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once: each term's new postings lie side by side."""
        sizes = row_sizes(rows)
        numbers = self._numbers.take(payloads)
        if self._numbers.used > len(self._counters):
            self._counters = resized(self._counters, max(self._numbers.used, 2 * len(self._counters)))
        self._counters[numbers] = sizes
        self._postings.load(rows, numbers)

    def add(self, terms: Int32, payload: int) -> None:
        """Add one row (Algorithm 3)."""
        self.load(one_row(terms), np.array([payload], np.int32))

    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row, found through the shortest list of its terms."""
        lists = self._postings
        held = (self._numbers.payloads, self._counters, lists.heads, lists.lengths, lists.nodes)
        row = postings_find(terms, payload, *held)
        if row < 0:
            raise KeyError(payload)
        lists.drop(terms, row)
        self._numbers.give(row)

    def match(self, items: Rows) -> Hits:
        """Count down along the postings of each item's terms (Algorithm 4)."""
        lists, numbers = self._postings, self._numbers
        counters = self._counters[: numbers.used].copy()
        store = (lists.heads, lists.nodes, numbers.payloads, counters)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return count_match(first, used, *items, *store, ends, payloads)  # type: ignore[no-any-return]

        return collect(len(items), step, numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; postings hold row numbers and stay."""
        self._numbers.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes``, ``postings``, ``terms`` (lists) and ``counters`` (rows)."""
        lists, rows = self._postings, self._numbers.live
        size = lists.bytes + (2 + 4) * rows
        return {"bytes": size, "postings": len(lists), "terms": lists.terms, "counters": rows}

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        counters: Arrays = {"counters": self._counters[: self._numbers.used]}
        return self._numbers.arrays() | self._postings.arrays() | counters

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._numbers = RowNumbers.from_arrays(arrays)
        made._postings = LinkedPostings.from_arrays(arrays)
        made._counters = np.asarray(arrays["counters"])
        return made
