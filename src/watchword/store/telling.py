"""Stories in the store: each item of a batch is given the story that it tells (`watchword.stories`).

    number  identity  title                       link               story
    17      urn:1     Ferry runs aground off ...  port.example/a     0ee1048c0dfe   its own
    23      urn:9     Ferry runs aground off ...  isle.example/7     0ee1048c0dfe   that of item 17, by the title

An item is compared with the items that have its link, then with items of a week that have its title, then, where texts
are sketched, with items that share a part of its sketch: at most `COMPARED` of each. It keeps its story.

Conditions say ``link_key <> ''`` beside ``link_key = ?``: without it, a partial index is not used for a value.

A subscriber who has read a story has read what comes to it later, unless the switch `by_story` is off for them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from watchword.items import Item
from watchword.store.engine import Row, Session
from watchword.store.records import format_time, parse_time
from watchword.stories import (
    WEEK,
    Account,
    account,
    bands,
    is_same_link,
    is_same_text,
    is_same_title,
    story_of,
)

COMPARED = 50
"""Items with the same link, title or part of a sketch that an item is compared with."""
SKETCHES = "sketches"
"""The key (`keys`) that is there where texts are compared too."""

_SEEN = "story, identity, title, link, locale, feed, feed_url, dated, sketch"
_FEED = "CASE WHEN feed_url <> '' THEN feed_url ELSE feed END"


def name_stories(session: Session, time: str) -> None:
    """Name the story of each item of `incoming` that has none, in the order of the batch."""
    rows = list(
        session.rows(
            """SELECT i.number, i.identity, i.title, i.link, i.locale, i.feed, i.feed_url, i.published, i.text
            FROM (SELECT number, min(place) AS place FROM incoming WHERE subscriber IS NOT NULL GROUP BY number) AS b
            JOIN items AS i ON i.number = b.number WHERE i.story = '' ORDER BY b.place"""
        )
    )
    with_text = bool(rows) and compares_texts(session)
    for number, identity, title, link, locale, feed, feed_url, published, text in rows:
        item = Item(identity, title, text, link, language=locale, feed=feed, feed_url=feed_url)
        dated = published or time
        seen = account(item, parse_time(dated), with_text=with_text)
        story = _find(session, seen) or story_of(identity)
        values = (story, digest(seen.link), digest(seen.title), dated, _signed(seen.sketch), number)
        session.run(
            "UPDATE items SET story = ?, link_key = ?, title_key = ?, dated = ?, sketch = ? WHERE number = ?", values
        )
        if seen.sketch is not None:
            parts = ((band, value, number) for band, value in enumerate(bands(seen.sketch)))
            session.load("sketches", ("band", "value", "item"), parts)


def _find(session: Session, seen: Account) -> str | None:
    """Return the story of an earlier item that is the same; None if there is none."""
    for other, story in _with_link(session, seen):
        if is_same_link(seen, other):
            return story
    for which, judge, found in (
        ("title", is_same_title, _with_title(session, seen)),
        ("text", is_same_text, _with_text(session, seen)),
    ):
        for other, story in found:
            if judge(seen, other) and (which == "text" or not _has_feed(session, story, seen.feed)):
                return story
    return None


_Found = Iterator[tuple[Account, str]]


def _with_link(session: Session, seen: Account) -> _Found:
    return _alike(session, "link_key = ? AND link_key <> ''", (digest(seen.link),)) if seen.link else iter(())


def _with_title(session: Session, seen: Account) -> _Found:
    if not seen.title or seen.time is None:
        return iter(())
    try:
        first, last = format_time(seen.time - WEEK), format_time(seen.time + WEEK)
    except OverflowError:  # the years 1 and 9999
        return iter(())
    condition = "title_key = ? AND title_key <> '' AND dated BETWEEN ? AND ?"
    return _alike(session, condition, (digest(seen.title), first, last), "dated DESC")


def _with_text(session: Session, seen: Account) -> _Found:
    if seen.sketch is None:
        return
    for band, value in enumerate(bands(seen.sketch)):
        condition = "number IN (SELECT item FROM sketches WHERE band = ? AND value = ?)"
        yield from _alike(session, condition, (band, value), "number DESC")


def _alike(session: Session, condition: str, values: tuple[object, ...], order: str = "number") -> _Found:
    """Yield the accounts of items that fit a condition, with their stories."""
    query = f"SELECT {_SEEN} FROM items WHERE {condition} AND story <> '' ORDER BY {order} LIMIT {COMPARED}"
    for row in list(session.rows(query, values)):
        yield _account(row), str(row[0])


def _account(row: Row) -> Account:
    _, identity, title, link, locale, feed, feed_url, dated, sketched = row
    item = Item(identity, title, "", link, language=locale, feed=feed, feed_url=feed_url)
    found = account(item, parse_time(dated) if dated else None)
    return Account(**(vars(found) | {"sketch": None if sketched is None else int(sketched) & (1 << 64) - 1}))


def _has_feed(session: Session, story: str, feed: str) -> bool:
    """Return whether an item of a feed tells a story already."""
    query = f"SELECT 1 FROM items WHERE story = ? AND story <> '' AND {_FEED} = ? LIMIT 1"
    return session.row(query, (story, feed)) is not None


def digest(key: str) -> str:
    """Return a key of a link or title as the store has it, 32 hexadecimal digits; empty for an empty one."""
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32] if key else ""


def _signed(sketched: int | None) -> int | None:
    """Return a sketch as a signed number of 64 bits, as databases have them."""
    return sketched if sketched is None or sketched < 1 << 63 else sketched - (1 << 64)


def compares_texts(session: Session) -> bool:
    """Return whether texts are compared too."""
    return session.row("SELECT 1 FROM keys WHERE name = ?", (SKETCHES,)) is not None


def read_known(session: Session, last: int, time: str) -> None:
    """Mark the deliveries after number `last` as read whose story their subscriber has read."""
    shared = [
        (number,)
        for (number,) in session.rows(
            """SELECT i.number FROM (SELECT DISTINCT number FROM incoming WHERE number IS NOT NULL) AS b
            JOIN items AS i ON i.number = b.number
            WHERE EXISTS (SELECT 1 FROM items AS o
                WHERE o.story = i.story AND o.story <> '' AND o.number <> i.number)"""
        )
    ]
    session.many(
        """UPDATE deliveries SET read = ? WHERE number > ? AND item = ? AND read IS NULL
        AND (SELECT by_story FROM subscribers WHERE subscribers.number = deliveries.subscriber) = 1
        AND EXISTS (SELECT 1 FROM items AS i
            JOIN items AS o ON o.story = i.story AND o.story <> '' AND o.number <> i.number
            JOIN deliveries AS e ON e.item = o.number AND e.subscriber = deliveries.subscriber
            WHERE i.number = deliveries.item AND e.read IS NOT NULL)""",
        ((time, last, *one) for one in shared),
    )
