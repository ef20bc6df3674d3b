"""Several texts as one event: the title and the body of an item.

Such an event is a mapping from names to texts, ``{"title": "Greece", "body": "in crisis"}``, and a batch of them an
Arrow array of structs. Nothing spans two texts: keywords are looked for in all of them, a phrase in each; a pattern
matches where it matches one of them. A text that is null is not there.

What languages read is the texts of all events in one run, and `groups`, the borders between events. Of the event above
and ``{"title": None, "body": "x"}``::

    texts     Greece | in crisis | x
    groups    0 2 3
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Int64, offsets_of
from watchword.errors import EventError
from watchword.index.arrow import decode_dictionary, may_hold_texts
from watchword.strings import without_views


class Grouped(NamedTuple):
    """The texts of all events, concatenated, and the borders between events."""

    texts: pa.Array
    groups: Int64

    def event(self, text: int) -> int:
        """Return the event that has a text."""
        return int(np.searchsorted(self.groups, text, side="right")) - 1


def together(columns: Mapping[str, pa.Array]) -> pa.StructArray:
    """Return columns of texts as events with one text from each; an event is null if all its texts are.

    >>> together({"title": pa.array(["Greece", None]), "body": pa.array(["in crisis", None])}).to_pylist()
    [{'title': 'Greece', 'body': 'in crisis'}, None]
    """
    arrays = [decode_dictionary(without_views(column)) for column in columns.values()]
    absent = np.logical_and.reduce([array.is_null().to_numpy(zero_copy_only=False) for array in arrays])
    mask = pa.array(absent) if absent.any() else None
    return pa.StructArray.from_arrays(arrays, names=list(columns), mask=mask)


def grouped(events: pa.StructArray, position: int) -> Grouped:
    """Return the texts of events; the first event is at `position`."""
    names = [field.name for field in events.type]
    columns = [decode_dictionary(without_views(column)) for column in events.flatten()]
    for name, column in zip(names, columns, strict=True):
        if not may_hold_texts(column.type):
            raise EventError(f"its {name!r} is of {column.type} and has no texts; leave it out", position=position)
    if not columns:
        return Grouped(pa.array([], pa.large_string()), np.zeros(len(events) + 1, np.int64))
    binary = any(pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type) for column in columns)
    kind = pa.large_binary() if binary else pa.large_string()
    texts = pa.concat_arrays([column.cast(kind) for column in columns])
    order = np.arange(len(texts)).reshape(len(columns), len(events)).T.ravel()
    texts = texts.take(pa.array(order))
    there = texts.is_valid().to_numpy(zero_copy_only=False).reshape(len(events), len(columns))
    return Grouped(pc.drop_null(texts), offsets_of(there.sum(axis=1)))


def texts_of_one(event: Mapping[Any, Any], position: int) -> list[str | bytes]:
    """Return the texts of one event that are not null.

    >>> texts_of_one({"title": "Greece", "body": None}, 0)
    ['Greece']
    """
    for name, text in event.items():
        if text is not None and not isinstance(text, str | bytes | bytearray | memoryview):
            raise EventError(
                f"its {name!r} is {type(text).__name__}, and an event of several texts has texts only; "
                "give those that are to be looked through",
                position=position,
            )
    return [text for text in event.values() if text is not None]
