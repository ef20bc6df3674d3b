"""Breakpoints with their labels, ascending, in blocks, so that inserting costs the same among 1,000 and 1,000,000.

With the breakpoints 20, 30 and 40, the labels 200, 400 and 600, and at most two in a block::

    values  [20, 30] [40]         labels  [200, 400] [600]         firsts  20 40

35 comes into the first block, which is then cut in two: ``[20] [30, 35] [40]``.

Invariant: no block is empty, but for the one of no breakpoints; ``firsts[k]`` is the first value of block `k`.
Cost: a search is two bisections; an insertion moves at most `BLOCK` values.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

BLOCK = 1024
"""The most breakpoints in a block."""


class Place(NamedTuple):
    """Where a value is, or would be: a block, a position in it, and the labels before and behind the position.

    `own` is the label of the value if it is a breakpoint; `below` and `above` are None at the ends.
    """

    block: int
    at: int
    below: int | None
    own: int | None
    above: int | None


class Breaks:
    """Breakpoints of one kind of value, and their labels."""

    def __init__(self, values: Sequence[Any] = (), labels: Sequence[int] = ()) -> None:
        starts = range(0, len(values), BLOCK // 2)
        self._values = [list(values[start : start + BLOCK // 2]) for start in starts] or [[]]
        self._labels = [list(labels[start : start + BLOCK // 2]) for start in starts] or [[]]
        self._firsts = [block[0] for block in self._values if block]
        self._count = len(values)

    def __len__(self) -> int:
        return self._count

    def values(self) -> list[Any]:
        """Return the breakpoints, ascending."""
        return list(chain.from_iterable(self._values))

    def labels(self) -> list[int]:
        """Return the labels, ascending."""
        return list(chain.from_iterable(self._labels))

    def label_at(self, value: Any) -> int | None:
        """Return the label of the breakpoint that a value equals, or one more than that of the greatest below it; None
        if there is none."""
        block = bisect_right(self._firsts, value) - 1
        if block < 0:
            return None
        values = self._values[block]
        at = bisect_right(values, value) - 1
        return self._labels[block][at] + int(values[at] != value)

    def find(self, value: Any) -> Place:
        """Return the place of a value."""
        block = max(0, bisect_right(self._firsts, value) - 1)
        values, labels = self._values[block], self._labels[block]
        at = bisect_left(values, value)
        own = labels[at] if at < len(values) and values[at] == value else None
        if at < len(values):
            above: int | None = labels[at]
        else:
            above = self._labels[block + 1][0] if block + 1 < len(self._labels) else None
        return Place(block, at, labels[at - 1] if at else None, own, above)

    def insert(self, place: Place, value: Any, label: int) -> None:
        """Insert a breakpoint at its place, which `find` has just returned."""
        block, at = place.block, place.at
        values, labels = self._values[block], self._labels[block]
        values.insert(at, value)
        labels.insert(at, label)
        if at == 0:
            self._firsts[:1] = [value]  # only in the first block: in the others a value comes behind the first
        self._count += 1
        if len(values) > BLOCK:
            self._cut(block)

    def _cut(self, block: int) -> None:
        values, labels = self._values[block], self._labels[block]
        half = len(values) // 2
        self._values[block : block + 1] = values[:half], values[half:]
        self._labels[block : block + 1] = labels[:half], labels[half:]
        self._firsts.insert(block + 1, values[half])
