"""Phase one for single events: nested Python objects into points and labels.

The attributes that subscriptions ask for make a tree of names, and an event is walked along it; other attributes
are never looked at. With ``name = 'RBS'`` as atom 0 and ``quote.value > 20`` in field 1::

    {"name": "RBS", "quote": {"value": 25}, "noise": …}      points [0], fields [1], positions [201]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from watchword.arrays import offsets_of
from watchword.errors import EventError
from watchword.predicates.events.depth import refuse_deep
from watchword.predicates.events.documents import parsed
from watchword.predicates.events.held import Held, one_held
from watchword.predicates.fields import Field, Fields
from watchword.predicates.predicate import show_path
from watchword.predicates.values import NUMBER, OTHER, TEXT, View


class NameNode:
    """A place in the tree of names: the fields of the attribute that ends here, and the names below."""

    def __init__(self) -> None:
        self.fields: list[Field] = []
        self.below: dict[str, NameNode] = {}
        self.plain: Field | None = None
        """The only field, where it is one that lists points for texts and numbers as they are, and has no spans."""
        self.is_asleep = False

    def wake(self) -> None:
        """Make the fields ready to be asked."""
        for field in self.fields:
            field.wake()
        field = self.fields[0]
        lists = field.view is View.PLAIN and not field.has_spans
        self.plain = field if lists and len(self.fields) == 1 and not self.below else None
        self.is_asleep = False


class Reader:
    """Reads the attributes of events that the fields of an index ask for."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._root = NameNode()
        self._shape = 0

    def read(self, events: Any, position: int) -> Held:
        """Return the points and labels of events, which are objects or JSON texts."""
        if len(events) == 1:
            return one_held(*self.found(events[0], position))
        found = [self.found(event, position + row) for row, event in enumerate(events)]
        points, fields, positions = ([part for one in found for part in one[k]] for k in range(3))
        return Held(
            offsets_of([len(one[0]) for one in found]),
            np.array(points, np.int32),
            offsets_of([len(one[1]) for one in found]),
            np.array(fields, np.int32),
            np.array(positions, np.int64),
        )

    def event(self, event: Any, position: int = 0) -> dict[str, Any]:
        """Return an event as an object that is not too deep; a JSON text is read."""
        if not isinstance(event, dict):
            if isinstance(event, str | bytes | bytearray | memoryview):
                return parsed(event, position)
            raise EventError(f"an event is an object, not {type(event).__name__}", position=position)
        refuse_deep(event, position)
        return event

    def root(self) -> NameNode:
        """Return the tree of names, up to date."""
        if self._shape != self._fields.shape:
            self._learn()
        return self._root

    def found(self, event: Any, position: int) -> tuple[list[int], list[int], list[int]]:
        """Return points, and fields with positions, field by field."""
        event = self.event(event, position)
        root = self.root()
        found = _Found()
        try:
            self._enter(root, event, found)
        except _NoValueError as error:
            raise EventError(str(error), position=position) from None
        self._ask_readers(found, position)
        return found.sorted(self._fields) if found.mixed else (found.points, found.fields, found.positions)

    def placed(self, values: list[tuple[Field, Any]]) -> tuple[list[int], list[int], list[int]]:
        """Return points, and fields with positions, of values of an event, each to be placed in one field."""
        found = _Found()
        for field, value in values:
            self._place(field, value, found)
        self._ask_readers(found, 0)
        return found.points, found.fields, found.positions

    def _ask_readers(self, found: _Found, position: int) -> None:
        """Add the points of the values that readers read."""
        for field, values in found.read.items():
            try:
                found.points += field.reader.points(values)  # type: ignore[union-attr]
            except EventError as error:  # which has the position among the values
                raise EventError(f"{show_path(field.path)}: {error.reason}", position=position) from None

    def _enter(self, place: NameNode, event: dict[str, Any], found: _Found) -> None:
        """Walk the names of an object."""
        points, names = found.points, place.below
        if len(names) > 4 * len(event):  # many rules, each about something else: look up what the event has
            names = {name: names[name] for name in event if name in names}
        for name, below in names.items():
            value = event.get(name)
            if value is None:
                continue
            plain = below.plain
            if plain is not None:
                kind = value.__class__
                if kind is str:
                    atoms = plain.points[TEXT].get(value)
                elif kind is int or (kind is float and value == value):
                    atoms = plain.points[NUMBER].get(value)
                else:
                    self._visit(below, value, found)
                    continue
                if atoms is not None:
                    points += atoms
            else:
                self._visit(below, value, found)

    def _visit(self, place: NameNode, value: Any, found: _Found) -> None:
        """Take up a value, or all values of a list."""
        if isinstance(value, list | tuple | set | frozenset):
            found.mixed = True
            for element in value:
                if element is not None:
                    self._visit(place, element, found)
            return
        if place.is_asleep:
            place.wake()
        for field in place.fields:
            self._place(field, value, found)
        if place.below and isinstance(value, dict):
            self._enter(place, value, found)

    def _place(self, field: Field, value: Any, found: _Found) -> None:
        if field.reader is not None:
            found.read.setdefault(field, []).append(value)
            return
        try:
            key = field.key(value)
        except TypeError as error:
            raise _NoValueError(f"{show_path(field.path)}: {error}") from None
        if key is None:
            return
        kind, seen = key
        if kind != OTHER:
            found.points += field.points[kind].get(seen, ())
        if field.has_spans:
            found.fields.append(field.number)
            found.positions.append(field.zones[kind].place(seen))

    def _learn(self) -> None:
        """Rebuild the tree of names, for new fields and fields with first spans; racing threads build the same."""
        shape = self._fields.shape
        root, places = NameNode(), set()
        for field in list(self._fields.all):
            for path in self._fields.paths(field):
                place = root
                for name in path:
                    place = place.below.setdefault(name, NameNode())
                place.fields.append(field)
                place.is_asleep |= field.is_asleep
                places.add(place)
        for place in places:
            if not place.is_asleep:
                place.wake()
        self._root, self._shape = root, shape


class _NoValueError(Exception):
    """A value is of no kind."""


class _Found:
    """Points, labels and values for readers that were found in an event so far."""

    def __init__(self) -> None:
        self.points: list[int] = []
        self.fields: list[int] = []
        self.positions: list[int] = []
        self.read: dict[Field, list[Any]] = {}
        """Values of attributes that have a reader."""
        self.mixed = False

    def sorted(self, fields: Fields) -> tuple[list[int], list[int], list[int]]:
        """Return points and labels field by field: a walk through lists may have met a field more than once."""
        kinds = fields.atoms.kinds
        points = sorted(self.points, key=lambda atom: (int(kinds[atom]) >> 2, atom))
        placed = sorted(zip(self.fields, self.positions, strict=True))
        return points, [field for field, _ in placed], [position for _, position in placed]
