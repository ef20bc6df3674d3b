"""Inverted file: only rows that share a term with the item are tested (Kourdounakis 2011, section 2.2).

IF_Match (Algorithm 2) unites the postings of the item's terms and then verifies the union by brute force, for
which it needs the rows themselves: a `RowPool` beside `LinkedPostings`. Invariant: a live row of the pool
stands in the list of each of its terms, and nowhere else.

Cost: matching reads the lists of the item's terms; adding is O(terms); removing walks the row's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from watchword.arrays import Arrays, Int32, Int64
from watchword.index.hits import Hits, collect
from watchword.kernels.sets.inverted import inverted_match
from watchword.kernels.sets.postings import postings_find
from watchword.sets.brute import RowPool
from watchword.sets.numbering import one_row
from watchword.sets.postings import LinkedPostings
from watchword.sets.structure import Rows, Structure


class Inverted(Structure):
    """Postings to find candidates, brute force to verify them."""

    operation: ClassVar[str] = "postings read"

    def __init__(self) -> None:
        self._rows = RowPool()
        self._postings = LinkedPostings()

    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once: each term's new postings lie side by side."""
        self._postings.load(rows, self._rows.load(rows, payloads))

    def add(self, terms: Int32, payload: int) -> None:
        """Add one row, in front of the lists of its terms."""
        self.load(one_row(terms), np.array([payload], np.int32))

    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row, found through the shortest list of its terms."""
        lists, rows = self._postings, self._rows
        held = (rows.numbers.payloads, rows.sizes, lists.heads, lists.lengths, lists.nodes)
        row = postings_find(terms, payload, *held)
        if row < 0:
            raise KeyError(payload)
        lists.drop(terms, row)
        rows.remove(row)

    def match(self, items: Rows) -> Hits:
        """Verify every row that the item's terms lead to (Algorithm 2)."""
        lists, rows = self._postings, self._rows
        store = (lists.heads, lists.nodes, rows.starts, rows.sizes, rows.numbers.payloads, rows.pool)
        seen = np.zeros(rows.numbers.used, np.int32)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return inverted_match(first, used, *items, *store, seen, ends, payloads)  # type: ignore[no-any-return]

        return collect(len(items), step, rows.numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; postings hold row numbers and stay."""
        self._rows.numbers.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes``, ``postings`` and ``terms``, the number of lists."""
        lists = self._postings
        return {"bytes": lists.bytes + self._rows.bytes, "postings": len(lists), "terms": lists.terms}

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        return self._rows.arrays() | self._postings.arrays()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._rows = RowPool.from_arrays(arrays)
        made._postings = LinkedPostings.from_arrays(arrays)
        return made
