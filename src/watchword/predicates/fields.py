"""Fields: what the predicates of an index know about one attribute seen through one view, and how a value is placed.

Two kinds of atom. A *point* is listed for every value that satisfies it: ``name = 'RBS'``, an IN, a KIND OF. A *span*
is an interval of the values in their order, which nobody lists: ``value > 20`` is kept as two ends, and whoever needs
it compares. So a value is placed by one look-up for its points and one search among the breakpoints of its field,
however many predicates there are.

Breakpoints have *labels*, even numbers that ascend with them; a value has the label of the breakpoint that it equals,
or one more than that of the greatest below it. With ``value > 20``, ``value <= 30`` and the labels 200 and 400 (for 20
and 30), the value 15 stands at 1, 20 at 200, 25 at 201, 30 at 400, 31 at 401::

    value > 20     the span [201, last]       25, 30 and 31 lie inside
    value <= 30    the span [1, 400]          15, 20, 25 and 30 do
    value != 20    outside of [200, 200]

A new breakpoint gets a label half-way between its neighbours, so spans stay as they are. Where there is no room left
all labels of the field are spread anew (`Fields.spreads` counts that). Each kind of value has a zone of labels of its
own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Arrays, reserve
from watchword.kernels.predicates.layout import Atoms
from watchword.parts import Part
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.values import OTHER, View, after_prefix

POINT, INSIDE, OUTSIDE = 0, 1, 2
"""How an atom holds: it was listed; or some value of its field lies inside, or outside, its span."""

ZONE_BITS = 56


class Span(NamedTuple):
    """An interval of labels, both ends included; `mode` is `INSIDE` or `OUTSIDE`."""

    mode: int
    low: int
    high: int


class Zone:
    """The breakpoints of one kind of value in one field, ascending, with their labels."""

    def __init__(self, kind: int) -> None:
        self.first, self.last = (kind << ZONE_BITS) + 1, ((kind + 1) << ZONE_BITS) - 1
        self.breaks: list[Any] = []
        self.labels: list[int] = []

    def place(self, value: Any) -> int:
        """Return the label of a value."""
        at = bisect_right(self.breaks, value) - 1
        if at < 0:
            return self.first
        return self.labels[at] + int(self.breaks[at] != value)

    def label(self, value: Any) -> int | None:
        """Return the label of a breakpoint, which is made where there is none; None if there is no room for it."""
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
        """Spread the labels evenly, those of new breakpoints among them."""
        self.breaks = sorted({*self.breaks, *values})
        step = (1 << ZONE_BITS) // (len(self.breaks) + 1) & ~1
        self.labels = [self.first - 1 + step * (number + 1) for number in range(len(self.breaks))]


class Field:
    """One attribute in one view."""

    def __init__(self, number: int, path: Path, view: View) -> None:
        self.number, self.path, self.view = number, path, view
        self.points: list[dict[Any, list[int]]] = [{} for _ in range(OTHER + 1)]
        """By kind and value, the points that it satisfies."""
        self.zones = [Zone(kind) for kind in range(OTHER + 1)]
        self.spans: list[tuple[int, Predicate]] = []
        self.groups: list[tuple[int, tuple[Any, ...]]] = []
        """Atoms of ANY, with the clauses that one element must satisfy."""
        self.changes = 0

    def span(self, predicate: Predicate) -> Span | None:
        """Return the span of a predicate; None if a breakpoint found no room."""
        operator, keys = predicate.operator, predicate.constants
        if operator == "EXISTS":
            return Span(INSIDE, 0, (OTHER + 1) << ZONE_BITS)
        zone = self.zones[keys[0][0]]
        ends = [zone.label(value) for value in _breakpoints(predicate)]
        self.changes += 1
        if None in ends:
            return None
        low, high = ends[0] or 0, ends[-1] or 0
        if operator in ("STARTS WITH", "ENDS WITH"):
            return Span(INSIDE, low, high - 1 if len(ends) > 1 else zone.last)
        return {
            "!=": Span(OUTSIDE, low, low),
            "<": Span(INSIDE, zone.first, low - 1),
            "<=": Span(INSIDE, zone.first, low),
            ">": Span(INSIDE, low + 1, zone.last),
            ">=": Span(INSIDE, low, zone.last),
        }.get(operator, Span(INSIDE, low, high))


def _breakpoints(predicate: Predicate) -> list[Any]:
    """Return the values, all of one kind, whose labels bound a predicate's span."""
    values = [value for _, value in predicate.constants]
    if predicate.operator in ("STARTS WITH", "ENDS WITH"):
        behind = after_prefix(values[0])
        return values if behind is None else [*values, behind]
    return values


class Fields(Part):
    """All fields of an index, and what its atoms are.

    A snapshot keeps what the atoms are; the fields are made again from the atoms' names when an event is first read, or
    a subscription added (`wake`).
    """

    def __init__(self) -> None:
        self.asleep = False
        self.by_name: dict[tuple[Path, View], Field] = {}
        self.all: list[Field] = []
        self.count = 0
        self.spreads = 0
        self.shape = 0
        """Grows when there is a new field, or a first span or ANY in one."""
        self._kinds = np.empty(16, np.int32)
        self._spans = np.empty(32, np.int64)
        self._atoms: Atoms | None = None

    @property
    def atoms(self) -> Atoms:
        """Return what the atoms are, in arrays."""
        found = self._atoms
        if found is None:
            found = self._atoms = Atoms(self._kinds[: self.count], self._spans[: 2 * self.count])
        return found

    def define(self, predicates: list[Predicate]) -> None:
        """Say what the next atoms are."""
        first, self.count = self.count, self.count + len(predicates)
        self._reserve()
        self._atoms = None
        if len(predicates) > 64:
            self._spread_for(predicates)
        for atom, predicate in enumerate(predicates, first):
            self._define(atom, predicate)

    def arrays(self) -> Arrays:
        """Return what the atoms are."""
        return self.atoms._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._kinds, self._spans = arrays["kinds"], arrays["spans"]
        self.count, self._atoms = len(self._kinds), None
        self.asleep = self.count > 0

    @property
    def bytes(self) -> int:
        """Return the bytes of what the atoms are."""
        return 20 * self.count

    def wake(self, predicates: list[Predicate]) -> None:
        """Make the fields again, with the labels that they had."""
        saved = self.atoms
        names = {
            number: (one.attribute, one.view) for number, one in zip(saved.fields.tolist(), predicates, strict=True)
        }
        for number in sorted(names):
            self.field(*names[number])
        labels: dict[Zone, dict[Any, int]] = {}
        for atom, predicate in enumerate(predicates):
            field = self.field(predicate.attribute, predicate.view)
            if is_point(predicate):
                self._list(field, atom, predicate)
            else:
                field.spans.append((atom, predicate))
                if predicate.constants:
                    known = labels.setdefault(field.zones[predicate.constants[0][0]], {})
                    known.update(zip(_breakpoints(predicate), _ends(predicate, saved, atom), strict=False))
        for zone, known in labels.items():
            zone.breaks = sorted(known)
            zone.labels = [known[value] for value in zone.breaks]
        self.shape += 1
        self.asleep = False

    def field(self, path: Path, view: View) -> Field:
        """Return a field, which is made where there is none."""
        found = self.by_name.get((path, view))
        if found is None:
            found = self.by_name[path, view] = Field(len(self.all), path, view)
            self.all.append(found)
            self.shape += 1
        return found

    def _define(self, atom: int, predicate: Predicate) -> None:
        field = self.field(predicate.attribute, predicate.view)
        if is_point(predicate):
            self._set(atom, field.number, Span(POINT, 0, 0))
            self._list(field, atom, predicate)
            return
        self.shape += not field.spans
        field.spans.append((atom, predicate))
        span = field.span(predicate)
        if span is None:
            field.zones[predicate.constants[0][0]].spread(_breakpoints(predicate))
            self.spreads += 1
            for known, other in field.spans:
                self._set(known, field.number, field.span(other))
        else:
            self._set(atom, field.number, span)

    def _list(self, field: Field, atom: int, predicate: Predicate) -> None:
        field.changes += 1
        if predicate.operator == "ANY":
            field.groups.append((atom, predicate.constants))
        else:
            for kind, value in dict.fromkeys(predicate.constants):
                field.points[kind].setdefault(value, []).append(atom)

    def _spread_for(self, predicates: list[Predicate]) -> None:
        """Give the breakpoints of many predicates labels at once, where there were none before."""
        values: dict[tuple[Path, View, int], list[Any]] = {}
        for predicate in predicates:
            if not is_point(predicate) and predicate.constants:
                owner = predicate.attribute, predicate.view, predicate.constants[0][0]
                values.setdefault(owner, []).extend(_breakpoints(predicate))
        for (path, view, kind), found in values.items():
            zone = self.field(path, view).zones[kind]
            if not zone.breaks:
                zone.spread(found)

    def _set(self, atom: int, field: int, span: Span | None) -> None:
        assert span is not None
        self._kinds[atom] = field << 2 | span.mode
        self._spans[2 * atom : 2 * atom + 2] = span.low, span.high

    def _reserve(self) -> None:
        self._kinds = reserve(self._kinds, self.count)
        self._spans = reserve(self._spans, 2 * self.count)


def _ends(predicate: Predicate, atoms: Atoms, atom: int) -> list[int]:
    """Return the labels of a predicate's breakpoints, by its span."""
    low, high = atoms.spans[2 * atom : 2 * atom + 2].tolist()
    if predicate.operator in ("STARTS WITH", "ENDS WITH"):
        return [low, high + 1]
    return {"<": [high + 1], "<=": [high], ">": [low - 1]}.get(predicate.operator, [low, high])


def is_point(predicate: Predicate) -> bool:
    """Say whether an atom is listed for the values that satisfy it."""
    return predicate.operator in ("=", "IN", "KIND OF", "ANY")
