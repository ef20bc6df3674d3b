"""The simple count index: postings and a counter, no look at the rows (Kourdounakis 2011, sections 2.2.1, 2.2.2 and
3.1.1).

Example 2.4 with the first four rows of Table 2.1: the item {1, 24, 12} decrements the counters of S1 to S4 once, for 1,
and that of S2 and of S4 once more; these two were 2, and are 0 now:

>>> method = Count()
>>> rows = Rows(np.array([0, 3, 5, 8, 10]), np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12], np.int32))
>>> method.add(rows, np.array([1, 2, 3, 4], np.int32))
>>> method.arrays()["counters"].tolist()
[3, 2, 3, 2]
>>> hits = method.match(Rows(np.array([0, 3]), np.array([1, 24, 12], np.int32)))
>>> hits.payloads.tolist(), hits.operations
([2, 4], 6)

Layout: `LinkedPostings`, and ``counters[row]``, the number of atoms of the row as int16, in an array that doubles when
it is full. Adding is Algorithm 3; matching, Algorithm 4 (`kernels.sets.count`), counts down in a private copy of the
counter, made once per batch.

Invariant: ``counters[row]`` is the number of lists that hold the row.

Cost: matching is one decrement per posting of the item's atoms, and a second walk to undo them; adding is O(atoms);
removing walks the row's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int16, Int32, Int64, resized
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import count as kernels
from watchword.kernels.sets.count import CountIndex
from watchword.sets.numbering import RowNumbers, row_sizes
from watchword.sets.postings import LinkedPostings
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure


class Count(SetStructure):
    """A row matches when its counter, which begins at its number of atoms, reaches 0."""

    operation: ClassVar[str] = "counter decrements"

    def __init__(self) -> None:
        self._numbers = RowNumbers()
        self._postings = LinkedPostings()
        self._counters: Int16 = np.empty(16, np.int16)

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows (Algorithm 3); each atom's postings from many rows lie side by side."""
        sizes = row_sizes(rows)
        numbers = self._numbers.take(payloads)
        if self._numbers.used > len(self._counters):
            self._counters = resized(self._counters, max(self._numbers.used, 2 * len(self._counters)))
        self._counters[numbers] = sizes
        self._postings.add(rows, numbers)

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row, found through the shortest list of its atoms."""
        row = self._postings.remove(atoms, payload, self._counters, self._numbers.payloads)
        if row < 0:
            raise KeyError(payload)
        self._numbers.give_back(row)

    def match(self, items: Rows) -> Hits:
        """Count down along the postings of each item's atoms (Algorithm 4)."""
        lists, numbers = self._postings.lists, self._numbers
        index = CountIndex(lists.heads, lists.nodes, numbers.payloads, self._counters[: numbers.used].copy())
        step = partial(kernels.match, items.offsets, items.atoms, index)
        return collect(len(items), step, numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; postings hold row numbers and stay."""
        self._numbers.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes``, ``postings``, ``terms`` (lists) and ``counters`` (rows).

        Bytes by part, as equation 2.2 has them: ``lists_bytes`` (its vocabulary), ``postings_bytes``, and
        ``counter_bytes`` with the payloads. ``allocated_bytes`` has spare room in it.
        """
        lists, rows = self._postings, self._numbers.live
        parts = {"lists_bytes": 8 * lists.atoms, "postings_bytes": 8 * len(lists)}
        parts["counter_bytes"] = self._numbers.bytes + 2 * rows
        allocated = lists.allocated + self._numbers.allocated + self._counters.nbytes
        figures = {"bytes": sum(parts.values()), "postings": len(lists), "terms": lists.atoms, "counters": rows}
        return figures | parts | {"allocated_bytes": allocated}

    def per_atom(self) -> Int64:
        """Return the length of each atom's list (Figure 4.2)."""
        return self._postings.per_atom()

    def arrays(self) -> Arrays:
        """Return the row numbers, the lists and the counter."""
        counters: Arrays = {"counters": self._counters[: self._numbers.used]}
        return self._numbers.arrays() | self._postings.arrays() | counters

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._numbers.restore(arrays)
        self._postings.restore(arrays)
        self._counters = np.asarray(arrays["counters"])
