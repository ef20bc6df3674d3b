"""How experiments and benchmarks measure: the best of several turns, operations of an event, indexes kept for later.

What else a machine does disturbs a time, and never makes it shorter. So a time is the best of several turns, and ways
that are compared take turns with each other:

>>> taken = in_turns({"sum": (sum, [1, 2, 3]), "max": (max, [1, 2, 3])}, turns=2, seconds=0.001)
>>> sorted(taken), taken["sum"].work
(['max', 'sum'], 3)

Counts need none of that: `operations` gives the work of an event in a method's own unit, the same on every machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from watchword.errors import ExperimentError
from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.machine import free_memory, total_memory

if TYPE_CHECKING:
    import pyarrow as pa

    from watchword.index import Index

Way = tuple[Callable[[Any], object], Any]
"""A function of events, and events for it."""
Made = TypeVar("Made")

SETTLES = 0.25
"""Seconds; a way that takes less is run once without the clock in each turn (see `by_turns`)."""


@dataclass(frozen=True)
class Measurement:
    """The seconds of each repetition of a piece of work that consists of `work` units."""

    seconds: tuple[float, ...]
    work: int = 1

    @property
    def median(self) -> float:
        """The middle repetition, in seconds."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The fastest repetition, in seconds."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """The slowest less the fastest repetition, as a part of the median."""
        return (max(self.seconds) - min(self.seconds)) / self.median if self.median else 0.0

    @property
    def rate(self) -> float:
        """Units of work per second, at the median."""
        return self.work / self.median if self.median else float("inf")

    @property
    def best_rate(self) -> float:
        """Units of work per second, at the best."""
        return self.work / self.best if self.best else float("inf")

    @property
    def microseconds(self) -> float:
        """Microseconds for a unit of work, at the best."""
        return 1e6 * self.best / max(1, self.work)

    def quantile(self, share: float) -> float:
        """The seconds within which `share` of the repetitions were done."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def timed(function: Callable[[], object]) -> float:
    """Return the seconds that one call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def measure(
    function: Callable[[], object], *, work: int = 1, repeat: int = 5, warmup: int = 1, budget: float = 10.0
) -> Measurement:
    """Warm up, then repeat at least once, and no more once `budget` seconds are spent."""
    for _ in range(warmup):
        function()
    seconds = [timed(function)]
    while len(seconds) < repeat and sum(seconds) < budget:
        seconds.append(timed(function))
    return Measurement(tuple(seconds), work)


def affordable(run: Callable[[int], object], most: int, seconds: float) -> int:
    """Return how many units, 1 to `most`, `run` can do in about `seconds`: tried with more and more.

    What takes long is tried twice: one pause of a busy machine would otherwise pass for the cost of few units.
    """
    run(1)
    count = 1
    while True:
        took = timed(partial(run, count))
        if took > seconds / 8:
            took = min(took, timed(partial(run, count)))
        if took > seconds / 8:
            return max(1, min(most, int(count * seconds / took)))
        if count >= most:
            return most
        count = min(most, count * 4)


def in_turns(ways: Mapping[str, Way], turns: int, seconds: float) -> dict[str, Measurement]:
    """Measure ways to do something with events by turns, each on as many events as it can do in about `seconds`."""
    chosen = {}
    for name, (run, events) in ways.items():
        count = affordable(lambda n, run=run, events=events: run(events[:n]), len(events), seconds)  # type: ignore[misc]
        chosen[name] = run, events[:count]
    return by_turns(chosen, turns)


def by_turns(ways: Mapping[str, Way], turns: int) -> dict[str, Measurement]:
    """Measure ways to do something with all of their events.

    They take turns, so that other work of the machine disturbs all of them alike. Each turn begins with another way. A
    way that takes less than `SETTLES` seconds runs once before its clock starts: a stream matches batch after batch,
    and a way that follows a large rival would pay for the memory and the caches that the rival took.
    """
    took: dict[str, list[float]] = {name: [] for name in ways}
    order = list(ways.items())
    for turn in range(turns):
        first = turn % max(1, len(order))
        for name, (run, events) in order[first:] + order[:first]:
            if took[name] and took[name][-1] < SETTLES:
                run(events)
            took[name].append(timed(partial(run, events)))
    return {name: Measurement(tuple(took[name]), len(events)) for name, (_, events) in ways.items()}


def operations(index: Index, match: Callable[[], object]) -> float:
    """Return the work of an event on average while `match` runs, in the unit of the method (`Stats.operation`).

    >>> from watchword import PropertyIndex
    >>> index = PropertyIndex({1: "1*0", 2: "1*1"}, method="count", properties=["a", "b", "c"])
    >>> index.match("100"), operations(index, lambda: index.match_many(["000", "101"]))
    ([1], 2.0)
    """
    before = index.stats()
    match()
    after = index.stats()
    spent = after.operations_per_match * after.events - before.operations_per_match * before.events
    return round(spent) / max(1, after.events - before.events)


def compared(
    indexes: Mapping[str, Index], events: Any, *, turns: int = 5, seconds: float = 0.2, counted: int = 100
) -> list[Row]:
    """Let indexes match events by turns; returns a row for each: its name as `method`, time, work, matches, bytes.

    ``us`` is microseconds for an event at the best turn, ``operations`` the work of one on average over the first
    `counted`. An `ExperimentError` if two find different pairs in those: no figure could then be trusted.
    """
    some = events[:counted]
    work = {name: operations(index, partial(index.match_many, some)) for name, index in indexes.items()}
    pairs = same_pairs({name: index.match_many(some) for name, index in indexes.items()})
    taken = in_turns({name: (index.match_many, events) for name, index in indexes.items()}, turns, seconds)
    rows = []
    for name, index in indexes.items():
        stats = index.stats()
        row = {"method": name, "us": taken[name].microseconds, "operations": work[name], "operation": stats.operation}
        size = stats.bytes / max(1, stats.subscriptions)
        rows.append(row | {"matches": pairs / max(1, len(some)), "bytes": size})
    return rows


def same_pairs(found: Mapping[str, pa.Table]) -> int:
    """Return how many rows all of these tables have; an `ExperimentError` if two differ in more than the order."""
    (first, table), *others = ((name, in_order(table)) for name, table in found.items())
    for name, other in others:
        if not other.equals(table):
            raise ExperimentError(
                "they find different things; no figure of this run can be trusted", name=f"{first}, {name}"
            )
    return int(table.num_rows)


def in_order(table: pa.Table) -> pa.Table:
    """Return a table sorted by all of its columns."""
    return table.sort_by([(name, "ascending") for name in table.column_names]).combine_chunks()


class Shelf:
    """Things that are dear to make, such as indexes, kept for the next cell that asks for them.

    The oldest are dropped when less than half of the machine's memory is free. `run_all` clears it after each paper.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, Any] = {}

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the thing that is kept under this key; if there is none, make and keep it."""
        if key not in self._kept:
            while self._kept and free_memory() < total_memory() / 2:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = make()
        made: Made = self._kept[key]
        return made

    def clear(self) -> None:
        """Drop everything."""
        self._kept.clear()


SHELF = Shelf()
"""The shelf of the process."""
