"""One pass over the items, the newest first, in slices, until they or the time end.

Draft, variants and other subscriptions are those of one index, so each item is read once. Under the keys 0 for the
draft, 1 and 2 for variants, and an item at position 7 that the draft misses and variant 2 finds::

    event  subscription        masks of a slice       counts
        4             0        draft:  {4}            {0: 1, 1: 1, 2: 2}
        4             1        near:   {7: 2}
        4             2
        7             2

A variant that asks for nothing any more, as ``NOT delayed`` of ``ferry NOT delayed``, finds items that have nothing of
the draft: such misses are `far`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.archive.events import events_of
from watchword.arrays import Int64
from watchword.errors import EventError
from watchword.index import Index

SLICE = 8_192
"""Items between two looks at the clock."""
DRAFT = 0


@dataclass
class Counts:
    """What a pass has found so far. Positions are those of the table."""

    hits: list[int] = field(default_factory=list)
    """The positions of the draft's items, the newest first."""
    totals: dict[int, int] = field(default_factory=dict)
    """The items of each subscription, by key."""
    common: dict[int, int] = field(default_factory=dict)
    """Those of its items that the draft finds, too."""
    near: dict[int, int] = field(default_factory=dict)
    """Positions, the newest first, and keys of the variants that find them while the draft does not."""
    far: dict[int, int] = field(default_factory=dict)
    """The same of variants that ask for nothing."""
    looked: int = 0
    unreadable: int = 0
    complete: bool = True


class Variants(NamedTuple):
    """Keys of variants: `near` of those with a positive part, `far` of those with NOT alone."""

    near: Sequence[int] = ()
    far: Sequence[int] = ()


def count(
    index: Index[Any], rows: pa.Table, variants: Variants, deadline: float, *, near: int = 0, sliced: int = SLICE
) -> Counts:
    """Match the rows from the last to the first until `deadline` (`time.monotonic`), and return the counts.

    The key of the draft in `index` is 0; at most `near` misses of each kind are kept. At least one slice is looked at.
    """
    found, end = Counts(), len(rows)
    while end:
        if found.looked and time.monotonic() > deadline:
            found.complete = False
            break
        first = max(end - sliced, 0)
        if not _add_slice(found, index, rows.slice(first, end - first), first, variants, near, deadline):
            found.complete = False
            break
        end = first
    return found


def _add_slice(
    found: Counts, index: Index[Any], rows: pa.Table, first: int, variants: Variants, near: int, deadline: float
) -> bool:
    """Add the pairs of a slice; return False, and add nothing, if the time ended in the midst of it."""
    pairs, unreadable = [], 0
    for some in events_of(index.language, rows, index.attributes):
        for positions, keys in pairs_of(index, some.events):
            if positions is None:
                unreadable += 1
                if time.monotonic() > deadline:
                    return False
            else:
                pairs.append((some.rows[positions], keys))
    found.looked, found.unreadable = found.looked + len(rows), found.unreadable + unreadable
    if pairs:
        positions, keys = (np.concatenate(column) for column in zip(*pairs, strict=True))
        _add_pairs(found, first, len(rows), positions, keys, variants, near)
    return True


def _add_pairs(found: Counts, first: int, size: int, rows: Int64, keys: Int64, variants: Variants, near: int) -> None:
    hit = np.zeros(size, np.bool_)
    hit[rows[keys == DRAFT]] = True
    found.hits += (first + np.flatnonzero(hit)[::-1]).tolist()
    for totals, chosen in ((found.totals, keys), (found.common, keys[hit[rows]])):
        for key, number in zip(*(part.tolist() for part in np.unique(chosen, return_counts=True)), strict=True):
            totals[key] = totals.get(key, 0) + number
    for misses, wanted in ((found.near, variants.near), (found.far, variants.far)):
        room = near - len(misses)
        if room > 0 and wanted:
            missed = np.isin(keys, wanted) & ~hit[rows]
            newest, at = np.unique(-rows[missed], return_index=True)
            misses |= zip((first - newest[:room]).tolist(), keys[missed][at[:room]].tolist(), strict=True)


def pairs_of(index: Index[Any], events: Any) -> Iterator[tuple[Int64 | None, Int64]]:
    """Yield positions of events and keys of subscriptions that they match; None for an event that cannot be read."""
    first = 0
    while first < len(events):
        rest: Sequence[Any] = events[first:]
        try:
            good, bad = index.match_many(rest), None
        except EventError as error:
            bad = error.position
            good = index.match_many(rest[:bad]) if bad else None
        if good is not None:
            yield first + np.asarray(good["event"], np.int64), np.asarray(good["subscription"], np.int64)
        if bad is None:
            return
        yield None, np.empty(0, np.int64)
        first += bad + 1
