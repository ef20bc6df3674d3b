"""One posted event as an item: an object with an item's fields, any other object, a text, a document.

>>> event_item({"title": "Ferry", "text": "It sails", "id": "urn:7"}).title
'Ferry'
>>> event_item({"name": "RBS", "value": 25}).row
'{"name":"RBS","value":25}'
>>> event_item("the ferry in the storm").feed
'posted'

- An object that has a title or a text, and no fields but those of an item, is like an item of a feed: `title`, `text`,
  `link`, `author`, `published` (ISO 8601, in UTC if it has no zone), `language`, `feed`, `feed_url`, `categories` (a
  list of texts) and `id`. A field may be null; a value of another kind is refused, and a link of another scheme.
- Any other object is a row, which predicates and properties read as it is. Fields of a row that are called like those
  of an item, and are of their kind, are the item's too: its title and text are what keywords and patterns read.
- A text is an item with that text.
- A document is XML, which paths read as it is, and keywords and patterns with its tags.

Items that are like those of a feed, and texts, have the feed `FEED` if they name none; so each language can read them.
Paths do not read a row, unless its text is a document (`is_read_by`).

An item is known by its id. Without an id it gets one that nothing else has: posted twice, it is two items.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from xml.parsers import expat

from watchword.errors import EventError
from watchword.items import COLUMNS, EVENTS, Item, whole_document
from watchword.visible import shown

FEED = "posted"
"""The feed of an item that names none."""
_LINKS = ("link", "feed_url")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([T ].*)?")


def event_item(event: Any, identity: str | None = None, row: str | None = None) -> Item:
    """Return a JSON value as an item; an `EventError` names the field that is of the wrong kind.

    `identity` is the id of an event that has none of its own, a random one by default; `row` is the text of the value.
    """
    if isinstance(event, str):
        return text_item(event, identity)
    if not isinstance(event, dict):
        raise EventError(
            f"an event is an object or a text, not {_kind(event)}; several events are sent one a line, as NDJSON"
        )
    own = _own_id(event)
    known = own or identity or random_id()
    if event.keys() <= set(COLUMNS) and (event.get("title") is not None or event.get("text") is not None):
        return _like_a_feed(event, known)
    fields = {name: _field(name, value) for name, value in event.items() if name in COLUMNS[1:]}
    written = json.dumps(event, ensure_ascii=False, separators=(",", ":")) if row is None else row
    return Item(known, row=written, **{name: value for name, value in fields.items() if value})


def text_item(text: str, identity: str | None = None) -> Item:
    """Return an item with this text."""
    return Item(identity or random_id(), text=text, feed=FEED)


def document_item(document: str, identity: str | None = None) -> Item:
    """Return a document as an item; an `EventError` if it is no well-formed XML, or declares entities."""
    check_document(document)
    return Item(identity or random_id(), text=document)


def check_document(document: str) -> None:
    """Raise an `EventError` unless a text is a well-formed XML document without entities of its own."""
    parser = expat.ParserCreate("utf-8")

    def refuse(*_: object) -> None:
        raise EventError("it declares entities of its own, which are refused")

    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(document.encode("utf-8", "surrogatepass"), True)
    except expat.ExpatError as error:
        reason = f"it is no well-formed XML: {expat.errors.messages[error.code]}"
        raise EventError(f"{reason} (line {error.lineno}, column {error.offset + 1})") from None


def is_read_by(language: str, item: Item) -> bool:
    """Return whether a language reads such an item: documents are not read of a row without one."""
    reads_documents = EVENTS.get(language) is whole_document
    return not reads_documents or item.row is None or item.text.lstrip().startswith("<")


def random_id() -> str:
    """Return an id that nothing else has."""
    return secrets.token_hex(16)


# Fields


def _like_a_feed(event: Mapping[str, Any], identity: str) -> Item:
    given = {name: value for name, value in event.items() if name != "id" and value is not None}
    fields = {name: _field(name, value) for name, value in given.items()}
    for name, value in fields.items():
        if value is None:
            raise EventError(f"{name} is {_expected(name)}, not {shown(given[name])}")
    return Item(identity, **{"feed": FEED} | {name: value for name, value in fields.items() if value})


def _own_id(event: Mapping[str, Any]) -> str | None:
    """Return the id that an event names; one that is no text or whole number is none."""
    own = event.get("id")
    if isinstance(own, bool) or not isinstance(own, str | int):
        return None
    return str(own) or None


def _field(name: str, value: Any) -> Any:
    """Return the value of a field as items have it; None if it is of another kind."""
    if name == "published":
        return _moment(value)
    if name == "categories":
        texts = [value] if isinstance(value, str) else value
        fits = isinstance(texts, list) and all(isinstance(one, str) for one in texts)
        return tuple(dict.fromkeys(filter(None, texts))) if fits else None
    if not isinstance(value, str) or (name in _LINKS and not _is_harmless(value)):
        return None
    return value


def _is_harmless(link: str) -> bool:
    """Return whether a link may be shown to be followed: with the scheme http, https, ftp, or none.

    >>> _is_harmless("https://a.test/x:y"), _is_harmless("/x"), _is_harmless(" JavaScript:alert(1)")
    (True, True, False)
    """
    scheme, found, _ = re.split(r"[/?#]", re.sub(r"[\x00-\x20]", "", link), maxsplit=1)[0].partition(":")
    return not found or scheme.lower() in ("http", "https", "ftp")


def _moment(value: Any) -> datetime | None:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        return None
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _expected(name: str) -> str:
    kinds = {"published": "a time such as 2026-11-18T20:15:00Z", "categories": "a list of texts"}
    kinds |= dict.fromkeys(_LINKS, "an address of http, https or ftp")
    return kinds.get(name, "a text")


def _kind(value: Any) -> str:
    names = {list: "a list", bool: "true or false", int: "a number", float: "a number", type(None): "null"}
    return names.get(type(value), "another value")
