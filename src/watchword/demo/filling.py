"""A home with a month of stories, to look at: `fill`; and stories that keep coming: `Source`.

    fill(Home.make("desk"), now)        the subscriber `you`, six subscriptions, 2,400 items, an inbox of three days
    with Source(Home("desk"), every=4): a story every four seconds, through the spool of posted events

Stories are archived on the day on which they were published, so that a preview's bars are those of a month.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from itertools import groupby
from typing import NamedTuple, Self

from watchword.demo.stories import PER_DAY, month, story
from watchword.files import Closing
from watchword.home import Home
from watchword.items import Item, event_of
from watchword.languages import language_class
from watchword.posted import Spool
from watchword.store import Details, Example, Match, Store

YOU = "you"
"""The subscriber of a demonstration."""
DELIVERED = 3
"""Days whose matches wait in the inbox."""
READ = timedelta(days=1)
"""Matches that are older than this were read."""
EVERY = 5.0
"""Seconds between two stories."""


class Wanted(NamedTuple):
    """A subscription of the demonstration."""

    id: str
    language: str
    text: str
    details: Details


SUBSCRIPTIONS = (
    Wanted(
        "ferries",
        "keywords",
        "ferry NOT delayed",
        Details("Ferries that sail", tags=("sea",), examples=(Example("The car ferry is back in service", True),)),
    ),
    Wanted("storms", "keywords", 'storm OR "gale warning"', Details("Storms", tags=("sea", "weather"))),
    Wanted(
        "harbour-council",
        "predicates",
        "feed = 'Island politics' AND MATCHES 'harbour AND (toll OR debt)'",
        Details("Harbour politics", note="What the council does to the harbour.", tags=("politics",)),
    ),
    Wanted(
        "energy",
        "predicates",
        "categories = 'Energy' AND MATCHES 'crisis OR rose'",
        Details("Energy prices", tags=("money",)),
    ),
    Wanted("finals", "patterns", "cup final*penalties", Details("Finals on penalties", tags=("sport",))),
    Wanted("bailout", "keywords", "bailout AND council", Details(paused=True)),
)
"""The subscriptions of the demonstration."""


def fill(home: Home, now: datetime | None = None, days: int = 30) -> int:
    """Fill a home with the stories of some days and an inbox; return their number. A second time adds none."""
    now = datetime.now(UTC) if now is None else now
    stories, archive = list(month(now, days)), home.archive()
    for day, some in groupby(stories, key=lambda item: _time(item).date()):
        archive.write(f"demo:{day}", list(some), min(datetime.combine(day, time(23), UTC), now))
    with home.store() as store:
        store.add_subscriber(YOU)
        known = {one.id for one in store.subscriptions(YOU)}
        for one in SUBSCRIPTIONS:
            if one.id not in known:
                store.subscribe(YOU, one.text, language=one.language, id=one.id, details=one.details)
        _deliver(store, [item for item in stories if _time(item) > now - timedelta(days=DELIVERED)], now)
    return len(stories)


def _time(item: Item) -> datetime:
    assert item.published is not None
    return item.published


def _deliver(store: Store, items: list[Item], now: datetime) -> None:
    """Write what the subscriptions match into the inbox, the oldest first; mark older ones as read, and star two."""
    matches = [Match(item.identity, id) for id, found in _found(store, items) for item in found]
    store.record("demo", items, matches)
    old = [one.item for one in store.inbox(YOU) if _time(one.item) < now - READ]
    store.mark_read(YOU, [item.identity for item in old])
    store.star(YOU, [item.identity for item in old[:2]])


def _found(store: Store, items: list[Item]) -> Iterator[tuple[str, list[Item]]]:
    for one in SUBSCRIPTIONS:
        if not one.details.paused:
            index = language_class(one.language)({0: one.text}, **store.options(one.language))
            yield one.id, [item for item in items if index.match(event_of(one.language, item, index.attributes))]


class Source(Closing):
    """Posts a story every few seconds, in a thread, as `POST /events` does; a context manager."""

    def __init__(self, home: Home, *, every: float = EVERY) -> None:
        self._spool, self._every = Spool(home.posted), every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchword-demo", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop posting."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._every):
            self._spool.append([fresh_story(datetime.now(UTC))])


def fresh_story(now: datetime) -> Item:
    """Return a story that was published just now: another one for each millisecond."""
    return replace(story(now.date(), PER_DAY + int(now.timestamp() * 1000)), published=now.replace(microsecond=0))
