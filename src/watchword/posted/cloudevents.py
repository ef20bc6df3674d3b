"""CloudEvents 1.0 as items: structured, in batches, and in binary mode, where the attributes are headers.

    {"specversion": "1.0", "id": "7", "source": "/till/3", "type": "sale", "time": "2026-11-18T20:15:00Z",
     "data": {"title": "A kettle", "price": 25}}

becomes a row, so predicates ask for its attributes, ``type = 'sale' AND data.price > 20``. Title and text are those of
the data, if that is an object with them; else the title is the subject or the type, and the text the data, if it is a
text. An XML document as data is the text too, so that paths read it.

An event is known by source and id together: the same event, sent again, is the same item. In binary mode the row is
what structured mode would have had.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from watchword.errors import EventError
from watchword.items import Item
from watchword.posted.events import event_item
from watchword.visible import shown

STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"
REQUIRED = ("id", "source", "type")
_JSON = re.compile(r"(?:application|text)/(?:[\w.+-]*\+)?json", re.IGNORECASE)


def cloud_item(event: Any, row: str | None = None) -> Item:
    """Return a CloudEvent in its JSON form as an item; an `EventError` names a missing attribute."""
    if not isinstance(event, dict):
        raise EventError("a CloudEvent is an object")
    if event.get("specversion") != "1.0":
        raise EventError(f"a CloudEvent has specversion 1.0, not {shown(event.get('specversion'))}")
    for name in REQUIRED:
        if not isinstance(event.get(name), str) or not event[name]:
            raise EventError(f"a CloudEvent needs {name}, a text that is not empty, not {shown(event.get(name))}")
    if "data" in event and "data_base64" in event:
        raise EventError("a CloudEvent has data or data_base64, not both")
    data = _data(event)
    shown_as = {"title": event.get("subject") or event["type"], "text": data if isinstance(data, str) else ""}
    if isinstance(data, dict):
        shown_as |= {name: data[name] for name in ("title", "text", "link", "author") if name in data}
    shown_as |= {"feed": event["source"], "published": event.get("time")}
    written = json.dumps(event, ensure_ascii=False, separators=(",", ":")) if row is None else row
    # An attribute that items do not have makes it a row, whatever the others are.
    return event_item({**shown_as, "specversion": "1.0"}, _identity(event["source"], event["id"]), written)


def binary_event(headers: Mapping[str, str], content_type: str, body: bytes) -> dict[str, Any]:
    """Return the JSON form of an event in binary mode; `headers` have lower-case names."""
    event: dict[str, Any] = {name[3:]: unquote(value) for name, value in headers.items() if name.startswith("ce-")}
    if not body:
        return event
    kind = content_type.partition(";")[0].strip()
    event["datacontenttype"] = content_type or "application/json"
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return event | {"data_base64": base64.b64encode(body).decode()}
    if not kind or _JSON.fullmatch(kind):
        return event | {"data": parse_value(text)}
    return event | {"data": text}


def parse_value(text: str) -> Any:
    """Return the value of a strict JSON text, without NaN and Infinity; a `ValueError` otherwise."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _data(event: Mapping[str, Any]) -> Any:
    if "data_base64" not in event:
        return event.get("data")
    try:
        return base64.b64decode(event["data_base64"], validate=True).decode("utf-8", "replace")
    except (TypeError, ValueError, binascii.Error):
        raise EventError("data_base64 is no base64") from None


def _identity(source: str, id: str) -> str:
    digest = hashlib.sha256()
    for part in ("cloudevent", source, id):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]
