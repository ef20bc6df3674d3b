"""What an item is, and the event that each language reads of it.

An item is published somewhere: an entry of a feed, a row or a document of a file, a record of a topic. A stream has it
as the columns of `COLUMNS`; the store keeps it as an `Item`. `event_of` makes the event of either:

>>> item = Item("urn:1", title="Ferry", text="It sails & sinks", feed="Harbour news", categories=("Sea",))
>>> event_of("keywords", item)
'Ferry. It sails & sinks'
>>> event_of("predicates", item)["feed"], event_of("predicates", item)["categories"]
('Harbour news', ['Sea'])
>>> event_of("paths", item)[:47]
'<item><id>urn:1</id><title>Ferry</title><text>I'
>>> event_of("predicates", Item("urn:2", row='{"name": "RBS", "value": 25}'))
{'name': 'RBS', 'value': 25}

`EVENTS` is the registry: which of the three readings (text, row, document) a language uses. The Spark pipeline writes
the same three as column expressions, and a test compares the two on random items.

`OPTIONS` are the options with which indexes over items are made, unless others were chosen: a `MATCHES` without an
attribute reads title and text, as keywords and patterns do.

A stored item has no nulls: an empty link, author, language or address of a feed stands for a missing one, and is read
as null.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from watchword.errors import OptionError


@dataclass(frozen=True)
class Item:
    """A published item. Two items with the same `identity` are the same item, whatever their other fields say."""

    identity: str
    title: str = ""
    text: str = ""
    link: str = ""
    author: str = ""
    published: datetime | None = None
    language: str = ""
    feed: str = ""
    """The title of its feed; the feed's address if it has no title."""
    feed_url: str = ""
    """The address of its feed, as the source was given."""
    categories: tuple[str, ...] = ()
    """The categories that the feed gives it, in the feed's order."""
    row: str | None = None
    """The source's row, for an item of a table or a topic: a JSON object or another text that a language reads as an
    object. None for an item of a feed and for a document."""


ITEM_FIELDS = tuple(field.name for field in fields(Item) if field.name != "row")
"""The fields that every item has; `row` belongs to tables only."""

COLUMNS = ("id", *ITEM_FIELDS[1:])
"""The columns of a stream of items: `ITEM_FIELDS`, with `id` for the identity."""

ROW, DOCUMENT = "row", "document"
"""Further columns of a stream: the source's row, and the text as bytes if the source has bytes."""

Columns = Mapping[str, Any]

_NULLABLE = ("link", "author", "language", "feed_url")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def event_of(
    language: str, item: Item | Columns, attributes: Sequence[str] | None = None, *, feeds: bool | None = None
) -> Any:
    """Return the event that a language reads of an item, or of the columns of a stream's item.

    With `attributes`, an object is cut down to them. `feeds` says whether the item comes from a feed, for which a
    document is made of its columns; by default an `Item` without a row comes from a feed if it names one.
    """
    read = reading_of(language)
    if isinstance(item, Item):
        feeds = bool(item.feed) and item.row is None if feeds is None else feeds
        item = columns_of(item)
    event = item_document(item) if feeds and read is whole_document else read(item)
    if attributes is None or not isinstance(event, dict):
        return event
    return {name: event.get(name) for name in attributes}


def reading_of(language: str) -> Callable[[Columns], Any]:
    """Return the function of this module that reads an item for a language; an `OptionError` if there is none."""
    if language not in EVENTS:
        raise OptionError(f"{language} cannot read items; languages that can are: {', '.join(EVENTS)}")
    return EVENTS[language]


def columns_of(item: Item) -> dict[str, Any]:
    """Return an item as the columns of a stream: null for a missing link, author, language or address, and the row.

    Without a row and a feed, the row is the text if that is a JSON object, as in a topic. A row that is no JSON object,
    such as the bit string ``110`` of a topic, stays a text.
    """
    columns: dict[str, Any] = {"id": item.identity} | {name: getattr(item, name) for name in ITEM_FIELDS[1:]}
    columns |= {name: columns[name] or None for name in _NULLABLE} | {"categories": list(item.categories)}
    row = _parse_object(item.text) if item.row is None and not item.feed else _parse_object(item.row) or item.row
    return columns if row is None else columns | {ROW: row}


def whole_text(columns: Columns) -> str:
    """Return title and text as one text: ``Title. Text``.

    >>> whole_text({"title": "Ferry", "text": "It sails"})
    'Ferry. It sails'
    """
    return ". ".join(columns[name] for name in ("title", "text") if columns[name] is not None)


def whole_row(columns: Columns) -> Any:
    """Return the source's row: an object, or a text with one in JSON; for an item of a feed its columns."""
    return columns[ROW] if ROW in columns else {name: columns[name] for name in COLUMNS}


def whole_document(columns: Columns) -> Any:
    """Return the document that the text is, as bytes if the source has bytes: they name their encoding themselves."""
    return columns[DOCUMENT if DOCUMENT in columns else "text"]


def item_document(columns: Columns) -> str:
    """Return an item of a feed as a document, ``<item><id>…</id><title>…</title>…<category>…</category></item>``.

    It has an element for each column that is not null, and one for each category. Characters that XML does not allow
    are left out.
    """
    values = [(name, columns[name]) for name in COLUMNS if name not in ("published", "categories")]
    values.insert(COLUMNS.index("published"), ("published", _moment(columns["published"])))
    values += [("category", category) for category in columns["categories"] or ()]
    elements = (f"<{name}>{_escape(value)}</{name}>" for name, value in values if value is not None)
    return f"<item>{''.join(elements)}</item>"


EVENTS: dict[str, Callable[[Columns], Any]] = {
    "keywords": whole_text,
    "paths": whole_document,
    "patterns": whole_text,
    "predicates": whole_row,
    "properties": whole_row,
}
"""How an item becomes an event, by language. A new language adds one line."""

OPTIONS: dict[str, dict[str, Any]] = {"predicates": {"text": ["title", "text"]}}
"""By language, the options of an index over items that hold unless others were chosen."""


def _parse_object(text: str | None) -> dict[str, Any] | None:
    """Return the object that a JSON text is; None for any other text."""
    if text is None or not text.lstrip().startswith("{"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _moment(time: datetime | None) -> str | None:
    """Return a time in UTC and whole seconds, ``2026-11-15T22:09:41Z``."""
    if time is None:
        return None
    return time.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def _escape(text: str) -> str:
    """Return a text as the content of an element."""
    return _NO_XML.sub("", text).translate(_ENTITIES)
