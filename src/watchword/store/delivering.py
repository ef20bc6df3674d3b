"""What matched: written once a batch, read as an inbox.

A batch is one transaction, and its id is written in it. So a caller that repeats a batch, as one does who does not know
whether the last attempt came through, finds it there and changes nothing: at least once outside, exactly once inside.

A *delivery* is an item in a subscriber's inbox; (subscriber, item) is unique, so an item is there once, however many
subscriptions and batches found it. Below it is a row for each subscription that did, with the first reason given. An
item that comes back for a further subscription gains a row and stays read if it was: each item is news once.

Cost: the matches of a batch pass through a table in memory and are joined with the subscriptions by id, so a batch
costs a few statements, not a few per match. The joins are ``CROSS``, which for SQLite means in this order: without
statistics it might begin with all subscriptions instead of the batch.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from watchword.items import ITEM_FIELDS, Item
from watchword.store.records import (
    Delivery,
    Match,
    Reason,
    read_list,
    read_time,
    written_list,
    written_text,
    written_time,
)

ItemRow = tuple[str | None, ...]
"""The values of `ITEM_FIELDS`, as the store keeps them; the first is the identity."""


def item_row(item: Item) -> ItemRow:
    """Return an item as the store keeps it, or raise a `ValueError`."""
    written = {
        "published": None if item.published is None else written_time(item.published),
        "categories": written_list(item.categories),
    }
    row = tuple(written[name] if name in written else written_text(getattr(item, name)) for name in ITEM_FIELDS)
    if not row[0]:
        raise ValueError(f"an item needs an identity: {item!r}")
    return row


def match_rows(matches: Iterable[Match | tuple[str, str, str]], items: list[ItemRow]) -> list[tuple[str, str, str]]:
    """Return matches as the store keeps them, in the order of their items; a `ValueError` if one has no item there."""
    places = {row[0]: place for place, row in reversed(list(enumerate(items)))}
    rows = [(written_text(item), written_text(key), written_text(why)) for item, key, why in matches]
    stray = next((item for item, _, _ in rows if item not in places), None)
    if stray is not None:
        raise ValueError(f"a match names the item {stray!r}, which is not among the batch's items")
    return sorted(rows, key=lambda row: places[row[0]])


def is_written(connection: sqlite3.Connection, batch: str) -> bool:
    """Say whether a batch was written."""
    return connection.execute("SELECT 1 FROM batches WHERE id = ?", (batch,)).fetchone() is not None


def write_batch(
    connection: sqlite3.Connection,
    batch: str,
    items: list[ItemRow],
    matches: list[tuple[str, str, str]],
    as_of: int | None,
    time: str,
) -> None:
    """Write a batch that was not written before, without the matches of those who are subscribed no more."""
    connection.execute("CREATE TEMP TABLE IF NOT EXISTS incoming (item TEXT, subscription TEXT, why TEXT)")
    connection.executemany("INSERT INTO incoming VALUES (?, ?, ?)", matches)
    connection.execute(
        """DELETE FROM incoming WHERE NOT EXISTS (
            SELECT 1 FROM subscriptions WHERE id = incoming.subscription AND (?1 IS NULL OR since <= ?1))""",
        (as_of,),
    )
    matched = {item for (item,) in connection.execute("SELECT DISTINCT item FROM incoming")}
    connection.executemany(
        f"""INSERT INTO items ({", ".join(ITEM_FIELDS)})
        VALUES ({", ".join("?" * len(ITEM_FIELDS))}) ON CONFLICT (identity) DO NOTHING""",
        (row for row in items if row[0] in matched),
    )
    # In the order of the batch, so that the inbox has it too, whichever of its items were known.
    connection.execute(
        """INSERT INTO deliveries (subscriber, item, matched)
        SELECT subscriptions.subscriber, items.number, ?
        FROM incoming CROSS JOIN subscriptions ON subscriptions.id = incoming.subscription
        CROSS JOIN items ON items.identity = incoming.item
        GROUP BY 1, 2 ORDER BY min(incoming.rowid)
        ON CONFLICT (subscriber, item) DO NOTHING""",
        (time,),
    )
    written = connection.execute(
        """INSERT INTO matches (delivery, subscription, why)
        SELECT deliveries.number, incoming.subscription, incoming.why
        FROM incoming CROSS JOIN subscriptions ON subscriptions.id = incoming.subscription
        CROSS JOIN items ON items.identity = incoming.item
        CROSS JOIN deliveries ON deliveries.subscriber = subscriptions.subscriber AND deliveries.item = items.number
        ORDER BY incoming.rowid ON CONFLICT (delivery, subscription) DO NOTHING"""
    ).rowcount
    connection.execute("DELETE FROM incoming")
    connection.execute("INSERT INTO batches (id, written, matches) VALUES (?, ?, ?)", (batch, time, written))


def read_inbox(
    connection: sqlite3.Connection,
    owner: int | None,
    unread_only: bool,
    limit: int | None,
    subscription: str | None = None,
) -> list[Delivery]:
    """Return the newest deliveries of a subscriber, or of all, newest first; those of which `subscription` is a reason.

    A subscription's are looked for among its subscriber's, newest first: an index of them would cost every match.
    """
    conditions = {
        "subscriber = :owner": owner is not None,
        "read IS NULL": unread_only,
        "EXISTS (SELECT 1 FROM matches WHERE delivery = deliveries.number AND subscription = :subscription)": (
            subscription is not None
        ),
    }
    chosen = " AND ".join(condition for condition, holds in conditions.items() if holds) or "1"
    rows = connection.execute(
        f"""SELECT d.number, d.matched, d.read, matches.subscription, subscriptions.text, why,
            {", ".join(f"items.{name}" for name in ITEM_FIELDS)}
        FROM (SELECT * FROM deliveries WHERE {chosen} ORDER BY number DESC LIMIT :limit) AS d
        JOIN items ON items.number = d.item
        JOIN matches ON matches.delivery = d.number
        LEFT JOIN subscriptions ON subscriptions.id = matches.subscription AND subscriptions.subscriber = d.subscriber
        ORDER BY d.number DESC, matches.subscription""",
        {"owner": owner, "subscription": subscription, "limit": -1 if limit is None else max(limit, 0)},
    )
    return [_delivery(list(group)) for _, group in groupby(rows, key=lambda row: row[0])]


def _delivery(rows: list[Any]) -> Delivery:
    _, matched, read, *_ = rows[0]
    item = dict(zip(ITEM_FIELDS, rows[0][6:], strict=True))
    item["published"] = None if item["published"] is None else read_time(item["published"])
    item["categories"] = read_list(item["categories"])
    reasons = tuple(Reason(*row[3:6]) for row in rows)
    return Delivery(Item(**item), reasons, read_time(matched), None if read is None else read_time(read))


def mark_read(connection: sqlite3.Connection, owner: int, identities: Iterable[str] | None, time: str) -> int:
    """Mark deliveries of a subscriber as read, all or those of some items; return how many were not yet."""
    query = "UPDATE deliveries SET read = ? WHERE subscriber = ? AND read IS NULL"
    if identities is None:
        return connection.execute(query, (time, owner)).rowcount
    one = f"{query} AND item = (SELECT number FROM items WHERE identity = ?)"
    return connection.executemany(one, [(time, owner, written_text(key)) for key in identities]).rowcount


PORTION = 10_000
"""How many rows are looked at in one transaction while old ones are forgotten."""


def portions(connection: sqlite3.Connection, table: str) -> list[tuple[int, int]]:
    """Cut the numbers of a table into ranges, each a piece of work after which others may write."""
    query = f"SELECT coalesce(min(number), 0), coalesce(max(number), -1) FROM {table}"
    first, last = connection.execute(query).fetchone()
    return [(start, start + PORTION - 1) for start in range(first, last + 1, PORTION)]


def prune_deliveries(connection: sqlite3.Connection, first: int, last: int, before: str, unread: bool) -> int:
    """Forget deliveries of a range from before a time; return how many."""
    which = "" if unread else "AND read IS NOT NULL"
    query = f"DELETE FROM deliveries WHERE number BETWEEN ? AND ? AND matched < ? {which}"
    return connection.execute(query, (first, last, before)).rowcount


def prune_items(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Forget the items of a range that no inbox has."""
    connection.execute(f"{_UNUSED} AND number BETWEEN ? AND ?", (first, last))


def forget_batches(connection: sqlite3.Connection, before: str, repeatable: Iterable[str]) -> int:
    """Forget the ids of batches from before a time, but for those that may come again; return how many."""
    kept = json.dumps(list(repeatable))
    query = "DELETE FROM batches WHERE written < ? AND id NOT IN (SELECT value FROM json_each(?))"
    return connection.execute(query, (before, kept)).rowcount


_UNUSED = "DELETE FROM items WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE item = items.number)"


def drop_unused_items(connection: sqlite3.Connection) -> None:
    """Forget the items that no inbox has."""
    connection.execute(_UNUSED)
