"""Matches: written once for each batch. `inboxes` reads them.

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

from watchword.items import ITEM_FIELDS, Item
from watchword.store import muting, outgoing, telling
from watchword.store.engine import Session
from watchword.store.records import Match, format_list, format_time, storable_text

ITEM_COLUMNS = tuple("locale" if name == "language" else name for name in (*ITEM_FIELDS, "row"))
"""The columns of the table `items` for the fields of an `Item`: its language is that of people, a locale."""

ItemRow = tuple[str | None, ...]
"""The values of `ITEM_COLUMNS`, as the store keeps them; the first is the identity."""

_INCOMING = """CREATE TEMPORARY TABLE IF NOT EXISTS incoming (
    place BIGINT, item TEXT, subscription TEXT, why TEXT, subscriber BIGINT, number BIGINT, mutes BIGINT)"""


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
    notify: bool = True,
) -> None:
    """Write a batch that was not written before, without the matches of subscriptions that are gone.

    With `notify`, what it brings is put into the outbox of the channels that it is meant for (`outgoing`).
    """
    session.run(_INCOMING)
    rows = ((place, *row) for place, row in enumerate(matches))
    session.load("incoming", ("place", "item", "subscription", "why"), rows)
    _find_subscribers(session, as_of, time)
    muting.take(session, time)
    matched = {item for (item,) in session.rows("SELECT DISTINCT item FROM incoming WHERE subscriber IS NOT NULL")}
    session.many(
        f"""INSERT INTO items ({", ".join(ITEM_COLUMNS)})
        VALUES ({", ".join("?" * len(ITEM_COLUMNS))}) ON CONFLICT (identity) DO NOTHING""",
        (row for row in items if row[0] in matched),
    )
    written = _deliver(session, time, notify)
    session.run("DELETE FROM incoming")
    session.run("INSERT INTO batches (id, written, matches) VALUES (?, ?, ?)", (batch, time, written))


def _find_subscribers(session: Session, as_of: int | None, time: str) -> None:
    """Look up who gets each incoming match; null if the subscription is gone, paused, or snoozed until after `time`.

    It is null, too, if the subscription was made after change `as_of`.
    """
    condition, values = ("", (time,)) if as_of is None else ("AND since <= ?", (time, as_of))
    session.run(
        f"""UPDATE incoming SET subscriber = (
            SELECT subscriptions.subscriber FROM subscriptions
            WHERE subscriptions.id = incoming.subscription
            AND paused = 0 AND (snoozed IS NULL OR snoozed <= ?) {condition})""",
        values,
    )


def _deliver(session: Session, time: str, notify: bool) -> int:
    """Write the deliveries and matches of `incoming`, whose items are written; return the number of new matches."""
    session.run(
        """UPDATE incoming SET number = (SELECT items.number FROM items WHERE items.identity = incoming.item)
        WHERE subscriber IS NOT NULL"""
    )
    telling.name_stories(session, time)
    last = _last_delivery(session)
    # In the order of the batch, so that the inbox has it too, whichever of its items were known.
    session.run(
        """INSERT INTO deliveries (subscriber, item, matched)
        SELECT subscriber, number, ? FROM incoming WHERE subscriber IS NOT NULL
        GROUP BY subscriber, number ORDER BY min(place)
        ON CONFLICT (subscriber, item) DO NOTHING""",
        (time,),
    )
    telling.read_known(session, last, time)
    muting.apply(session, last, time)
    if notify:
        outgoing.write(session, time)
    return session.run(
        """INSERT INTO matches (delivery, subscription, why)
        SELECT (SELECT deliveries.number FROM deliveries
            WHERE deliveries.subscriber = incoming.subscriber AND deliveries.item = incoming.number), subscription, why
        FROM incoming WHERE subscriber IS NOT NULL ORDER BY place
        ON CONFLICT (delivery, subscription) DO NOTHING"""
    )


def _last_delivery(session: Session) -> int:
    row = session.row("SELECT coalesce(max(number), 0) FROM deliveries")
    return int(row[0]) if row else 0


PORTION = 10_000
"""How many rows a transaction looks at while old ones are deleted."""


def portions(session: Session, table: str) -> list[tuple[int, int]]:
    """Cut the numbers of a table into ranges, each for one transaction, so that others can write in between."""
    found = session.row(f"SELECT coalesce(min(number), 0), coalesce(max(number), -1) FROM {table}")
    first, last = found or (0, -1)
    return [(start, start + PORTION - 1) for start in range(first, last + 1, PORTION)]


def prune_deliveries(session: Session, first: int, last: int, before: str, unread: bool) -> int:
    """Delete deliveries of a range from before a time, but no starred ones; return their number."""
    which = "" if unread else "AND read IS NOT NULL"
    query = f"DELETE FROM deliveries WHERE number BETWEEN ? AND ? AND matched < ? AND starred IS NULL {which}"
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
