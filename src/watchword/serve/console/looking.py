"""A look at one's own subscriptions over the archive: which cost the most, which found nothing, which are covered.

    found = look(viewer.store, viewer.name, table)
    found.costly[0]      Costly(one=…, label='Ferries', matches=412, share=0.17)
    found.dead           found nothing
    found.covered        found nothing that another one did not find

One pass over the items, the newest first, with one index for each language. A subscription has a row of bits::

    ferry               1 0 1 1 …      a bit for each item that was looked at, the newest slice first
    ferry AND storm     0 0 1 0 …      covered: it has no bit that the row above lacks

`MOST` rows of 100,000 bits are 25 MB. After `SECONDS` the pass ends, and every figure is about the items until there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.archive.events import events_of
from watchword.archive.pieces import seen_of
from watchword.arrays import Bools, Int64, UInt8
from watchword.errors import WatchwordError
from watchword.index import Index, language_class
from watchword.items import EVENTS
from watchword.preview.counting import pairs_of
from watchword.serve.api.subscriptions import read_own
from watchword.serve.console.drafting import label_of
from watchword.store import Store, Subscription

MOST = 2_000
"""Subscriptions of a look, the first."""
COMPARED = 300
"""Subscriptions among which covered ones are looked for, those with the most items."""
COSTLY = 10
"""Subscriptions that are listed as costly."""
DAYS = 30
"""Days whose matches make a subscription costly."""
SECONDS = 5.0
"""Seconds after which the pass over the items ends."""
SLICE = 2_048
"""Items that are matched at a time."""


class Costly(NamedTuple):
    """A subscription, how many of the recent items it matches, and their share of these items."""

    one: Subscription
    label: str
    matches: int
    share: float


class Look(NamedTuple):
    """What a look found, in the `items` that it looked at; `archived` of them were there."""

    archived: int
    items: int
    recent: int
    """Those of the items that were seen in the last `DAYS` days."""
    subscriptions: int
    """The subscriptions that were tried."""
    untried: list[tuple[Subscription, str]]
    """Subscriptions that the language refuses with the options that it has now."""
    costly: list[Costly]
    dead: list[tuple[Subscription, str]]
    covered: list[tuple[Subscription, str, Subscription, str]]
    """Subscriptions, each with one that found all of its items, too."""
    milliseconds: int


def look(store: Store, subscriber: str, table: pa.Table) -> Look:
    """Match a subscriber's subscriptions, without the paused ones, over the items of the archive."""
    began = time.perf_counter()
    every = read_own(store, subscriber)
    own = list(islice((one for one in every if not one.details.paused and one.language in EVENTS), MOST))
    indexes = _indexes(store, own)
    there = [any(place in index for index in indexes) for place in range(len(own))]
    untried = [(one, label_of(one)) for one, is_there in zip(own, there, strict=True) if not is_there]
    bits, totals, costs, looked, recent = _match(indexes, len(own), table)
    tried = [place for place in range(len(own)) if there[place] and looked]
    return Look(
        archived=len(table),
        items=looked,
        recent=recent,
        subscriptions=sum(there),
        untried=untried,
        costly=_costly(own, costs, recent),
        dead=[(own[place], label_of(own[place])) for place in tried if not totals[place]],
        covered=_covered(own, bits, totals),
        milliseconds=round((time.perf_counter() - began) * 1000),
    )


def _indexes(store: Store, own: Sequence[Subscription]) -> list[Index[Any]]:
    """Return an index for each language, whose ids are places in `own`."""
    texts: dict[str, dict[int, str]] = {}
    for place, one in enumerate(own):
        texts.setdefault(one.language, {})[place] = one.text
    return [_index(language, some, store.options(language)) for language, some in texts.items()]


def _index(language: str, texts: Mapping[int, str], options: Mapping[str, Any]) -> Index[Any]:
    """Return the index of some texts, without any that the options of now refuse."""
    try:
        return language_class(language)(texts, **options)
    except WatchwordError:
        index: Index[Any] = language_class(language)(**options)
        for place, text in texts.items():
            with suppress(WatchwordError):
                index[place] = text
        return index


class _Matched(NamedTuple):
    """Bits by subscription and item, the number of items and of recent items of each, and how many were looked at."""

    bits: UInt8
    totals: Int64
    costs: Int64
    looked: int
    recent: int


def _match(indexes: Sequence[Index[Any]], count: int, table: pa.Table) -> _Matched:
    """Match the items in slices, the newest first, until they or the time end."""
    deadline = time.monotonic() + SECONDS
    since = round((datetime.now(UTC) - timedelta(days=DAYS)).timestamp() * 1e6)
    totals, costs = np.zeros(count, np.int64), np.zeros(count, np.int64)
    packed, end, recent = [np.empty((count, 0), np.uint8)], len(table) if indexes else 0, 0
    while end:
        first = max(end - SLICE, 0)
        rows = table.slice(first, end - first)
        found = _match_slice(indexes, count, rows, deadline)
        if found is None:
            break
        is_recent = seen_of(rows) >= since
        totals += found.sum(axis=1)
        costs += found[:, is_recent].sum(axis=1)
        recent += int(is_recent.sum())
        packed.append(np.packbits(found, axis=1))
        end = first
    looked = len(table) - end if indexes else 0
    return _Matched(np.hstack(packed), totals, costs, looked, recent)


def _match_slice(indexes: Sequence[Index[Any]], count: int, rows: pa.Table, deadline: float) -> Bools | None:
    """Return which subscription matches which row; None if the time ends before."""
    found = np.zeros((count, len(rows)), np.bool_)
    for index in indexes:
        for some in events_of(index.language, rows, index.attributes):
            for events, places in pairs_of(index, some.events):
                if events is not None:  # one that the language can read
                    found[places, some.rows[events]] = True
                if time.monotonic() > deadline:
                    return None
    return found


def _costly(own: Sequence[Subscription], costs: Int64, recent: int) -> list[Costly]:
    """Return the subscriptions with the most recent items, the first made of equal ones first."""
    order = np.argsort(-costs, kind="stable")[:COSTLY].tolist()
    return [
        Costly(own[place], label_of(own[place]), int(costs[place]), int(costs[place]) / recent)
        for place in order
        if costs[place]
    ]


def _covered(
    own: Sequence[Subscription], bits: UInt8, totals: Int64
) -> list[tuple[Subscription, str, Subscription, str]]:
    """Return subscriptions whose items one other subscription found, too, the later of two that are alike."""
    order = [place for place in np.argsort(-totals, kind="stable").tolist() if totals[place]][:COMPARED]
    covered = []
    for at, place in enumerate(order):
        by = next((other for other in order[:at] if not (bits[place] & ~bits[other]).any()), None)
        if by is not None:
            covered.append((own[place], label_of(own[place]), own[by], label_of(own[by])))
    return covered
