"""Delivers posted events: takes them from the spool, matches them, writes inboxes and the archive.

    with Follower(home, every=0.2) as follower, Deliverer(home, follower):
        Spool(home.posted).append([Item("urn:7", title="Ferry")])      # in the inboxes within `every` seconds

A batch (`batches`) passes through these steps:

1. its bounds are on the disk, so a batch that is repeated has the same events;
2. the indexes are brought up to the store, and the number of the store's last change is kept: a subscription that was
   made before the event was posted is in the index, and `Store.record` drops matches of one that was made later;
3. each language matches the events that it can read; the others become dead letters;
4. the matches of all languages are written into the inboxes in one transaction, under the key of the batch;
5. the batch is noted as done.

Killed before 4, the batch is matched and written by the next process; killed after 4, the store knows its key, and
nothing is written twice. Events go into the archive by a reader of its own, every `ARCHIVE_EVERY` seconds and at the
end, because each write makes a file there.

One process of a home delivers at a time, the one that holds ``deliver.lock``; others look every second whether it has
ended. An error, such as a full disk, is kept in `error` and logged once, and the batch is tried again later.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, Self

from watchword.dead_letters import Letter, write_letters
from watchword.errors import OptionError, WatchwordError
from watchword.files import Closing, locked, make_private_folder
from watchword.following import Follower
from watchword.home import Home
from watchword.index import Index
from watchword.index.events import around
from watchword.items import EVENTS, Item, event_of
from watchword.posted.batches import AT_ONCE, Batch, Batches
from watchword.posted.events import is_read_by
from watchword.posted.spool import Spool
from watchword.store import Match
from watchword.visible import visible

EVERY = 0.2
"""Seconds between two looks for new events."""
TAKE_OVER = 1.0
"""Seconds between two looks of a process that does not deliver whether the other one has ended."""
SLOWEST = 10.0
"""Seconds of the longest wait after errors."""
ARCHIVE_EVERY = 10.0
"""Seconds between two writes into the archive."""
ARCHIVED = 10_000
"""Events from which a write into the archive takes no further group."""
_log = logging.getLogger("watchword.posted")


class Auditing(Protocol):
    """Whoever decides some of the events again."""

    def wants(self) -> bool:
        """Return whether the next event is to be decided again."""

    def note(self, index: Index, event: Any, ids: Iterable[str], counter: int) -> None:
        """Keep the answer that an index gave for an event, with a change that it had by then, by number."""


class Deliverer(Closing):
    """Delivers the posted events of a home in a thread, as a context manager; `close` ends after the batch at work.

    `every` is the number of seconds between two looks, `at_once` the number of events of a batch. With an `auditor`,
    some events are decided again.
    """

    def __init__(
        self,
        home: Home,
        follower: Follower,
        *,
        every: float = EVERY,
        at_once: int = AT_ONCE,
        spool: Spool | None = None,
        auditor: Auditing | None = None,
    ) -> None:
        if not every > 0 or at_once < 1:
            raise OptionError(f"every and at_once are positive, not {every} and {at_once}")
        self.spool = Spool(home.posted) if spool is None else spool
        self.delivered = self.matches = self.refused = 0
        self.error: Exception | None = None
        """The error of the last attempt, None if it succeeded."""
        self.is_holding = False
        """Whether this process is the one that delivers."""
        self._home, self._follower, self._every, self._auditor = home, follower, every, auditor
        self._batches = Batches(self.spool, "delivered", at_once=at_once)
        self._to_archive = Batches(self.spool, "archived", at_once=ARCHIVED)
        self._archive_at = float("-inf")
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="watchword-deliverer", daemon=True)
            self._thread.start()
        return self

    def close(self) -> None:
        """End the thread after the batch at work; events that wait are delivered when it is started again."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def waiting(self) -> int:
        """Return the number of events that are not yet delivered."""
        return max(self.spool.last() - self._batches.last(), 0)

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold the home's right to deliver; a `TimeoutError` names the process that has it."""
        self.spool.make_folder()
        with locked(self.spool.folder / "deliver.lock", patience=0):
            self.is_holding = True
            try:
                yield
            finally:
                self.is_holding = False

    def deliver(self) -> int:
        """Deliver one batch, for the caller who is `holding`; return the number of its events, 0 if none wait."""
        batch = self._batches.next()
        if batch is None:
            return 0
        self._record(batch)
        self._batches.finish(batch)
        self.delivered += len(batch.items)
        return len(batch.items) + len(batch.damaged)

    def archive(self) -> int:
        """Write the delivered events into the archive, for the caller who is `holding`; return their number.

        Segments of the spool that are not needed any more are removed.
        """
        written = 0
        while (batch := self._to_archive.next()) is not None:
            self._home.archive().write(batch.key, batch.items)
            self._to_archive.finish(batch)
            written += len(batch.items)
            if self._stop.is_set():
                break  # the next process goes on
        self.spool.remove_finished()
        self._archive_at = time.monotonic() + ARCHIVE_EVERY
        return written

    # The thread

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with self.holding():
                    self._deliver_all()
            except TimeoutError:
                self._stop.wait(TAKE_OVER)
            except (OSError, WatchwordError) as error:  # the folder cannot be used
                self._fail(error, 1)
                self._stop.wait(TAKE_OVER)

    def _deliver_all(self) -> None:
        """Deliver until `close`; a batch that fails is tried again, after a wait that doubles."""
        failures, is_last = 0, False
        while not is_last:
            is_last = self._stop.is_set()
            try:
                while self.deliver() and not self._stop.is_set():
                    pass
                if is_last or time.monotonic() >= self._archive_at:
                    self.archive()
                failures, self.error = 0, None
            except Exception as error:
                failures += 1
                self._fail(error, failures)
            self._stop.wait(min(self._every * 2**failures, max(SLOWEST, self._every)) if failures else self._every)

    def _fail(self, error: Exception, failures: int) -> None:
        if failures == 1 or str(error) != str(self.error):
            _log.warning("posted events are not delivered: %s; trying again", visible(str(error)))
        self.error = error

    # One batch

    def _record(self, batch: Batch) -> None:
        """Match a batch and write its matches, unless an earlier attempt did."""
        counter = self._follower.refresh()
        with self._home.store() as store:
            if store.is_recorded(batch.key):
                return
            self._set_aside(batch, "", [_damaged_letter(group) for group in batch.damaged])
            pairs = [pair for language in self._follower.languages() for pair in self._match(batch, language, counter)]
            found = {place for place, _ in pairs}
            items = [item for place, item in enumerate(batch.items) if place in found]
            matches = [Match(batch.items[place].identity, subscription) for place, subscription in pairs]
            if matches:
                store.record(batch.key, items, matches, as_of=counter)
        self.matches += len(matches)

    def _match(self, batch: Batch, language: str, counter: int) -> list[tuple[int, str]]:
        """Return the places of events in a batch with the ids of their subscriptions, of one language."""
        if language not in EVENTS:
            return []
        index = self._follower.index(language)
        places = [place for place, item in enumerate(batch.items) if is_read_by(language, item)]
        events = [event_of(language, batch.items[place], index.attributes) for place in places]
        answers, refused = around(events, index.match_many)
        letters = [_letter(batch.items[places[at]], reason) for at, reason in refused.items()]
        self._set_aside(batch, f"-{language}", letters)
        pairs = [
            (start + event, str(subscription))
            for start, table in answers
            for event, subscription in zip(*(column.to_pylist() for column in table.columns), strict=True)
        ]
        if self._auditor is not None:
            read = {at: event for at, event in enumerate(events) if at not in refused}
            _audit(self._auditor, index, read, pairs, counter)
        return [(places[at], subscription) for at, subscription in pairs]

    def _set_aside(self, batch: Batch, language: str, letters: list[Letter]) -> None:
        if letters:
            file = self.spool.folder / "dead-letters" / f"batch-{batch.bounds.batch}{language}.jsonl"
            make_private_folder(file.parent)
            write_letters(file, letters, len(letters))
            self.refused += len(letters)


def _audit(
    auditor: Auditing, index: Index, events: Mapping[int, Any], pairs: Iterable[tuple[int, str]], counter: int
) -> None:
    """Let the auditor keep the answers for some of the events that were read, which are given by position."""
    chosen: dict[int, list[str]] = {at: [] for at in events if auditor.wants()}
    for at, subscription in pairs:
        if at in chosen:
            chosen[at].append(subscription)
    for at, ids in chosen.items():
        auditor.note(index, events[at], ids, counter)


def _letter(item: Item, reason: str) -> Letter:
    return Letter("posted", item.identity, reason, item.row or item.text or item.title)


def _damaged_letter(lines: bytes) -> Letter:
    return Letter("posted", "", "its events were altered on the disk", lines.decode("utf-8", "replace"))
