"""One column of values, placed at once: points and labels without a Python object for each value.

Numbers, texts and instants go through kernels. What is rarer, or has another view to be seen through (addresses, folded
case), is placed once for each distinct value, in Python, and spread over the column.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import Float64, Int32, Int64, offsets_of
from watchword.index.arrow import is_string
from watchword.kernels.predicates import instants
from watchword.kernels.predicates import values as kernels
from watchword.predicates.fields import Field
from watchword.predicates.hierarchies import Hierarchy
from watchword.predicates.values import INSTANT, NUMBER, OTHER, TEXT, VIEWS, View
from watchword.strings import Strings, from_arrow, from_texts
from watchword.text.vocabulary import Vocabulary

_BEYOND = 1 << 62


class Placed(NamedTuple):
    """Where the values of a column stand: value `i` satisfies ``points[offsets[i]:offsets[i + 1]]`` (one point or none
    if `offsets` is None, -1 for none), and has a label if its field has spans."""

    offsets: Int64 | None
    points: Int32
    labels: Int64 | None

    def taken(self, numbers: Int64) -> Placed:
        """Return the places of some values, by number, perhaps several times."""
        labels = None if self.labels is None else self.labels[numbers]
        if self.offsets is None:
            return Placed(None, self.points[numbers], labels)
        sizes = np.diff(self.offsets)[numbers]
        borders = offsets_of(sizes)
        at = np.arange(borders[-1]) - np.repeat(borders[:-1] - self.offsets[:-1][numbers], sizes)
        return Placed(borders, self.points[at], labels)


class _Constants:
    """What a field knows of one kind of value, as arrays: constants with points, breakpoints with labels."""

    def __init__(self, field: Field, kind: int) -> None:
        self.changes = field.changes
        points = field.points[kind]
        known = sorted(points) if kind != TEXT else list(points)
        self.sizes = np.array([len(points[value]) for value in known], np.int64)
        self.points = np.array([atom for value in known for atom in points[value]], np.int32)
        self.single = bool((self.sizes == 1).all())
        zone = field.zones[kind]
        self.labels, self.first = np.array(zone.labels, np.int64), zone.first
        self.has_spans = bool(field.spans)
        if kind == TEXT:
            self.vocabulary = Vocabulary()
            self.vocabulary.intern_texts(known)
            self.breaks = from_texts(zone.breaks)
        else:
            self.known, self.edges = _pairs(known), _pairs(zone.breaks)

    def placed(self, found: Int32, labels: Int64 | None) -> Placed:
        """Return the places of values that equal these constants, -1 for none of them."""
        if self.single:
            padded = np.append(self.points, np.int32(-1))
            return Placed(None, padded[found], labels)
        offsets = offsets_of(np.append(self.sizes, 0))
        return (
            Placed(offsets, self.points, None)
            .taken(np.where(found < 0, len(self.sizes), found))
            ._replace(labels=labels)
        )


def _pairs(numbers: list[Any]) -> tuple[Float64, Int64]:
    """Return numbers as doubles and what is missing to each."""
    near, rest = np.empty(len(numbers)), np.empty(len(numbers), np.int64)
    for k, number in enumerate(numbers):
        near[k], rest[k] = _pair(number)
    return near, rest


def _pair(number: Any) -> tuple[float, int]:
    try:
        near = float(number)
    except OverflowError:  # beyond all doubles, and yet below infinity
        return (float("inf"), -_BEYOND) if number > 0 else (float("-inf"), _BEYOND)
    if isinstance(number, float):
        return near, 0
    return near, max(-_BEYOND, min(_BEYOND, number - int(near)))


class Placer:
    """Places the values of one field."""

    def __init__(self, field: Field, hierarchy: Hierarchy) -> None:
        self._field, self._hierarchy = field, hierarchy
        self._constants: dict[int, _Constants] = {}

    def place(self, values: pa.Array) -> Placed:
        """Return the places of values of a scalar type, none of them null or NaN."""
        field, kind = self._field, values.type
        if pa.types.is_dictionary(kind):
            return self.place(values.dictionary).taken(values.indices.to_numpy(zero_copy_only=False).astype(np.int64))
        if field.view is View.PLAIN and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            return self._numbers(NUMBER, *_split(values.to_numpy(zero_copy_only=False)))
        if field.view is View.PLAIN and is_string(kind):
            return self._texts(from_arrow(values))
        if field.view is View.INSTANTS and pa.types.is_timestamp(kind) and _is_whole(values):
            return self._numbers(INSTANT, *_split(values.cast(pa.timestamp("ns")).cast(pa.int64()).to_numpy()))
        if field.view is View.INSTANTS and is_string(kind):
            found = _instants(from_arrow(values))
            if found is not None:
                return self._numbers(INSTANT, *_split(found))
        encoded = values.dictionary_encode()
        distinct = self._distinct(encoded.dictionary.to_pylist())
        return distinct.taken(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))

    def objects(self, count: int) -> Placed:
        """Return the places of as many objects."""
        labels = np.full(count, self._field.zones[OTHER].first, np.int64) if self._field.spans else None
        return Placed(None, np.full(count, -1, np.int32), labels)

    def _known(self, kind: int) -> _Constants:
        known = self._constants.get(kind)
        if known is None or known.changes != self._field.changes:
            known = self._constants[kind] = _Constants(self._field, kind)
        return known

    def _numbers(self, kind: int, near: Float64, rest: Int64) -> Placed:
        known = self._known(kind)
        found = np.empty(len(near), np.int32)
        kernels.find_numbers(near, rest, *known.known, found)
        labels = None
        if known.has_spans:
            labels = np.empty(len(near), np.int64)
            kernels.label_numbers(near, rest, *known.edges, known.labels, known.first, labels)
        return known.placed(found, labels)

    def _texts(self, texts: Strings) -> Placed:
        known = self._known(TEXT)
        found = known.vocabulary.find(texts)
        labels = None
        if known.has_spans:
            labels = np.empty(texts.count, np.int64)
            breaks = known.breaks
            kernels.label_texts(
                texts.data, texts.offsets, breaks.data, breaks.offsets, known.labels, known.first, labels
            )
        return known.placed(found, labels)

    def _distinct(self, values: list[Any]) -> Placed:
        """Return the places of values, one by one in Python."""
        field = self._field
        points: list[list[int]] = []
        labels: list[int] = []
        for value in values:
            if field.view is View.NODES:
                nodes = self._hierarchy.nodes(value) if isinstance(value, str) else ()
                points.append([atom for node in nodes for atom in field.points[TEXT].get(node, ())])
                continue
            key = VIEWS[field.view](value) or (OTHER, 0)
            points.append(field.points[key[0]].get(key[1], []) if key[0] != OTHER else [])
            if field.spans:
                labels.append(field.zones[key[0]].place(key[1]))
        return Placed(
            offsets_of([len(found) for found in points]),
            np.array([atom for found in points for atom in found], np.int32),
            np.array(labels, np.int64) if field.spans else None,
        )


def _is_whole(values: pa.Array) -> bool:
    """Say whether all timestamps fit into nanoseconds."""
    try:
        values.cast(pa.timestamp("ns", values.type.tz))
    except pa.ArrowInvalid:
        return False
    return True


def _instants(texts: Strings) -> Int64 | None:
    """Return the instants of texts; None if one is no instant, or none whose nanoseconds fit into 64 bits."""
    found, known = np.empty(texts.count, np.int64), np.empty(texts.count, np.bool_)
    instants.find_instants(texts.data, texts.offsets, found, known)
    return found if known.all() else None


def _split(values: Any) -> tuple[Float64, Int64]:
    """Return numbers as doubles and what is missing to each; nothing is where they are all exact.

    >>> _split(np.array([2**53 + 1, 2**63 - 1]))
    (array([9.00719925e+15, 9.22337204e+18]), array([ 1, -1]))
    """
    if values.dtype.kind == "f":
        return values.astype(np.float64), np.empty(0, np.int64)
    near = values.astype(np.float64)
    if not len(values) or np.abs(near).max() < 2.0**53:  # 2**53 + 1 rounds to 2**53
        return near, np.empty(0, np.int64)
    beyond = near >= 2.0**63  # its double is no int64
    rest = np.where(beyond, 0, values.astype(np.int64) - np.where(beyond, 0, near).astype(np.int64))
    rest[beyond] = [_pair(int(value))[1] for value in values[beyond].tolist()]
    return near, rest
