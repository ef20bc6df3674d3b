"""A life of a store in random steps, beside dicts and lists."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.oracle import matches
from tests.store.engines import ENGINES
from watchword import KeywordIndex
from watchword.errors import ConflictError, SubscriptionError, UnknownNameError
from watchword.store import Details, Item, Match, Request, Store
from watchword.store.explaining import CHANGED

names = st.sampled_from(["ann", "bob"])
keys = st.sampled_from(["a", "b", "s2", "s4"])
texts = st.sampled_from(["one", "two words", "one OR two"])
requests = st.tuples(names, texts, st.none() | keys).map(lambda row: Request(*row))
batches = st.integers(0, 5).map(str)
found = st.lists(st.tuples(st.sampled_from("wxyz"), keys, st.sampled_from(["", "why"])), max_size=6)


TITLES = {"w": "one", "x": "two", "y": "two words", "z": "none"}


@dataclass
class Entry:
    """A delivery of the model."""

    item: str
    matched: datetime
    read: bool = False
    starred: bool = False
    reasons: dict[str, str] = field(default_factory=dict)


class Life(RuleBasedStateMachine):
    engine: str

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.time = datetime(2026, 1, 1, tzinfo=UTC)
        self.subscriptions: dict[str, tuple[str, str]] = {}  # id: subscriber, text
        self.details: dict[str, Details] = {}
        self.inboxes: dict[str, list[Entry]] = {}
        self.batches: set[str] = set()
        self.followed: dict[str, str] = {}
        self.counter = 0
        self.ever: set[str] = set()
        self.address = ENGINES[self.engine](Path(self.folder.name))
        self.open()

    def open(self) -> None:
        self.store = Store.open(self.address, clock=lambda: self.time)

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def put(self, name: str, text: str, key: str | None, given: str) -> None:
        assert given == key if key is not None else given not in self.ever
        self.ever.add(given)
        if given not in self.subscriptions:
            self.details[given] = Details()
        self.subscriptions[given] = (name, text)

    def refused(self, requests: list[Request]) -> type[Exception] | None:
        if any(request.subscriber not in self.inboxes for request in requests):
            return UnknownNameError
        taken = (self.subscriptions.get(str(r.id), (r.subscriber,))[0] != r.subscriber for r in requests)
        return SubscriptionError if any(taken) else None

    @initialize()
    def start(self) -> None:
        for name, key in (("ann", "a"), ("ann", "s2"), ("bob", "b")):
            self.add_subscriber(name)
            self.subscribe(name, "one", key)

    @rule(name=names)
    def add_subscriber(self, name: str) -> None:
        assert self.store.add_subscriber(name) == (name not in self.inboxes)
        self.inboxes.setdefault(name, [])

    @rule(name=names)
    def remove_subscriber(self, name: str) -> None:
        if name not in self.inboxes:
            with pytest.raises(UnknownNameError):
                self.store.remove_subscriber(name)
            return
        self.store.remove_subscriber(name)
        del self.inboxes[name]
        self.subscriptions = {key: kept for key, kept in self.subscriptions.items() if kept[0] != name}

    @rule(name=names, text=texts, key=st.none() | keys)
    def subscribe(self, name: str, text: str, key: str | None) -> None:
        error = self.refused([Request(name, text, key)])
        if error:
            with pytest.raises(error):
                self.store.subscribe(name, text, id=key)
        else:
            self.put(name, text, key, self.store.subscribe(name, text, id=key))

    @rule(rows=st.lists(requests, max_size=4, unique_by=lambda request: request.id or id(request)))
    def subscribe_many(self, rows: list[Request]) -> None:
        error = self.refused(rows)
        if error:
            with pytest.raises(error):
                self.store.subscribe_many(rows)
            return
        for row, given in zip(rows, self.store.subscribe_many(rows), strict=True):
            self.put(row.subscriber, row.text, row.id, given)

    @rule(key=keys, name=st.sampled_from(["", "x"]), paused=st.booleans(), days=st.none() | st.integers(-1, 2))
    def set_details(self, key: str, name: str, paused: bool, days: int | None) -> None:
        snoozed = None if days is None else self.time + timedelta(days=days)
        details = Details(name, tags=(name,) if name else (), paused=paused, snoozed=snoozed)
        if key not in self.subscriptions:
            with pytest.raises(UnknownNameError):
                self.store.set_details(key, details)
            return
        before = self.store.subscription(key)
        after = self.store.set_details(key, details, if_match=before.etag)
        assert (after.details, after.etag == before.etag) == (details, details == self.details[key])
        assert (after.change == before.change) == (details.paused == self.details[key].paused)
        if details != self.details[key]:
            with pytest.raises(ConflictError):
                self.store.unsubscribe(key, if_match=before.etag)
        self.details[key] = details

    @rule(name=names, chosen=st.sets(st.sampled_from("wxyz")), starred=st.booleans())
    def star(self, name: str, chosen: set[str], starred: bool) -> None:
        changed = [e for e in self.inboxes.get(name, []) if e.item in chosen and e.starred != starred]
        if name in self.inboxes:
            assert self.store.star(name, chosen, starred) == len(changed)
        for entry in changed:
            entry.starred = starred

    @rule(name=names, chosen=st.sets(st.sampled_from("wxyz")))
    def mark_unread(self, name: str, chosen: set[str]) -> None:
        changed = [e for e in self.inboxes.get(name, []) if e.item in chosen and e.read]
        if name in self.inboxes:
            assert self.store.mark_unread(name, chosen) == len(changed)
        for entry in changed:
            entry.read = False

    @rule(key=keys)
    def unsubscribe(self, key: str) -> None:
        if self.subscriptions.pop(key, None) is None:
            with pytest.raises(UnknownNameError):
                self.store.unsubscribe(key)
        else:
            self.store.unsubscribe(key)

    @rule(batch=batches, found=found)
    def record(self, batch: str, found: list[tuple[str, str, str]]) -> None:
        items = [Item(identity, title=title) for identity, title in TITLES.items()]
        assert self.store.record(batch, items, [Match(*match) for match in found]) == (batch not in self.batches)
        if batch in self.batches:
            return
        self.batches.add(batch)
        for item, key, why in sorted(found, key=lambda match: match[0]):
            if key in self.subscriptions and self.delivers(key):
                inbox = self.inboxes[self.subscriptions[key][0]]
                entry = next((entry for entry in inbox if entry.item == item), None)
                if entry is None:
                    entry = Entry(item, self.time)
                    inbox.append(entry)
                entry.reasons.setdefault(key, why)

    def delivers(self, key: str) -> bool:
        details = self.details[key]
        return not details.paused and (details.snoozed is None or details.snoozed <= self.time)

    @rule(name=names, chosen=st.none() | st.sets(st.sampled_from("wxyz")))
    def mark_read(self, name: str, chosen: set[str] | None) -> None:
        if name not in self.inboxes:
            with pytest.raises(UnknownNameError):
                self.store.mark_read(name, chosen)
            return
        marked = [e for e in self.inboxes[name] if not e.read and (chosen is None or e.item in chosen)]
        assert self.store.mark_read(name, chosen) == len(marked)
        for entry in marked:
            entry.read = True

    @rule(days=st.integers(0, 2), unread=st.booleans())
    def prune(self, days: int, unread: bool) -> None:
        before = self.time - timedelta(days=days)
        pruned = 0
        for name, inbox in self.inboxes.items():
            kept = [entry for entry in inbox if entry.matched >= before or entry.starred or not (entry.read or unread)]
            pruned += len(inbox) - len(kept)
            self.inboxes[name] = kept
        assert self.store.prune(before, unread=unread) == pruned

    @rule()
    def pass_a_day(self) -> None:
        self.time += timedelta(days=1)

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self.open()

    @rule()
    def follow(self) -> None:
        changes, self.counter = self.store.changes_since(self.counter)
        for change in changes:
            if change.text is None:
                self.followed.pop(change.id, None)
            else:
                self.followed[change.id] = change.text
        active = {key: text for key, (_, text) in self.subscriptions.items() if not self.details[key].paused}
        assert self.followed == active and self.store.languages() == ["keywords"] * bool(active)

    @invariant()
    def holds_what_it_should(self) -> None:
        assert [subscriber.name for subscriber in self.store.subscribers()] == sorted(self.inboxes)
        kept = [(kept.id, kept.subscriber, kept.text, kept.details) for kept in self.store.subscriptions()]
        assert kept == [(key, *row, self.details[key]) for key, row in self.subscriptions.items()]
        for name, inbox in self.inboxes.items():
            newest_first = inbox[::-1]
            assert self.seen(name, False) == [self.expected(entry, name) for entry in newest_first]
            assert self.seen(name, True) == [self.expected(entry, name) for entry in newest_first if not entry.read]
            self.counts(name, newest_first)
        entries = [entry for inbox in self.inboxes.values() for entry in inbox]
        stats = self.store.stats()
        assert stats.items == len({entry.item for entry in entries})
        assert (stats.deliveries, stats.batches) == (len(entries), len(self.batches))
        assert stats.matches == sum(len(entry.reasons) for entry in entries)

    def counts(self, name: str, newest_first: list[Entry]) -> None:
        unread = Counter(key for entry in newest_first if not entry.read for key in entry.reasons)
        starred = [entry.item for entry in newest_first if entry.starred]
        expected = sum(not entry.read for entry in newest_first), len(starred), len(newest_first), dict(unread)
        counts = self.store.inbox_counts(name)
        assert (counts.unread, counts.starred, counts.all, counts.by_subscription) == expected
        found = self.store.inbox(name, unread_only=False, starred_only=True)
        assert [delivery.item.identity for delivery in found] == starred

    def seen(self, name: str, unread_only: bool) -> list[tuple[object, ...]]:
        inbox = self.store.inbox(name, unread_only=unread_only)
        return [(e.item.identity, e.matched_at, e.read_at is not None, list(map(tuple, e.reasons))) for e in inbox]

    def expected(self, entry: Entry, name: str) -> tuple[object, ...]:
        texts = {key: text for key, (owner, text) in self.subscriptions.items() if owner == name}
        reasons = []
        for key, why in sorted(entry.reasons.items()):
            text = texts.get(key)
            if not why and text is not None:  # made when it is shown, from the subscription as it is now
                index = KeywordIndex({key: text})
                title = TITLES[entry.item]
                why = str(index.explain(title, key)) if matches(text, title) else CHANGED
            reasons.append((key, text, why))
        return entry.item, entry.matched, entry.read, reasons


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_life(engine: str) -> None:
    kind = type(f"Life_{engine}", (Life,), {"engine": engine})
    run_state_machine_as_test(kind, settings=settings(max_examples=40, stateful_step_count=25, deadline=None))
