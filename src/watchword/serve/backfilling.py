"""A back-fill: what a subscription would have matched in the last days, delivered from the archive.

    Backfill.of_subscription(service, one, days_of("7d")).deliver()     {"items": 63, "days": 7.0, "complete": True}

The items are decided by the language itself with the store's options, as the pipeline decides them, and written into
the inbox by `Store.record` in batches whose keys name the subscription, its change and the items: a back-fill that is
asked for twice delivers once. Posted events that the archive does not have yet are archived first: whatever was posted
before the subscription was made is either delivered by it, or found here. At most `limits.backfill_items` of the newest
items are read; `complete` says whether the days have no more.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa

from watchword.archive import item_of
from watchword.errors import EventError
from watchword.index import language_class
from watchword.items import Item, event_of
from watchword.serve.problems import Problem
from watchword.store import Match, Subscription

if TYPE_CHECKING:
    from watchword.serve.state import Service

MOST_DAYS = 366.0
"""The most days of a back-fill."""
AT_ONCE = 1_000
"""Rows that are decided at a time, and matches that are written in one batch."""
_DAYS = re.compile(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)([dhw])")
_UNITS = {"h": 1 / 24, "d": 1.0, "w": 7.0}


def days_of(text: str) -> float:
    """Return a time such as ``7d``, ``12h`` or ``2w`` in days; a `Problem` 422 if it is none, or too long.

    >>> days_of("7d"), days_of("12h"), days_of("2w")
    (7.0, 0.5, 14.0)
    """
    found = _DAYS.fullmatch(text)
    days = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < days <= MOST_DAYS:
        raise Problem(422, "wrong-value", f"backfill is a time of up to {MOST_DAYS:g} days, such as 7d, 12h or 2w")
    return days


@dataclass
class Backfill:
    """The items of some days that a text of a language matches; with an `id` and its `change` they can be delivered."""

    service: Service
    language: str
    text: str
    days: float
    id: str = ""
    change: int = 0

    @classmethod
    def of_subscription(cls, service: Service, one: Subscription, days: float) -> Self:
        """Return the back-fill of a subscription."""
        return cls(service, one.language, one.text, days, one.id, one.change)

    def count(self) -> dict[str, Any]:
        """Return how many items there are, and change nothing."""
        table = self._table()
        return self._figures(sum(1 for _ in self._matching(table)), table)

    def deliver(self) -> dict[str, Any]:
        """Put the items into the inbox, each once; return how many there are."""
        table, total = self._table(), 0
        found = self._matching(table)
        while items := list(islice(found, AT_ONCE)):
            self._record(items)
            total += len(items)
        return self._figures(total, table)

    def _record(self, items: list[Item]) -> None:
        names = hashlib.sha256(repr([item.identity for item in items]).encode()).hexdigest()
        key = f"backfill:{self.id}:{self.change}:{names}"
        matches = [Match(item.identity, self.id) for item in items]
        self.service.store().record(key, items, matches, as_of=self.change, notify=False)

    def _figures(self, total: int, table: pa.Table) -> dict[str, Any]:
        complete = len(table) < self.service.limits.backfill_items
        return {"items": total, "days": self.days, "complete": complete}

    def _table(self) -> pa.Table:
        spool, archive = self.service.spool, self.service.archive
        posted = spool.items_after(spool.position("archived"))
        while some := list(islice(posted, AT_ONCE)):
            archive.write(f"backfill:{self.id}:{self.change}", some)
        since = datetime.now(UTC) - timedelta(days=self.days)
        return archive.newest(self.service.limits.backfill_items, since=since)

    def _matching(self, table: pa.Table) -> Iterator[Item]:
        """Yield the items of a table that match, the oldest first."""
        options = self.service.store().options(self.language)
        index = language_class(self.language)({0: self.text}, **options)
        for begin in range(0, len(table), AT_ONCE):
            rows = table.slice(begin, AT_ONCE).to_pylist()
            items = [item_of(row) for row in rows]
            for item in items:
                try:
                    if index.match(event_of(self.language, item, index.attributes)):
                        yield item
                except EventError:
                    continue  # an item that the language cannot read matches nothing
