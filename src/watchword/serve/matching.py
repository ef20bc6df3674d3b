"""What matches an event, of the subscriptions that a caller may see: for `POST /match`, one event or many.

    asked = Asked("ada")
    match_one(follower, asked, "the ferry in the storm")            [("storms", "keywords")]
    match_events(follower, asked, ["a ferry", {"price": 7}], [])    Pairs(events=[0], ids=["ferries"], refused={})

The indexes have everybody's subscriptions; a `View` keeps the ids of one subscriber, and of a tag where one is asked
for. Sets that the follower keeps up to the indexes say whose an id is (`watchword.owners`): a match makes no query. An
id may go from one subscriber to another in between; `owners.version` tells, and the event is matched again.

An event is whatever the languages read: without a language each that can read it answers, and whichever cannot says
nothing. `_may_read` sees at a glance that a text is no document and no object. A null matches nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.following import Follower
from watchword.languages import LANGUAGES
from watchword.serve.problems import Problem

if TYPE_CHECKING:
    from watchword.auditing import Auditor
    from watchword.index import Index
    from watchword.store import Owned

Result = TypeVar("Result")
TRIES = 100
"""How often an event is matched again because ids were handed over meanwhile."""
PAUSE = 0.001


@dataclass(frozen=True, slots=True)
class View:
    """Which ids of the indexes an answer may have; without `owned` those of everybody, without `tagged` of any tag."""

    owned: Owned | None = None
    tagged: frozenset[str] | None = None

    @property
    def is_all(self) -> bool:
        """Whether every id may be in the answer."""
        return self.tagged is None and (self.owned is None or self.owned.is_all)

    def keep(self, found: list[str]) -> list[str]:
        """Return the ids, of some, that an answer may have."""
        if self.owned is not None:
            found = self.owned.keep(found)
        return found if self.tagged is None else [key for key in found if key in self.tagged]


class Asked(NamedTuple):
    """Whose matches are asked for, everybody's without a `subscriber`; their tags; the language, or None for all."""

    subscriber: str | None
    tagged: frozenset[str] | None = None
    language: str | None = None

    def view(self, follower: Follower) -> View:
        """Return which ids of the indexes an answer may have now; the owners may have to be read."""
        owned = None if self.subscriber is None else follower.owned(self.subscriber)
        return View(owned, self.tagged)


@dataclass
class Pairs:
    """Matches of many events: the number of the event and the id, by event; and why events could not be read."""

    events: Int64
    ids: list[str]
    languages: list[str]
    refused: dict[int, str] = field(default_factory=dict)


def check_language(language: str | None) -> str | None:
    """Return a language; a `Problem` 422 if there is none of this name."""
    if language is not None and language not in LANGUAGES:
        raise Problem(
            422, "wrong-value", f"there is no language {language!r}", remedy=f"one of: {', '.join(LANGUAGES)}"
        )
    return language


def match_one(
    follower: Follower, asked: Asked, event: Any, auditor: Auditor | None = None
) -> list[tuple[str, str]] | None:
    """Return the ids, with their languages, that match an event; None if it has to be asked again, after `owned`.

    An `EventError` if the language that is asked for cannot read it, or no language can.
    """
    if event is None:
        return []
    check_kind(event)
    found: list[tuple[str, str]] = []
    owners, counter = follower.owners, follower.counter
    version = owners.version
    owned = None if asked.subscriber is None else owners.find(asked.subscriber)
    if owned is None and asked.subscriber is not None:
        return None
    view = View(owned, asked.tagged)
    for language in follower.languages() if asked.language is None else (asked.language,):
        if asked.language is None and not _may_read(language, event):
            continue
        try:
            index = follower.index(language)
            ids = index.match(event)
        except KeyError:
            continue  # nobody has subscribed in it
        except EventError:
            if asked.language is not None:
                raise
            continue
        if auditor is not None and auditor.wants():
            auditor.note(index, event, ids, counter)
        if ids:
            found += [(key, language) for key in view.keep(ids)]
    return None if version % 2 or version != owners.version else found


def check_kind(event: Any) -> None:
    """Raise an `EventError` for a value that is no event in any language."""
    if not isinstance(event, str | dict | list | bytes):
        kind = "a boolean" if isinstance(event, bool) else "a number"
        raise EventError(f"an event is a text, an object, or a list of texts, not {kind}")


def _may_read(language: str, event: Any) -> bool:
    """Return False where a look at the beginning of an event shows that a language cannot read it."""
    if isinstance(event, str):
        if language == "paths":
            return event.lstrip(" \t\r\n\ufeff")[:1] == "<"
        if language == "predicates":
            return event.lstrip()[:1] == "{"
        return True
    return isinstance(event, bytes) == (language == "paths")


def match_events(
    follower: Follower,
    asked: Asked,
    events: Sequence[Any],
    languages: Sequence[str | None],
    auditor: Auditor | None = None,
) -> Pairs:
    """Match many events, each in the language of the same place in `languages`, or in `asked.language`, or in all."""
    return consistently(follower, lambda: _match_events(follower, asked, events, languages, auditor))


def consistently(follower: Follower, work: Callable[[], Result]) -> Result:
    """Return what `work` does with indexes and owners that fit together: it is done again where they did not."""
    for _ in range(TRIES):
        version = follower.owners.version
        found = work()
        if version % 2 == 0 and version == follower.owners.version:
            return found
        time.sleep(PAUSE)
    raise Problem(503, "not-ready", "subscriptions change hands all the time", headers={"Retry-After": "1"})


def _match_events(
    follower: Follower,
    asked: Asked,
    events: Sequence[Any],
    languages: Sequence[str | None],
    auditor: Auditor | None,
) -> Pairs:
    refused: dict[int, str] = {}
    view, counter = asked.view(follower), follower.counter
    chosen: dict[str | None, list[int]] = {}
    for number, event in enumerate(events):
        if event is None:
            continue
        if not isinstance(event, str | dict | list):
            refused[number] = "an event is a text, an object, or a list of texts"
            continue
        language = (languages[number] if languages else None) or asked.language
        chosen.setdefault(language, []).append(number)
    tables: list[tuple[str, pa.Table]] = []
    for language, numbers in chosen.items():
        for name in follower.languages() if language is None else (language,):
            try:
                index = follower.index(name)
            except KeyError:
                continue
            readable = [one for one in numbers if language is not None or _may_read(name, events[one])]
            if readable:
                refuse = None if language is None else refused
                table = match_readable(index, [events[one] for one in readable], readable, refuse)
                tables.append((name, table))
                if auditor is not None:
                    auditor.note_batch(index, events, readable, table, refused, counter)
    return merge(tables, view, refused)


def match_readable(index: Index, events: list[Any], numbers: list[int], refused: dict[int, str] | None) -> pa.Table:
    """Return the pairs of events, by their numbers; reasons of unreadable ones go into `refused`, if it is given.

    A batch is read at once; if one event of it cannot be read, each is tried.
    """
    try:
        table = index.match_many(events)
    except EventError:
        return _match_each(index, events, numbers, refused)
    if len(events) == numbers[-1] + 1:
        return table
    placed = np.asarray(numbers, np.int64)[table["event"].to_numpy()]
    return table.set_column(0, "event", pa.array(placed, pa.int64()))


def _match_each(index: Index, events: list[Any], numbers: list[int], refused: dict[int, str] | None) -> pa.Table:
    rows, ids = [], []
    for number, event in zip(numbers, events, strict=True):
        try:
            found = index.match(event)
        except EventError as error:
            if refused is not None:
                refused[number] = error.reason
            continue
        rows += [number] * len(found)
        ids += found
    return pa.table({"event": pa.array(rows, pa.int64()), "subscription": pa.array(ids, pa.string())})


def merge(tables: Iterable[tuple[str, pa.Table]], view: View, refused: dict[int, str]) -> Pairs:
    """Return the pairs that a view may have, of tables by language, in the order of events."""
    events: list[Int64] = []
    ids: list[str] = []
    languages: list[str] = []
    for language, table in tables:
        kept = keep_rows(table, view)
        events.append(kept["event"].to_numpy())
        ids += kept["subscription"].to_pylist()
        languages += [language] * kept.num_rows
    if len(events) == 1:
        return Pairs(events[0], ids, languages, refused)
    numbers = np.concatenate([np.zeros(0, np.int64), *events])
    order = np.argsort(numbers, kind="stable")
    places = order.tolist()
    return Pairs(numbers[order], [ids[one] for one in places], [languages[one] for one in places], refused)


def keep_rows(table: pa.Table, view: View) -> pa.Table:
    """Return the rows of a table of pairs whose subscription a view may have."""
    if view.is_all or not table.num_rows:
        return table
    encoded = pc.dictionary_encode(table["subscription"].combine_chunks())
    names = encoded.dictionary.to_pylist()
    kept = set(view.keep(names))
    wanted = pa.array([name in kept for name in names], pa.bool_())
    return table.filter(wanted.take(encoded.indices))


class Reason(NamedTuple):
    """Why an event matched a subscription, and where in it the words stand."""

    why: str
    places: list[dict[str, Any]]


def explain(follower: Follower, language: str, key: str, event: Any) -> Reason | None:
    """Return why an event matches a subscription; None if that is gone meanwhile."""
    try:
        index = follower.index(language)
        text = index[key]
    except KeyError:
        return None
    return Reason(str(index.explain_text(event, text)), [place_of(place) for place in index.places(event, text)])


def place_of(place: Any) -> dict[str, Any]:
    """Return a place as a JSON object: start and end in characters, and of an object the attribute."""
    found = {"start": place.start, "end": place.end}
    attribute = getattr(place, "attribute", None)
    return found if attribute is None else {"attribute": attribute} | found


class Tagged:
    """The ids with given tags, by subscriber: read when asked for, and again after a while or a change here.

    Tags are no change that indexes follow: another process may change them, and this one then sees it within
    `SECONDS`, or within twenty times as long as reading them takes.
    """

    SECONDS = 1.0

    def __init__(self, read: Callable[[str, frozenset[str]], frozenset[str]], counter: Callable[[], int]) -> None:
        self._read, self._counter = read, counter
        self._known: dict[tuple[str, frozenset[str]], tuple[frozenset[str], float, int]] = {}

    def forget(self) -> None:
        """Read all again: call it after a change."""
        self._known.clear()

    def find(self, subscriber: str, tags: frozenset[str], after: int = 0) -> frozenset[str]:
        """Return the ids that have one of some tags, as they are after change number `after`."""
        now = time.monotonic()
        known = self._known.get((subscriber, tags))
        if known is not None and now < known[1] and after <= known[2]:
            return known[0]
        counter = self._counter()
        ids = self._read(subscriber, tags)
        if len(self._known) > 1_000:
            self._known.clear()
        took = time.monotonic() - now
        self._known[subscriber, tags] = (ids, time.monotonic() + max(self.SECONDS, 20 * took), counter)
        return ids
