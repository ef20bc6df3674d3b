"""Rows of the archive as events, a column at a time: the same events that `watchword.items.event_of` makes of items.

Texts are joined, ``Title. Text``. The rows of a table that are objects are JSON texts, and an item of a feed is the
object of its columns, as in a run; other languages are given one event after another.

>>> rows = pa.table({"title": ["Ferry", "Bread"], "text": ["It sails", None]})
>>> text_events(rows).to_pylist()
['Ferry. It sails', 'Bread']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword import items
from watchword.archive.columns import item_of
from watchword.arrays import Int64
from watchword.items import COLUMNS, ROW


class Events(NamedTuple):
    """Some rows as events: `rows` are their positions, ascending, and `events` an array or a list of that length."""

    rows: Int64
    events: Any


def events_of(language: str, rows: pa.Table, attributes: Sequence[str] | None = None) -> list[Events]:
    """Return the events of all rows, grouped by their form; an `OptionError` if the language reads no items."""
    read = items.reading_of(language)
    every = np.arange(len(rows))
    if read is items.whole_text:
        return [Events(every, text_events(rows).combine_chunks())]
    if read is items.whole_row and attributes is None:
        return [some for some in _objects(language, rows, every) if len(some.rows)]
    return [Events(every, [items.event_of(language, item_of(row), attributes) for row in rows.to_pylist()])]


def text_events(rows: pa.Table) -> pa.ChunkedArray:
    """Return title and text of each row as one text, as `items.whole_text` does."""
    title, text = rows["title"].cast(pa.string()), rows["text"].cast(pa.string())
    joined = pc.binary_join_element_wise(title, text, ". ")  # its null_handling="skip" leaves out rows of nulls
    return pc.coalesce(joined, title, text, "") if joined.null_count else joined


def _objects(language: str, rows: pa.Table, every: Int64) -> list[Events]:
    """Return rows as objects: JSON texts, structs of the columns of items, and texts that are perhaps objects."""
    has_row = rows[ROW].is_valid().to_numpy()
    plain = ~has_row & pc.fill_null(pc.not_equal(rows["feed"], ""), False).to_numpy()
    if plain.all():
        return [Events(every, _structs(rows, every))]
    if not (has_row | plain).all():
        braced = pc.starts_with(pc.utf8_ltrim_whitespace(rows["text"]), "{")
        plain |= ~has_row & ~pc.fill_null(braced, False).to_numpy()
    texts, structs, others = (every[chosen] for chosen in (has_row, plain, ~has_row & ~plain))
    return [
        Events(texts, rows[ROW].take(pa.array(texts)).to_pylist()),
        Events(structs, _structs(rows, structs)),
        Events(others, [items.event_of(language, item_of(row)) for row in rows.take(pa.array(others)).to_pylist()]),
    ]


def _structs(rows: pa.Table, chosen: Int64) -> pa.StructArray:
    some = rows if len(chosen) == len(rows) else rows.take(pa.array(chosen))
    return pa.StructArray.from_arrays([some[name].combine_chunks() for name in COLUMNS], names=list(COLUMNS))
