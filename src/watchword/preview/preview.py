"""`preview`: what a draft would have brought from the items of a table, as `Archive.newest` returns it.

>>> from datetime import UTC, datetime
>>> import tempfile
>>> from watchword.archive import Archive
>>> from watchword.items import Item
>>> archive, now = Archive(tempfile.mkdtemp()), datetime(2026, 11, 18, 20, tzinfo=UTC)
>>> texts = ["A ferry in a storm", "The ferry sails", "Storm: no ferry, but a strike"]
>>> archive.write("b", [Item(str(at), title=text) for at, text in enumerate(texts)], now)
3
>>> found = preview(Draft("keywords", "ferry AND storm NOT strike"), archive.newest(), {}, days=2, now=now)
>>> found.total, found.without
(1, [('ferry', 1), ('storm', 2), ('NOT strike', 2)])
>>> [(str(day), count) for day, count in found.days]
[('2026-11-17', 0), ('2026-11-18', 1)]
>>> [(near.title, near.failed) for near in found.near]
[('Storm: no ferry, but a strike', 'NOT strike'), ('The ferry sails', 'storm')]

It is never different from a run: draft, variants and other subscriptions are in one index of the same class with the
same options, and its events are made of items as a run makes them. Items that the language cannot read, which a run
sets aside, are counted and left out.

The cost is bounded: by the time, by the lengths and numbers below, and by the table. Per item it is one match, whatever
the number of variants; only the items that are shown are explained.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from watchword import items
from watchword.archive import item_of
from watchword.archive.pieces import seen_of
from watchword.arrays import Int64
from watchword.errors import OptionError, SubscriptionError, SubscriptionSyntaxError
from watchword.index import Index
from watchword.index.covering import Covering
from watchword.languages import language_class
from watchword.preview.answer import Draft, Hit, Like, Near, Preview
from watchword.preview.counting import Counts, Variants, count
from watchword.preview.variants import Variant, asks_for_nothing, atoms_of, loosenings, variants
from watchword.preview.warning import missing, warnings
from watchword.visible import brief

LONGEST = 16_384
"""Characters of a draft."""
MOST_OTHERS = 500
"""Other subscriptions that a draft is compared with, the first ones."""
MOST_DAYS = 3_660
MOST_SAMPLE = 200
MOST_FOUND = 2_000
"""Items, the newest, that an answer has as a table."""
_TOLD = ["title", "link", "language", "feed", "feed_url", "published", "seen"]
ALIKE = 0.5
"""The share of common items from which another subscription resembles a draft."""
_MATCHING = 0.8
"""The part of the time that matching may take; the rest is for explaining, also after a slice that took long."""
_DAY = 86_400_000_000
_RELATIONS = {Covering.EQUAL: "equals", Covering.COVERS: "covers", Covering.COVERED: "covered by", None: "resembles"}
_STEPS = 20_000
_TOGETHER = 20


def preview(
    draft: Draft,
    table: pa.Table,
    options: Mapping[str, Any],
    *,
    days: int = 30,
    now: datetime | None = None,
    sample: int = 20,
    seconds: float = 2.0,
    others: Mapping[str, str] = {},
) -> Preview:
    """Return what a draft would have brought of the items that were archived in the last `days` days, today included.

    `table` has the columns `ARCHIVED`; `options` are the store's for the language. `sample` items, the newest, are
    shown of hits and of near misses. After `seconds` the answer is that of the newest items that were looked at.
    `others` are subscriptions in the same language, by id, to compare with.

    A draft that is refused raises the language's `SubscriptionSyntaxError`, a language that reads no items, or a number
    out of range, an `OptionError`.
    """
    started = time.monotonic()
    _check(draft, days, sample)
    index = language_class(draft.language)(**options)
    items.reading_of(draft.language)
    made, loose, kept = variants(index, draft.text), loosenings(index, draft.text), _taken(index, others)
    every, atoms = [*made, *loose], atoms_of(index, draft.text)
    index.update(enumerate([draft.text, *(variant.text for variant in every), *kept.values(), *atoms]))
    now = datetime.now(UTC) if now is None else now.astimezone(UTC)
    rows = _window(table, now.date(), days)
    found = count(index, rows, _by_kind(index, draft.text, every), started + _MATCHING * seconds, near=sample)
    asked = {atom: found.totals.get(key, 0) for key, atom in enumerate(atoms, 1 + len(every) + len(kept))}
    end = max(started + seconds, time.monotonic() + (1 - _MATCHING) * seconds)
    shown = _Shown(index, draft.text, rows, end)
    seen = seen_of(rows)
    misses = [*found.near.items(), *((row, key) for row, key in found.far.items() if row not in found.near)]
    return Preview(
        total=len(found.hits),
        days=_by_day(seen[found.hits], now.date(), days),
        sample=[shown.hit(row) for row in found.hits[:sample]],
        near=[shown.near(row, every[key - 1].part, row in found.near) for row, key in misses[:sample]],
        without=[(variant.part, found.totals.get(key, 0)) for key, variant in enumerate(made, 1)],
        like=_alike(found, _relatives(index, draft.text, kept, end), kept, len(every) + 1),
        warnings=warnings(index, rows, found, days) + missing(index, asked, table, rows, found, end),
        archived=len(rows),
        looked=found.looked,
        since=_moment(seen[len(rows) - found.looked]) if found.looked else None,
        seconds=time.monotonic() - started,
        complete=found.complete,
        found=rows.select(_TOLD).take(pa.array(found.hits[:MOST_FOUND], pa.int64())),
    )


def _check(draft: Draft, days: int, sample: int) -> None:
    if not 1 <= days <= MOST_DAYS:
        raise OptionError(f"days is a number from 1 to {MOST_DAYS:,}, not {days}")
    if not 0 <= sample <= MOST_SAMPLE:
        raise OptionError(f"sample is a number from 0 to {MOST_SAMPLE}, not {sample}")
    if isinstance(draft.text, str) and len(draft.text) > LONGEST:
        reason = f"a draft of more than {LONGEST:,} characters is not previewed; save it as it is, or split it"
        raise SubscriptionSyntaxError(reason, text=draft.text, position=LONGEST)


def _by_kind(index: Index[Any], text: str, every: Sequence[Variant]) -> Variants:
    """Return the keys of variants by whether they ask for something; of a draft that does not itself, all."""
    keys = range(1, len(every) + 1)
    far = [] if asks_for_nothing(index, text) else [key for key in keys if asks_for_nothing(index, every[key - 1].text)]
    return Variants([key for key in keys if key not in far], far)


def _taken(index: Index[Any], others: Mapping[str, str]) -> dict[str, str]:
    """Return the first of other subscriptions that the index takes; one may be of other options."""
    kept = {}
    for id, text in list(others.items())[:MOST_OTHERS]:
        try:
            index.check(text)
        except SubscriptionError:
            continue
        kept[id] = text
    return kept


def _window(table: pa.Table, today: date, days: int) -> pa.Table:
    """Return the rows that were seen in the last days, in the order in which they were seen."""
    seen = seen_of(table)
    if (np.diff(seen) < 0).any():
        order = np.argsort(seen, kind="stable")
        table, seen = table.take(pa.array(order)), seen[order]
    last = _number(today)
    first, end = np.searchsorted(seen, [(last - days + 1) * _DAY, (last + 1) * _DAY]).tolist()
    return table.slice(first, end - first)


def _by_day(seen: Int64, today: date, days: int) -> list[tuple[date, int]]:
    """Return how many items were seen on each day, the oldest first."""
    first = _number(today) - days + 1
    counts = np.bincount(seen // _DAY - first, minlength=days).tolist()
    return [(today - timedelta(days=days - 1 - at), counts[at]) for at in range(days)]


def _number(day: date) -> int:
    """Return the number of a day: 1970-01-02 is 1."""
    return (day - date(1970, 1, 1)).days


def _moment(microseconds: Any) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(microseconds))


def _alike(found: Counts, proven: Mapping[str, Covering], others: Iterable[str], first: int) -> list[Like]:
    """Return the other subscriptions with a `proven` relation to the draft, and that find much of it.

    `others` are all ids, and `first` is the key of the first in the counts.
    """
    like = []
    for key, id in enumerate(others, first):
        common = found.common.get(key, 0)
        either = len(found.hits) + found.totals.get(key, 0) - common
        share = common / either if either else float(proven.get(id) is Covering.EQUAL)
        if id in proven or share >= ALIKE:
            like.append(Like(id, _RELATIONS.get(proven.get(id), "resembles"), share))
    order = list(_RELATIONS.values())
    return sorted(like, key=lambda one: (order.index(one.relation), -one.share))


def _relatives(index: Index[Any], text: str, others: Mapping[str, str], deadline: float) -> dict[str, Covering]:
    """Return the proven relations of a draft to others, as far as the time allows."""
    proven: dict[str, Covering] = {}
    pairs = list(others.items())
    for first in range(0, len(pairs), _TOGETHER):
        if time.monotonic() > deadline:
            break
        proven |= index.relatives(text, pairs[first : first + _TOGETHER], _STEPS)
    return proven


@dataclass(frozen=True)
class _Shown:
    """Makes the items that are shown; without a reason once the time has ended."""

    index: Index[Any]
    text: str
    rows: pa.Table
    deadline: float

    def hit(self, row: int) -> Hit:
        """Return an item that the draft finds, with why and where."""
        item, event = self._read(row)
        why, places = "", list[tuple[str | None, int, int]]()
        if time.monotonic() < self.deadline:
            why = str(self.index.explain_text(event, self.text))
            places = [(place.attribute, place.start, place.end) for place in self.index.places(event, self.text)]
        return Hit(item.identity, _title(item), item.link, item.published, why, places)

    def near(self, row: int, failed: str, is_near: bool) -> Near:
        """Return an item that one part of the draft keeps out, with what that part met."""
        item, event = self._read(row)
        why = ""
        if time.monotonic() < self.deadline:
            why = str(self.index.explain_text(event, self.text).nearest or "")
        return Near(item.identity, _title(item), item.link, failed, why, not is_near)

    def _read(self, row: int) -> tuple[items.Item, Any]:
        item = item_of(self.rows.slice(row, 1).to_pylist()[0])
        return item, items.event_of(self.index.language, item, self.index.attributes)


def _title(item: items.Item) -> str:
    return item.title or brief(item.text, 200)
