"""JSON texts one at a time: one kernel reads a text and places its values, another matches it.

`kernels.predicates.place` has both.

The constants of all fields are arrays for the kernel, which are made again when subscriptions have brought new
predicates. That is put off until the general way has read a text for each eight predicates: changes that alternate with
events would else make all arrays for each event.

A text that the kernel does not take goes the general way. So do the values of attributes that are read by a reader or
through a view: only these are decoded, and placed in Python.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.handles import handles_of
from watchword.kernels.predicates.place import (
    KINDS,
    LABELS,
    NUMBER_KINDS,
    POINTS,
    PYTHON,
    TEXT_KINDS,
    WORDS,
    Out,
)
from watchword.kernels.predicates.scan import BOOLEAN, ESCAPED_STRING, STRING
from watchword.kernels.predicates.tokens import DOUBLE, INTEGER
from watchword.predicates.constants import Numbers, Texts
from watchword.predicates.events.placing import Placer, Placers
from watchword.predicates.events.reader import Reader
from watchword.predicates.events.scanning import Scanner, Scanners, new_records, new_scratch
from watchword.predicates.fields import Field, Fields
from watchword.predicates.values import BOOLEAN as BOOLEANS
from watchword.predicates.values import NUMBER, TEXT, View
from watchword.strings import writable
from watchword.text.vocabulary import Vocabulary

_PER_EVENT = 8
"""How many predicates may become arrays for each text that was read in the general way."""

LONGEST = 1 << 16
"""The bytes of the longest text that the kernel reads; longer ones are few, and take long either way."""

VALUES, _POINTS, _LABELS = 256, 4096, 1024
"""For how many values, points and labels of a text there is room."""


class Tables:
    """The constants of all fields, and the tree of names, as arrays for the kernel."""

    def __init__(self, fields: Fields, scanner: Scanner, placers: Placers) -> None:
        self.root, self.tree = scanner.root, scanner.tree
        self.count, self.spreads = fields.count, fields.spreads
        owned = [field for node in scanner.nodes for field in node.fields]
        self.is_worth_it = 2 * sum(map(_is_plain, owned)) >= len(owned)
        """Whether the kernel places the values of most fields: many values placed in Python take as long as a text."""
        starts, words = [0], []
        self._kept: list[Any] = []
        for node in scanner.nodes:
            for field in node.fields:
                is_plain = self.is_worth_it and _is_plain(field)
                words += [field.number, len(self._kept) if is_plain else PYTHON, int(field.has_spans)]
                if is_plain:
                    self._kept += _arrays_of(placers.of(field))
            starts.append(len(words) // WORDS)
        self.starts, self.words = np.array(starts, np.int64), np.array(words, np.int64)
        self.handles = handles_of(self._kept, _FIELD_KINDS * (len(self._kept) // len(_FIELD_KINDS)))


def _is_plain(field: Field) -> bool:
    return field.reader is None and field.view is View.PLAIN


_FIELD_KINDS = (*TEXT_KINDS, *NUMBER_KINDS, *NUMBER_KINDS)


def _arrays_of(placer: Placer) -> list[Any]:
    """Return the arrays of the constants of a field, in the order of their kinds."""
    found: list[Any] = []
    for kind in (TEXT, NUMBER, BOOLEANS):
        constants = placer.constants(kind)
        known, breaks = constants.known, constants.breaks
        if isinstance(known, Vocabulary):
            assert isinstance(breaks, Texts)
            found += [*known.known, constants.offsets, constants.atoms, breaks.strings.data, breaks.strings.offsets]
        else:
            assert isinstance(breaks, Numbers)
            found += [known.near, known.rest, constants.offsets, constants.atoms, breaks.near, breaks.rest]
        found.append(constants.labels)
    kinds = zip(found, _FIELD_KINDS, strict=True)
    return [np.require(writable(array), kind, ["C", "A", "W"]) for array, kind in kinds]


class Space:
    """The arrays that one thread writes, and the handles of all arrays that the kernel reads and writes."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._records, self._scratch = new_records(VALUES), new_scratch(LONGEST)
        self._out = Out(
            np.empty(_POINTS, np.int32),
            np.empty(_LABELS, np.int32),
            np.empty(_LABELS, np.int64),
            np.empty(2 * _LABELS, np.int64),
            np.zeros(3, np.int64),
        )
        self._order = np.empty(VALUES, np.int64)
        places = tables.starts, tables.words, tables.handles, self._order
        self.handles = handles_of([*tables.tree, *self._scratch, *self._records, *places, *self._out], KINDS)

    @property
    def points(self) -> Int32:
        """Return the points of the text."""
        return self._out.points[: int(self._out.counts[POINTS])].copy()

    def rest(self, text: bytes, count: int) -> list[tuple[int, Any]]:
        """Return the values that are left to Python, each with the number of its field."""
        found = self._out.rest[: 2 * count].tolist()
        values = {record: self._value(text, record) for record in dict.fromkeys(found[::2])}
        return [(number, values[record]) for record, number in zip(found[::2], found[1::2], strict=True)]

    def _value(self, text: bytes, record: int) -> Any:
        _, kinds, _, starts, ends, near = self._records
        kind, start = kinds.item(record), starts.item(record)
        if kind == STRING:
            return text[start : ends.item(record)].decode()
        if kind == INTEGER:
            return start
        if kind == DOUBLE:
            return near.item(record)
        if kind == BOOLEAN:
            return start == 1
        written = text[start : ends.item(record)].decode()
        return json.loads(f'"{written}"' if kind == ESCAPED_STRING else written)

    def add(self, points: list[int], fields: list[int], labels: list[int]) -> bool:
        """Add the points and labels of fields that have none yet; return whether there is room."""
        out = self._out
        if points:
            first = out.counts.item(POINTS)
            last = first + len(points)
            if last > len(out.points):
                return False
            out.points[first:last] = points
            out.counts[POINTS] = last
        if fields:
            first = out.counts.item(LABELS)
            last = first + len(fields)
            if last > len(out.labels):
                return False
            out.fields[first:last], out.labels[first:last] = fields, labels
            out.counts[LABELS] = last
        return True


class SingleTexts:
    """Reads JSON texts one at a time, for any number of threads."""

    def __init__(self, reader: Reader, fields: Fields, scanners: Scanners, placers: Placers) -> None:
        self._reader, self._fields, self._scanners, self._placers = reader, fields, scanners, placers
        self._tables: Tables | None = None
        self._general = 0
        self._spare: list[Space] = []

    def space(self) -> Space | None:
        """Return a space for reading a text, to be given back; None where texts go the general way."""
        tables = self._tables
        if tables is None or not self._are_new(tables):
            tables = self._made()
        if tables is None or not tables.is_worth_it:
            return None
        try:
            space = self._spare.pop()
        except IndexError:
            return Space(tables)
        return space if space.tables is tables else Space(tables)

    def give_back(self, space: Space) -> None:
        """Take back a space for other texts."""
        self._spare.append(space)

    def _are_new(self, tables: Tables) -> bool:
        fields = self._fields
        is_defined = tables.count == fields.count and tables.spreads == fields.spreads
        return is_defined and tables.root is self._reader.root()

    def _made(self) -> Tables | None:
        self._general += 1
        if _PER_EVENT * self._general < self._fields.count:
            return None
        self._general, self._spare = 0, []
        self._tables = Tables(self._fields, self._scanners.current(), self._placers)
        return self._tables

    def place(self, text: bytes, space: Space, count: int) -> bool:
        """Place the values that are left to Python; return whether there was room."""
        fields = self._fields.all
        return space.add(*self._reader.placed([(fields[number], value) for number, value in space.rest(text, count)]))
