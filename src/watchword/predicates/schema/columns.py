"""Events as columns, checked against a schema without a Python object for each: types of columns, counts of values, and
the distinct values of enumerations, hierarchies and dates. Of several events that are wrong the first is named.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index.arrow import InvalidValueError, attributes, decode_dictionary, flat_values, is_object, is_string
from watchword.predicates.predicate import Path, show_path
from watchword.predicates.schema.attribute import Attribute
from watchword.predicates.schema.events import count_reason, type_reason, value_reason
from watchword.predicates.schema.schema import Schema, Shape

_ISO = r"^\d{4}-\d\d-\d\d([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$"


def check_columns(schema: Schema, events: pa.Array, position: int) -> None:
    """Raise if an event, a row of structs or maps without nulls, is not of the schema; the first is at `position`."""
    try:
        found = _wrong_rows(schema, events)
    except InvalidValueError as error:
        raise EventError(error.reason, position=position + error.position) from None
    if found:
        row, reason = min(found, key=lambda one: one[0])
        raise EventError(reason, position=position + row)


def _wrong_rows(schema: Schema, events: pa.Array) -> list[tuple[int, str]]:
    """Return rows that are not of the schema, each with the reason; the first of all is among them."""
    found: list[tuple[int, str]] = []
    for shape, rows in _by_type(schema, events, found):
        walk = _Walk(shape, len(events))
        walk.enter(events if rows is None else events.take(pa.array(rows)), _all(events) if rows is None else rows, ())
        found += walk.ended(_all(events) if rows is None else rows)
    return found


def _all(events: pa.Array) -> Int64:
    return np.arange(len(events))


def _by_type(schema: Schema, events: pa.Array, found: list[tuple[int, str]]) -> list[tuple[Shape, Int64 | None]]:
    """Return the rows of each event type, None for all; the first row of each unknown type goes into `found`."""
    if schema.type is None:
        return [(shape, None) for shape in schema.shapes.values()]
    walk = _Walk(Shape("", [Attribute(schema.type, "any", "*")]), len(events), gathers=True)
    walk.enter(events, _all(events), ())
    counts = walk.counts[schema.type]
    if (counts != 1).any():
        row = int(np.argmax(counts != 1))
        found.append((row, type_reason(schema, walk.of(row))))
    parts: list[tuple[Shape, Int64 | None]] = []
    for values, owners in walk.gathered:
        if pa.types.is_nested(values.type):  # an object is the name of no event type
            rows = owners[counts[owners] == 1]
            found += [(int(row), type_reason(schema, [{}])) for row in rows[:1]]
            continue
        encoded = values.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        for code, name in enumerate(encoded.dictionary.to_pylist()):
            rows = owners[codes == code]
            rows = rows[counts[rows] == 1]
            if isinstance(name, str) and name in schema.shapes:
                parts.append((schema.shapes[name], rows))
            elif len(rows):
                found.append((int(rows[0]), type_reason(schema, [name])))
    return parts


class _Walk:
    """A walk through columns along their names; `found` has pairs of a row and the reason why it is refused."""

    def __init__(self, shape: Shape, rows: int, *, gathers: bool = False) -> None:
        self._shape, self._rows, self._gathers = shape, rows, gathers
        self.found: list[tuple[int, str]] = []
        self.counts = {path: np.zeros(rows, np.int64) for path in shape.attributes}
        self.gathered: list[tuple[pa.Array, Int64]] = []
        """With `gathers`: the values of the one attribute that is looked for, and their rows."""

    def ended(self, rows: Int64) -> list[tuple[int, str]]:
        """Return `found` after all of `rows` were entered; the first row with too few or too many values is added."""
        for path, attribute in self._shape.attributes.items():
            counts = self.counts[path][rows]
            most = counts.max(initial=0) if attribute.most is None else attribute.most
            wrong = (counts < attribute.least) | (counts > most)
            if wrong.any():
                at = int(np.argmax(wrong))
                self.found.append((int(rows[at]), count_reason(attribute, int(counts[at]))))
        return self.found

    def of(self, row: int) -> list[Any]:
        """Return the gathered values of a row."""
        return [value for values, owners in self.gathered for value in values.filter(owners == row).to_pylist()]

    def enter(self, column: pa.Array, owners: Int64, path: Path) -> None:
        """Go through the fields of objects."""
        for name, values, inner in attributes(column, owners):
            self._visit(values, inner, (*path, name))

    def _visit(self, column: pa.Array, owners: Int64, path: Path) -> None:
        column, owners = flat_values(column, owners)
        if not len(column):
            return
        column = decode_dictionary(column)
        attribute = self._shape.found(path)
        if attribute is None:
            if not self._gathers:
                self.found.append((int(owners[0]), f"{show_path(path)} is not declared in the schema"))
            return
        if path in self.counts:
            self.counts[path] += np.bincount(owners, minlength=self._rows)
        if attribute.type == "object" and is_object(column.type):
            self.enter(column, owners, path)
        elif self._gathers:
            self.gathered.append((column, owners))
        else:
            at = _first_wrong(attribute, column)
            if at is not None:
                self.found.append((int(owners[at]), value_reason(attribute, column[at].as_py())))


def _first_wrong(attribute: Attribute, column: pa.Array) -> int | None:
    """Return the position of the first value that an attribute does not take."""
    kind = column.type
    if attribute.type == "any":
        return None
    if is_object(kind) or attribute.type == "object":
        return 0
    if attribute.type in ("one_of", "kind_of"):
        encoded = column.dictionary_encode()
        wrong = [code for code, value in enumerate(encoded.dictionary.to_pylist()) if not attribute.takes(value)]
        return _first(np.isin(encoded.indices.to_numpy(zero_copy_only=False), wrong)) if wrong else None
    if attribute.type == "date" and is_string(kind):
        return _first(~_dates(column))
    fits = {
        "text": is_string(kind),
        "number": pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind),
        "boolean": pa.types.is_boolean(kind),
        "date": pa.types.is_date(kind) or pa.types.is_timestamp(kind),
    }
    return None if fits[attribute.type] else 0


def _dates(texts: pa.Array) -> Any:
    """Return which texts are dates or times: each has the form of one, and each distinct day is in the calendar."""
    texts = texts.cast(pa.large_string())
    formed = pc.match_substring_regex(texts, _ISO).to_numpy(zero_copy_only=False)
    days = pc.utf8_slice_codeunits(texts, 0, 10).dictionary_encode()
    real = np.array([_is_day(day) for day in days.dictionary.to_pylist()], np.bool_)
    return formed & real[days.indices.to_numpy(zero_copy_only=False)]


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _first(wrong: Any) -> int | None:
    return int(np.argmax(wrong)) if wrong.any() else None
