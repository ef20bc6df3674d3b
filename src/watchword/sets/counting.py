"""The counting algorithm of the notes on predicates (Pereira et al. 2000; Wang, Quan and Zhao 2019, Figure 2).

It stores what `count` stores: for each atom the rows that hold it (the association table), and for each row how many
atoms it needs (nb_cond). Matching differs. `count` counts down, sees a row reach 0 when it does, and undoes what it
did; here hits are counted up, and a scan over all rows, hit or not, compares them with the number needed. So an item
costs a pass over all |S| rows, however few it meets: that is the paper's algorithm, its baseline for clusters.

>>> method = Counting()
>>> rows = Rows(np.array([0, 3, 5, 8, 10]), np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12], np.int32))
>>> method.add(rows, np.array([1, 2, 3, 4], np.int32))
>>> hits = method.match(Rows(np.array([0, 3]), np.array([1, 24, 12], np.int32)))
>>> hits.payloads.tolist(), hits.operations
([2, 4], 6)

Line 7 of Figure 2 tests `s` where its loop runs over `i`; `i` is meant. The C++ printed beside it is another algorithm:
it tests every predicate of every subscription. The counter of a removed row stays at least 1, and no list leads to it,
so it can never match.

Layout, invariant and cost of matching: see `kernels.sets.counting`.
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import counting as kernels
from watchword.kernels.sets.counting import HitCount
from watchword.sets.count import Count
from watchword.sets.rows import Rows


class Counting(Count):
    """A row matches if its hit count equals the number of its atoms."""

    operation: ClassVar[str] = "counter increments"

    def __init__(self) -> None:
        super().__init__()
        self._longest = 0

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, and remember the length of the longest."""
        super().add(rows, payloads)
        self._longest = max(self._longest, int(np.diff(rows.offsets).max(initial=0)))

    def match(self, items: Rows) -> Hits:
        """Count the hits of each item, then look at every row."""
        lists, numbers = self._postings.lists, self._numbers
        narrow = self._longest < 256
        hitcount = np.zeros(numbers.used, np.uint8) if narrow else np.zeros(numbers.used, np.uint16)
        index = HitCount(lists.heads, lists.nodes, numbers.payloads, self._counters[: numbers.used], hitcount)
        step = partial(kernels.match, items.offsets, items.atoms, index)
        return collect(len(items), step, numbers.room(len(items)))

    def arrays(self) -> Arrays:
        """Return the arrays of `count`, and the length of the longest row."""
        return super().arrays() | {"longest": np.array([self._longest], np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        super().restore(arrays)
        self._longest = int(arrays["longest"][0])
