"""Inboxes: pages of deliveries, the marks on them (read, starred), and their figures.

Deliveries are numbered in the order in which they were written, so a number is a place in an inbox that no later
delivery moves. A page is cut by it: the 50 newest, then the 50 newest before the last of these.

    Page(limit=50)                   9412 ... 9320
    Page(limit=50, before=9320)      9318 ... 9201
    Page(after=9412, oldest_first=True)     9415, 9419: what came since
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from watchword.items import ITEM_FIELDS, Item
from watchword.store.delivering import ITEM_COLUMNS
from watchword.store.engine import Row, Session, Values
from watchword.store.explaining import Explainer
from watchword.store.records import (
    Delivery,
    InboxCounts,
    Source,
    parse_list,
    parse_time,
    storable_number,
    storable_text,
)

SOURCES = 50
"""Other items of its story that an entry of an inbox names."""


class Page(NamedTuple):
    """Which deliveries of an inbox are asked for; by default all, newest first."""

    unread_only: bool = False
    limit: int | None = None
    subscription: str | None = None
    before: int | None = None
    after: int | None = None
    starred_only: bool = False
    oldest_first: bool = False
    by_story: bool = False
    """Of the deliveries of one story that the page would have, only the first."""
    only: int | None = None
    """The one delivery of this number."""


def read_inbox(session: Session, explainer: Explainer, owner: int | None, page: Page) -> list[Delivery]:
    """Return a page of the deliveries of a subscriber, or of all.

    A subscription's deliveries are searched among its subscriber's, newest first: an index would cost every match.
    """
    chosen, values = _chosen_deliveries(owner, page)
    rows = session.rows(
        f"""SELECT d.number, d.matched, d.read, d.starred, matches.subscription, subscriptions.language,
            subscriptions.text, matches.why, {", ".join(f"items.{name}" for name in ITEM_COLUMNS)}
        FROM ({chosen}) AS d
        JOIN items ON items.number = d.item
        JOIN matches ON matches.delivery = d.number
        LEFT JOIN subscriptions ON subscriptions.id = matches.subscription AND subscriptions.subscriber = d.subscriber
        ORDER BY d.number {_direction(page)}, matches.subscription""",
        values,
    )
    return [_delivery(list(group), explainer) for _, group in groupby(rows, key=lambda row: row[0])]


def _chosen_deliveries(owner: int | None, page: Page) -> tuple[str, list[int | str]]:
    """Return the query for the deliveries of a page, and its values."""
    conditions = ["d.read IS NULL"] if page.unread_only else []
    conditions += ["d.starred IS NOT NULL"] if page.starred_only else []
    values: list[int | str] = []
    for condition, value in (
        ("d.subscriber = ?", owner),
        ("EXISTS (SELECT 1 FROM matches WHERE delivery = d.number AND subscription = ?)", page.subscription),
        ("d.number = ?", page.only),
        ("d.number < ?", page.before),
        ("d.number > ?", page.after),
    ):
        if value is not None:
            conditions.append(condition)
            values.append(value if isinstance(value, str) else storable_number(value))
    if page.by_story:
        first, chosen = _is_first(page)
        conditions.append(first)
        values += chosen
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    query = f"SELECT * FROM deliveries AS d {where} ORDER BY d.number {_direction(page)}"
    if page.limit is not None:
        query += " LIMIT ?"
        values.append(storable_number(max(page.limit, 0)))
    return query, values


def _is_first(page: Page) -> tuple[str, list[int | str]]:
    """Return the condition that no earlier delivery of the same story would be on the page, and its values."""
    same = ["e.subscriber = d.subscriber", "e.number < d.number", "o.story = i.story", "o.story <> ''"]
    same += ["e.read IS NULL"] if page.unread_only else []
    same += ["e.starred IS NOT NULL"] if page.starred_only else []
    values: list[int | str] = []
    if page.subscription is not None:
        same.append("EXISTS (SELECT 1 FROM matches WHERE delivery = e.number AND subscription = ?)")
        values.append(page.subscription)
    return (
        f"""NOT EXISTS (SELECT 1 FROM items AS i JOIN items AS o ON o.story = i.story
        JOIN deliveries AS e ON e.item = o.number WHERE i.number = d.item AND {" AND ".join(same)})""",
        values,
    )


def add_sources(session: Session, found: list[Delivery]) -> list[Delivery]:
    """Return deliveries with the other items of the same inbox that tell the same story, the first ones."""
    query = """SELECT o.identity, o.title, o.link, o.feed, e.matched
        FROM deliveries AS d JOIN items AS i ON i.number = d.item
        JOIN items AS o ON o.story = i.story AND o.story <> '' AND o.number <> i.number
        JOIN deliveries AS e ON e.item = o.number AND e.subscriber = d.subscriber
        WHERE d.number = ? ORDER BY e.number LIMIT ?"""
    return [
        replace(one, sources=tuple(Source._make((*row[:4], parse_time(row[4]))) for row in rows)) if rows else one
        for one in found
        for rows in [list(session.rows(query, (one.number, SOURCES)))]
    ]


def story_items(session: Session, owner: int, identities: Iterable[str]) -> list[str]:
    """Return the identities of items, and of the other items of the same inbox that tell their stories, each once."""
    query = """SELECT o.identity FROM items AS i JOIN items AS o ON o.story = i.story AND o.story <> ''
        JOIN deliveries AS e ON e.item = o.number AND e.subscriber = ? WHERE i.identity = ? ORDER BY e.number"""
    wanted = list(dict.fromkeys(identities))
    more = (row[0] for key in wanted for row in session.rows(query, (owner, storable_text(key))))
    return list(dict.fromkeys([*wanted, *more]))


def _direction(page: Page) -> str:
    return "ASC" if page.oldest_first else "DESC"


def _delivery(rows: list[Row], explainer: Explainer) -> Delivery:
    """Return the delivery that rows of `read_inbox` with the same number describe."""
    number, matched, read, starred, *_ = rows[0]
    fields = dict(zip((*ITEM_FIELDS, "row"), rows[0][8:], strict=True))
    fields["published"] = None if fields["published"] is None else parse_time(fields["published"])
    fields["categories"] = parse_list(fields["categories"])
    item = Item(**fields)
    reasons = tuple(explainer.reason(item, *row[4:8]) for row in rows)
    times = [None if time is None else parse_time(time) for time in (read, starred)]
    return Delivery(item, reasons, parse_time(matched), times[0], number, times[1])


# Marks


def mark_read(session: Session, owner: int, identities: Iterable[str] | None, through: int | None, time: str) -> int:
    """Mark deliveries of a subscriber as read, all or those of some items, up to number `through`.

    Return the number of unread ones among them.
    """
    query = "UPDATE deliveries SET read = ? WHERE subscriber = ? AND read IS NULL"
    values: Values = (time, owner)
    if through is not None:
        query, values = f"{query} AND number <= ?", (*values, storable_number(through))
    return session.run(query, values) if identities is None else _mark(session, query, values, identities)


def mark_unread(session: Session, owner: int, identities: Iterable[str]) -> int:
    """Mark deliveries of a subscriber as unread; return the number of read ones."""
    query = "UPDATE deliveries SET read = NULL WHERE subscriber = ? AND read IS NOT NULL"
    return _mark(session, query, [owner], identities)


def star(session: Session, owner: int, identities: Iterable[str], time: str | None) -> int:
    """Star deliveries of a subscriber at a time, or with None take their stars; return the number of changed ones."""
    if time is None:
        query = "UPDATE deliveries SET starred = NULL WHERE subscriber = ? AND starred IS NOT NULL"
        return _mark(session, query, [owner], identities)
    query = "UPDATE deliveries SET starred = ? WHERE subscriber = ? AND starred IS NULL"
    return _mark(session, query, [time, owner], identities)


def _mark(session: Session, query: str, values: Values, identities: Iterable[str]) -> int:
    one = f"{query} AND item = (SELECT items.number FROM items WHERE items.identity = ?)"
    return session.many(one, [(*values, storable_text(key)) for key in identities])


# Figures


def count_inbox(session: Session, owner: int, by_story: bool = False) -> InboxCounts:
    """Return the figures of an inbox; `by_story`, each story is one."""
    query = "SELECT count(*), count(starred), count(*) - count(read) FROM deliveries WHERE subscriber = ?"
    if by_story:
        query = """SELECT count(DISTINCT k), count(DISTINCT CASE WHEN starred IS NOT NULL THEN k END),
            count(DISTINCT CASE WHEN read IS NULL THEN k END)
            FROM (SELECT d.starred, d.read, CASE WHEN i.story = '' THEN i.identity ELSE i.story END AS k
                FROM deliveries AS d JOIN items AS i ON i.number = d.item WHERE d.subscriber = ?) AS e"""
    every, starred, unread = session.row(query, (owner,)) or (0, 0, 0)
    counted = session.rows(
        """SELECT matches.subscription, count(*) FROM deliveries JOIN matches ON matches.delivery = deliveries.number
        WHERE deliveries.subscriber = ? AND deliveries.read IS NULL
        GROUP BY matches.subscription ORDER BY matches.subscription""",
        (owner,),
    )
    return InboxCounts(unread, starred, every, {str(key): int(count) for key, count in counted})


def last_delivery(session: Session, owner: int) -> int:
    """Return the greatest number of a subscriber's deliveries, 0 if there is none, by one look-up in an index."""
    row = session.row("SELECT coalesce(max(number), 0) FROM deliveries WHERE subscriber = ?", (owner,))
    return int(row[0]) if row else 0


class Marks(NamedTuple):
    """The marks on one item of an inbox."""

    item: str
    is_read: bool
    is_starred: bool


def read_marks(session: Session, owner: int, identities: Iterable[str]) -> list[Marks]:
    """Return the marks on items, by identity, each once, without items that are not in the inbox."""
    query = """SELECT items.identity, d.read IS NOT NULL, d.starred IS NOT NULL
        FROM items JOIN deliveries AS d ON d.item = items.number WHERE d.subscriber = ? AND items.identity = ?"""
    rows = (session.row(query, (owner, storable_text(key))) for key in dict.fromkeys(identities))
    return [Marks(str(row[0]), bool(row[1]), bool(row[2])) for row in rows if row is not None]


def read_unread(session: Session, owner: int, through: int | None, limit: int) -> list[str]:
    """Return the identities of at most `limit` unread items up to delivery `through`, newest first."""
    condition, values = ("", [owner]) if through is None else ("AND d.number <= ?", [owner, storable_number(through)])
    rows = session.rows(
        f"""SELECT items.identity FROM deliveries AS d JOIN items ON items.number = d.item
        WHERE d.subscriber = ? AND d.read IS NULL {condition} ORDER BY d.number DESC LIMIT ?""",
        (*values, storable_number(max(limit, 0))),
    )
    return [str(row[0]) for row in rows]


def newest_delivery(session: Session) -> int:
    """Return the greatest number of all deliveries, 0 if there is none."""
    row = session.row("SELECT coalesce(max(number), 0) FROM deliveries")
    return int(row[0]) if row else 0


def read_news(session: Session, after: int) -> dict[str, int]:
    """Return the greatest number of each subscriber's deliveries after number `after`, without the others."""
    rows = session.rows(
        """SELECT subscribers.name, max(d.number) FROM deliveries AS d
        JOIN subscribers ON subscribers.number = d.subscriber WHERE d.number > ? GROUP BY subscribers.name""",
        (storable_number(after),),
    )
    return {str(name): int(number) for name, number in rows}
