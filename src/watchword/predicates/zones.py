"""Zones: the breakpoints of one kind of value in one field, with their labels; and the spans between labels.

Breakpoints have *labels*, even numbers that ascend with them; a value has the label of the breakpoint that it equals,
or one more than that of the greatest below it. With ``value > 20``, ``value <= 30`` and the labels 200 and 400 (for 20
and 30), the value 15 stands at 1, 20 at 200, 25 at 201, 30 at 400, 31 at 401::

    value > 20     the span [201, last]       25, 30 and 31 lie inside
    value <= 30    the span [1, 400]          15, 20, 25 and 30 do
    value != 20    outside of [200, 200]

A new breakpoint gets a label half-way between its neighbours, so spans stay as they are. Beside a breakpoint that came
just before, it gets one close by: values that ascend, as times do, would else halve the same room each time, and have
used up the 2^56 labels of a zone after 55. Where there is no room left all labels of the zone are spread evenly, and
the spans are moved with them (`moved`). Each kind of value has a zone of labels of its own.

A zone of a snapshot searches the saved arrays if it has many breakpoints; they become lists when one is added.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int64
from watchword.predicates.breaks import Breaks
from watchword.predicates.constants import Numbers, Texts
from watchword.predicates.predicate import Predicate
from watchword.predicates.values import OTHER, after_prefix

POINT, INSIDE, OUTSIDE = 0, 1, 2
"""How an atom holds: it was listed; or some value of its field lies inside, or outside, its span."""

ZONE_BITS = 56

RECENT = 4
"""The number of latest breakpoints beside which a new one takes little room: both ends of BETWEEN may ascend."""

LITTLE = 16
"""Beside a recent breakpoint a new one takes 1 in ``1 << LITTLE`` of the room: a million and a half fit into a zone."""


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
        self._breaks = Breaks()
        self._recent: deque[int] = deque(maxlen=RECENT)
        self._saved: tuple[Numbers | Texts, Int64] | None = None

    @property
    def breaks(self) -> list[Any]:
        """Return the breakpoints, ascending."""
        return self._breaks.values()

    @property
    def labels(self) -> list[int]:
        """Return the labels of the breakpoints."""
        return self._breaks.labels()

    @property
    def is_empty(self) -> bool:
        """Return whether there is no breakpoint."""
        return self._saved is None and not len(self._breaks)

    def restore(self, breaks: Numbers | Texts, labels: Int64, *, listed: bool) -> None:
        """Take over saved breakpoints and labels: as lists if `listed`, else as the saved arrays."""
        self._saved = breaks, labels
        if listed:
            self.wake()

    def wake(self) -> None:
        """Make lists of saved breakpoints."""
        saved = self._saved
        if saved is not None:
            self._breaks = Breaks(saved[0].listed(), saved[1].tolist())
            self._saved = None

    def place(self, value: Any) -> int:
        """Return the label of a value."""
        saved = self._saved  # once: another thread may wake the zone
        if saved is not None:
            return self._place_in(saved, value)
        label = self._breaks.label_at(value)
        return self.first if label is None else label

    def _place_in(self, saved: tuple[Numbers | Texts, Int64], value: Any) -> int:
        breaks, labels = saved
        at = breaks.rank(value) - 1
        return self.first if at < 0 else int(labels[at]) + int(breaks[at] != value)

    def label(self, value: Any) -> int | None:
        """Return the label of a breakpoint, new or known; None if there is no room for a new one."""
        self.wake()
        place = self._breaks.find(value)
        if place.own is not None:
            return place.own
        below = self.first - 1 if place.below is None else place.below
        above = self.last + 1 if place.above is None else place.above
        if above - below < 4:
            return None
        label = self._label_between(below, above)
        self._breaks.insert(place, value, label)
        self._recent.append(label)
        return label

    def _label_between(self, below: int, above: int) -> int:
        """Return an even label between two others: close to a recent one, else half-way."""
        room = above - below
        if len(self._breaks) > 2 * RECENT:
            if below in self._recent:
                return below + max(2, room >> LITTLE & ~1)
            if above in self._recent:
                return above - max(2, room >> LITTLE & ~1)
        return below + (room >> 1 & ~1)

    def spread(self, values: Iterable[Any]) -> None:
        """Give all breakpoints, old and new, evenly spread labels."""
        self.wake()
        breaks = sorted({*self.breaks, *values})
        step = (1 << ZONE_BITS) // (len(breaks) + 1) & ~1
        self._breaks = Breaks(breaks, [self.first - 1 + step * (number + 1) for number in range(len(breaks))])
        self._recent.clear()

    def span(self, predicate: Predicate) -> Span | None:
        """Return the span of a predicate about this kind of value; None if a breakpoint found no room."""
        operator = predicate.operator
        ends = [self.label(value) for value in breakpoints(predicate)]
        if None in ends:
            return None
        low, high = ends[0] or 0, ends[-1] or 0
        if operator in ("STARTS WITH", "ENDS WITH"):
            return Span(INSIDE, low, high - 1 if len(ends) > 1 else self.last)
        if operator == "!=":
            return Span(OUTSIDE, low, low)
        if operator in ("<", "<="):
            return Span(INSIDE, self.first, low - (operator == "<"))
        if operator in (">", ">="):
            return Span(INSIDE, low + (operator == ">"), self.last)
        return Span(INSIDE, low, high)

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
