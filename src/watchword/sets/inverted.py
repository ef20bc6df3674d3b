"""Inverted file: only rows that share an atom with the item are tested (Kourdounakis 2011, section 2.2).

IF_Match (Algorithm 2) unites the postings of the item's atoms and then verifies the union by brute force, for which it
needs the rows themselves. With the first four rows of Table 2.1, the item {1, 12, 24} reads the four postings of 1 and
one each of 12 and 24; the union is S1 to S4, the answer S2 and S4:

>>> method = Inverted()
>>> rows = Rows(np.array([0, 3, 5, 8, 10]), np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12], np.int32))
>>> method.add(rows, np.array([1, 2, 3, 4], np.int32))
>>> hits = method.match(Rows(np.array([0, 3]), np.array([1, 12, 24], np.int32)))
>>> sorted(hits.payloads.tolist()), hits.operations
([2, 4], 6)

Verifying them takes two membership tests each: S1 and S3 fail at their second atom, S2 and S4 have no more.

>>> method.stats()["membership_tests_per_match"]
8.0

Layout: a `RowPool` beside `LinkedPostings`. Invariant: a live row of the pool stands in the list of each of its atoms,
and nowhere else.

Cost: matching reads the lists of the item's atoms; adding is O(atoms); removing walks the row's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, Int64
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import inverted as kernels
from watchword.kernels.sets.inverted import InvertedFile
from watchword.sets.brute import RowPool
from watchword.sets.postings import LinkedPostings
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure


class Inverted(SetStructure):
    """Postings to find candidates, brute force to verify them."""

    operation: ClassVar[str] = "postings read"

    def __init__(self) -> None:
        self._rows = RowPool()
        self._postings = LinkedPostings()
        self._tests = self._items = 0

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, in front of the lists of their atoms; each atom's postings from many rows lie side by side."""
        self._postings.add(rows, self._rows.add(rows, payloads))

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row, found through the shortest list of its atoms."""
        rows = self._rows.rows
        row = self._postings.remove(atoms, payload, rows.sizes, rows.payloads)
        if row < 0:
            raise KeyError(payload)
        self._rows.remove(row)

    def match(self, items: Rows) -> Hits:
        """Verify every row that the item's atoms lead to (Algorithm 2)."""
        lists, rows = self._postings.lists, self._rows.rows
        tests = np.zeros(1, np.int64)
        file = InvertedFile(lists.heads, lists.nodes, *rows, np.zeros(len(rows.sizes), np.int32), tests)
        step = partial(kernels.match, items.offsets, items.atoms, file)
        hits = collect(len(items), step, self._rows.numbers.room(len(items)))
        self._tests += int(tests[0])
        self._items += len(items)
        return hits

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; postings hold row numbers and stay."""
        self._rows.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes``, ``postings``, ``terms`` (lists), and what verifying an item has cost on average.

        Operations are postings read; ``membership_tests_per_match`` counts the look-ups of atoms in the item.
        """
        lists = self._postings
        return {
            "bytes": lists.bytes + self._rows.bytes,
            "postings": len(lists),
            "terms": lists.atoms,
            "membership_tests_per_match": self._tests / self._items if self._items else 0.0,
            "lists_bytes": 8 * lists.atoms,
            "postings_bytes": 8 * len(lists),
            "rows_bytes": self._rows.bytes,
            "allocated_bytes": lists.allocated + self._rows.allocated,
        }

    def per_atom(self) -> Int64:
        """Return the length of each atom's list."""
        return self._postings.per_atom()

    def arrays(self) -> Arrays:
        """Return the rows and the lists."""
        return self._rows.arrays() | self._postings.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._rows.restore(arrays)
        self._postings.restore(arrays)
