"""Channels: how a subscriber is told, and of which subscriptions; profiles, with the zone and the switch of stories.

    number  subscriber  name   kind     address                     state       settings
    3       ada         desk   webhook  https://desk.example/hook   ready       {"budget": 20}
    4       ada         mail   mail     ada@island.example          unverified  {"times": ["07:30"]}

A channel belongs to a subscriber, and subscriptions point to it, so that it is set up once. The store checks the shape
of what it is given; what an address and settings mean is `watchword.notify`'s. Secrets are given to whoever sends
(`Job`), and are part of no other value.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from watchword.store.engine import Row, Session, read_value
from watchword.store.records import parse_time

READY, UNVERIFIED, DISABLED = "ready", "unverified", "disabled"
NAME_CHARACTERS = 60
"""Characters of a channel's name."""
ADDRESS_CHARACTERS = 2_000
"""Characters of a channel's address."""
MOST_CHANNELS = 50
"""Channels of one subscriber."""


@dataclass(frozen=True)
class Channel:
    """A channel. It is told of `everything` that no subscription directs elsewhere; `fallback` names another one.

    `failures` counts the failed attempts since the last success; it is not tried before `wait_until`.
    """

    number: int
    subscriber: str
    name: str
    kind: str
    address: str
    settings: dict[str, Any] = field(default_factory=dict)
    everything: bool = True
    fallback: str | None = None
    state: str = READY
    reason: str = ""
    created: datetime | None = None
    failures: int = 0
    wait_until: datetime | None = None


@dataclass(frozen=True)
class Profile:
    """What holds for all channels of a subscriber: the zone of their times; whether the same story counts once."""

    zone: str = "UTC"
    by_story: bool = True


_CHANNELS = """SELECT c.number, subscribers.name, c.name, c.kind, c.address, c.settings, c.everything, f.name, c.state,
    c.reason, c.created, c.failures, c.wait_until
    FROM channels AS c JOIN subscribers ON subscribers.number = c.subscriber
    LEFT JOIN channels AS f ON f.number = c.fallback"""


def channel_of(row: Row) -> Channel:
    """Return the channel of a row."""
    settings = read_value(json.loads, row[5])
    everything, fallback, state, reason, created, failures, wait = row[6:]
    times = parse_time(created), failures, parse_time(wait) if wait else None
    values = (*row[:5], settings, bool(everything), fallback, state, reason, *times)
    return Channel(*values)


def read_channels(session: Session, owner: int | None, name: str | None = None) -> list[Channel]:
    """Return the channels of a subscriber or of all, in the order in which they were made."""
    asked = {"c.subscriber = ?": owner, "c.name = ?": name}
    chosen = {condition: value for condition, value in asked.items() if value is not None}
    where = f"WHERE {' AND '.join(chosen)}" if chosen else ""
    return [channel_of(row) for row in session.rows(f"{_CHANNELS} {where} ORDER BY c.number", tuple(chosen.values()))]


def read_channel(session: Session, number: int) -> Channel | None:
    """Return a channel by its number; None if it is gone."""
    row = session.row(f"{_CHANNELS} WHERE c.number = ?", (number,))
    return None if row is None else channel_of(row)


def insert(session: Session, owner: int, one: Channel, keys: str, fallback: int | None, time: str) -> None:
    """Write a new channel, with its secrets in JSON."""
    session.run(
        """INSERT INTO channels (subscriber, name, kind, address, settings, secrets, everything, fallback, state,
            reason, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            *(owner, one.name, one.kind, one.address, json.dumps(one.settings), keys),
            *(int(one.everything), fallback, one.state, one.reason, time),
        ),
    )


def update(session: Session, number: int, one: Channel, fallback: int | None) -> None:
    """Replace everything of a channel but its name, its kind and its secrets. It is tried again at once."""
    session.run(
        """UPDATE channels SET address = ?, settings = ?, everything = ?, fallback = ?, state = ?, reason = ?,
            failures = 0, wait_until = '' WHERE number = ?""",
        (one.address, json.dumps(one.settings), int(one.everything), fallback, one.state, one.reason, number),
    )


def set_state(session: Session, number: int, state: str, reason: str) -> bool:
    """Set the state of a channel; one that is ready is tried at once. Return False if it is gone."""
    query = "UPDATE channels SET state = ?, reason = ?, failures = 0, wait_until = '' WHERE number = ?"
    return session.run(query, (state, reason, number)) == 1


def read_secrets(session: Session, number: int) -> list[tuple[str, datetime | None]]:
    """Return the secrets of a channel, the newest first, each with the time until which it is valid."""
    row = session.row("SELECT secrets FROM channels WHERE number = ?", (number,))
    return parse_secrets(row[0]) if row else []


def parse_secrets(text: str) -> list[tuple[str, datetime | None]]:
    """Return the secrets that `format_secrets` wrote."""
    return [(secret, parse_time(until) if until else None) for secret, until in read_value(json.loads, text)]


def write_secrets(session: Session, number: int, text: str) -> None:
    """Replace the secrets of a channel."""
    session.run("UPDATE channels SET secrets = ? WHERE number = ?", (text, number))


# Routes


def read_routes(session: Session, subscription: str) -> list[str]:
    """Return the names of the channels that a subscription points to."""
    query = """SELECT channels.name FROM routes JOIN channels ON channels.number = routes.channel
        WHERE routes.subscription = ? ORDER BY channels.number"""
    return [str(name) for (name,) in session.rows(query, (subscription,))]


def write_routes(session: Session, subscription: str, channels: Iterable[int]) -> None:
    """Let a subscription point to these channels."""
    session.run("DELETE FROM routes WHERE subscription = ?", (subscription,))
    session.load("routes", ("subscription", "channel"), ((subscription, number) for number in sorted(set(channels))))


def read_mutes(session: Session, subscription: str) -> bool:
    """Return whether a subscription mutes."""
    row = session.row("SELECT mutes FROM subscriptions WHERE id = ?", (subscription,))
    return bool(row and row[0])


# Profiles and keys


def read_profile(session: Session, owner: int) -> Profile:
    """Return the profile of a subscriber."""
    row = session.row("SELECT zone, by_story FROM subscribers WHERE number = ?", (owner,))
    return Profile() if row is None else Profile(str(row[0]), bool(row[1]))


def write_profile(session: Session, owner: int, profile: Profile) -> None:
    """Replace the profile of a subscriber."""
    values = (profile.zone, int(profile.by_story), owner)
    session.run("UPDATE subscribers SET zone = ?, by_story = ? WHERE number = ?", values)


def make_key(session: Session, name: str) -> str:
    """Return the secret of this store for a use, 64 hexadecimal digits; the first call draws it."""
    values = (name, secrets.token_hex(32))
    session.run("INSERT INTO keys (name, secret) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", values)
    row = session.row("SELECT secret FROM keys WHERE name = ?", (name,))
    assert row is not None
    return str(row[0])
