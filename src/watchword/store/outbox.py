"""The outbox: notifications are planned into messages, messages are sent, and every attempt is written down.

    notifications   new ──> planned ──> in message 7          messages   waiting ──> sent
                       └──> gathered until 07:30 ──┘                        └──> dead ──> replayed, or to the fallback
                       └──> withheld: duplicate                attempts  one for each try of a message, with its answer

A dispatcher makes one transaction of everything at a time (`Store.exchange`): it writes the answers to its attempts,
takes channels that have something due, plans new notifications, and gets the messages to send. Channels are
held for `LEASE` seconds and longer while they are at work, so several dispatchers share them, and one channel is never
in two hands. A dispatcher that dies leaves its messages `waiting`: the next one sends them under the same ids.

A lease that ends further ahead than `LEASE` was written by a clock that was set back since, and does not count.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from watchword.store.channels import DISABLED, READY, Channel, parse_secrets, read_channel, set_state
from watchword.store.engine import Session
from watchword.store.records import format_time, parse_time

LEASE = timedelta(seconds=60)
"""How long a channel is held without a word of its dispatcher."""
PLANNED = 5_000
"""Notifications of a channel that are planned at once."""
PIECE = 100
"""Notifications of one digest, where it is to name them all."""
HOUR = timedelta(hours=1)
LONGEST_WAIT = timedelta(days=2)
"""A channel or message that waits longer waits for a clock that was set back, and is tried."""
LONGEST_DIGEST = timedelta(days=9)
"""A digest that is due later was due by such a clock, and is made."""
ONE, DIGEST_MESSAGE = "one", "digest"


class Attempt(NamedTuple):
    """What came of one attempt. Not `ok`, it is tried again at `again`; without that the message is dead."""

    message: int
    time: datetime
    ok: bool
    answer: str
    milliseconds: int
    again: datetime | None = None


@dataclass(frozen=True)
class Verdict:
    """What attempts say of their channel: its failures in succession, until when it waits, a state if that changed."""

    channel: int
    failures: int
    wait_until: datetime | None = None
    state: str | None = None
    reason: str = ""


class Pending(NamedTuple):
    """A notification that is to be planned: `muted` is set where a muting subscription has the item."""

    number: int
    story: str
    muted: bool


class Planned(NamedTuple):
    """The decision about a notification: `send`, `gather` until `due`, or `withhold`."""

    number: int
    action: str
    reason: str
    due: datetime | None


@dataclass(frozen=True)
class Desk:
    """A channel that is planned: times of its messages of the last hour, and the stories told."""

    channel: Channel
    zone: str
    pending: Sequence[Pending]
    sent: Sequence[datetime]
    told: frozenset[str]


Decide = Callable[[Desk], list[Planned]]
IsWhole = Callable[[Channel], bool]
"""Whether a digest on a channel is one message, however many items it has."""


@dataclass(frozen=True)
class Job:
    """A message to be sent."""

    number: int
    id: str
    kind: str
    made: datetime
    attempts: int
    reason: str
    deliveries: tuple[int, ...]


@dataclass(frozen=True)
class Work:
    """A channel that was taken, with its secrets and the next messages."""

    channel: Channel
    secrets: list[tuple[str, datetime | None]]
    jobs: list[Job]


# Results


def write_attempts(session: Session, attempts: Iterable[Attempt]) -> list[int]:
    """Write attempts, and what becomes of their messages; return the messages that are dead now.

    A message that is gone, because its subscriber was removed meanwhile, is passed over.
    """
    dead = []
    for one in attempts:
        row = session.row("SELECT state FROM messages WHERE number = ?", (one.message,))
        if row is None:
            continue
        time = format_time(one.time)
        session.run(
            "INSERT INTO attempts (message, time, ok, answer, milliseconds) VALUES (?, ?, ?, ?, ?)",
            (one.message, time, int(one.ok), one.answer, one.milliseconds),
        )
        if row[0] != "waiting":
            continue
        state = "sent" if one.ok else "waiting" if one.again is not None else "dead"
        session.run(
            "UPDATE messages SET state = ?, reason = ?, attempts = attempts + 1, due = ?, ended = ? WHERE number = ?",
            (
                *(state, "" if one.ok else one.answer),
                *(time if one.again is None else format_time(one.again), None if state == "waiting" else time),
                one.message,
            ),
        )
        dead += [one.message] if state == "dead" else []
    return dead


def write_verdict(session: Session, one: Verdict) -> None:
    """Write what attempts say of their channel."""
    wait = "" if one.wait_until is None else format_time(one.wait_until)
    session.run("UPDATE channels SET failures = ?, wait_until = ? WHERE number = ?", (one.failures, wait, one.channel))
    if one.state is not None:
        set_state(session, one.channel, one.state, one.reason)


def move_to_fallback(session: Session, message: int, time: str) -> None:
    """Put the notifications of a dead message into the outbox of the channel's fallback, if it has a ready one."""
    session.run(
        """INSERT INTO notifications (channel, delivery, story, state, reason, written)
        SELECT f.number, n.delivery, n.story, 'new', '', ?
        FROM notifications AS n JOIN channels AS c ON c.number = n.channel JOIN channels AS f ON f.number = c.fallback
        WHERE n.message = ? AND f.state = 'ready' ORDER BY n.number
        ON CONFLICT (channel, delivery) DO NOTHING""",
        (time, message),
    )


def end_channel(session: Session, channel: int, time: str) -> None:
    """Let everything that waits for a disabled channel die, and move it to the fallback."""
    reason = "the channel is disabled"
    waiting = "SELECT number FROM messages WHERE channel = ? AND state = 'waiting'"
    for (message,) in list(session.rows(waiting, (channel,))):
        session.run(
            "UPDATE messages SET state = 'dead', reason = ?, ended = ? WHERE number = ?", (reason, time, message)
        )
        move_to_fallback(session, message, time)
    session.run(
        """INSERT INTO notifications (channel, delivery, story, state, reason, written)
        SELECT f.number, n.delivery, n.story, 'new', '', ?
        FROM notifications AS n JOIN channels AS c ON c.number = n.channel JOIN channels AS f ON f.number = c.fallback
        WHERE n.channel = ? AND n.state IN ('new', 'gathered') AND n.reason <> 'muted' AND f.state = 'ready'
        ORDER BY n.number ON CONFLICT (channel, delivery) DO NOTHING""",
        (time, channel),
    )
    session.run(
        """UPDATE notifications SET state = 'withheld', reason = CASE WHEN reason = 'muted' THEN reason ELSE ? END
        WHERE channel = ? AND state IN ('new', 'gathered')""",
        (reason, channel),
    )


# Planning


def hold(session: Session, holder: str, now: datetime, most: int, kept: Iterable[int]) -> list[int]:
    """Take channels with something to do, at most `most`, and hold on to the `kept` ones; return the new ones."""
    until = format_time(now + LEASE)
    session.many(
        "UPDATE channels SET held_until = ? WHERE number = ? AND holder = ?",
        ((until, number, holder) for number in kept),
    )
    if most <= 0:
        return []
    found = _due(session, now, most)
    session.many(
        "UPDATE channels SET holder = ?, held_until = ? WHERE number = ?", ((holder, until, one) for one in found)
    )
    return found


_DUE = """SELECT c.number FROM channels AS c
    WHERE (c.holder = '' OR c.held_until <= ? OR c.held_until > ?)
    AND (EXISTS (SELECT 1 FROM notifications AS n WHERE n.channel = c.number AND n.state = 'new')
        OR (c.state <> 'unverified' AND EXISTS (SELECT 1 FROM notifications AS n
            WHERE n.channel = c.number AND n.state = 'gathered'
                AND (n.due <= ? OR n.due > ? OR c.state = 'disabled')))
        OR ((c.state = 'disabled' OR (c.state = 'ready' AND (c.wait_until <= ? OR c.wait_until > ?)))
            AND EXISTS (SELECT 1 FROM messages AS m
                WHERE m.channel = c.number AND m.state = 'waiting'
                AND (m.due <= ? OR m.due > ? OR c.state = 'disabled'))))
    ORDER BY c.failures > 0, c.held_until, c.number LIMIT ?"""


def _due(session: Session, now: datetime, most: int) -> list[int]:
    """Return channels with something to do that no dispatcher holds, failing ones last, the longest ago first."""
    time, stale, beyond = format_time(now), format_time(now + 2 * LEASE), format_time(now + LONGEST_WAIT)
    later = format_time(now + LONGEST_DIGEST)
    rows = session.rows(_DUE, (time, stale, time, later, time, beyond, time, beyond, most))
    return [int(number) for (number,) in rows]


def has_work(session: Session, now: datetime) -> bool:
    """Return whether a channel that no dispatcher holds has something to do."""
    return bool(_due(session, now, 1))


def let_go(session: Session, holder: str, channels: Iterable[int], now: datetime) -> None:
    """Give channels back: the one that was given back longest ago is the next to be taken."""
    time = format_time(now)
    session.many(
        "UPDATE channels SET holder = '', held_until = ? WHERE number = ? AND holder = ?",
        ((time, number, holder) for number in channels),
    )


def plan_channel(session: Session, number: int, now: datetime, decide: Decide, is_whole: IsWhole) -> Channel | None:
    """Plan the new notifications of a channel, and make messages of the digests that are due; return the channel.

    None if it is gone, or disabled: then everything that waits for it is ended.
    """
    time = format_time(now)
    channel = read_channel(session, number)
    if channel is None:
        return None
    if channel.state == DISABLED:
        end_channel(session, number, time)
        return None
    pending = _pending(session, number)
    if pending:
        decisions = decide(_desk(session, channel, pending, now))
        _write_decisions(session, channel, decisions, time)
    if channel.state == READY:
        _make_digests(session, number, now, is_whole(channel))
    return channel


def _pending(session: Session, number: int) -> list[Pending]:
    rows = session.rows(
        f"""SELECT number, story, reason FROM notifications WHERE channel = ? AND state = 'new'
        ORDER BY number LIMIT {PLANNED}""",
        (number,),
    )
    return [Pending(found, story, reason == "muted") for found, story, reason in rows]


def _desk(session: Session, channel: Channel, pending: list[Pending], now: datetime) -> Desk:
    row = session.row(
        "SELECT s.zone FROM channels AS c JOIN subscribers AS s ON s.number = c.subscriber WHERE c.number = ?",
        (channel.number,),
    )
    sent: list[datetime] = []
    if channel.settings.get("budget") is not None:
        query = "SELECT made FROM messages WHERE channel = ? AND made > ?"
        sent = [parse_time(made) for (made,) in session.rows(query, (channel.number, format_time(now - HOUR)))]
    told = session.rows(
        """SELECT DISTINCT n.story FROM notifications AS n WHERE n.channel = ? AND n.state = 'new' AND n.story <> ''
        AND EXISTS (SELECT 1 FROM notifications AS o
            WHERE o.channel = n.channel AND o.story = n.story AND o.story <> ''
            AND o.state IN ('gathered', 'planned'))""",
        (channel.number,),
    )
    zone = str(row[0]) if row else "UTC"
    return Desk(channel, zone, pending, sent, frozenset(str(story) for (story,) in told))


def _write_decisions(session: Session, channel: Channel, decisions: list[Planned], time: str) -> None:
    session.many(
        "UPDATE notifications SET state = 'withheld', reason = ? WHERE number = ?",
        ((one.reason, one.number) for one in decisions if one.action == "withhold"),
    )
    session.many(
        "UPDATE notifications SET state = 'gathered', reason = ?, due = ? WHERE number = ?",
        (
            (one.reason, format_time(one.due or parse_time(time)), one.number)
            for one in decisions
            if one.action == "gather"
        ),
    )
    sending = [(one.number,) for one in decisions if one.action == "send"]
    _add_messages(session, channel.number, ONE, time, sending)


def _make_digests(session: Session, channel: int, now: datetime, whole: bool) -> None:
    """Put everything that was gathered until now into one message, or into messages of `PIECE` each."""
    time = format_time(now)
    due = """SELECT number FROM notifications
        WHERE channel = ? AND state = 'gathered' AND (due <= ? OR due > ?) ORDER BY number"""
    values = (channel, time, format_time(now + LONGEST_DIGEST))
    found = [int(number) for (number,) in session.rows(due, values)]
    size = len(found) if whole else PIECE
    pieces = [found[begin : begin + size] for begin in range(0, len(found), max(size, 1))]
    _add_messages(session, channel, DIGEST_MESSAGE, time, pieces)


def _add_messages(session: Session, channel: int, kind: str, time: str, groups: Sequence[Sequence[int]]) -> None:
    """Add a message for each group of notifications, due at once."""
    ids = [make_id() for _ in groups]
    columns = ("id", "channel", "kind", "state", "made", "due")
    session.load("messages", columns, ((id, channel, kind, "waiting", time, time) for id in ids))
    session.many(
        """UPDATE notifications SET state = 'planned', message = (SELECT messages.number FROM messages WHERE id = ?)
        WHERE number = ?""",
        ((id, number) for id, group in zip(ids, groups, strict=True) for number in group),
    )


def make_id() -> str:
    """Return a new id of a message: 128 random bits, without a dot, as Standard Webhooks asks."""
    return f"msg_{secrets.token_hex(16)}"


# Sending


def is_held(session: Session, holder: str, number: int) -> bool:
    """Return whether a channel is held by a dispatcher."""
    return session.row("SELECT 1 FROM channels WHERE number = ? AND holder = ?", (number, holder)) is not None


def read_work(session: Session, channel: Channel, now: datetime, most: int, after: int = 0) -> Work:
    """Return a channel with its next messages that are due, with numbers after `after`."""
    number = channel.number
    jobs: list[Job] = []
    waits = channel.wait_until is not None and now < channel.wait_until <= now + LONGEST_WAIT
    if channel.state == READY and not waits:
        rows = session.rows(
            """SELECT number, id, kind, made, attempts, reason FROM messages
            WHERE channel = ? AND state = 'waiting' AND (due <= ? OR due > ?) AND number > ?
            ORDER BY number LIMIT ?""",
            (number, format_time(now), format_time(now + LONGEST_WAIT), after, most),
        )
        jobs = [_job(session, row) for row in list(rows)]
    text = session.row("SELECT secrets FROM channels WHERE number = ?", (number,)) if jobs else None
    return Work(channel, parse_secrets(text[0]) if text else [], jobs)


def _job(session: Session, row: tuple[Any, ...]) -> Job:
    number, id, kind, made, attempts, reason = row
    found = session.rows("SELECT delivery FROM notifications WHERE message = ? ORDER BY number", (number,))
    return Job(number, id, kind, parse_time(made), attempts, reason, tuple(int(one) for (one,) in found))
