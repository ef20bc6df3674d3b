"""Items as rows of the archive: the columns of a stream, the source's row, and when it was archived.

    id       title   text      link   …   row    seen
    urn:1    Ferry   It sails  null       null   2026-11-18 20:15:00 UTC

A text that an item lacks (link, author, language, address of its feed) is null, as in a stream.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any

import pyarrow as pa

from watchword.errors import ArchiveError
from watchword.items import COLUMNS, ITEM_FIELDS, ROW, Item

SEEN = "seen"
MOMENT = pa.timestamp("us", "UTC")
_KINDS = {"published": MOMENT, SEEN: MOMENT, "categories": pa.list_(pa.string())}
ARCHIVED = pa.schema([(name, _KINDS.get(name, pa.string())) for name in (*COLUMNS, ROW, SEEN)])
"""The columns of the archive: those of a stream, `row`, and `seen`, the time at which the item was archived."""
_GIVEN = pa.schema([field for field in ARCHIVED if field.name != SEEN])
_NULLABLE = ("link", "author", "language", "feed_url")
_AT_ONCE = 10_000


def rows_of(items: pa.Table | Iterable[Item], at: datetime, path: object) -> pa.Table:
    """Return items as rows that were seen at a time; missing columns are null, further ones are left out."""
    table = _cast(items, path) if isinstance(items, pa.Table) else _table(items)
    if table["id"].null_count:
        raise ArchiveError("an item without an id cannot be archived: give it one", path=path)
    seen = pa.chunked_array([pa.repeat(pa.scalar(at, MOMENT), len(table))])
    return table.append_column(ARCHIVED.field(SEEN), seen)


def item_of(row: dict[str, Any]) -> Item:
    """Return the item of a row, as the store keeps it: an empty text where the row has null.

    >>> item_of({"id": "urn:1", "title": "Ferry", "link": None, "categories": None, "row": None}).link
    ''
    """
    known = {name: row[name] for name in (*ITEM_FIELDS[1:], ROW) if row.get(name) is not None}
    categories = tuple(name for name in known.pop("categories", ()) if name)
    return Item(str(row["id"]), **known, categories=categories)


def _cast(table: pa.Table, path: object) -> pa.Table:
    there = set(table.column_names)
    if "id" not in there:
        raise ArchiveError(f"items need a column 'id'; these have: {', '.join(table.column_names)}", path=path)
    columns = [table[name] if name in there else pa.nulls(len(table)) for name in _GIVEN.names]
    try:
        return pa.Table.from_arrays(columns, names=_GIVEN.names).cast(_GIVEN)
    except (pa.ArrowException, ValueError) as error:
        raise ArchiveError(f"a column of the items is not of its kind: {error}", path=path) from None


def _table(items: Iterable[Item]) -> pa.Table:
    rest, parts = iter(items), [_GIVEN.empty_table()]
    while some := list(islice(rest, _AT_ONCE)):
        columns = {name: [_value(item, name) for item in some] for name in _GIVEN.names}
        parts.append(pa.table(columns, schema=_GIVEN))
    return pa.concat_tables(parts)


def _value(item: Item, name: str) -> Any:
    value = getattr(item, "identity" if name == "id" else name)
    if name == "categories":
        return [_text(one) for one in value]
    if isinstance(value, str):
        return _text(value) if value or name not in _NULLABLE else None
    return value


def _text(text: str) -> str:
    """Return a text that Arrow can hold: a question mark for half a surrogate pair."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
