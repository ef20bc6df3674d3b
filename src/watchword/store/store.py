"""`Store`: the public class over `subscribing` and `delivering`.

It checks arguments, looks names up, and gives each piece of work one transaction of its engine; the times that it
writes come from its clock. Iterables are read to their end before a transaction begins: a slow one blocks no writer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path
from threading import local
from typing import Any, Self

from watchword.errors import StoreError, SubscriptionError, UnknownNameError
from watchword.files import Closing
from watchword.items import Item
from watchword.store import delivering, subscribing
from watchword.store.engine import Engine, Session
from watchword.store.explaining import Explainer
from watchword.store.options import (
    TOPICS,
    Options,
    digest_options,
    format_options,
    read_chosen,
    read_options,
    replace_options,
    with_topics,
    write_options,
)
from watchword.store.records import (
    Changes,
    Delivery,
    Match,
    Request,
    StoreStats,
    Subscriber,
    Subscription,
    format_time,
    is_storable,
    now,
    parse_time,
)
from watchword.store.sqlite.database import Database

CATEGORIES = "categories"
"""The attribute of items that topics are about, unless another one is named."""


class Store(Closing):
    """Subscribers, subscriptions and inboxes in a database; a context manager that closes it.

    >>> import tempfile
    >>> with Store.open(tempfile.mkdtemp() + "/store.sqlite") as store:
    ...     _ = store.add_subscriber("ann")
    ...     key = store.subscribe("ann", "greece AND crisis")
    ...     items = [Item("urn:1", title="Greece in crisis")]
    ...     store.record("batch 1", items, [Match("urn:1", key)])
    ...     store.record("batch 1", items, [Match("urn:1", key)])
    ...     [delivery.item.title for delivery in store.inbox("ann")]
    True
    False
    ['Greece in crisis']

    Safe for several threads, processes and forks; `watchword.store.sqlite.database` says what survives a crash. An
    unknown subscriber or subscription is an `UnknownNameError`, which is a `KeyError`.
    """

    def __init__(self, engine: Engine, clock: Callable[[], datetime]) -> None:
        self._engine = engine
        self._clock = clock
        self._thread = local()

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, clock: Callable[[], datetime] = now, timeout: float = 30.0) -> Self:
        """Open the store at `path`; make it, and its folder, if it is missing; bring an older one up to date.

        `timeout` is how many seconds to wait for other writers.
        """
        engine = Database(path, timeout)
        engine.migrate()
        return cls(engine, clock)

    @property
    def path(self) -> Path:
        """The file of the store."""
        return self._engine.path

    @property
    def counter(self) -> int:
        """The number of the last change after this thread's last call that subscribes or unsubscribes; 0 before it.

        A follower that has reached this number sees that call.
        """
        return int(getattr(self._thread, "counter", 0))

    def close(self) -> None:
        """Close the store; closing it again is no error."""
        self._engine.close()

    # subscribers

    def add_subscriber(self, name: str) -> bool:
        """Add a subscriber; return False if there is one with this name already."""
        if not is_storable(name) or not name.strip():
            raise StoreError(f"a subscriber's name is a text that is not blank, not {name!r}", path=self.path)
        time = self._time()
        with self._engine.write() as session:
            query = "INSERT INTO subscribers (name, created) VALUES (?, ?) ON CONFLICT (name) DO NOTHING"
            return session.run(query, (name, time)) == 1

    def remove_subscriber(self, name: str) -> None:
        """Remove a subscriber with all subscriptions, each a change of its own, and the inbox."""
        with self._engine.write() as session:
            owner = self._owner(session, name)
            query = "SELECT id, language FROM subscriptions WHERE subscriber = ? ORDER BY since"
            subscribing.delete(session, session.rows(query, (owner,)))
            session.run("DELETE FROM subscribers WHERE number = ?", (owner,))
            delivering.drop_unused_items(session)
            counter = subscribing.read_counter(session)
        self._announce(counter)

    def subscribers(self) -> list[Subscriber]:
        """Return the subscribers, by name."""
        with self._engine.read() as session:
            rows = session.rows("SELECT name, created FROM subscribers ORDER BY name")
            return [Subscriber(name, parse_time(created)) for name, created in rows]

    # the options of a language's index

    def set_options(self, language: str, **options: Any) -> None:
        """Choose the options of a language's index, such as ``ignore_case=True`` for patterns.

        They replace earlier ones until the first subscription in the language; from then on other options are a
        `StoreError`. An `OptionError` names an option that the language's index does not take.
        """
        text = format_options(language, options)
        with self._engine.write() as session:
            if not write_options(session, language, text):
                raise StoreError(
                    f"there were subscriptions in {language} already, and their index keeps its options: "
                    "choose others in a new store (watchword init --home FOLDER)",
                    path=self.path,
                )

    def options(self, language: str) -> Options:
        """Return the options to make a language's index with: the chosen ones, over those of `watchword.items`."""
        return self._options().get(language, {})

    def topics(self, attribute: str = CATEGORIES) -> dict[str, list[str]]:
        """Return the parents of each topic of an attribute of items; empty if there are no topics."""
        trees = self.options(TOPICS).get("hierarchies", {})
        given: dict[str, str | list[str]] = trees.get(attribute, {})
        return {child: [above] if isinstance(above, str) else above for child, above in given.items()}

    def set_topics(self, parents: Mapping[str, list[str]], *, attribute: str = CATEGORIES) -> None:
        """Replace the topics of an attribute of items by these, each with its parents, in one transaction.

        Subscriptions that ask ``categories KIND OF 'politics'`` follow the new tree from the next batch on. An
        `OptionError` names the members of a cycle. With a schema, a `SubscriptionError` names a subscription whose
        topic would be gone.
        """
        with self._engine.read() as session:
            before, counter = read_chosen(session), subscribing.read_counter(session)
            texts = subscribing.read_subscriptions(session, None, TOPICS) if _has_schema(before) else []
        chosen = with_topics(before.get(TOPICS, {}), attribute, parents)
        text = format_options(TOPICS, chosen)
        for one in texts:
            try:
                subscribing.check_text(TOPICS, one.text, {TOPICS: chosen})
            except SubscriptionError as error:
                raise SubscriptionError(f"subscription {one.id!r} would be refused: {error.reason}") from None
        with self._engine.write() as session:
            if read_chosen(session) != before or (texts and subscribing.read_counter(session) != counter):
                raise StoreError("the store was changed meanwhile: try again", path=self.path)
            replace_options(session, TOPICS, text)

    def options_digest(self) -> str:
        """Return a digest of all options: a follower that finds another one than before asks for them again."""
        with self._engine.read() as session:
            return digest_options(session)

    # subscriptions

    def subscribe(self, subscriber: str, text: str, *, language: str = "keywords", id: str | None = None) -> str:
        """Subscribe, or replace the subscriber's own subscription of this id; return the id.

        The language reads the text first: a refused one (`SubscriptionError`) leaves the store as it was.
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
        """Delete a subscription. Its deliveries stay in the inbox."""
        with self._engine.write() as session:
            current = subscribing.read_current(session, [id]).get(id)
            if current is None:
                raise UnknownNameError(f"there is no subscription {id!r}", path=self.path, name=id)
            subscribing.delete(session, [(id, current.language)])
            counter = subscribing.read_counter(session)
        self._announce(counter)

    def subscriptions(self, subscriber: str | None = None, language: str | None = None) -> list[Subscription]:
        """Return subscriptions in the order of subscribing: of one subscriber or all, in one language or any."""
        with self._engine.read() as session:
            owner = None if subscriber is None else self._owner(session, subscriber)
            return subscribing.read_subscriptions(session, owner, language)

    def languages(self) -> list[str]:
        """Return the languages that have subscriptions, in alphabetical order; no table is counted."""
        with self._engine.read() as session:
            return subscribing.read_languages(session)

    def changes_since(self, counter: int, *, language: str | None = None) -> Changes:
        """Return the changes since `counter` (0: all of them), and the counter for the next time.

        Each id is there once, with its text now, or None if it is deleted: also an id that came and went since.
        """
        with self._engine.read() as session:
            last = subscribing.read_counter(session)
            if not 0 <= counter <= last:
                raise StoreError(
                    f"the counter {counter} is not this store's, whose last change is {last}: start again from 0, "
                    "with an empty index",
                    path=self.path,
                )
            return subscribing.read_changes(session, counter, language)

    def epoch(self, counter: int) -> str | None:
        """Return the random name of the state whose last change was number `counter`; None if there is none.

        A follower keeps it beside the counter. If the answer is another one later, or None, this is another store, or
        it was restored from a copy, or it has changed too often since: start again from 0.
        """
        with self._engine.read() as session:
            return subscribing.read_epoch(session, counter)

    # matches

    def record(
        self,
        batch: str,
        items: Iterable[Item],
        matches: Iterable[Match | tuple[str, ...]],
        *,
        as_of: int | None = None,
    ) -> bool:
        """Write the matches of a batch, whole and once; return False, and write nothing, if it was written before.

        Matches of subscriptions that were deleted meanwhile are dropped, and items without any other match. `as_of` is
        the counter (`changes_since`) of the index that matched: an id that was unsubscribed and subscribed again after
        it, perhaps by another subscriber, gets nothing of this batch. Of two items with one identity, and two reasons
        of one match, the first counts, also over batches.
        """
        try:
            rows = [delivering.item_row(item) for item in items]
            found = delivering.match_rows(matches, rows)
        except ValueError as error:
            raise StoreError(f"batch {batch!r}: {error}", path=self.path) from error
        self._check_batch(batch)
        time = self._time()
        with self._engine.write() as session:
            if delivering.is_written(session, batch):
                return False
            delivering.write_batch(session, batch, rows, found, as_of, time)
            return True

    def is_recorded(self, batch: str) -> bool:
        """Return whether a batch was written, so that it need not be computed again."""
        self._check_batch(batch)
        with self._engine.read() as session:
            return delivering.is_written(session, batch)

    def inbox(
        self,
        subscriber: str,
        *,
        unread_only: bool = True,
        limit: int | None = None,
        subscription: str | None = None,
    ) -> list[Delivery]:
        """Return the deliveries of a subscriber, newest first: each item once, with all the subscriptions it matched.

        With a `subscription`, by its id, only the items that it matched; it may be deleted. The `why` of a reason is
        made when it is first asked for, also after the store is closed.
        """
        with self._engine.read() as session:
            owner = self._owner(session, subscriber)
            explainer = Explainer(read_options(session))
            return delivering.read_inbox(session, explainer, owner, unread_only, limit, subscription)

    def matched_items(self, subscription: str, *, limit: int | None = None) -> list[Item]:
        """Return the items that a subscription has matched, newest first, read or not, while the inbox has them.

        This is `getMatchedItems` of Kourdounakis (2011). Deliveries outlive the subscription, so a deleted one may be
        asked for while an inbox has an item of it; an `UnknownNameError` if there is neither.
        """
        with self._engine.read() as session:
            key = subscription if is_storable(subscription) else ""  # which is no id
            current = subscribing.read_current(session, [key]).get(key)
            owner = None if current is None else current.owner
            found = delivering.read_inbox(session, Explainer({}), owner, False, limit, key)
        if current is None and not found:
            reason = f"there is no subscription {subscription!r}, and no inbox has anything of it"
            raise UnknownNameError(reason, path=self.path, name=subscription)
        return [delivery.item for delivery in found]

    def mark_read(self, subscriber: str, items: Iterable[str] | None = None) -> int:
        """Mark items, by identity, as read; without `items` the whole inbox. Return the number of unread ones."""
        identities = None if items is None else list(items)
        time = self._time()
        with self._engine.write() as session:
            return delivering.mark_read(session, self._owner(session, subscriber), identities, time)

    def prune(self, before: datetime, *, unread: bool = False, batches: bool = False) -> int:
        """Delete read deliveries from before a time; with `unread`, unread ones too. Return their number.

        A deleted item that is matched again is delivered again. With `batches` the ids of batches from before the time
        are deleted too (`forget_batches`). It is done in many short transactions, so that others can write. The file
        keeps its size, and its free space is used again; `compact` returns it to the disk.
        """
        time = self._format(before)
        pruned = 0
        for first, last in self._portions("deliveries"):
            with self._engine.write() as session:
                pruned += delivering.prune_deliveries(session, first, last, time, unread)
        for first, last in self._portions("items") if pruned else []:
            with self._engine.write() as session:
                delivering.prune_items(session, first, last)
        if batches:
            self.forget_batches(before)
        return pruned

    def forget_batches(self, before: datetime, *, repeatable: Iterable[str] = ()) -> int:
        """Delete the ids of batches from before a time, except `repeatable` ones; return their number.

        A batch whose id was deleted is written again if it comes again.
        """
        kept, time = list(repeatable), self._format(before)
        with self._engine.write() as session:
            return delivering.forget_batches(session, time, kept)

    def compact(self) -> None:
        """Return free space to the disk; writers wait, and it needs the space of a copy meanwhile."""
        self._engine.compact()

    # the store itself

    def stats(self) -> StoreStats:
        """Return the contents of the store in figures."""
        tables = ("subscribers", "items", "deliveries", "matches", "batches")
        with self._engine.read() as session:

            def number(query: str) -> int:
                row = session.row(query)
                return int(row[0]) if row else 0

            languages = session.rows("SELECT language, count(*) FROM subscriptions GROUP BY language ORDER BY language")
            figures = {table: number(f"SELECT count(*) FROM {table}") for table in tables}
            figures["unread"] = number("SELECT count(*) FROM deliveries WHERE read IS NULL")
            figures["counter"] = subscribing.read_counter(session)
            subscriptions, options = {str(name): int(count) for name, count in languages}, read_chosen(session)
        version, size = self._engine.version(), self._engine.size()
        return StoreStats(**figures, subscriptions=subscriptions, options=options, version=version, bytes=size)

    def verify(self) -> None:
        """Read every byte of the store; a `StoreError` if something is damaged."""
        self._engine.verify()

    # private parts

    def _portions(self, table: str) -> list[tuple[int, int]]:
        with self._engine.read() as session:
            return delivering.portions(session, table)

    def _options(self) -> dict[str, Options]:
        with self._engine.read() as session:
            return read_options(session)

    def _subscribe(self, requests: list[Request], options: Mapping[str, Options]) -> list[str]:
        """Write requests that were checked under `options`."""
        time = self._time()
        given = {request.id for request in requests if request.id is not None}
        with self._engine.write() as session:
            if read_options(session) != options:
                raise StoreError("options of a language were chosen meanwhile: subscribe again", path=self.path)
            names = dict.fromkeys(request.subscriber for request in requests)
            made = subscribing.make_plan(
                requests,
                owners={name: self._owner(session, name) for name in names},
                current=subscribing.read_current(session, given),
                was_used=lambda key: key in given or subscribing.was_ever_used(session, key),
                counter=subscribing.read_counter(session),
            )
            subscribing.write_plan(session, made, time)
            counter = subscribing.read_counter(session)
        self._announce(counter)
        return made.ids

    def _announce(self, counter: int) -> None:
        """Remember the change that this thread committed last, and tell followers."""
        self._thread.counter = counter
        self._engine.notify(counter)

    def _owner(self, session: Session, name: str) -> int:
        found = None
        if is_storable(name):
            found = session.row("SELECT number FROM subscribers WHERE name = ?", (name,))
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
        return self._format(self._clock())

    def _format(self, time: datetime) -> str:
        try:
            return format_time(time)
        except ValueError as error:
            raise StoreError(str(error), path=self.path) from None


def _has_schema(options: Mapping[str, Options]) -> bool:
    return options.get(TOPICS, {}).get("schema") is not None
