"""Phase one for columns: Arrow structs, tables, maps and JSON texts into points and labels, no object for an event.

The attributes that subscriptions ask for are looked up among the columns; lists and structs are gone into. A list is
flattened, and each of its values belongs to the event of the list: `owners` says which. With two events whose `tags`
are ["a", "b"] and ["c"], the values are a, b, c, and the owners 0, 0, 1.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index.arrow import InvalidValueError, attributes, flat_values, group_by_event, is_object, is_string
from watchword.kernels.predicates.gather import OBJECTS
from watchword.predicates.events.held import Held, Placed
from watchword.predicates.events.placing import Placer
from watchword.predicates.events.reader import NameNode
from watchword.predicates.events.scanning import Scanned
from watchword.predicates.fields import Field
from watchword.predicates.predicate import show_path
from watchword.predicates.readers.reader import AttributeReader
from watchword.strings import first_repeated

Read = Callable[[AttributeReader], Placed]
"""Lets a reader place a column."""


class ColumnReader:
    """Reads one batch of columns along the tree of names."""

    def __init__(self, placer: Callable[[Field], Placer], position: int) -> None:
        self._placer, self._position = placer, position
        self._points: list[tuple[int, Int64, Placed]] = []
        self._labels: list[tuple[Int64, int, Int64]] = []

    def read(self, root: NameNode, events: pa.Array) -> Held:
        """Return the points and labels of events, which are structs or maps."""
        self._below(root, events, np.arange(len(events)))
        return self._held(len(events))

    def read_scanned(self, found: Scanned) -> Held:
        """Return the points and labels of texts; a text that the kernel has left to Python has none."""
        for place, kind, owners, values in found.groups():
            if kind == OBJECTS:
                self._objects(place, len(values), owners, methodcaller("place_objects", values))
            else:
                self._scalars(place, values, owners)
        return self._held(found.texts.count)

    def _held(self, count: int) -> Held:
        """Return the points and labels of `count` events, field by field: a field may have several columns, of values
        of several kinds or by the option `text`."""
        self._points.sort(key=itemgetter(0))
        self._labels.sort(key=itemgetter(1))
        offsets, atoms = self._points_by_event(count)
        value_offsets, labels = group_by_event(count, [(owners, found) for owners, _, found in self._labels], np.int64)
        numbers = [(owners, np.full(len(owners), number, np.int32)) for owners, number, _ in self._labels]
        _, fields = group_by_event(count, numbers, np.int32)
        return Held(offsets, atoms, value_offsets, fields, labels)

    def _below(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        """Visit the attributes of objects, structs or maps without nulls."""
        asked = list(attributes(column, owners, place.below))
        twice = first_repeated(name for name, _, _ in asked)
        if twice is not None:
            raise EventError(f"two columns are named {twice!r}", position=self._position)
        for name, values, inner in asked:
            try:
                self._visit(place.below[name], values, inner)
            except InvalidValueError as error:
                raise EventError(f"{name}: {error.reason}", position=self._position + error.position) from None

    def _visit(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        """Take up a column of values, which belong to `owners`."""
        column, owners = flat_values(column, owners)
        if not len(column):
            return
        if is_object(column.type):
            self._objects(place, len(column), owners, methodcaller("place", column))
            self._below(place, column, owners)
        elif place.fields:
            self._scalars(place, column, owners)

    def _objects(self, place: NameNode, count: int, owners: Int64, read: Read) -> None:
        for field in place.fields:
            if field.reader is not None:
                self._read_by(field.reader, field, read, owners)
            else:
                self._add(field, self._placer(field).objects(count), owners)

    def _read_by(self, reader: AttributeReader, field: Field, read: Read, owners: Int64) -> None:
        field.wake()
        try:
            self._add(field, read(reader), owners)
        except EventError as error:  # which has the position among the values
            at = self._position + int(owners[error.position])
            raise EventError(f"{show_path(field.path)}: {error.reason}", position=at) from None

    def _scalars(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        for field in place.fields:
            if field.reader is None or not (field.reader.about == "objects" or field.reader.reads_bytes):
                self._refuse(field, column, owners)
            if field.reader is not None:
                self._read_by(field.reader, field, methodcaller("place", column), owners)
            else:
                self._place(field, column, owners)

    def _place(self, field: Field, column: pa.Array, owners: Int64) -> None:
        try:
            self._add(field, self._placer(field).place(column), owners)
        except (OverflowError, ValueError) as error:  # Python has dates of the years 1 to 9999
            row = _first_unreadable(column)
            if row is None:
                raise
            reason = f"{show_path(field.path)}: a {column.type} that is no date of the years 1 to 9999"
            raise EventError(reason, position=self._position + int(owners[row])) from error

    def _refuse(self, field: Field, column: pa.Array, owners: Int64) -> None:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        known = is_string(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not (known or pa.types.is_date(kind) or pa.types.is_timestamp(kind) or pa.types.is_decimal(kind)):
            at = self._position + int(owners[0]) if len(owners) else self._position
            raise EventError(
                f"{show_path(field.path)}: a {kind} is no value; give numbers, texts, booleans, dates, lists, objects",
                position=at,
            )

    def _add(self, field: Field, placed: Placed, owners: Int64) -> None:
        if placed.labels is not None:
            self._labels.append((owners, field.number, placed.labels))
        if placed.offsets is not None:
            self._points.append((field.number, owners, placed))
        else:
            here = placed.points >= 0
            owners, points = (owners, placed.points) if here.all() else (owners[here], placed.points[here])
            self._points.append((field.number, owners, Placed(None, points, None)))

    def _points_by_event(self, count: int) -> tuple[Int64, Any]:
        """Return where the points of each event begin, and the points."""
        if len(self._points) == 1:
            ((_, owners, placed),) = self._points
            if placed.offsets is not None and len(owners) == count and (np.diff(owners) == 1).all():
                return placed.offsets, placed.points  # a value for each event, in their order
        parts = [(owners, placed) for _, owners, placed in self._points]
        return group_by_event(count, [(_repeated(*part), part[1].points) for part in parts], np.int32)


def _repeated(owners: Int64, placed: Placed) -> Int64:
    """Return the event of each point."""
    return owners if placed.offsets is None else np.repeat(owners, np.diff(placed.offsets))


def _first_unreadable(column: pa.Array) -> int | None:
    """Return the row of the first value that Python cannot hold, None if it can hold all."""
    for row, value in enumerate(column):
        try:
            value.as_py()
        except (OverflowError, ValueError):
            return row
    return None
