"""Zones: the breakpoints of one kind of value in one field, with their labels; and the spans between labels.

Breakpoints have *labels*, even numbers that ascend with them; a value has the label of the breakpoint that it equals,
or one more than that of the greatest below it. With ``value > 20``, ``value <= 30`` and the labels 200 and 400 (for 20
and 30), the value 15 stands at 1, 20 at 200, 25 at 201, 30 at 400, 31 at 401::

    value > 20     the span [201, last]       25, 30 and 31 lie inside
    value <= 30    the span [1, 400]          15, 20, 25 and 30 do
    value != 20    outside of [200, 200]

A new breakpoint gets a label half-way between its neighbours, so spans stay as they are. Where there is no room left
all labels of the zone are spread evenly, and the spans are moved with them (`moved`). Each kind of value has a zone of
labels of its own.

A zone of a snapshot searches the saved arrays if it has many breakpoints; they become lists when one is added.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int64
from watchword.predicates.constants import Numbers, Texts
from watchword.predicates.predicate import Predicate
from watchword.predicates.values import OTHER, after_prefix

POINT, INSIDE, OUTSIDE = 0, 1, 2
"""How an atom holds: it was listed; or some value of its field lies inside, or outside, its span."""

ZONE_BITS = 56


class Span(NamedTuple):
    """An interval of labels, both ends included; `mode` is `INSIDE` or `OUTSIDE`."""

    mode: int
    low: int
    high: int


LISTED = Span(POINT, 0, 0)
"""What an atom that is listed has for a span."""


class Zone:
    """The breakpoints of one kind of value in one field, ascending, with their labels."""

    def __init__(self, kind: int) -> None:
        self.first, self.last = (kind << ZONE_BITS) + 1, ((kind + 1) << ZONE_BITS) - 1
        self.breaks: list[Any] = []
        self.labels: list[int] = []
        self._saved: tuple[Numbers | Texts, Int64] | None = None

    def restore(self, breaks: Numbers | Texts, labels: Int64, *, listed: bool) -> None:
        """Take over saved breakpoints and labels: as lists if `listed`, else as the saved arrays."""
        self._saved = breaks, labels
        if listed:
            self.wake()

    def wake(self) -> None:
        """Make lists of saved breakpoints."""
        saved = self._saved
        if saved is not None:
            self.breaks, self.labels = saved[0].listed(), saved[1].tolist()
            self._saved = None

    def place(self, value: Any) -> int:
        """Return the label of a value."""
        saved = self._saved  # once: another thread may wake the zone
        if saved is not None:
            return self._place_in(saved, value)
        at = bisect_right(self.breaks, value) - 1
        if at < 0:
            return self.first
        return self.labels[at] + int(self.breaks[at] != value)

    def _place_in(self, saved: tuple[Numbers | Texts, Int64], value: Any) -> int:
        breaks, labels = saved
        at = breaks.rank(value) - 1
        return self.first if at < 0 else int(labels[at]) + int(breaks[at] != value)

    def label(self, value: Any) -> int | None:
        """Return the label of a breakpoint, new or known; None if there is no room for a new one."""
        self.wake()
        at = bisect_left(self.breaks, value)
        if at < len(self.breaks) and self.breaks[at] == value:
            return self.labels[at]
        below = self.labels[at - 1] if at else self.first - 1
        above = self.labels[at] if at < len(self.breaks) else self.last + 1
        label = (below + above) // 2 & ~1
        if label <= below:
            return None
        self.breaks.insert(at, value)
        self.labels.insert(at, label)
        return label

    def spread(self, values: Iterable[Any]) -> None:
        """Give all breakpoints, old and new, evenly spread labels."""
        self.wake()
        self.breaks = sorted({*self.breaks, *values})
        step = (1 << ZONE_BITS) // (len(self.breaks) + 1) & ~1
        self.labels = [self.first - 1 + step * (number + 1) for number in range(len(self.breaks))]

    def span(self, predicate: Predicate) -> Span | None:
        """Return the span of a predicate about this kind of value; None if a breakpoint found no room."""
        operator = predicate.operator
        ends = [self.label(value) for value in breakpoints(predicate)]
        if None in ends:
            return None
        low, high = ends[0] or 0, ends[-1] or 0
        if operator in ("STARTS WITH", "ENDS WITH"):
            return Span(INSIDE, low, high - 1 if len(ends) > 1 else self.last)
        return {
            "!=": Span(OUTSIDE, low, low),
            "<": Span(INSIDE, self.first, low - 1),
            "<=": Span(INSIDE, self.first, low),
            ">": Span(INSIDE, low + 1, self.last),
            ">=": Span(INSIDE, low, self.last),
        }.get(operator, Span(INSIDE, low, high))

    def moved(self, ends: Int64, before: Sequence[int], after: Sequence[int], beside: int) -> Int64:
        """Return the ends of spans in the new labels of the same breakpoints.

        An end is the label of a breakpoint, the place `beside` it (1 for a low end, -1 for a high one), or an end of
        the zone; labels are even, so it can be told which.
        """
        old, new = np.array(before, np.int64), np.array(after, np.int64)
        odd = ends & 1
        at = np.searchsorted(old, ends - beside * odd).clip(0, len(old) - 1)
        known = old[at] == ends - beside * odd
        return np.where(known, new[at] + beside * odd, ends)


EVERYWHERE = Span(INSIDE, 0, (OTHER + 1) << ZONE_BITS)
"""The span of EXISTS."""


def breakpoints(predicate: Predicate) -> list[Any]:
    """Return the values, all of one kind, whose labels bound a predicate's span."""
    values = [value for _, value in predicate.constants]
    if predicate.operator in ("STARTS WITH", "ENDS WITH"):
        behind = after_prefix(values[0])
        return values if behind is None else [*values, behind]
    return values
