"""Self-audit: a share of the matched events is decided again, by brute force, in the background.

    watchword serve --audit 0.001       watchword run feeds.opml --audit 0.001
    ERROR watchword.audit: keywords, change 41: the index missed 'storms' for the event 'the ferry in the storm'

An `Answer` is an event with the ids that an index gave, the options of that index, and the number of the last change
that it had. A thread has an index of its own for each language, by the method `brute` (patterns `naive`, paths
`yfilter`), with all subscriptions, brought up to the store before it decides. A subscription that has changed since
the event was matched proves nothing and is left out; every other difference is an error of one of the two. It is
logged and counted, turns `/readyz` of a server yellow until the process ends, and is in the last line of a run.

The own indexes cost about the memory of the first ones again, and a brute match reads every subscription: so the share
is small, and an event that finds `WAITING` others is left out.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from watchword.errors import WatchwordError
from watchword.index import language_class
from watchword.visible import brief, shown, visible

if TYPE_CHECKING:
    from watchword.index import Index
    from watchword.store import Store

REFERENCES = ("brute", "naive", "yfilter")
"""Methods that decide again, the first that a language has."""
WAITING = 1_000
"""Events that wait to be decided again."""
PAUSE = 0.1
"""Seconds between two looks for events to decide again."""
_log = logging.getLogger("watchword.audit")


class Answer(NamedTuple):
    """An event, the ids that an index with some options gave, and a change that it had by then, by number."""

    language: str
    event: Any
    ids: frozenset[str]
    counter: int
    options: dict[str, Any]


class Difference(NamedTuple):
    """An answer that brute force decided otherwise: ids that the index missed, and ids that it should not have."""

    answer: Answer
    missed: list[str]
    wrong: list[str]

    def __str__(self) -> str:
        said = [f"missed {shown(key)}" for key in self.missed] + [f"wrongly has {shown(key)}" for key in self.wrong]
        event = visible(brief(repr(self.answer.event), 500))
        return (
            f"{self.answer.language}, change {self.answer.counter}: the index {', '.join(said)} for the event {event}"
        )


class Auditor:
    """Decides a share of events again; a thread that is started and stopped."""

    def __init__(
        self, store: Callable[[], Store], share: float, report: Callable[[Difference | None], None] | None = None
    ) -> None:
        """`store` returns the open store; `report` is given each event's difference, None where there is none."""
        self._store, self._report, self.share = store, report, share
        self.decided = self.found = 0
        """Events that were decided again, and the differences among them."""
        self._waiting: deque[Answer] = deque(maxlen=WAITING)
        self._references: dict[str, tuple[Index, int]] = {}
        self._random = random.Random()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.differences: deque[Difference] = deque(maxlen=100)
        """The last differences; not empty, it turns `/readyz` yellow."""

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="watchword-audit", daemon=True)
        self._thread.start()

    def stop(self, patience: float = 0.0) -> None:
        """Stop the thread; events that wait are decided first, for `patience` seconds at most."""
        deadline = time.monotonic() + patience
        while self._thread is not None and self._waiting and time.monotonic() < deadline:
            time.sleep(PAUSE)
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    def wants(self) -> bool:
        """Return whether the next event is to be decided again."""
        return self._random.random() < self.share

    def note(self, index: Index, event: Any, ids: Iterable[str], counter: int) -> None:
        """Keep an answer of an index, everybody's ids, to be decided again; `counter` was read before it was asked."""
        self.keep(Answer(index.language, event, frozenset(ids), counter, index.options))

    def keep(self, answer: Answer) -> None:
        """Keep an answer, to be decided again."""
        self._waiting.append(answer)

    def note_batch(
        self,
        index: Index,
        events: Sequence[Any],
        numbers: Sequence[int],
        table: pa.Table,
        refused: Mapping[int, str],
        counter: int,
    ) -> None:
        """Keep the answers for a share of a batch: `numbers` are the events that were read, `table` has the pairs."""
        chosen = [number for number in numbers if self.wants() and number not in refused]
        if not chosen:
            return
        ids: dict[int, list[str]] = {number: [] for number in chosen}
        for number, key in zip(table["event"].to_pylist(), table["subscription"].to_pylist(), strict=True):
            if number in ids:
                ids[number].append(key)
        for number in chosen:
            self.note(index, events[number], ids[number], counter)

    def check(self, answer: Answer) -> Difference | None:
        """Decide an event again; return the difference, if there is one."""
        store: Store = self._store()
        index = self._reference(store, answer.language)
        if {**index.options} != answer.options:
            return None  # topics were replaced meanwhile
        try:
            found = frozenset(index.match(answer.event))
        except WatchwordError:
            return None  # a batch may have held events that one language cannot read
        suspects = found ^ answer.ids
        if suspects:
            changed = {change.id for change in store.changes_since(answer.counter, language=answer.language).changes}
            suspects -= changed
        if not suspects:
            return None
        return Difference(answer, sorted(suspects & found), sorted(suspects & answer.ids))

    def _reference(self, store: Store, language: str) -> Index:
        """Return the own index of a language, brought up to the store."""
        index, since = self._references.get(language, (None, 0))
        kind = language_class(language)
        options = store.options(language)
        wanted = dict(kind(**options).options)
        if index is None or index.options != wanted:
            method = next(method for method in REFERENCES if method in kind.methods)
            index, since = kind(method=method, **options), 0
        changes, counter = store.changes_since(since, language=language)
        index.update({change.id: change.text for change in changes if change.text is not None})
        for change in changes:
            if change.text is None:
                index.pop(change.id, None)
        self._references[language] = (index, counter)
        return index

    def _run(self) -> None:
        while not self._stop.wait(PAUSE):
            while self._waiting and not self._stop.is_set():
                answer = self._waiting.popleft()
                try:
                    difference = self.check(answer)
                except Exception as error:  # the store is gone, say: this event is not decided again
                    _log.warning("an event was not decided again: %s", visible(str(error)))
                    continue
                self._note(difference)

    def _note(self, difference: Difference | None) -> None:
        self.decided += 1
        if difference is not None:
            self.found += 1
            self.differences.append(difference)
            _log.error("%s", difference)
        if self._report is not None:
            self._report(difference)
