"""Who subscribes to what, and which change came when.

Every change of a subscription takes the next number of the store's counter. The log keeps the last change of each
(id, language), not all of them: whoever has followed up to a counter is brought up to date by one row per id that
changed since, and the log is no longer than the list of ids ever used.

A counter alone does not say whose it is: a store that was restored from a copy counts the same numbers once more, for
other changes. So each transaction that changes subscriptions draws a random name for the state that it leaves, its
*epoch*; whoever follows keeps counter and epoch, and compares. The last `EPOCHS` are kept, and the first, which is the
identity of the store.

An id belongs to one subscriber while it is subscribed. Ids that the store gives (``s`` and a number) were never used
before, not even by a subscription that is gone, so a match that is still on its way cannot reach somebody else.

`plan` decides, and touches nothing; the functions with a connection read what it needs and do what it says.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from watchword.errors import SubscriptionError
from watchword.store.options import Options
from watchword.store.records import Change, Changes, Request, Subscription, is_storable, read_time

EPOCHS = 10_000
"""How many states are known by name; whoever is further behind starts from 0."""


class Kept(NamedTuple):
    """A subscription as it stands before a change."""

    owner: int
    language: str
    text: str


@dataclass
class Plan:
    """What is to be written: rows of `changes` and of `subscriptions`; and the ids of the requests, in their order."""

    ids: list[str] = field(default_factory=list)
    changes: list[tuple[int, str, str]] = field(default_factory=list)  # number, id, language
    subscriptions: list[tuple[str, int, str, str, int]] = field(
        default_factory=list
    )  # id, owner, language, text, since


def plan(
    requests: Iterable[Request],
    owners: Mapping[str, int],
    kept: Mapping[str, Kept],
    was_used: Callable[[str], bool],
    counter: int,
) -> Plan:
    """Decide what `requests`, whose ids are distinct, change in a store whose last change was number `counter`.

    `owners` are the numbers of the subscribers, `kept` the subscriptions whose ids are asked for. A request that
    changes nothing is no change. A `SubscriptionError` names the row whose id is another subscriber's.
    """
    made = Plan()
    for row, request in enumerate(requests):
        owner, key = owners[request.subscriber], request.id
        old = None if key is None else kept.get(key)
        if old is not None and old.owner != owner:
            raise SubscriptionError(f"the id {key!r} is another subscriber's: choose another", row=row)
        if old is not None and old.language != request.language:
            counter += 1
            made.changes.append((counter, str(key), old.language))
        if old is None or (old.language, old.text) != (request.language, request.text):
            counter += 1
            if key is None:
                while was_used(f"s{counter}"):
                    counter += 1
                key = f"s{counter}"
            made.changes.append((counter, key, request.language))
            made.subscriptions.append((key, owner, request.language, request.text, counter))
        made.ids.append(str(key))
    return made


def check_texts(requests: list[Request]) -> None:
    """Refuse what cannot be kept: ids and texts that are no text, an id that is there twice."""
    seen: set[str] = set()
    for row, request in enumerate(requests):
        if request.id is not None:
            if not is_storable(request.id) or not request.id:
                raise SubscriptionError(f"an id is a text that is not empty, not {request.id!r}", row=row)
            if request.id in seen:
                raise SubscriptionError(f"the id {request.id!r} is there twice", row=row)
            seen.add(request.id)
        if not is_storable(request.text):
            raise SubscriptionError(f"a subscription is a text, not {request.text!r}", row=row)


def check_rows(requests: list[Request], options: Mapping[str, Options]) -> None:
    """Let each language read its texts, in bulk; an error is that of the language, and names the row."""
    from watchword.index import language_class  # whoever only reads an inbox need not load the languages

    rows = sorted(range(len(requests)), key=lambda row: str(requests[row].language))
    for language, group in groupby(rows, key=lambda row: requests[row].language):
        of_language = list(group)
        try:
            language_class(language)(**options.get(language, {})).check(requests[row].text for row in of_language)
        except SubscriptionError as error:
            raise error.at_row(of_language[error.row or 0]) from None


def check_text(language: str, text: str, options: Mapping[str, Options]) -> None:
    """Let a language read one text; the error is that of the language."""
    from watchword.index import language_class

    language_class(language)(**options.get(language, {})).check(text)


def counter_of(connection: sqlite3.Connection) -> int:
    """Return the number of the last change, 0 before the first."""
    (counter,) = connection.execute("SELECT coalesce(max(number), 0) FROM changes").fetchone()
    return int(counter)


def read_kept(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, Kept]:
    """Return those of `ids` that are subscribed."""
    query = "SELECT subscriber, language, text FROM subscriptions WHERE id = ?"
    found = ((key, connection.execute(query, (key,)).fetchone()) for key in ids)
    return {key: Kept(*row) for key, row in found if row is not None}


def was_ever_used(connection: sqlite3.Connection, key: str) -> bool:
    """Say whether an id is or was subscribed in any language."""
    return connection.execute("SELECT 1 FROM changes WHERE id = ? LIMIT 1", (key,)).fetchone() is not None


def write_plan(connection: sqlite3.Connection, made: Plan, created: str) -> None:
    """Write what `plan` decided."""
    connection.executemany("INSERT OR REPLACE INTO changes (number, id, language) VALUES (?, ?, ?)", made.changes)
    connection.executemany(
        """INSERT INTO subscriptions (id, subscriber, language, text, since, created) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET language = excluded.language, text = excluded.text""",
        ((*row, created) for row in made.subscriptions),
    )
    _begin_epoch(connection)


def delete(connection: sqlite3.Connection, gone: Iterable[tuple[str, str]]) -> None:
    """Unsubscribe these (id, language), each a change of its own."""
    rows = list(gone)
    numbered = ((number, *row) for number, row in enumerate(rows, counter_of(connection) + 1))
    connection.executemany("INSERT OR REPLACE INTO changes (number, id, language) VALUES (?, ?, ?)", numbered)
    connection.executemany("DELETE FROM subscriptions WHERE id = ?", ((key,) for key, _ in rows))
    _begin_epoch(connection)


def _begin_epoch(connection: sqlite3.Connection) -> None:
    """Name the state after a change; where nothing changed it has its name."""
    row = (counter_of(connection), secrets.token_hex(8))
    connection.execute("INSERT OR IGNORE INTO epochs (counter, epoch) VALUES (?, ?)", row)
    connection.execute(
        """DELETE FROM epochs WHERE counter > 0 AND counter <= (
            SELECT counter FROM epochs ORDER BY counter DESC LIMIT 1 OFFSET ?)""",
        (EPOCHS,),
    )


def read_epoch(connection: sqlite3.Connection, counter: int) -> str | None:
    """Return the name of the state at `counter`; None where there was none, or it is forgotten."""
    row = connection.execute("SELECT epoch FROM epochs WHERE counter = ?", (counter,)).fetchone()
    return None if row is None else str(row[0])


def read_changes(connection: sqlite3.Connection, counter: int, language: str | None) -> Changes:
    """Return what changed after number `counter`, with the text that holds now."""
    rows = connection.execute(
        """SELECT changes.number, changes.id, changes.language, subscriptions.text
        FROM changes LEFT JOIN subscriptions USING (id, language)
        WHERE number > ?1 AND (?2 IS NULL OR changes.language = ?2) ORDER BY number""",
        (counter, language),
    )
    return Changes([Change(*row) for row in rows], counter_of(connection))


def read_subscriptions(connection: sqlite3.Connection, owner: int | None, language: str | None) -> list[Subscription]:
    """Return subscriptions in the order of subscribing: of one subscriber or all, in one language or any."""
    asked = {"subscriber = ?": owner, "language = ?": language}
    conditions = {condition: value for condition, value in asked.items() if value is not None}
    rows = connection.execute(
        f"""SELECT id, name, language, text, subscriptions.created
        FROM subscriptions JOIN subscribers ON subscribers.number = subscriptions.subscriber
        WHERE {" AND ".join(conditions) or "1"} ORDER BY since""",
        tuple(conditions.values()),
    )
    return [Subscription(key, name, language, text, read_time(created)) for key, name, language, text, created in rows]
