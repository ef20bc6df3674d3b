"""Muting: what a muting subscription matches is withheld from its subscriber.

A muting subscription is one like any other to the indexes. What it matches alone comes into no inbox. What another
subscription of the same subscriber matches too is delivered as read, and no channel is told of it: nothing is lost, and
nothing disturbs. The languages of a batch may be written one after the other, so a match is withheld whichever of the
two comes first; a message that has left meanwhile is not taken back.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from watchword.store.engine import Session
from watchword.store.records import format_time

MUTED_DAYS = 30
"""Days for which the store remembers that an item is muted."""


def take(session: Session, time: str) -> None:
    """Take the matches of muting subscriptions out of `incoming`, and remember their items."""
    if session.row("SELECT 1 FROM subscriptions WHERE mutes = 1 LIMIT 1") is None:
        return
    session.run(
        """UPDATE incoming SET mutes = (SELECT mutes FROM subscriptions WHERE id = incoming.subscription)
        WHERE subscriber IS NOT NULL"""
    )
    session.run(
        """INSERT INTO muted (subscriber, item, time)
        SELECT DISTINCT subscriber, item, ? FROM incoming WHERE mutes = 1 AND subscriber IS NOT NULL
        ON CONFLICT (subscriber, item) DO NOTHING""",
        (time,),
    )
    delivered = """SELECT d.number FROM incoming
        JOIN items ON items.identity = incoming.item
        JOIN deliveries AS d ON d.subscriber = incoming.subscriber AND d.item = items.number
        WHERE incoming.mutes = 1"""
    session.run(f"UPDATE deliveries SET read = ? WHERE read IS NULL AND number IN ({delivered})", (time,))
    session.run(
        f"""UPDATE notifications SET state = 'withheld', reason = 'muted'
        WHERE state IN ('new', 'gathered') AND delivery IN ({delivered})"""
    )
    session.run("UPDATE incoming SET subscriber = NULL WHERE mutes = 1")


def apply(session: Session, last: int, time: str) -> None:
    """Mark the deliveries after number `last` as read whose items are muted."""
    if session.row("SELECT 1 FROM muted LIMIT 1") is None:
        return
    session.run(
        """UPDATE deliveries SET read = ? WHERE number > ? AND read IS NULL AND EXISTS (
            SELECT 1 FROM items JOIN muted ON muted.item = items.identity
            WHERE items.number = deliveries.item AND muted.subscriber = deliveries.subscriber)""",
        (time, last),
    )


def forget(session: Session, now: datetime) -> None:
    """Forget items that were muted long ago."""
    session.run("DELETE FROM muted WHERE time <= ?", (format_time(now - timedelta(days=MUTED_DAYS)),))
