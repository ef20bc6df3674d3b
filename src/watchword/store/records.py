"""The values that a store takes and returns, and how it writes times, texts and lists.

Outside, times are aware `datetime`s. Inside, they are text in UTC with a fixed width
(``2026-11-15T22:09:41.000000Z``), so that they sort as text and any other program can read them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from watchword.items import Item
from watchword.store.engine import read_value

if TYPE_CHECKING:
    from watchword.index.places import Place


@dataclass(frozen=True)
class Subscriber:
    """A person or a program that subscribes."""

    name: str
    created: datetime


@dataclass(frozen=True)
class Example:
    """An event that a subscription has to match, or not to match: a text, or a JSON object as text."""

    event: str
    matches: bool


@dataclass(frozen=True)
class Details:
    """Everything about a subscription beside its text. `watchword.store.details` has the limits.

    A `paused` subscription matches nothing until it is resumed. A `snoozed` one matches, and is delivered from that
    time on. `examples` are checked at each edit of the text.
    """

    name: str = ""
    note: str = ""
    tags: tuple[str, ...] = ()
    paused: bool = False
    snoozed: datetime | None = None
    examples: tuple[Example, ...] = ()


PLAIN = Details()
"""The details of a subscription that was given none."""


class Request(NamedTuple):
    """A subscription to make. Without an id the store gives one; an id that the subscriber already has is replaced.

    Without `details` a replaced subscription keeps its own.
    """

    subscriber: str
    text: str
    id: str | None = None
    language: str = "keywords"
    details: Details | None = None


@dataclass(frozen=True)
class Subscription:
    """A subscription in the store.

    `change` is the number of the last change of its text, or of its being paused; `since` that of the change that made
    it. `revision` counts the edits of text and details, from 1.
    """

    id: str
    subscriber: str
    language: str
    text: str
    created: datetime
    details: Details = PLAIN
    change: int = 0
    since: int = 0
    revision: int = 1

    @property
    def etag(self) -> str:
        """The name of its state, 16 hexadecimal digits: another one after each edit of text or details."""
        content = repr((self.id, self.since, self.revision, self.language, self.text, self.details))
        return hashlib.sha256(content.encode()).hexdigest()[:16]


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
    unless the match came with one: ``match: greece AND crisis``. So are `places`, where the words
    of the subscription stand in the item's event. A reason unpacks as (subscription, text, why).
    """

    def __init__(
        self,
        subscription: str,
        text: str | None,
        why: str | Callable[[], str] = "",
        places: Sequence[Place] | Callable[[], Sequence[Place]] = (),
    ) -> None:
        self.subscription = subscription
        self.text = text
        self._why = why
        self._places = places

    @property
    def why(self) -> str:
        """Why the item matched, for people; empty if the subscription is gone and left no reason."""
        if not isinstance(self._why, str):
            self._why = self._why()
        return self._why

    @property
    def places(self) -> Sequence[Place]:
        """Where in the event of its language the words of the subscription stand; none if it is gone or was changed."""
        if callable(self._places):
            self._places = self._places()
        return self._places

    def __iter__(self) -> Iterator[str | None]:
        return iter((self.subscription, self.text, self.why))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Reason) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.subscription, self.text))

    def __repr__(self) -> str:
        return f"Reason(subscription={self.subscription!r}, text={self.text!r}, why={self.why!r})"

    def __reduce__(self) -> tuple[type[Reason], tuple[Any, ...]]:
        return Reason, (*tuple(self), tuple(self.places))  # another process gets the reason, not the means to make it


class Source(NamedTuple):
    """Another item that tells the same story: its identity, title, link and feed, and when it was matched."""

    item: str
    title: str
    link: str
    feed: str
    matched_at: datetime


@dataclass(frozen=True)
class Delivery:
    """One entry of an inbox: an item, and every subscription of the subscriber that it matched."""

    item: Item
    reasons: tuple[Reason, ...]
    matched_at: datetime
    read_at: datetime | None
    number: int = 0
    """Later deliveries of the store have greater numbers."""
    starred_at: datetime | None = None
    sources: tuple[Source, ...] = ()
    """The other items of the inbox that tell the same story, where stories were asked for."""


@dataclass(frozen=True)
class InboxCounts:
    """An inbox in figures. `by_subscription` has the number of unread items that each subscription matched."""

    unread: int
    starred: int
    all: int
    by_subscription: Mapping[str, int]


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


def storable_number(number: int) -> int:
    """Return a number as a database can hold it, in 64 bits: a greater one as the greatest.

    >>> storable_number(7), storable_number(10**30), storable_number(-(10**30))
    (7, 9223372036854775807, -9223372036854775807)
    """
    greatest = (1 << 63) - 1
    return max(-greatest, min(int(number), greatest))


def is_storable(text: object) -> bool:
    """Return whether `text` is a `str` that comes back from a database unchanged: without half surrogate pairs."""
    return isinstance(text, str) and storable_text(text) == text
