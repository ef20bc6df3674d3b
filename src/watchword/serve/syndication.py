"""An inbox as a feed for feed readers: Atom (RFC 4287) and JSON Feed 1.1.

    entries = [entry_of(delivery) for delivery in store.inbox("ada", unread_only=False, limit=100)]
    atom(Channel("Watchword: ada", "urn:uuid:…", "https://…/f/ww_….atom", "https://…/"), entries)

An entry has the title, text, link, author and time of its item, the feed that the item is from as `source`, and the
subscriptions that it matched as categories. Its id is made from the item's identity, so readers know an item again.
Text is sent as text: nothing in it is markup. Characters that XML does not allow are left out.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import orjson

if TYPE_CHECKING:
    from watchword.store import Delivery

ATOM = "http://www.w3.org/2005/Atom"
JSON_FEED = "https://jsonfeed.org/version/1.1"
TITLE = 200
"""Characters of a title that is made from the text of an item without one."""
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Channel:
    """The feed as a whole: its title, its id, its own address, and that of the console."""

    title: str
    id: str
    address: str
    home: str


def urn(*names: str) -> str:
    """Return the same universal name for the same texts, and another one for others.

    >>> urn("item", "urn:7") == urn("item", "urn:7"), urn("item", "a:b") == urn("item:a", "b")
    (True, False)
    """
    return uuid.uuid5(uuid.NAMESPACE_URL, "watchword:" + "".join(f"{len(name)}:{name}" for name in names)).urn


def updated(entries: Sequence[Delivery]) -> datetime:
    """Return when the newest entry came; 1970 for a feed without entries, so that its bytes stay the same."""
    return max((entry.matched_at for entry in entries), default=_EPOCH)


def atom(channel: Channel, entries: Sequence[Delivery]) -> bytes:
    """Return a feed as an Atom document in UTF-8."""
    feed = ElementTree.Element("feed", xmlns=ATOM)
    _add(feed, "title", channel.title)
    _add(feed, "id", channel.id)
    _add(feed, "updated", _moment(updated(entries)))
    _add(_add(feed, "author"), "name", "Watchword")
    _add(feed, "generator", "Watchword")
    _add(feed, "link", rel="self", type="application/atom+xml", href=channel.address)
    _add(feed, "link", rel="alternate", href=channel.home)
    for entry in entries:
        _add_entry(_add(feed, "entry"), entry)
    text: bytes = ElementTree.tostring(feed, "utf-8", xml_declaration=False)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + text


def _add_entry(element: ElementTree.Element, entry: Delivery) -> None:
    item = entry.item
    _add(element, "title", title_of(entry))
    _add(element, "id", urn("item", item.identity))
    _add(element, "updated", _moment(entry.matched_at))
    if item.published is not None:
        _add(element, "published", _moment(item.published))
    if item.author:
        _add(_add(element, "author"), "name", item.author)
    if _is_link(item.link):
        _add(element, "link", rel="alternate", href=item.link)
    for reason in entry.reasons:
        _add(element, "category", term=reason.subscription)
    _add(element, "content", content_of(entry), type="text")
    if item.feed:
        source = _add(element, "source")
        _add(source, "id", item.feed_url if _is_link(item.feed_url) else urn("feed", item.feed))
        _add(source, "title", item.feed)
        _add(source, "updated", _moment(item.published or entry.matched_at))


def json_feed(channel: Channel, entries: Sequence[Delivery]) -> bytes:
    """Return a feed as a JSON Feed."""
    head = {"version": JSON_FEED, "title": channel.title, "home_page_url": channel.home, "feed_url": channel.address}
    return orjson.dumps(head | {"items": [_json_entry(entry) for entry in entries]})


def _json_entry(entry: Delivery) -> dict[str, Any]:
    item = entry.item
    values: dict[str, Any] = {
        "id": urn("item", item.identity),
        "url": item.link if _is_link(item.link) else None,
        "title": title_of(entry),
        "content_text": _clean(content_of(entry)),
        "date_published": None if item.published is None else _moment(item.published),
        "date_modified": _moment(entry.matched_at),
        "authors": [{"name": _clean(item.author)}] if item.author else None,
        "tags": [_clean(reason.subscription) for reason in entry.reasons],
        "language": item.language or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def title_of(entry: Delivery) -> str:
    """Return the title of an entry: that of its item, or the beginning of its text."""
    title = " ".join((entry.item.title or entry.item.text or entry.item.row or "").split())
    return _clean(title if len(title) <= TITLE else title[: TITLE - 1] + "…") or "Untitled"


def content_of(entry: Delivery) -> str:
    """Return the text of an entry, and below it the subscriptions that it matched, with the reasons."""
    text = entry.item.text or entry.item.row or ""
    reasons = "\n".join(f"{reason.subscription}: {reason.why}" for reason in entry.reasons)
    return f"{text}\n\n{reasons}" if text else reasons


def _add(parent: ElementTree.Element, name: str, text: str | None = None, **attributes: str) -> ElementTree.Element:
    element = ElementTree.SubElement(parent, name, {key: _clean(value) for key, value in attributes.items()})
    element.text = None if text is None else _clean(text)
    return element


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", text)


def _is_link(link: str) -> bool:
    """Return whether a link is an absolute address on the web, in characters that an address may have."""
    try:
        parts = urlsplit(link)
        return (
            parts.scheme in ("http", "https") and bool(parts.hostname) and re.search(r"[\s<>\"{}|\\^`]", link) is None
        )
    except ValueError:
        return False


def _moment(time: datetime) -> str:
    """Return a time in UTC and whole seconds: ``2026-11-18T20:15:00Z``."""
    return time.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
