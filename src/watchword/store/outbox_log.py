"""The outbox as people read it: messages with their attempts, withheld items with the reason.

messages(...)   7  mail  digest  dead   "Ferry aground" and 3 more   attempts: 550 at 07:30
unsent(...)    41  desk  "Ferry aground"   withheld: duplicate
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from watchword.store.engine import Row, Session
from watchword.store.records import format_time, parse_time, storable_number

LOG_DAYS = 30
"""Days for which an ended message and its attempts are kept."""
TITLES = 5
"""Titles that the log shows of a message."""
STATES = ("waiting", "sent", "dead")


class Tried(NamedTuple):
    """One attempt to send a message, and the answer to it."""

    time: datetime
    ok: bool
    answer: str
    milliseconds: int


@dataclass(frozen=True)
class Sent:
    """A message of the log. `titles` are those of its first items, `items` is how many it has."""

    number: int
    id: str
    subscriber: str
    channel: str
    kind: str
    state: str
    reason: str
    made: datetime
    due: datetime
    ended: datetime | None
    items: int
    titles: tuple[str, ...]
    attempts: tuple[Tried, ...]


class Unsent(NamedTuple):
    """A notification that is in no message: withheld for a reason, or gathered until `due`."""

    number: int
    subscriber: str
    channel: str
    state: str
    reason: str
    due: datetime | None
    written: datetime
    item: str
    title: str
    link: str


class OutboxCounts(NamedTuple):
    """An outbox in figures, and when the oldest message that waits was made."""

    new: int
    gathered: int
    waiting: int
    dead: int
    oldest: datetime | None


def _conditions(asked: dict[str, object]) -> tuple[str, list[object]]:
    chosen = {condition: value for condition, value in asked.items() if value is not None}
    return " AND ".join(["1 = 1", *chosen]), list(chosen.values())


def read_messages(
    session: Session, owner: int | None, channel: str | None, state: str | None, before: int | None, limit: int
) -> list[Sent]:
    """Return messages, newest first, of a subscriber or of all."""
    where, values = _conditions(
        {
            "c.subscriber = ?": owner,
            "c.name = ?": channel,
            "m.state = ?": state,
            "m.number < ?": None if before is None else storable_number(before),
        }
    )
    rows = session.rows(
        f"""SELECT m.number, m.id, s.name, c.name, m.kind, m.state, m.reason, m.made, m.due, m.ended,
            (SELECT count(*) FROM notifications AS n WHERE n.message = m.number)
        FROM messages AS m JOIN channels AS c ON c.number = m.channel JOIN subscribers AS s ON s.number = c.subscriber
        WHERE {where} ORDER BY m.number DESC LIMIT ?""",
        (*values, storable_number(max(limit, 0))),
    )
    return [_sent(session, row) for row in list(rows)]


def _sent(session: Session, row: Row) -> Sent:
    times = parse_time(row[7]), parse_time(row[8]), parse_time(row[9]) if row[9] else None
    values = (*row[:7], *times, row[10], _titles(session, row[0]), _attempts(session, row[0]))
    return Sent(*values)


def _titles(session: Session, message: int) -> tuple[str, ...]:
    rows = session.rows(
        """SELECT CASE WHEN items.title <> '' THEN items.title ELSE substr(items.text, 1, 80) END
        FROM notifications AS n JOIN deliveries AS d ON d.number = n.delivery JOIN items ON items.number = d.item
        WHERE n.message = ? ORDER BY n.number LIMIT ?""",
        (message, TITLES),
    )
    return tuple(str(title) for (title,) in rows)


def _attempts(session: Session, message: int) -> tuple[Tried, ...]:
    query = "SELECT time, ok, answer, milliseconds FROM attempts WHERE message = ? ORDER BY number"
    return tuple(Tried(parse_time(time), bool(ok), *rest) for time, ok, *rest in session.rows(query, (message,)))


def read_unsent(
    session: Session, owner: int | None, channel: str | None, before: int | None, limit: int
) -> list[Unsent]:
    """Return notifications that are in no message, newest first."""
    where, values = _conditions(
        {
            "c.subscriber = ?": owner,
            "c.name = ?": channel,
            "n.number < ?": None if before is None else storable_number(before),
        }
    )
    rows = session.rows(
        f"""SELECT n.number, s.name, c.name, n.state, n.reason, n.due, n.written,
            items.identity, items.title, items.link
        FROM notifications AS n JOIN channels AS c ON c.number = n.channel
        JOIN subscribers AS s ON s.number = c.subscriber
        JOIN deliveries AS d ON d.number = n.delivery JOIN items ON items.number = d.item
        WHERE n.state IN ('withheld', 'gathered') AND {where} ORDER BY n.number DESC LIMIT ?""",
        (*values, storable_number(max(limit, 0))),
    )
    return [
        Unsent._make((*row[:5], parse_time(row[5]) if row[5] else None, parse_time(row[6]), *row[7:])) for row in rows
    ]


def replay(session: Session, owner: int, messages: Iterable[int] | None, channel: str | None, time: str) -> int:
    """Let dead messages wait again, under their ids; return how many. Without numbers all of them."""
    where, values = _conditions({"c.subscriber = ?": owner, "c.name = ?": channel})
    query = f"""SELECT m.number FROM messages AS m JOIN channels AS c ON c.number = m.channel
        WHERE m.state = 'dead' AND {where}"""
    found = [int(number) for (number,) in session.rows(query, values)]
    if messages is not None:
        wanted = set(messages)
        found = [number for number in found if number in wanted]
    return session.many(
        "UPDATE messages SET state = 'waiting', reason = '', attempts = 0, due = ?, ended = NULL WHERE number = ?",
        ((time, number) for number in found),
    )


def write_sent(session: Session, channel: int, kind: str, id: str, answer: Tried) -> None:
    """Write a message that is over, with its one attempt."""
    time, state = format_time(answer.time), "sent" if answer.ok else "dead"
    session.run(
        """INSERT INTO messages (id, channel, kind, state, reason, made, due, attempts, ended)
        VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)""",
        (id, channel, kind, state, "" if answer.ok else answer.answer, time, time, time),
    )
    session.run(
        """INSERT INTO attempts (message, time, ok, answer, milliseconds)
        SELECT number, ?, ?, ?, ? FROM messages WHERE id = ?""",
        (time, int(answer.ok), answer.answer, answer.milliseconds, id),
    )


def count_outbox(session: Session, owner: int | None) -> OutboxCounts:
    """Return an outbox in figures: of a subscriber, or of all."""
    where, values = _conditions({"c.subscriber = ?": owner})

    def count(table: str, state: str) -> int:
        row = session.row(
            f"""SELECT count(*) FROM channels AS c JOIN {table} AS x ON x.channel = c.number
            WHERE x.state = '{state}' AND {where}""",
            values,
        )
        return int(row[0]) if row else 0

    oldest = session.row(
        f"""SELECT min(m.made) FROM channels AS c JOIN messages AS m ON m.channel = c.number
        WHERE m.state = 'waiting' AND {where}""",
        values,
    )
    return OutboxCounts(
        count("notifications", "new"),
        count("notifications", "gathered"),
        count("messages", "waiting"),
        count("messages", "dead"),
        parse_time(oldest[0]) if oldest and oldest[0] else None,
    )


def forget(session: Session, now: datetime) -> None:
    """Delete messages that ended long ago, with their attempts."""
    session.run("DELETE FROM messages WHERE ended <= ?", (format_time(now - timedelta(days=LOG_DAYS)),))
