"""The values that a store takes and returns, and how it writes times, texts and lists.

Outside, times are aware `datetime`s. Inside, they are text in UTC with a fixed width
(``2026-11-15T22:09:41.000000Z``), so that they sort as text and any other program can read them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from watchword.items import Item
from watchword.store.engine import read_value


@dataclass(frozen=True)
class Subscriber:
    """A person or a program that subscribes."""

    name: str
    created: datetime


class Request(NamedTuple):
    """A subscription to make. Without an id the store gives one; an id that the subscriber already has is replaced."""

    subscriber: str
    text: str
    id: str | None = None
    language: str = "keywords"


@dataclass(frozen=True)
class Subscription:
    """A subscription in the store."""

    id: str
    subscriber: str
    language: str
    text: str
    created: datetime


class Change(NamedTuple):
    """The last change of an id in a language: its text now, or `None` after it was unsubscribed."""

    number: int
    id: str
    language: str
    text: str | None


class Changes(NamedTuple):
    """Changes in the order in which they happened, and the counter to ask from the next time."""

    changes: list[Change]
    counter: int


class Match(NamedTuple):
    """An item, by its identity, matched a subscription, by its id.

    `why` is a text for people. Left empty, it is made from the item and the subscription when an inbox is shown.
    """

    item: str
    subscription: str
    why: str = ""


class Reason:
    """A subscription that matched an item of an inbox.

    `text` is the subscription as it is now, `None` after it was unsubscribed. `why` is made when it is first asked for,
    unless the match came with one: ``match: greece AND crisis``. A reason unpacks as (subscription, text, why).
    """

    def __init__(self, subscription: str, text: str | None, why: str | Callable[[], str] = "") -> None:
        self.subscription = subscription
        self.text = text
        self._why = why

    @property
    def why(self) -> str:
        """Why the item matched, for people; empty if the subscription is gone and left no reason."""
        if not isinstance(self._why, str):
            self._why = self._why()
        return self._why

    def __iter__(self) -> Iterator[str | None]:
        return iter((self.subscription, self.text, self.why))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Reason) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.subscription, self.text))

    def __repr__(self) -> str:
        return f"Reason(subscription={self.subscription!r}, text={self.text!r}, why={self.why!r})"

    def __reduce__(self) -> tuple[type[Reason], tuple[str | None, ...]]:
        return Reason, tuple(self)  # another process gets the reason, not the means to make it


@dataclass(frozen=True)
class Delivery:
    """One entry of an inbox: an item, and every subscription of the subscriber that it matched."""

    item: Item
    reasons: tuple[Reason, ...]
    matched_at: datetime
    read_at: datetime | None


@dataclass(frozen=True)
class StoreStats:
    """The contents of a store in figures. `subscriptions` and `options` are by language; `counter` is the number of
    the last change."""

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
    """Return the current time in UTC."""
    return datetime.now(UTC)


def format_time(time: datetime) -> str:
    """Return an aware time as the store writes it; a `ValueError` for one without a time zone.

    >>> format_time(datetime(2026, 11, 15, 22, 9, 41, tzinfo=UTC))
    '2026-11-15T22:09:41.000000Z'
    """
    if time.tzinfo is None:
        raise ValueError(f"the time {time} has no time zone; give it one, such as tzinfo=UTC")
    try:
        time = time.astimezone(UTC)
    except OverflowError:  # feeds do write the years 1 and 9999, and a zone may push them over the edge
        time = time.replace(tzinfo=UTC)
    return time.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def parse_time(text: str) -> datetime:
    """Return a time that `format_time` wrote."""
    return read_value(datetime.fromisoformat, text)


def storable_text(text: str | None) -> str:
    """Return `text` as a database can hold it: empty for None, a question mark for half a surrogate pair.

    >>> storable_text("a\\ud800b"), storable_text(None)
    ('a?b', '')
    """
    if not text or text.isascii():
        return text or ""
    return text.encode("utf-8", "replace").decode()


def format_list(texts: Iterable[str]) -> str:
    """Return texts as the store writes a list, in JSON.

    >>> format_list(("Sport", "Πολιτική"))
    '["Sport", "Πολιτική"]'
    """
    return json.dumps([storable_text(text) for text in texts], ensure_ascii=False)


def parse_list(text: str) -> tuple[str, ...]:
    """Return texts that `format_list` wrote."""
    return tuple(read_value(json.loads, text))


def is_storable(text: object) -> bool:
    """Return whether `text` is a `str` that comes back from a database unchanged: without half surrogate pairs."""
    return isinstance(text, str) and storable_text(text) == text
