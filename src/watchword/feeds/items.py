"""The items of a feed, and their ids.

An item is identified by its feed and, within it, by its guid; without a guid by its link; without either by its
content. The three are kept apart: a guid that looks like another item's link is another item. The id is a digest, so
that it has one length whatever a publisher wrote, and it depends on the source as the user named it, not on the target
of a redirect.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class FeedItem:
    """One entry of a feed, in plain text, as the document has it; None for a missing value.

    `watchword.items.Item` is an item of any source, with the same fields and without gaps.
    """

    id: str
    title: str
    text: str
    link: str | None
    author: str | None
    published: datetime | None
    """In UTC; None if the feed names no time, or none that can be read."""
    language: str | None
    feed: str
    """The source, as the user named it."""
    categories: tuple[str, ...] = ()
    """The categories that the feed gives it, each once, in the document's order."""

    def to_json(self) -> dict[str, Any]:
        """Return the item as a plain value."""
        published = None if self.published is None else self.published.isoformat()
        return {**self.__dict__, "published": published}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> FeedItem:
        """Return the item of a value of `to_json`."""
        item = cls(**value | {"categories": tuple(value.get("categories", ()))})  # earlier versions kept none
        return item if value["published"] is None else replace(item, published=_moment(value["published"]))


@dataclass(frozen=True)
class Feed:
    """A feed's document, read as far as possible."""

    source: str
    title: str
    link: str | None
    language: str | None
    version: str
    """Such as ``rss20`` or ``atom10``; empty if the document names none."""
    items: tuple[FeedItem, ...]
    """In the order of the document, each id once."""
    problems: tuple[str, ...] = ()
    """The faults of the document, and the parts that were left out."""


def identity(source: str, *, guid: str | None, link: str | None, content: tuple[str, ...]) -> str:
    """Return an item's id.

    >>> identity("a", guid="1", link="x", content=()) == identity("a", guid="1", link="y", content=())
    True
    >>> identity("a", guid="1", link=None, content=()) == identity("b", guid="1", link=None, content=())
    False
    """
    if guid:
        parts: tuple[str, ...] = ("guid", guid)
    elif link:
        parts = ("link", link)
    else:
        parts = ("content", *content)
    digest = hashlib.sha256()
    for part in (source, *parts):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)  # lengths, so that no two lists of parts run together
    return digest.hexdigest()[:32]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
