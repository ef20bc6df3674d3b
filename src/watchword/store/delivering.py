"""Matches: written once for each batch, and read as inboxes.

A batch is one transaction, and its id is written in it. A caller that repeats a batch, because it does not know whether
the last attempt succeeded, finds the id there and changes nothing: at least once outside, exactly once inside.

A *delivery* is an item in a subscriber's inbox; (subscriber, item) is unique, so an item is there once, however many
subscriptions and batches found it. Below it is a row for each of these subscriptions, with the first reason given, if
any. An item that comes back for a further subscription gains a row and stays read if it was: each item is news once.

Cost: the matches of a batch pass through the temporary table `incoming`, so a batch costs a few statements, not a few
per match. Numbers are looked up from there by subqueries, which every planner begins with the batch; a join might
begin with all subscriptions.

    place  item   subscription  why   subscriber  number
    0      urn:1  s17           ''    7           3          subscriber 7 gets item number 3
    1      urn:1  s99           ''    null        null       unsubscribed meanwhile: dropped
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from watchword.items import ITEM_FIELDS, Item
from watchword.store.engine import Row, Session
from watchword.store.explaining import Explainer
from watchword.store.records import (
    Delivery,
    Match,
    format_list,
    format_time,
    parse_list,
    parse_time,
    storable_text,
)

ITEM_COLUMNS = tuple("locale" if name == "language" else name for name in (*ITEM_FIELDS, "row"))
"""The columns of the table `items` for the fields of an `Item`: its language is that of people, a locale."""

ItemRow = tuple[str | None, ...]
"""The values of `ITEM_COLUMNS`, as the store keeps them; the first is the identity."""

_INCOMING = """CREATE TEMPORARY TABLE IF NOT EXISTS incoming (
    place BIGINT, item TEXT, subscription TEXT, why TEXT, subscriber BIGINT, number BIGINT)"""


def item_row(item: Item) -> ItemRow:
    """Return an item as the store keeps it, or raise a `ValueError`."""
    values = {
        "published": None if item.published is None else format_time(item.published),
        "categories": format_list(item.categories),
        "row": None if item.row is None else storable_text(item.row),
    }
    names = (*ITEM_FIELDS, "row")
    row = tuple(values[name] if name in values else storable_text(getattr(item, name)) for name in names)
    if not row[0]:
        raise ValueError(f"an item needs an identity: {item!r}")
    return row


def match_rows(matches: Iterable[Match | tuple[str, ...]], items: list[ItemRow]) -> list[tuple[str, str, str]]:
    """Return matches as the store keeps them, in the order of their items; a `ValueError` if one has no item there."""
    places = {row[0]: place for place, row in reversed(list(enumerate(items)))}
    rows = [
        (storable_text(one.item), storable_text(one.subscription), storable_text(one.why)) for one in _each(matches)
    ]
    stray = next((item for item, _, _ in rows if item not in places), None)
    if stray is not None:
        raise ValueError(f"a match names the item {stray!r}, which is not among the batch's items")
    return sorted(rows, key=lambda row: places[row[0]])


def _each(matches: Iterable[Match | tuple[str, ...]]) -> Iterable[Match]:
    return (Match(*match) for match in matches)


def is_written(session: Session, batch: str) -> bool:
    """Return whether a batch was written."""
    return session.row("SELECT 1 FROM batches WHERE id = ?", (batch,)) is not None


def write_batch(
    session: Session,
    batch: str,
    items: list[ItemRow],
    matches: list[tuple[str, str, str]],
    as_of: int | None,
    time: str,
) -> None:
    """Write a batch that was not written before, without the matches of subscriptions that are gone."""
    session.run(_INCOMING)
    rows = ((place, *row) for place, row in enumerate(matches))
    session.load("incoming", ("place", "item", "subscription", "why"), rows)
    _find_subscribers(session, as_of)
    matched = {item for (item,) in session.rows("SELECT DISTINCT item FROM incoming WHERE subscriber IS NOT NULL")}
    session.many(
        f"""INSERT INTO items ({", ".join(ITEM_COLUMNS)})
        VALUES ({", ".join("?" * len(ITEM_COLUMNS))}) ON CONFLICT (identity) DO NOTHING""",
        (row for row in items if row[0] in matched),
    )
    written = _deliver(session, time)
    session.run("DELETE FROM incoming")
    session.run("INSERT INTO batches (id, written, matches) VALUES (?, ?, ?)", (batch, time, written))


def _find_subscribers(session: Session, as_of: int | None) -> None:
    """Look up who gets each incoming match; null if the subscription is gone, or was made after change `as_of`."""
    condition, values = ("", ()) if as_of is None else ("AND since <= ?", (as_of,))
    session.run(
        f"""UPDATE incoming SET subscriber = (
            SELECT subscriptions.subscriber FROM subscriptions
            WHERE subscriptions.id = incoming.subscription {condition})""",
        values,
    )


def _deliver(session: Session, time: str) -> int:
    """Write the deliveries and matches of `incoming`, whose items are written; return the number of new matches."""
    session.run(
        """UPDATE incoming SET number = (SELECT items.number FROM items WHERE items.identity = incoming.item)
        WHERE subscriber IS NOT NULL"""
    )
    # In the order of the batch, so that the inbox has it too, whichever of its items were known.
    session.run(
        """INSERT INTO deliveries (subscriber, item, matched)
        SELECT subscriber, number, ? FROM incoming WHERE subscriber IS NOT NULL
        GROUP BY subscriber, number ORDER BY min(place)
        ON CONFLICT (subscriber, item) DO NOTHING""",
        (time,),
    )
    return session.run(
        """INSERT INTO matches (delivery, subscription, why)
        SELECT (SELECT deliveries.number FROM deliveries
            WHERE deliveries.subscriber = incoming.subscriber AND deliveries.item = incoming.number), subscription, why
        FROM incoming WHERE subscriber IS NOT NULL ORDER BY place
        ON CONFLICT (delivery, subscription) DO NOTHING"""
    )


def read_inbox(
    session: Session,
    explainer: Explainer,
    owner: int | None,
    unread_only: bool,
    limit: int | None,
    subscription: str | None = None,
) -> list[Delivery]:
    """Return the newest deliveries of a subscriber, or of all, newest first; with a `subscription`, its own only.

    A subscription's deliveries are searched among its subscriber's, newest first: an index would cost every match.
    """
    newest, values = _newest_deliveries(owner, unread_only, limit, subscription)
    rows = session.rows(
        f"""SELECT d.number, d.matched, d.read, matches.subscription, subscriptions.language, subscriptions.text,
            matches.why, {", ".join(f"items.{name}" for name in ITEM_COLUMNS)}
        FROM ({newest}) AS d
        JOIN items ON items.number = d.item
        JOIN matches ON matches.delivery = d.number
        LEFT JOIN subscriptions ON subscriptions.id = matches.subscription AND subscriptions.subscriber = d.subscriber
        ORDER BY d.number DESC, matches.subscription""",
        values,
    )
    return [_delivery(list(group), explainer) for _, group in groupby(rows, key=lambda row: row[0])]


def _newest_deliveries(
    owner: int | None, unread_only: bool, limit: int | None, subscription: str | None
) -> tuple[str, list[int | str]]:
    """Return the query for the deliveries of an inbox, newest first, and its values."""
    conditions: list[str] = []
    values: list[int | str] = []
    if owner is not None:
        conditions.append("d.subscriber = ?")
        values.append(owner)
    if unread_only:
        conditions.append("d.read IS NULL")
    if subscription is not None:
        conditions.append("EXISTS (SELECT 1 FROM matches WHERE delivery = d.number AND subscription = ?)")
        values.append(subscription)
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    query = f"SELECT * FROM deliveries AS d {where} ORDER BY d.number DESC"
    if limit is not None:
        query += " LIMIT ?"
        values.append(max(limit, 0))
    return query, values


def _delivery(rows: list[Row], explainer: Explainer) -> Delivery:
    """Return the delivery that rows of `read_inbox` with the same number describe."""
    _, matched, read, *_ = rows[0]
    fields = dict(zip((*ITEM_FIELDS, "row"), rows[0][7:], strict=True))
    fields["published"] = None if fields["published"] is None else parse_time(fields["published"])
    fields["categories"] = parse_list(fields["categories"])
    item = Item(**fields)
    reasons = tuple(explainer.reason(item, *row[3:7]) for row in rows)
    return Delivery(item, reasons, parse_time(matched), None if read is None else parse_time(read))


def mark_read(session: Session, owner: int, identities: Iterable[str] | None, time: str) -> int:
    """Mark deliveries of a subscriber as read, all or those of some items; return the number of unread ones."""
    query = "UPDATE deliveries SET read = ? WHERE subscriber = ? AND read IS NULL"
    if identities is None:
        return session.run(query, (time, owner))
    one = f"{query} AND item = (SELECT items.number FROM items WHERE items.identity = ?)"
    return session.many(one, [(time, owner, storable_text(key)) for key in identities])


PORTION = 10_000
"""How many rows a transaction looks at while old ones are deleted."""


def portions(session: Session, table: str) -> list[tuple[int, int]]:
    """Cut the numbers of a table into ranges, each for one transaction, so that others can write in between."""
    found = session.row(f"SELECT coalesce(min(number), 0), coalesce(max(number), -1) FROM {table}")
    first, last = found or (0, -1)
    return [(start, start + PORTION - 1) for start in range(first, last + 1, PORTION)]


def prune_deliveries(session: Session, first: int, last: int, before: str, unread: bool) -> int:
    """Delete deliveries of a range from before a time; return their number."""
    which = "" if unread else "AND read IS NOT NULL"
    query = f"DELETE FROM deliveries WHERE number BETWEEN ? AND ? AND matched < ? {which}"
    return session.run(query, (first, last, before))


def prune_items(session: Session, first: int, last: int) -> None:
    """Delete the items of a range that are in no inbox."""
    session.run(f"{_UNUSED} AND number BETWEEN ? AND ?", (first, last))


def forget_batches(session: Session, before: str, repeatable: Iterable[str]) -> int:
    """Delete the ids of batches from before a time, except `repeatable` ones; return their number."""
    session.run("CREATE TEMPORARY TABLE IF NOT EXISTS repeatable (id TEXT)")
    session.load("repeatable", ("id",), ((storable_text(key),) for key in repeatable))
    deleted = session.run(
        "DELETE FROM batches WHERE written < ? AND id NOT IN (SELECT repeatable.id FROM repeatable)", (before,)
    )
    session.run("DELETE FROM repeatable")
    return deleted


_UNUSED = "DELETE FROM items WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE deliveries.item = items.number)"


def drop_unused_items(session: Session) -> None:
    """Delete the items that are in no inbox."""
    session.run(_UNUSED)
