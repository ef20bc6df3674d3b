"""The outbox's entrance: a row for each item of a batch and each channel that is to be told of it.

It is written in the transaction of the batch, so it is there exactly where the match is there. Nothing is decided here:
the row is `new`, and the dispatcher plans it. A match that the inbox had already is no news.

A subscription names its channels (`routes`). One that names none goes to those of its subscriber that take everything.
"""

from __future__ import annotations

from watchword.store.engine import Session


def write(session: Session, time: str) -> None:
    """Write a row for each new match of `incoming` and each of its channels; their matches are written afterwards."""
    if session.row("SELECT 1 FROM channels LIMIT 1") is None:
        return
    session.run(
        """INSERT INTO notifications (channel, delivery, story, state, reason, written)
        SELECT c.number, b.delivery, CASE WHEN s.by_story = 1 THEN items.story ELSE '' END, 'new',
            CASE WHEN EXISTS (SELECT 1 FROM muted WHERE muted.subscriber = b.subscriber AND muted.item = items.identity)
                THEN 'muted' ELSE '' END, ?
        FROM (SELECT place, subscriber, subscription, number AS item, (SELECT deliveries.number FROM deliveries
                WHERE deliveries.subscriber = incoming.subscriber AND deliveries.item = incoming.number) AS delivery
            FROM incoming WHERE subscriber IS NOT NULL) AS b
        JOIN channels AS c ON c.subscriber = b.subscriber
        JOIN subscribers AS s ON s.number = b.subscriber
        JOIN items ON items.number = b.item
        WHERE NOT EXISTS (SELECT 1 FROM matches
            WHERE matches.delivery = b.delivery AND matches.subscription = b.subscription)
        AND (EXISTS (SELECT 1 FROM routes
                WHERE routes.subscription = b.subscription AND routes.channel = c.number)
            OR (c.everything = 1 AND NOT EXISTS (SELECT 1 FROM routes WHERE routes.subscription = b.subscription)))
        ORDER BY b.place
        ON CONFLICT (channel, delivery) DO NOTHING""",
        (time,),
    )
