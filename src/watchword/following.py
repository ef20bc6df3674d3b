"""Indexes in memory that follow the store of a home: `Follower`.

    with Follower(home, every=0.2) as follower:
        key = store.subscribe("ada", "ferry AND storm")
        follower.wait_for(store.stats().counter)                    # reads your own writes
        follower.index("keywords").match("a storm, and no ferry")   # [..., key]

The store is the truth, and numbers its changes. A follower knows the number of the last change that its indexes have,
and the store's random name for the state after it, the epoch (together: an `Origin`). To catch up it asks for the
changes since that number, if the store still gives the state the same name. If not, the store is another one, or was
restored from a copy: new indexes are built, and replace the old ones when they are ready.

A language's index begins as the newest published version of its sharded snapshot (`watchword.shards`), if that has a
state of this store, and otherwise empty; either way the changes since are applied to it. A version of one shard is
mapped in milliseconds, whatever its size, and costs the changes since it was published. Of several shards, all but the
largest are compiled again, as without a version everything is: about five seconds for a million keyword subscriptions.
A look that finds no change takes a millisecond.

The options of an index are the store's, which may change: topics get other parents. Then the newest version, and an
index in memory, are of no use any more, and one with the options of now is built from the store. A version that a batch
has recorded keeps the options that it was built with, so that the batch has the same answers when it is repeated.

`plan_refresh` decides, and touches no file, clock or session; the Spark pipeline decides by it, too.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from watchword.errors import SnapshotError, StoreError, SubscriptionError
from watchword.files import Closing
from watchword.home import STORE, Home
from watchword.index import Index, language_class
from watchword.owners import Owners
from watchword.shards import Origin, Version, resolve_checked, settings
from watchword.shards.opening import open_as_one
from watchword.store import Change, Changes, Owned, Store
from watchword.visible import visible

__all__ = ["Follower", "Refresh", "plan_refresh"]

PAUSE = 0.02
"""Seconds between two looks of `Follower.wait_for` for a change that the store does not have yet."""
LOOKS = 5
"""How often changes are read again because others came between two queries."""
_log = logging.getLogger("watchword.following")


# What to do


class Refresh(NamedTuple):
    """How an index is brought up to the store: by the changes after number `since`.

    With a `fault`, the reason why the index cannot be used, it starts empty, and `since` is 0.
    """

    since: int
    fault: str | None = None


def plan_refresh(origin: Origin | None, epoch: str | None) -> Refresh:
    """Decide how an index that has the state `origin` is refreshed; `epoch` is the store's name for that state now.

    >>> plan_refresh(Origin("store", 17, "4f2a"), "4f2a")
    Refresh(since=17, fault=None)
    >>> plan_refresh(Origin("store", 17, "4f2a"), None)
    Refresh(since=0, fault='the store is another one, or was restored from a copy')
    """
    if origin is None:
        return Refresh(0, "it does not say which state of the store it stands for")
    if epoch != origin.epoch:
        return Refresh(0, "the store is another one, or was restored from a copy")
    return Refresh(origin.counter)


@dataclass
class Edits:
    """The changes of one language: texts to subscribe or replace by id, and ids to remove."""

    upserts: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)


def sort_changes(changes: Iterable[Change]) -> dict[str, Edits]:
    """Return changes by language. An id that moved to another language is removed in one and subscribed in the other.

    >>> moved = [Change(8, "a", "keywords", None), Change(9, "a", "patterns", "gr?ece")]
    >>> {language: (edits.upserts, edits.removed) for language, edits in sort_changes(moved).items()}
    {'keywords': ({}, ['a']), 'patterns': ({'a': 'gr?ece'}, [])}
    """
    found: dict[str, Edits] = {}
    for change in changes:
        edits = found.setdefault(change.language, Edits())
        if change.text is None:
            edits.removed.append(change.id)
        else:
            edits.upserts[change.id] = change.text
    return found


# What the files and the store say


class Examined(NamedTuple):
    """A version of an index, None if it cannot be read, and how to bring it up to the store."""

    version: Version | None
    refresh: Refresh


def examine_version(home: Home, store: Store, language: str, number: int | None = None) -> Examined:
    """Return a version of a language's index, the newest by default, and how to bring it up to the store.

    The newest is of no use if its options are not the store's; a version that is named by its number may have others.
    """
    try:
        version = resolve_checked(home.index(language), number)
        others = other_options(language, settings(version), store.options(language)) if number is None else []
    except SnapshotError as error:
        return Examined(None, Refresh(0, str(error)))
    origin = version.origin
    refresh = plan_refresh(origin, None if origin is None else store.epoch(origin.counter))
    if others and refresh.fault is None:
        refresh = Refresh(0, f"its options were changed: {', '.join(others)}")
    return Examined(version, refresh)


def other_options(language: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the names of the options, and of the method, in which two indexes differ that are made with `one` and
    with `other`.

    >>> other_options("patterns", {"ignore_case": False}, {}), other_options("patterns", {"ignore_case": True}, {})
    ([], ['ignore_case'])
    """
    of_one, of_other = _settings(language_class(language)(**one)), _settings(language_class(language)(**other))
    return [name for name in of_one | of_other if of_one.get(name) != of_other.get(name)]


def _settings(index: Index) -> dict[str, Any]:
    return {"method": index.method, **index.options}


def read_origin(store: Store, counter: int) -> Origin:
    """Return the state of a store whose last change was number `counter`."""
    return Origin(str(store.epoch(0)), counter, str(store.epoch(counter)))


def start_index(home: Home, store: Store, language: str) -> tuple[Index, int]:
    """Return an index with the store's subscriptions in a language, and the number of the last change that it has.

    It begins with the newest published version, if that has a state of this store.
    """
    index, since = _open_newest(home, store, language)
    changes, counter = store.changes_since(since, language=language)
    edits = sort_changes(changes).get(language, Edits())
    _subscribe(index, edits.upserts, home)
    _remove(index, edits.removed)
    return index, counter


def _open_newest(home: Home, store: Store, language: str) -> tuple[Index, int]:
    version, refresh = examine_version(home, store, language)
    if version is not None and refresh.fault is None:
        try:
            return open_as_one(version), refresh.since
        except SnapshotError as error:  # a run may have removed the version since
            _log.warning("the index of %s is built from the store: %s", language, visible(str(error)))
    elif version is not None:
        _log.warning("the index of %s is built from the store: %s", language, refresh.fault)
    empty: Index = language_class(language)(**store.options(language))
    return empty, 0


def _subscribe(index: Index, texts: Mapping[str, str], home: Home) -> None:
    """Subscribe what the store has; a `StoreError` says what to do about a text that an earlier Watchword took."""
    try:
        index.update(texts)
    except SubscriptionError as error:
        name = "ID" if error.id is None else error.id
        raise StoreError(
            f"a subscription that is in it is refused by this version of watchword: {error}\nwrite it anew, watchword "
            f"subscribe NAME TEXT --id {name}, or remove it, watchword unsubscribe {name}",
            path=home.path,
        ) from error


def _has(key: str) -> Callable[[Index], bool]:
    return lambda index: key in index


def _remove(index: Index, ids: Iterable[str]) -> None:
    for key in ids:
        index.pop(key, None)  # it may have come and gone since the last look


class _KeptStore(NamedTuple):
    """A store that stays open, and which files it had when it was opened."""

    store: Store
    files: list[tuple[int, int] | None]


def _files(home: Home) -> list[tuple[int, int] | None]:
    """Return the numbers of the store's file and of its log: others after it was restored from a copy."""
    found: list[tuple[int, int] | None] = []
    for name in (STORE, f"{STORE}-wal"):
        try:
            facts = (home.path / name).stat()
            found.append((facts.st_dev, facts.st_ino))
        except OSError:
            found.append(None)
    return found


class Follower(Closing):
    """The indexes of a home's languages, in memory, brought up to the store by `refresh`.

    Used as a context manager with `every`, a thread refreshes them every `every` seconds. Any number of threads may
    match, refresh and wait at once. Ask for an index when you use it: another one replaces it if the store is restored.

    All changes of one look at the store are applied together: first new and replaced subscriptions, in all languages,
    then removals. So an id that moves to another language is never missing from both.
    """

    def __init__(self, home: Home, *, every: float | None = None) -> None:
        self._home, self._every = home, every
        self.owners = Owners()
        """Which ids of the indexes are whose, for the subscribers that `owned` was asked for."""
        self._indexes: dict[str, Index] = {}  # replaced, never changed: whoever reads it needs no lock
        self._origin: Origin | None = None
        self._options = ""  # the digest of the options that the indexes were made with
        self._error: Exception | None = None
        self._looked = time.monotonic()  # when the indexes were up to the store for the last time
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._kept: _KeptStore | None = None

    @property
    def counter(self) -> int:
        """The number of the last change that all indexes have."""
        return 0 if self._origin is None else self._origin.counter

    @property
    def error(self) -> Exception | None:
        """The error of the last refresh, None if it succeeded: the indexes then are those of the last success."""
        return self._error

    @property
    def lag(self) -> float:
        """The seconds since the indexes were up to the store for the last time."""
        return time.monotonic() - self._looked

    def languages(self) -> list[str]:
        """Return the languages that are followed: all that have, or had since the start, subscriptions."""
        return sorted(self._indexes)

    def index(self, language: str) -> Index:
        """Return the index of a language; a `KeyError` if it has no index, for lack of subscriptions."""
        if self._origin is None:
            self.refresh()
        return self._indexes[language]

    def refresh(self) -> int:
        """Bring all indexes up to the store, and return the number of the last change that they have."""
        with self._lock:
            try:
                self._catch_up(self._store())
            except Exception as error:
                self._error = error
                raise
            self._error, self._looked = None, time.monotonic()
            return self.counter

    def wait_for(self, counter: int, timeout: float = 10.0) -> None:
        """Return when the indexes have change number `counter`; a `StoreError` after `timeout` seconds.

        It does not wait for the thread: where the indexes are behind, it refreshes them itself, and raises the error
        of that.
        """
        deadline = time.monotonic() + timeout
        while self.counter < counter:
            left = deadline - time.monotonic()
            if left <= 0 or not self._lock.acquire(timeout=left):
                raise StoreError(
                    f"change {counter} did not come within {timeout:g} s; the indexes have change {self.counter}",
                    path=self._home.path,
                )
            try:
                if self.counter < counter <= self.refresh():
                    return
            finally:
                self._lock.release()
            time.sleep(PAUSE)

    def owned(self, subscriber: str) -> Owned:
        """Return which ids of the indexes are a subscriber's; read from the store when it is first asked for."""
        found = self.owners.find(subscriber)
        if found is not None:
            return found
        with self._lock:
            while (found := self.owners.find(subscriber)) is None:
                self.owners.begin(subscriber, self._store().owned(subscriber))
                self.refresh()
                self.owners.end()
            return found

    def __enter__(self) -> Self:
        self.refresh()
        if self._every is not None and self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._poll, name="watchword-follower", daemon=True)
            self._thread.start()
        return self

    def close(self) -> None:
        """Stop the thread, if there is one, and close the store; the indexes stay as they are."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        with self._lock:
            self._forget_store()

    def _store(self) -> Store:
        """Return the store, which is kept open for the next look as long as its files are the same ones."""
        if self._kept is None or self._kept.files != _files(self._home):
            self._forget_store()
            file, _ = _files(self._home)
            store = self._home.store()
            self._kept = _KeptStore(store, [file, _files(self._home)[1]])  # the log is made when the store is opened
        return self._kept.store

    def _forget_store(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.store.close()

    def _poll(self) -> None:
        said = ""
        while not self._stop.wait(self._every):
            try:
                self.refresh()
                said = ""
            except Exception as error:  # kept in `error`; the next look may succeed
                if str(error) != said:
                    said = str(error)
                    _log.warning("the indexes do not follow the store: %s; trying again", visible(said))

    def _catch_up(self, store: Store) -> None:
        origin, options = self._origin, store.options_digest()
        plan = plan_refresh(origin, None if origin is None else store.epoch(origin.counter))
        if origin is not None and plan.fault is not None:
            _log.warning("all indexes are built anew: %s", plan.fault)
        elif options != self._options:
            self._renew(store)
        since = plan.since if plan.fault is None else self._start(store)
        changes, counter = self._changes(store, since)
        self._apply(store, sort_changes(changes))
        self._origin, self._options = read_origin(store, counter), options

    def _changes(self, store: Store, since: int) -> Changes:
        """Return the changes since a number, after `owners` has taken note of the owners of these ids."""
        for _ in range(LOOKS):
            changes = store.changes_since(since)
            if not changes.changes or not self.owners:
                return changes
            owners, counter = store.owners_since(since)
            if counter == changes.counter:
                self._note_owners(owners)
                return changes
        self.owners.forget()  # they are read again when they are asked for
        return changes

    def _note_owners(self, owners: Mapping[str, str | None]) -> None:
        handed_over = [key for key in self.owners.handed_over(owners) if any(map(_has(key), self._indexes.values()))]
        with self.owners.changing(bool(handed_over)):
            for index in self._indexes.values():
                _remove(index, handed_over)
            self.owners.note(owners)

    def _start(self, store: Store) -> int:
        """Make new indexes of all languages, and return the number of the last change that all of them have."""
        started = {language: start_index(self._home, store, language) for language in store.languages()}
        self.owners.forget()
        self._indexes = {language: index for language, (index, _) in started.items()}
        return min((counter for _, counter in started.values()), default=0)

    def _renew(self, store: Store) -> None:
        """Make new indexes of the languages whose options have changed."""
        for language, index in self._indexes.items():
            if other_options(language, _settings(index), store.options(language)):
                self.owners.forget()  # the new index may have changes that are later than the owners
                self._indexes = {**self._indexes, language: start_index(self._home, store, language)[0]}

    def _apply(self, store: Store, edits: dict[str, Edits]) -> None:
        """Apply changes; it does no harm if some were applied before."""
        for language, some in edits.items():
            if language in self._indexes:
                _subscribe(self._indexes[language], some.upserts, self._home)
            elif some.upserts:
                started, _ = start_index(self._home, store, language)
                self.owners.forget()
                self._indexes = {**self._indexes, language: started}
        for language, some in edits.items():
            if language in self._indexes:
                _remove(self._indexes[language], some.removed)
