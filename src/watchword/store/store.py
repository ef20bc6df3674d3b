"""`Store`: the public class. Here it is opened, and has its subscribers, its options and its figures.

Most of its methods are inherited, from a class for each thing that they are about:

    methods/subscriptions.py   subscribe, subscription, set_details, unsubscribe, changes_since, ...
    methods/inboxes.py         record, inbox, mark_read, star, inbox_counts, prune, ...
    methods/entrances.py       add_token, find_token, add_login, redeem_login, find_session, ...
    methods/channels.py        add_channel, set_routes, set_mutes, set_profile, ...
    methods/outbox.py          exchange, messages, unsent, replay, ...
    methods/records.py         add_audit, audit, remember_answer, remembered_answer

Every method checks its arguments, looks names up, and gives its work one transaction of the engine; the times that it
writes come from the store's clock. Iterables are read to their end before a transaction begins: a slow one blocks no
writer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Self

from watchword.errors import StoreError, SubscriptionError
from watchword.files import Closing
from watchword.store import delivering, subscribing
from watchword.store.methods.channels import ChannelMethods
from watchword.store.methods.entrances import EntranceMethods
from watchword.store.methods.inboxes import InboxMethods
from watchword.store.methods.outbox import OutboxMethods
from watchword.store.methods.records import RecordMethods
from watchword.store.methods.subscriptions import SubscriptionMethods
from watchword.store.options import (
    TOPICS,
    Options,
    digest_options,
    format_options,
    read_chosen,
    replace_options,
    with_topics,
    write_options,
)
from watchword.store.records import StoreStats, Subscriber, is_storable, now, parse_time
from watchword.store.sqlite.database import Database

CATEGORIES = "categories"
"""The attribute of items that topics are about, unless another one is named."""


class Store(SubscriptionMethods, InboxMethods, EntranceMethods, ChannelMethods, OutboxMethods, RecordMethods, Closing):
    """Subscribers, subscriptions and inboxes in a database; a context manager that closes it.

    >>> import tempfile
    >>> from watchword.store import Item, Match
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

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, clock: Callable[[], datetime] = now, timeout: float = 30.0) -> Self:
        """Open the store at `path`; make it, and its folder, if it is missing; bring an older one up to date.

        `timeout` is how many seconds to wait for other writers.
        """
        engine = Database(path, timeout)
        engine.migrate()
        return cls(engine, clock)

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


def _has_schema(options: Mapping[str, Options]) -> bool:
    return options.get(TOPICS, {}).get("schema") is not None
