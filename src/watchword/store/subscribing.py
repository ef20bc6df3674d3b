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

A paused subscription is there for its subscriber, and deleted for followers: pausing, resuming and every edit of its
text take a number, and the change has no text while it is paused. Other details take no number: they change no index.

`make_plan` decides, and touches nothing; the functions with a session read its input and write its result.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from watchword.errors import SubscriptionError
from watchword.store.details import DETAILS, DetailsRow, check_details, details_of, details_row
from watchword.store.engine import Row, Session
from watchword.store.options import Options
from watchword.store.records import Change, Changes, Request, Subscription, is_storable, parse_time, storable_number

EPOCHS = 10_000
"""How many states have names; a follower that is further behind starts from 0."""


class Current(NamedTuple):
    """A subscription before a change."""

    owner: int
    language: str
    text: str
    details: DetailsRow = DetailsRow()


@dataclass
class Plan:
    """The rows to write into `changes` and `subscriptions`, and the ids of the requests in their order."""

    ids: list[str] = field(default_factory=list)
    changes: list[tuple[int, str, str]] = field(default_factory=list)  # number, id, language
    added: list[Row] = field(default_factory=list)  # id, owner, since, and what `edited` has without its id
    edited: list[Row] = field(default_factory=list)  # language, text, the columns of `DETAILS`, id


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
        new = _after(old, owner, request)
        if old is not None and old.language != new.language:
            counter += 1
            made.changes.append((counter, str(key), old.language))
        if old is None or _as_followed(old) != _as_followed(new):
            counter += 1
            if key is None:
                while was_used(f"s{counter}"):
                    counter += 1
                key = f"s{counter}"
            made.changes.append((counter, key, new.language))
        made.ids.append(str(key))
        if old is None:
            made.added.append((key, owner, counter, new.language, new.text, *new.details))
        elif new != old:
            made.edited.append((new.language, new.text, *new.details, key))
    return made


def _after(old: Current | None, owner: int, request: Request) -> Current:
    """Return the subscription after a request, which keeps its details if the request has none."""
    details = DetailsRow() if old is None else old.details
    return Current(
        owner, request.language, request.text, details if request.details is None else details_row(request.details)
    )


def _as_followed(one: Current) -> tuple[str, str, int]:
    """Return the parts of a subscription whose change takes a number."""
    return one.language, one.text, one.details.paused


def check_requests(requests: Iterable[Request | Row]) -> list[Request]:
    """Return requests with details as they can be kept; a `SubscriptionError` names the row of one that cannot be."""
    wanted = [Request(*request) for request in requests]
    check_texts(wanted)
    for row, request in enumerate(wanted):
        if request.details is not None:
            try:
                wanted[row] = request._replace(details=check_details(request.details))
            except SubscriptionError as error:
                raise error.at_row(row) from None
    return wanted


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


def check_one(requests: list[Request], options: Mapping[str, Options]) -> None:
    """Let the language of the only request read its text."""
    (request,) = requests
    check_text(request.language, request.text, options)


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
    query = f"SELECT subscriber, language, text, {', '.join(DETAILS)} FROM subscriptions WHERE id = ?"
    found = ((key, session.row(query, (key,))) for key in ids)
    return {key: Current(row[0], row[1], row[2], DetailsRow(*row[3:])) for key, row in found if row is not None}


def was_ever_used(session: Session, key: str) -> bool:
    """Return whether an id is or was subscribed in any language."""
    return session.row("SELECT 1 FROM changes WHERE id = ? LIMIT 1", (key,)) is not None


_LOG = """INSERT INTO changes (number, id, language) VALUES (?, ?, ?)
    ON CONFLICT (id, language) DO UPDATE SET number = excluded.number"""
"""Numbers a change, in place of the last change of the same (id, language)."""


def write_plan(session: Session, made: Plan, created: str) -> None:
    """Write the result of `make_plan`."""
    session.many(_LOG, made.changes)
    columns = ("id", "subscriber", "since", "language", "text", *DETAILS)
    session.many(
        f"""INSERT INTO subscriptions ({", ".join(columns)}, created)
        VALUES ({", ".join("?" * len(columns))}, ?)""",
        ((*row, created) for row in made.added),
    )
    settings = ", ".join(f"{column} = ?" for column in columns[3:])
    session.many(f"UPDATE subscriptions SET {settings}, revision = revision + 1 WHERE id = ?", made.edited)
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
            AND subscriptions.paused = 0
        WHERE changes.number > ? {condition} ORDER BY changes.number""",
        values,
    )
    return Changes([Change(*row) for row in rows], read_counter(session))


def count_changes(session: Session, counter: int, language: str) -> int:
    """Return how many changes of a language came after number `counter`."""
    row = session.row("SELECT count(*) FROM changes WHERE number > ? AND language = ?", (counter, language))
    return int(row[0]) if row else 0


def read_languages(session: Session) -> list[str]:
    """Return the languages with subscriptions that are not paused, in alphabetical order, by two look-ups for each."""
    query, languages = "SELECT min(language) FROM subscriptions WHERE language > ?", [""]
    while (row := session.row(query, (languages[-1],))) and row[0] is not None:
        languages.append(row[0])
    active = "SELECT 1 FROM subscriptions WHERE language = ? AND paused = 0 LIMIT 1"
    return [language for language in languages[1:] if session.row(active, (language,)) is not None]


_SUBSCRIPTIONS = f"""SELECT s.id, subscribers.name, s.language, s.text, s.created,
    (SELECT changes.number FROM changes WHERE changes.id = s.id AND changes.language = s.language),
    s.since, s.revision, {", ".join(f"s.{column}" for column in DETAILS)}
    FROM subscriptions AS s JOIN subscribers ON subscribers.number = s.subscriber"""


def read_subscriptions(
    session: Session, owner: int | None, language: str | None, after: int | None = None, limit: int | None = None
) -> list[Subscription]:
    """Return subscriptions in the order of subscribing: of one subscriber or all, in one language or any."""
    first = None if after is None else storable_number(after)
    asked = {"s.subscriber = ?": owner, "s.language = ?": language, "s.since > ?": first}
    conditions = {condition: value for condition, value in asked.items() if value is not None}
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    some, values = ("", []) if limit is None else ("LIMIT ?", [storable_number(max(limit, 0))])
    rows = session.rows(f"{_SUBSCRIPTIONS} {where} ORDER BY s.since {some}", (*conditions.values(), *values))
    return list(map(_subscription, rows))


def read_subscription(session: Session, key: str) -> Subscription | None:
    """Return the subscription of an id; None if there is none."""
    row = session.row(f"{_SUBSCRIPTIONS} WHERE s.id = ?", (key,))
    return None if row is None else _subscription(row)


def _subscription(row: Row) -> Subscription:
    key, name, language, text, created, change, since, revision, *details = row
    return Subscription(
        key, name, language, text, parse_time(created), details_of(DetailsRow(*details)), change, since, revision
    )
