"""The items of a feed, and the id of each.

An item is known by its feed and, within it, by its guid; where it has none, by its link; where it has neither, by its
content. The three never meet: a guid that looks like another item's link is another item. The id is a digest of
these, so that it has one length whatever a publisher wrote, and it depends on the source as it was given, not on
where a redirect led.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class FeedItem:
    """One entry of a feed, in plain text; None for a value that the document does not have.

    The store keeps items of any source as `Item`: the same fields, with empty texts for None (`store.records`).
    """

    id: str
    title: str
    text: str
    link: str | None
    author: str | None
    published: datetime | None
    """In UTC; None if the feed has no date, or none that can be read."""
    language: str | None
    feed: str
    """The title of the feed; its source if it has none."""
    feed_url: str
    """The source, spelled as the caller gave it."""
    categories: tuple[str, ...] = ()
    """The item's categories, each once, in the document's order."""

    def to_json(self) -> dict[str, Any]:
        """Return the item as a dict for JSON."""
        published = None if self.published is None else self.published.isoformat()
        return {**self.__dict__, "published": published}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> FeedItem:
        """Return the item of a dict made by `to_json`."""
        given = {"feed_url": value["feed"], **value}  # earlier versions kept the source as the feed
        item = cls(**given | {"categories": tuple(value.get("categories", ()))})  # and no categories before that
        return item if value["published"] is None else replace(item, published=_moment(value["published"]))


@dataclass(frozen=True)
class Feed:
    """A document, read as far as possible."""

    source: str
    title: str
    link: str | None
    language: str | None
    version: str
    """The format, such as ``rss20`` or ``atom10``; empty if unknown."""
    items: tuple[FeedItem, ...]
    """In the order of the document, each id once."""
    problems: tuple[str, ...] = ()
    """Messages about faults of the document and about items left out."""


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
