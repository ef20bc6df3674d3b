"""Phase one for columns: Arrow structs, tables and maps into points and labels, no Python object for an event.

The attributes that subscriptions ask for are looked up among the columns; lists and structs are gone into. A list is
flattened, and each of its values belongs to the event of the list: `owners` says which. With two events whose `tags`
are ["a", "b"] and ["c"], the values are a, b, c, and the owners 0, 0, 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.kernels.predicates import values as kernels
from watchword.predicates.events.held import Held, Placed
from watchword.predicates.events.placing import Placer, is_text
from watchword.predicates.events.reader import NameNode
from watchword.predicates.fields import Field
from watchword.predicates.predicate import show_path
from watchword.predicates.readers.reader import AttributeReader
from watchword.strings import first_repeated


class ColumnReader:
    """Reads one batch of columns along the tree of names."""

    def __init__(self, placer: Callable[[Field], Placer], position: int) -> None:
        self._placer, self._position = placer, position
        self._points: list[tuple[Int64, Any]] = []
        self._labels: list[tuple[Int64, int, Int64]] = []

    def read(self, root: NameNode, events: pa.Array) -> Held:
        """Return what holds in events, structs or maps."""
        count = len(events)
        self._below(root, events, np.arange(count))
        offsets, atoms = _by_event(count, self._points, np.int32)
        value_offsets, labels = _by_event(count, [(owners, found) for owners, _, found in self._labels], np.int64)
        numbers = [(owners, np.full(len(owners), number, np.int32)) for owners, number, _ in self._labels]
        _, fields = _by_event(count, numbers, np.int32)
        return Held(offsets, atoms, value_offsets, fields, labels)

    def _below(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        """Visit the attributes of objects, structs or maps without nulls."""
        if pa.types.is_map(column.type):
            self._entries(place, column, owners)
            return
        names = [column.type.field(k).name for k in range(column.type.num_fields)]
        asked = [name for name in names if name in place.below]
        twice = first_repeated(asked)
        if twice is not None:
            raise EventError(f"two columns are named {twice!r}", position=self._position)
        for name in asked:
            self._visit(place.below[name], pc.struct_field(column, [names.index(name)]), owners)

    def _entries(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        offsets = column.offsets.to_numpy()
        keys, items = (part[offsets[0] : offsets[-1]] for part in (column.keys, column.items))
        inner = np.repeat(owners, np.diff(offsets))
        for name, below in place.below.items():
            here = pc.equal(keys, pa.scalar(name, keys.type))
            self._visit(below, items.filter(here), inner[here.to_numpy(zero_copy_only=False)])

    def _visit(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        """Take up a column of values, which belong to `owners`."""
        kind = column.type
        if pa.types.is_null(kind) or not len(column):
            return
        if isinstance(column, pa.ExtensionArray):
            column = column.storage
            kind = column.type
        if column.null_count:
            owners = owners[column.is_valid().to_numpy(zero_copy_only=False)]
            column = column.drop_null()
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            sizes = pc.list_value_length(column).to_numpy(zero_copy_only=False)
            self._visit(place, column.flatten(), np.repeat(owners, sizes))
        elif pa.types.is_struct(kind) or pa.types.is_map(kind):
            self._objects(place, column, owners)
            self._below(place, column, owners)
        elif place.fields:
            self._scalars(place, column, owners)

    def _objects(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        for field in place.fields:
            if field.reader is not None:
                self._read_by(field.reader, field, column, owners)
            else:
                self._add(field, self._placer(field).objects(len(column)), owners)

    def _read_by(self, reader: AttributeReader, field: Field, column: pa.Array, owners: Int64) -> None:
        field.wake()
        try:
            self._add(field, reader.place(column), owners)
        except EventError as error:  # which has the position among the values
            at = self._position + int(owners[error.position])
            raise EventError(f"{show_path(field.path)}: {error.reason}", position=at) from None

    def _scalars(self, place: NameNode, column: pa.Array, owners: Int64) -> None:
        if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
            column = column.dictionary_decode()
            owners = owners[column.is_valid().to_numpy(zero_copy_only=False)]
            column = column.drop_null()
        if pa.types.is_floating(column.type):
            is_number = ~np.isnan(column.to_numpy(zero_copy_only=False))
            if not is_number.all():
                column, owners = column.filter(pa.array(is_number)), owners[is_number]
        for field in place.fields:
            if field.reader is None or field.reader.about != "objects":
                self._refuse(field, column, owners)
            if field.reader is not None:
                self._read_by(field.reader, field, column, owners)
            else:
                self._add(field, self._placer(field).place(column), owners)

    def _refuse(self, field: Field, column: pa.Array, owners: Int64) -> None:
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        known = is_text(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
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
            self._points.append((np.repeat(owners, np.diff(placed.offsets)), placed.points))
        else:
            here = placed.points >= 0
            whole = here.all()
            self._points.append((owners, placed.points) if whole else (owners[here], placed.points[here]))


def _by_event(count: int, parts: list[tuple[Int64, Any]], kind: Any) -> tuple[Int64, Any]:
    """Return where the values of each event begin, and the values; each part has values and the events they are of."""
    offsets = np.zeros(count + 1, np.int64)
    if not parts:
        return offsets, np.empty(0, kind)
    owners, values = (np.concatenate(both) for both in zip(*parts, strict=True))
    found = np.empty(len(values), kind)
    kernels.by_event(owners, values.astype(kind, copy=False), offsets, found)
    return offsets, found
