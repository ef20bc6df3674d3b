"""One column of values, placed at once: points and labels without a Python object for each value.

Numbers, texts and instants go through kernels. Rarer types, and values that are seen through another view
(addresses, folded case), are placed in Python, once for each distinct value, and spread over the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Float64, Int32, Int64, offsets_of
from watchword.index.arrow import is_string
from watchword.kernels.predicates import instants
from watchword.kernels.predicates import values as kernels
from watchword.locks import ForkSafe
from watchword.predicates.constants import Constants, Numbers, Texts, split_number
from watchword.predicates.events.held import Placed
from watchword.predicates.fields import Field
from watchword.predicates.values import INSTANT, NUMBER, OTHER, TEXT, View
from watchword.strings import Strings, from_arrow
from watchword.text.vocabulary import Vocabulary


class _Known:
    """The constants of one kind of value in a field, at this moment."""

    def __init__(self, field: Field, kind: int) -> None:
        self.changes, self.has_spans, self.first = field.changes, field.has_spans, field.zones[kind].first
        self.constants = field.constants(kind)
        self.single = len(self.constants.offsets) - 1 == len(self.constants.atoms)

    def placed(self, found: Int32, labels: Int64 | None) -> Placed:
        """Return the places of values that equal these constants, -1 for none of them."""
        constants = self.constants
        if self.single:
            padded = np.append(constants.atoms, np.int32(-1))
            return Placed(None, padded[found], labels)
        offsets = np.append(constants.offsets, constants.offsets[-1])
        return (
            Placed(offsets, constants.atoms, None)
            .taken(np.where(found < 0, len(offsets) - 2, found))
            ._replace(labels=labels)
        )


class Placer:
    """Places the values of one field."""

    def __init__(self, field: Field) -> None:
        field.wake()
        self._field = field
        self._known_kinds: dict[int, _Known] = {}

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
        if pa.types.is_decimal(kind) and kind.bit_width < 128:  # which Arrow does not encode
            values = values.cast(pa.decimal128(kind.precision, kind.scale))
        encoded = values.dictionary_encode()
        distinct = self._distinct(encoded.dictionary.to_pylist())
        return distinct.taken(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64))

    def constants(self, kind: int) -> Constants:
        """Return the constants of one kind of value."""
        return self._known(kind).constants

    def objects(self, count: int) -> Placed:
        """Return the places of `count` objects."""
        labels = np.full(count, self._field.zones[OTHER].first, np.int64) if self._field.has_spans else None
        return Placed(None, np.full(count, -1, np.int32), labels)

    def _known(self, kind: int) -> _Known:
        known = self._known_kinds.get(kind)
        if known is None or known.changes != self._field.changes:
            known = self._known_kinds[kind] = _Known(self._field, kind)
        return known

    def _numbers(self, kind: int, near: Float64, rest: Int64) -> Placed:
        known = self._known(kind)
        found = np.empty(len(near), np.int32)
        constants, breaks = known.constants.known, known.constants.breaks
        assert isinstance(constants, Numbers) and isinstance(breaks, Numbers)
        kernels.find_numbers(near, rest, constants.near, constants.rest, found)
        labels = None
        if known.has_spans:
            labels = np.empty(len(near), np.int64)
            edges = breaks.near, breaks.rest, known.constants.labels
            kernels.label_numbers(near, rest, *edges, known.first, labels)
        return known.placed(found, labels)

    def _texts(self, texts: Strings) -> Placed:
        known = self._known(TEXT)
        constants, breaks = known.constants.known, known.constants.breaks
        assert isinstance(constants, Vocabulary) and isinstance(breaks, Texts)
        found = constants.find(texts)
        labels = None
        if known.has_spans:
            labels = np.empty(texts.count, np.int64)
            edges = breaks.strings.data, breaks.strings.offsets, known.constants.labels
            kernels.label_texts(texts.data, texts.offsets, *edges, known.first, labels)
        return known.placed(found, labels)

    def _distinct(self, values: list[Any]) -> Placed:
        """Return the places of values, one by one in Python."""
        field = self._field
        points: list[Sequence[int]] = []
        labels: list[int] = []
        for value in values:
            key = field.key(value) or (OTHER, 0)
            points.append(field.points[key[0]].get(key[1], ()) if key[0] != OTHER else ())
            if field.has_spans:
                labels.append(field.zones[key[0]].place(key[1]))
        return Placed(
            offsets_of([len(found) for found in points]),
            np.array([atom for found in points for atom in found], np.int32),
            np.array(labels, np.int64) if field.has_spans else None,
        )


class Placers:
    """The placers of the fields of an index, each made when it is first asked for."""

    def __init__(self) -> None:
        self._guard = ForkSafe()
        self._made: dict[int, Placer] = {}

    def of(self, field: Field) -> Placer:
        """Return the placer of a field."""
        with self._guard.lock:
            found = self._made.get(field.number)
            if found is None:
                found = self._made[field.number] = Placer(field)
            return found


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
    """Return each number's nearest double and the integer missing to it; no integers for floats, or if all are < 2**53.

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
    rest[beyond] = [split_number(int(value))[1] for value in values[beyond].tolist()]
    return near, rest
