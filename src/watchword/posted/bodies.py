"""The body of a request as items: one event, or several, all of them or none.

>>> items = read_body(b'{"id": "a", "text": "x"}\\n{"id": "b", "text": "y"}', "application/x-ndjson")
>>> [item.identity for item in items]
['a', 'b']
>>> read_body(b'{"text": "x"}\\n{"text": ', "application/x-ndjson")
Traceback (most recent call last):
...
watchword.posted.bodies.MalformedError: line 2, character 9: Expecting value

| type | body |
| --- | --- |
| `application/json`, or none | an object or a text; an object whose only field is `event` holds the event |
| `application/x-ndjson`, `application/jsonl` | such a value a line; empty lines are left out |
| `text/plain` | a text |
| `application/xml`, `text/xml`, any `…+xml` | a document |
| `application/cloudevents+json`, `application/cloudevents-batch+json` | CloudEvents; in binary mode any type will do |

An event without an id of its own gets one made of `token` and its place, if there is a token, else a random one: so a
request that is repeated under one token has the same events.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from watchword.errors import EventError
from watchword.items import Item
from watchword.posted.cloudevents import BATCH, STRUCTURED, binary_event, cloud_item, parse_value
from watchword.posted.events import document_item, event_item, text_item
from watchword.visible import counted, shown

MOST_EVENTS = 10_000
"""Events in one request."""
JSON = ("application/json", "text/json", "")
LINES = ("application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines")
_XML = re.compile(r"(?:application|text)/(?:xml|[\w.-]+\+xml)")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_ENCODING = re.compile(
    r"utf-?8|utf-?16(?:-?[lb]e)?|us-ascii|ascii|latin-?1|(?:iso-8859|windows|cp)-?\d{1,4}", re.IGNORECASE
)
"""Encodings that are decoded in linear time; Python knows others that are not, or that are no encodings of text."""
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,256}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class MalformedError(EventError):
    """A body, or one of its events, cannot be read. ``line`` and ``character`` are its place, from 1, if known."""

    def __init__(self, message: str, *, line: int | None = None, character: int | None = None) -> None:
        places = {"line": line, "character": character}
        place = ", ".join(f"{name} {number}" for name, number in places.items() if number is not None)
        super().__init__(f"{place}: {message}" if place else message)
        self.reason = message
        self.line, self.character = line, character
        self.position = (line or 1) - 1


class UnknownTypeError(EventError):
    """A body is of a type that is not read."""


def read_body(
    body: bytes, content_type: str = "", headers: Mapping[str, str] | None = None, token: str | None = None
) -> list[Item]:
    """Return the events of a body as items; a `MalformedError` says where the fault is, and then there are none.

    `headers`, with lower-case names, are those of a CloudEvent in binary mode; others are ignored. An
    `UnknownTypeError` lists the types that are read.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if headers and "ce-specversion" in headers and kind not in (STRUCTURED, BATCH):
        return [_storable(_placed(lambda: cloud_item(binary_event(headers, content_type, body))))]
    read = _reader(kind)
    text = _decode_document(body, content_type) if read is _document else _decode(body, content_type)
    items = [_storable(item) for item in read(text, token)]
    if len(items) > MOST_EVENTS:
        raise MalformedError(f"{counted(len(items), 'event')} are too many at once; send at most {MOST_EVENTS:,}")
    return items


def _reader(kind: str) -> Callable[[str, str | None], list[Item]]:
    known = dict.fromkeys(JSON, _value) | dict.fromkeys(LINES, _lines)
    known |= {"text/plain": _text, STRUCTURED: _cloud_event, BATCH: _cloud_batch}
    if kind in known:
        return known[kind]
    if _XML.fullmatch(kind):
        return _document
    names = "application/json, application/x-ndjson, text/plain, application/xml, " + STRUCTURED
    raise UnknownTypeError(f"events of the type {shown(kind)} cannot be read; send one of: {names}")


# One reader a type


def _value(text: str, token: str | None) -> list[Item]:
    value = _parse(text)
    row: str | None = text
    if isinstance(value, dict) and value.keys() == {"event"}:
        value, row = value["event"], None
    return [_placed(lambda: event_item(value, _made_id(token, 0), row))]


def _lines(text: str, token: str | None) -> list[Item]:
    items = []
    for place, (number, line) in enumerate(_numbered(text)):
        value = _parse(line, number)
        items.append(_placed(lambda: event_item(value, _made_id(token, place), line), number))  # noqa: B023
    if not items:
        raise MalformedError("there is no event in it: send an object a line")
    return items


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, with their numbers from 1."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.strip()


def _text(text: str, token: str | None) -> list[Item]:
    if not text.strip():
        raise MalformedError("it is empty: send a text")
    return [text_item(text, _made_id(token, 0))]


def _document(text: str, token: str | None) -> list[Item]:
    return [_placed(lambda: document_item(text, _made_id(token, 0)))]


def _cloud_event(text: str, token: str | None) -> list[Item]:
    value = _parse(text)
    return [_placed(lambda: cloud_item(value, text))]


def _cloud_batch(text: str, token: str | None) -> list[Item]:
    events = _parse(text)
    if not isinstance(events, list):
        raise MalformedError("a batch of CloudEvents is a list of objects")
    items = []
    for number, event in enumerate(events):
        try:
            items.append(cloud_item(event))
        except EventError as error:
            raise MalformedError(f"event {number}: {error.reason}") from None
    return items


# Texts and places


def _parse(text: str, line: int | None = None) -> Any:
    """Return the value of a JSON text, the body or its line number `line`; an error has the place in the body."""
    try:
        return parse_value(text)
    except json.JSONDecodeError as error:
        raise MalformedError(error.msg, line=line or error.lineno, character=error.colno) from None
    except ValueError as error:
        raise MalformedError(f"it is no JSON: {error}", line=line) from None


def _placed(make: Callable[[], Item], line: int | None = None) -> Item:
    try:
        return make()
    except MalformedError:
        raise
    except EventError as error:
        raise MalformedError(error.reason, line=line) from None
    except ValueError as error:  # the data of an event in binary mode
        raise MalformedError(f"it is no JSON: {error}", line=line) from None


def _storable(item: Item) -> Item:
    """Return an item with a question mark for each half of a surrogate pair, which JSON can write as ``\\ud800``."""
    texts = {name: value for name, value in vars(item).items() if isinstance(value, str)}
    try:
        "".join((*texts.values(), *item.categories)).encode()
        return item
    except UnicodeEncodeError:
        whole = {name: _whole(value) for name, value in texts.items()}
        return replace(item, **whole, categories=tuple(map(_whole, item.categories)))  # type: ignore[arg-type]


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _made_id(token: str | None, place: int) -> str | None:
    """Return the id of an event that has none, from the token of its request and its place there."""
    return None if token is None else hashlib.sha256(f"{place}:{token}".encode()).hexdigest()[:32]


def _decode(body: bytes, content_type: str) -> str:
    given = _CHARSET.search(content_type)
    return _text_of(body.removeprefix(codecs.BOM_UTF8), given[1] if given else "utf-8")


def _decode_document(body: bytes, content_type: str) -> str:
    """Return the text of a document, by its byte order mark, the header or its declaration; else it is UTF-8."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return _text_of(body[len(mark) :], name)
    given, declared = _CHARSET.search(content_type), _DECLARED.match(body[:512])
    return _text_of(body, given[1] if given else declared[1].decode() if declared else "utf-8")


def _text_of(body: bytes, encoding: str) -> str:
    try:
        if not _ENCODING.fullmatch(encoding):
            raise LookupError(encoding)
        return body.decode(encoding)
    except LookupError:
        raise MalformedError(f"the encoding {shown(encoding)} is unknown: send UTF-8") from None
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        raise MalformedError(f"byte {at} is no {encoding}: send UTF-8, or name the charset") from None
