"""Who subscribes to what, and which change came when.

Every change of a subscription takes the next number of the store's counter. The log keeps only the last change of each
(id, language): a follower that knows a counter gets one row for each id that changed since, and the log is no longer
than the list of ids ever used.

A counter alone does not identify a state: a store that was restored from a copy counts the same numbers once more, for
other changes. So each transaction that changes subscriptions draws a random name for the state that it leaves, its
*epoch*; a follower keeps counter and epoch, and compares both. The last `EPOCHS` are kept, and the first, which is the
identity of the store.

An id belongs to one subscriber while it is subscribed. Ids that the store gives (``s`` and a number) were never used
before, not even by a deleted subscription, so a match that is still on its way cannot reach another subscriber.

`make_plan` decides, and touches nothing; the functions with a session read its input and write its result.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from watchword.errors import SubscriptionError
from watchword.store.engine import Session
from watchword.store.options import Options
from watchword.store.records import Change, Changes, Request, Subscription, is_storable, parse_time

EPOCHS = 10_000
"""How many states have names; a follower that is further behind starts from 0."""


class Current(NamedTuple):
    """A subscription before a change."""

    owner: int
    language: str
    text: str


@dataclass
class Plan:
    """The rows to write into `changes` and `subscriptions`, and the ids of the requests in their order."""

    ids: list[str] = field(default_factory=list)
    changes: list[tuple[int, str, str]] = field(default_factory=list)  # number, id, language
    subscriptions: list[tuple[str, int, str, str, int]] = field(
        default_factory=list
    )  # id, owner, language, text, since


def make_plan(
    requests: Iterable[Request],
    owners: Mapping[str, int],
    current: Mapping[str, Current],
    was_used: Callable[[str], bool],
    counter: int,
) -> Plan:
    """Decide what `requests`, whose ids are distinct, change in a store whose last change was number `counter`.

    `owners` are the numbers of the subscribers, `current` the subscriptions with the requested ids. A request that
    changes nothing is no change. A `SubscriptionError` names the row whose id is another subscriber's.
    """
    made = Plan()
    for row, request in enumerate(requests):
        owner, key = owners[request.subscriber], request.id
        old = None if key is None else current.get(key)
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
    """Refuse ids and texts that are no storable text, and an id that is there twice."""
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
    from watchword.index import language_class  # reading an inbox does not load the languages

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


def read_counter(session: Session) -> int:
    """Return the number of the last change, 0 before the first."""
    row = session.row("SELECT coalesce(max(number), 0) FROM changes")
    return int(row[0]) if row else 0


def read_current(session: Session, ids: Iterable[str]) -> dict[str, Current]:
    """Return the subscriptions that have one of `ids`."""
    query = "SELECT subscriber, language, text FROM subscriptions WHERE id = ?"
    found = ((key, session.row(query, (key,))) for key in ids)
    return {key: Current(*row) for key, row in found if row is not None}


def was_ever_used(session: Session, key: str) -> bool:
    """Return whether an id is or was subscribed in any language."""
    return session.row("SELECT 1 FROM changes WHERE id = ? LIMIT 1", (key,)) is not None


_LOG = """INSERT INTO changes (number, id, language) VALUES (?, ?, ?)
    ON CONFLICT (id, language) DO UPDATE SET number = excluded.number"""
"""Numbers a change, in place of the last change of the same (id, language)."""


def write_plan(session: Session, made: Plan, created: str) -> None:
    """Write the result of `make_plan`."""
    session.many(_LOG, made.changes)
    session.many(
        """INSERT INTO subscriptions (id, subscriber, language, text, since, created) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET language = excluded.language, text = excluded.text""",
        ((*row, created) for row in made.subscriptions),
    )
    _begin_epoch(session)


def delete(session: Session, gone: Iterable[tuple[str, str]]) -> None:
    """Unsubscribe these (id, language), each a change of its own."""
    rows = list(gone)
    session.many(_LOG, ((number, *row) for number, row in enumerate(rows, read_counter(session) + 1)))
    session.many("DELETE FROM subscriptions WHERE id = ?", ((key,) for key, _ in rows))
    _begin_epoch(session)


def _begin_epoch(session: Session) -> None:
    """Name the state after a change; without a change it has a name already."""
    row = (read_counter(session), secrets.token_hex(8))
    session.run("INSERT INTO epochs (counter, epoch) VALUES (?, ?) ON CONFLICT (counter) DO NOTHING", row)
    session.run(
        """DELETE FROM epochs WHERE counter > 0 AND counter <= (
            SELECT counter FROM epochs ORDER BY counter DESC LIMIT 1 OFFSET ?)""",
        (EPOCHS,),
    )


def read_epoch(session: Session, counter: int) -> str | None:
    """Return the name of the state at `counter`; None if there was none, or it was deleted."""
    row = session.row("SELECT epoch FROM epochs WHERE counter = ?", (counter,))
    return None if row is None else str(row[0])


def read_changes(session: Session, counter: int, language: str | None) -> Changes:
    """Return the changes after number `counter`, with the texts of now."""
    condition, values = ("", [counter]) if language is None else ("AND changes.language = ?", [counter, language])
    rows = session.rows(
        f"""SELECT changes.number, changes.id, changes.language, subscriptions.text
        FROM changes LEFT JOIN subscriptions
            ON subscriptions.id = changes.id AND subscriptions.language = changes.language
        WHERE changes.number > ? {condition} ORDER BY changes.number""",
        values,
    )
    return Changes([Change(*row) for row in rows], read_counter(session))


def read_languages(session: Session) -> list[str]:
    """Return the languages that have subscriptions, in alphabetical order, by one look-up for each."""
    query, languages = "SELECT min(language) FROM subscriptions WHERE language > ?", [""]
    while (row := session.row(query, (languages[-1],))) and row[0] is not None:
        languages.append(row[0])
    return languages[1:]


def read_subscriptions(session: Session, owner: int | None, language: str | None) -> list[Subscription]:
    """Return subscriptions in the order of subscribing: of one subscriber or all, in one language or any."""
    asked = {"subscriber = ?": owner, "language = ?": language}
    conditions = {condition: value for condition, value in asked.items() if value is not None}
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    rows = session.rows(
        f"""SELECT id, name, language, text, subscriptions.created
        FROM subscriptions JOIN subscribers ON subscribers.number = subscriptions.subscriber
        {where} ORDER BY since""",
        tuple(conditions.values()),
    )
    return [Subscription(key, name, language, text, parse_time(created)) for key, name, language, text, created in rows]
