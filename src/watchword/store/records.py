"""What a store takes and gives: plain values, and how times and texts are written down.

Times are aware `datetime`s outside, and inside text in UTC with a fixed width (``2026-11-15T22:09:41.000000Z``), so
that they sort as text and any other program can read them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from watchword.items import Item


@dataclass(frozen=True)
class Subscriber:
    """Who subscribes."""

    name: str
    created: datetime


class Request(NamedTuple):
    """A subscription asked for. Without an id the store gives one; an id already the subscriber's is replaced."""

    subscriber: str
    text: str
    id: str | None = None
    language: str = "keywords"


@dataclass(frozen=True)
class Subscription:
    """A subscription kept."""

    id: str
    subscriber: str
    language: str
    text: str
    created: datetime


class Change(NamedTuple):
    """The last change of an id in a language: its text now, or `None` where it is subscribed no more."""

    number: int
    id: str
    language: str
    text: str | None


class Changes(NamedTuple):
    """Changes in the order in which they happened, and the counter to ask from the next time."""

    changes: list[Change]
    counter: int


class Match(NamedTuple):
    """An item, by its identity, satisfied a subscription, by its id; `why` is for people."""

    item: str
    subscription: str
    why: str = ""


class Reason(NamedTuple):
    """Why an item is in an inbox. `text` is the subscription as it is now, `None` once unsubscribed."""

    subscription: str
    text: str | None
    why: str


@dataclass(frozen=True)
class Delivery:
    """One entry of an inbox: an item, and every subscription of the subscriber that it matched."""

    item: Item
    reasons: tuple[Reason, ...]
    matched_at: datetime
    read_at: datetime | None


@dataclass(frozen=True)
class StoreStats:
    """What a store holds. `subscriptions` and `options` are by language; `counter` is that of the last change."""

    subscribers: int
    subscriptions: Mapping[str, int]
    options: Mapping[str, Mapping[str, Any]]
    items: int
    deliveries: int
    unread: int
    matches: int
    batches: int
    counter: int
    version: int
    bytes: int


def now() -> datetime:
    """Return the time, as a store's clock does."""
    return datetime.now(UTC)


def written_time(time: datetime) -> str:
    """Return an aware time as the store writes it; a `ValueError` for one without a time zone.

    >>> written_time(datetime(2026, 11, 15, 22, 9, 41, tzinfo=UTC))
    '2026-11-15T22:09:41.000000Z'
    """
    if time.tzinfo is None:
        raise ValueError(f"the time {time} has no time zone; give it one, such as tzinfo=UTC")
    try:
        time = time.astimezone(UTC)
    except OverflowError:  # feeds do write the years 1 and 9999, and a zone may push them over the edge
        time = time.replace(tzinfo=UTC)
    return time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def read_time(text: str) -> datetime:
    """Return a time that `written_time` wrote."""
    return datetime.fromisoformat(text)


def written_text(text: str | None) -> str:
    """Return `text` as SQLite can hold it: nothing is the empty text, half a surrogate pair a question mark.

    >>> written_text("a\\ud800b"), written_text(None)
    ('a?b', '')
    """
    if not text or text.isascii():
        return text or ""
    return text.encode("utf-8", "replace").decode()


def written_list(texts: Iterable[str]) -> str:
    """Return texts as the store writes a list of them.

    >>> written_list(("Sport", "Πολιτική"))
    '["Sport", "Πολιτική"]'
    """
    return json.dumps([written_text(text) for text in texts], ensure_ascii=False)


def read_list(text: str) -> tuple[str, ...]:
    """Return texts that `written_list` wrote."""
    return tuple(json.loads(text))


def is_storable(text: object) -> bool:
    """Say whether `text` is a `str` without half surrogate pairs, so one that comes back as it went in."""
    return isinstance(text, str) and written_text(text) == text
