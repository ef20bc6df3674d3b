"""An item as messages show it: plain values, of bounded length.

entry_of(delivery)    Entry(id="urn:7", title="Ferry aground", link=…, reasons=[Why("storms", "match: ferry")])
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from watchword.store import Delivery
from watchword.visible import brief

TITLE = 300
"""Characters of a title in a message."""
TEXT = 1_000
"""Characters of an item's text in a message."""
REASONS = 10
"""Subscriptions that a message names of an item."""
WHY = 300
"""Characters of a reason in a message."""


@dataclass(frozen=True)
class Why:
    """A subscription that an item matched: its id, its name for people, and why."""

    subscription: str
    name: str
    why: str


@dataclass(frozen=True)
class Entry:
    """An item of a message."""

    id: str
    number: int
    title: str
    link: str
    text: str
    feed: str
    author: str
    published: datetime | None
    matched: datetime
    reasons: tuple[Why, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "id": self.id,
            "number": self.number,
            "title": self.title,
            "link": self.link,
            "text": self.text,
            "feed": self.feed,
            "author": self.author,
            "published": None if self.published is None else self.published.isoformat(),
            "matched_at": self.matched.isoformat(),
            "reasons": [vars(one) for one in self.reasons],
        }


def entry_of(delivery: Delivery, names: Mapping[str, str]) -> Entry:
    """Return a delivery as messages show it; `names` are those of subscriptions, by their ids."""
    item = delivery.item
    reasons = [
        Why(brief(one.subscription, TITLE), names.get(one.subscription) or one.subscription, brief(one.why, WHY))
        for one in delivery.reasons[:REASONS]
    ]
    return Entry(
        item.identity,
        delivery.number,
        brief(item.title or item.text, TITLE),
        web_link(item.link),
        brief(item.text, TEXT),
        brief(item.feed, TITLE),
        brief(item.author, TITLE),
        item.published,
        delivery.matched_at,
        tuple(reasons),
    )


def web_link(link: str) -> str:
    """Return a link of the web, empty for any other.

    >>> web_link("https://island.example/1"), web_link("javascript:alert(1)")
    ('https://island.example/1', '')
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        return ""
    return link if parts.scheme in ("http", "https") and parts.netloc and len(link) <= 2_000 else ""


def one_line(text: str) -> str:
    """Return a text in one line, without characters that act: for subjects and names.

    >>> one_line("Ferry" + chr(13) + chr(10) + "Bcc: x@y.example")
    'Ferry Bcc: x@y.example'
    """
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
