"""`Store`: the public class over `subscribing` and `delivering`.

It checks what comes in, looks names up, and lends each piece of work one transaction; the times it writes come from
its clock. What a caller hands over is read to its end before a transaction begins: nobody waits for a slow iterator.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from watchword.errors import StoreError, SubscriptionError, UnknownNameError
from watchword.files import Closing
from watchword.store import delivering, subscribing
from watchword.store.database import Database
from watchword.store.options import Options, read_options, write_options, written_options
from watchword.store.records import (
    Changes,
    Delivery,
    Item,
    Match,
    Request,
    StoreStats,
    Subscriber,
    Subscription,
    is_storable,
    now,
    read_time,
    written_time,
)


class Store(Closing):
    """Subscribers, subscriptions and inboxes in a SQLite file; a context manager that closes it.

    >>> import tempfile
    >>> with Store.open(tempfile.mkdtemp() + "/store.sqlite") as store:
    ...     _ = store.add_subscriber("ann")
    ...     key = store.subscribe("ann", "greece AND crisis")
    ...     items = [Item("urn:1", title="Greece in crisis")]
    ...     store.record("batch 1", items, [Match("urn:1", key, "greece AND crisis")])
    ...     store.record("batch 1", items, [Match("urn:1", key, "greece AND crisis")])
    ...     [delivery.item.title for delivery in store.inbox("ann")]
    True
    False
    ['Greece in crisis']

    Safe for several threads and processes; what survives a crash is in `watchword.store.database`. An unknown
    subscriber or subscription is an `UnknownNameError`, which is a `KeyError`.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime]) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, clock: Callable[[], datetime] = now, timeout: float = 30.0) -> Self:
        """Open the store at `path`; make it, and its folder, where it is missing; bring an older one up to date.

        `timeout` is how many seconds to wait for other writers.
        """
        return cls(Database(path, timeout), clock)

    @property
    def path(self) -> Path:
        """Where the store is."""
        return self._database.path

    def close(self) -> None:
        """Close the store; again is no error."""
        self._database.close()

    # subscribers

    def add_subscriber(self, name: str) -> bool:
        """Add a subscriber; return False where there is one of this name already."""
        if not is_storable(name) or not name.strip():
            raise StoreError(f"a subscriber's name is a text that is not blank, not {name!r}", path=self.path)
        time = self._time()
        with self._database.write() as connection:
            query = "INSERT INTO subscribers (name, created) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
            return connection.execute(query, (name, time)).rowcount == 1

    def remove_subscriber(self, name: str) -> None:
        """Remove a subscriber with all subscriptions, each a change of its own, and the inbox."""
        with self._database.write() as connection:
            owner = self._owner(connection, name)
            query = "SELECT id, language FROM subscriptions WHERE subscriber = ? ORDER BY since"
            subscribing.delete(connection, connection.execute(query, (owner,)).fetchall())
            connection.execute("DELETE FROM subscribers WHERE number = ?", (owner,))
            delivering.drop_unused_items(connection)

    def subscribers(self) -> list[Subscriber]:
        """Return the subscribers, by name."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT name, created FROM subscribers ORDER BY name")
            return [Subscriber(name, read_time(created)) for name, created in rows]

    # the options of a language's index

    def set_options(self, language: str, **options: Any) -> None:
        """Choose the options of a language's index, such as ``ignore_case=True`` for patterns.

        They replace those chosen before, until the first subscription in the language; from then on only the same are
        taken, and any other are a `StoreError`. An `OptionError` names what the language's index does not take.
        """
        written = written_options(language, options)
        with self._database.write() as connection:
            if not write_options(connection, language, written):
                raise StoreError(
                    f"there were subscriptions in {language} already, and their index keeps its options: "
                    "choose others in a new store (watchword init --home FOLDER)",
                    path=self.path,
                )

    def options(self, language: str) -> Options:
        """Return the options to make a language's index with; empty where none were chosen."""
        return self._options().get(language, {})

    # subscriptions

    def subscribe(self, subscriber: str, text: str, *, language: str = "keywords", id: str | None = None) -> str:
        """Subscribe, or replace the subscriber's own subscription of this id; return the id.

        The language reads the text first, so one that is refused (`SubscriptionError`) leaves the store as it was.
        """
        request = Request(subscriber, text, id, language)
        try:
            subscribing.check_texts([request])
            options = self._options()
            subscribing.check_text(language, text, options)
            return self._subscribe([request], options)[0]
        except SubscriptionError as error:
            raise error if error.row is None else SubscriptionError(error.reason) from None

    def subscribe_many(self, requests: Iterable[Request]) -> list[str]:
        """Subscribe many in one transaction, all or none; return their ids. An error names the row."""
        wanted = [Request(*request) for request in requests]
        subscribing.check_texts(wanted)
        options = self._options()
        subscribing.check_rows(wanted, options)
        return self._subscribe(wanted, options)

    def unsubscribe(self, id: str) -> None:
        """Delete a subscription. What it has delivered stays in the inbox."""
        with self._database.write() as connection:
            kept = subscribing.read_kept(connection, [id]).get(id)
            if kept is None:
                raise UnknownNameError(f"there is no subscription {id!r}", path=self.path, name=id)
            subscribing.delete(connection, [(id, kept.language)])

    def subscriptions(self, subscriber: str | None = None, language: str | None = None) -> list[Subscription]:
        """Return subscriptions in the order of subscribing: of one subscriber or all, in one language or any."""
        with self._database.read() as connection:
            owner = None if subscriber is None else self._owner(connection, subscriber)
            return subscribing.read_subscriptions(connection, owner, language)

    def languages(self) -> list[str]:
        """Return the languages that have subscriptions, by name."""
        with self._database.read() as connection:
            query = "SELECT DISTINCT language FROM subscriptions ORDER BY language"
            return [language for (language,) in connection.execute(query)]

    def changes_since(self, counter: int, *, language: str | None = None) -> Changes:
        """Return what changed since `counter` (0: everything ever), and the counter for the next time.

        Each id is there once, as it is now, deletions too: also of ids that came and went since `counter`.
        """
        with self._database.read() as connection:
            last = subscribing.counter_of(connection)
            if not 0 <= counter <= last:
                raise StoreError(
                    f"the counter {counter} is not this store's, whose last change is {last}: start again from 0, "
                    "with an empty index",
                    path=self.path,
                )
            return subscribing.read_changes(connection, counter, language)

    def epoch(self, counter: int) -> str | None:
        """Return the random name of the state whose last change was number `counter`; None where there is none.

        Whoever follows keeps it beside the counter. Another answer later, or None, says that this store is not the one
        which was followed, or was restored from a copy, or has changed too often since: start again from 0.
        """
        with self._database.read() as connection:
            return subscribing.read_epoch(connection, counter)

    # matches

    def record(
        self,
        batch: str,
        items: Iterable[Item],
        matches: Iterable[Match | tuple[str, str, str]],
        *,
        as_of: int | None = None,
    ) -> bool:
        """Write what a batch matched, whole and once; return False, and write nothing, where it was written before.

        Dropped are matches of subscriptions deleted meanwhile and items without any other. `as_of` is the counter
        (`changes_since`) of the index that matched: an id that was given up and subscribed anew after it, perhaps by
        somebody else, gets nothing of this batch. Of two items of one identity, and two reasons of one match, the
        first counts, also over batches.
        """
        try:
            rows = [delivering.item_row(item) for item in items]
            found = delivering.match_rows(matches, rows)
        except ValueError as error:
            raise StoreError(f"batch {batch!r}: {error}", path=self.path) from error
        self._check_batch(batch)
        time = self._time()
        with self._database.write() as connection:
            if delivering.is_written(connection, batch):
                return False
            delivering.write_batch(connection, batch, rows, found, as_of, time)
            return True

    def is_recorded(self, batch: str) -> bool:
        """Say whether a batch was written, for who would rather not compute it again."""
        self._check_batch(batch)
        with self._database.read() as connection:
            return delivering.is_written(connection, batch)

    def inbox(
        self,
        subscriber: str,
        *,
        unread_only: bool = True,
        limit: int | None = None,
        subscription: str | None = None,
    ) -> list[Delivery]:
        """Return what matched, newest first: each item once, with all the subscriptions that it matched.

        With a `subscription`, by its id, only what it matched; it may be gone.
        """
        with self._database.read() as connection:
            owner = self._owner(connection, subscriber)
            return delivering.read_inbox(connection, owner, unread_only, limit, subscription)

    def matched_items(self, subscription: str, *, limit: int | None = None) -> list[Item]:
        """Return the items that a subscription has matched, newest first, read or not, while the inbox has them.

        This is `getMatchedItems` of Kourdounakis (2011). What was delivered outlives the subscription, so one that is
        gone may be asked for, while an inbox has something of it; an `UnknownNameError` where there is neither.
        """
        with self._database.read() as connection:
            key = subscription if is_storable(subscription) else ""  # which is no id
            kept = subscribing.read_kept(connection, [key]).get(key)
            found = delivering.read_inbox(connection, None if kept is None else kept.owner, False, limit, key)
        if kept is None and not found:
            reason = f"there is no subscription {subscription!r}, and no inbox has anything of it"
            raise UnknownNameError(reason, path=self.path, name=subscription)
        return [delivery.item for delivery in found]

    def mark_read(self, subscriber: str, items: Iterable[str] | None = None) -> int:
        """Mark items, by identity, as read; all that are there now without `items`. Return how many were unread."""
        identities = None if items is None else list(items)
        time = self._time()
        with self._database.write() as connection:
            return delivering.mark_read(connection, self._owner(connection, subscriber), identities, time)

    def prune(self, before: datetime, *, unread: bool = False, batches: bool = False) -> int:
        """Forget what was delivered before a time and read since; with `unread`, unread too. Return how many.

        A forgotten item that is matched again is delivered again. With `batches` the ids of batches written before
        are forgotten too (`forget_batches`). It is done in many short transactions, so that others can write. The file
        stays as large as it is, and the room is used again; `compact` gives it back.
        """
        time = self._written(before)
        pruned = 0
        for first, last in self._portions("deliveries"):
            with self._database.write() as connection:
                pruned += delivering.prune_deliveries(connection, first, last, time, unread)
        for first, last in self._portions("items") if pruned else []:
            with self._database.write() as connection:
                delivering.prune_items(connection, first, last)
        if batches:
            self.forget_batches(before)
        return pruned

    def forget_batches(self, before: datetime, *, repeatable: Iterable[str] = ()) -> int:
        """Forget the ids of batches written before a time, but for those that may come again; return how many.

        A batch that is forgotten and comes again is written again.
        """
        kept, time = list(repeatable), self._written(before)
        with self._database.write() as connection:
            return delivering.forget_batches(connection, time, kept)

    def compact(self) -> None:
        """Give the room of what was forgotten back to the disk; others wait, and it takes as much once more."""
        self._database.compact()

    # the store itself

    def stats(self) -> StoreStats:
        """Return what the store holds."""
        tables = ("subscribers", "items", "deliveries", "matches", "batches")
        with self._database.read() as connection:

            def number(query: str) -> int:
                return int(connection.execute(query).fetchone()[0])

            languages = connection.execute("SELECT language, count(*) FROM subscriptions GROUP BY language").fetchall()
            return StoreStats(
                **{table: number(f"SELECT count(*) FROM {table}") for table in tables},
                subscriptions=dict(languages),
                options=read_options(connection),
                unread=number("SELECT count(*) FROM deliveries WHERE read IS NULL"),
                counter=subscribing.counter_of(connection),
                version=number("PRAGMA user_version"),
                bytes=number("PRAGMA page_count") * number("PRAGMA page_size"),
            )

    def verify(self) -> None:
        """Read every byte of the store; a `StoreError` where something is damaged."""
        with self._database.read() as connection:
            findings = [row[0] for row in connection.execute("PRAGMA integrity_check(3)") if row[0] != "ok"]
            findings += [
                f"a row of {row[0]} refers to nothing" for row in connection.execute("PRAGMA foreign_key_check")
            ]
        if findings:
            raise StoreError(f"the database is damaged ({findings[0]}): restore it from a copy", path=self.path)

    # private parts

    def _portions(self, table: str) -> list[tuple[int, int]]:
        with self._database.read() as connection:
            return delivering.portions(connection, table)

    def _options(self) -> dict[str, Options]:
        with self._database.read() as connection:
            return read_options(connection)

    def _subscribe(self, requests: list[Request], options: Mapping[str, Options]) -> list[str]:
        """Write what was checked under `options`."""
        time = self._time()
        given = {request.id for request in requests if request.id is not None}
        with self._database.write() as connection:
            if read_options(connection) != options:
                raise StoreError("options of a language were chosen meanwhile: subscribe again", path=self.path)
            names = dict.fromkeys(request.subscriber for request in requests)
            made = subscribing.plan(
                requests,
                owners={name: self._owner(connection, name) for name in names},
                kept=subscribing.read_kept(connection, given),
                was_used=lambda key: key in given or subscribing.was_ever_used(connection, key),
                counter=subscribing.counter_of(connection),
            )
            subscribing.write_plan(connection, made, time)
        return made.ids

    def _owner(self, connection: sqlite3.Connection, name: str) -> int:
        found = None
        if is_storable(name):
            found = connection.execute("SELECT number FROM subscribers WHERE name = ?", (name,)).fetchone()
        if found is None:
            raise UnknownNameError(
                f"there is no subscriber {name!r}; `watchword subscribers` lists and adds them",
                path=self.path,
                name=name,
            )
        return int(found[0])

    def _check_batch(self, batch: str) -> None:
        if not is_storable(batch) or not batch:
            raise StoreError(f"a batch's id is a text that is not empty, not {batch!r}", path=self.path)

    def _time(self) -> str:
        return self._written(self._clock())

    def _written(self, time: datetime) -> str:
        try:
            return written_time(time)
        except ValueError as error:
            raise StoreError(str(error), path=self.path) from None
