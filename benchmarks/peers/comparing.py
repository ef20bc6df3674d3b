"""What all comparisons share: Watchword's rows and the peers', on the same rules and events, in one table.

Every matcher has to find the same ids for every event, else there is no table. Times and rates are told by the clock
and by CPU time, which other work on the machine disturbs less: of all threads, but in a peer's rate that of the one
which matches, so collecting garbage costs it nothing. Bytes are all that a matcher keeps for a rule, its id included.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Report, Row
from benchmarks.peers.agreeing import Ids, agreed, per_event
from benchmarks.peers.rivals import Peer
from watchword.index import Index

TURNS = 9


@dataclass(frozen=True)
class Way:
    """A way to use an index: its name, a piece of work of so many events, and what gives the ids that are compared."""

    name: str
    work: Callable[[], object]
    events: int
    ids: Callable[[], Ids]


@dataclass(frozen=True)
class Run:
    """A run of a peer: its name in the table, its rules in a file, and what its harness takes besides."""

    name: str
    peer: Peer
    rules: Path
    more: tuple[str, ...] = ()


def compare(
    report: Report, title: str, own: Iterable[tuple[Row, Ids]], runs: Sequence[Run], events: Path, seconds: float
) -> None:
    """Report one table: Watchword's own rows, and one for each run of a peer."""
    rows: list[Row] = []
    found: dict[str, Ids] = {}
    for row, ids in own:
        rows.append(row)
        found[row["matcher"]] = ids
    for run in runs:
        with report.console.status(f"{title}: {run.name}"):
            row, found[run.name] = peer_row(run, events, seconds)
        rows.append(row)
    pairs, answered = agreed(found)
    notes = f"{len(found)} ways agree on all {pairs:,} pairs of {answered:,} events."
    report.table(title, beside_fastest(rows, [run.name for run in runs]), notes)


def beside_fastest(rows: Sequence[Row], peers: Sequence[str]) -> list[Row]:
    """Return the rows with their rates by CPU time over that of the fastest of the peers, if there is one."""
    rate = "events/CPU s"
    best = max((row[rate] for row in rows if row["matcher"] in peers), default=None)
    return [row | ({"× fastest peer (CPU)": row[rate] / best} if best else {}) for row in rows]


def peer_row(run: Run, events: Path, seconds: float) -> tuple[Row, Ids]:
    """Run one peer; return its figures and the ids of each event."""
    matches = events.with_name("matches.jsonl")
    figures = run.peer.run(run.rules, events, seconds, matches, *run.more)
    rates = figures["events_per_second"], figures["events_per_cpu_second"]
    build = figures["build_seconds"], figures["build_cpu_seconds"]
    row = as_row(run.name, build, rates, figures["bytes_per_rule"])
    if "register_cpu_seconds" in figures:
        row["of it registering"] = figures["register_cpu_seconds"]
    return row, [json.loads(line) for line in matches.read_text(encoding="utf-8").splitlines()]


def batch_way(name: str, index: Index, batch: Any, compared: Any) -> Way:
    """Return how an index is given many events at once."""
    return Way(
        name,
        partial(index.match_many, batch),
        len(batch),
        lambda: per_event(index.match_many(compared), len(compared)),
    )


def own_rows(make: Callable[[], Index], ways: Callable[[Index], Iterable[Way]]) -> Iterator[tuple[Row, Ids]]:
    """Make an index, and measure ways to use it."""
    wall, cpu = time.perf_counter(), time.process_time()
    index = make()
    build = time.perf_counter() - wall, time.process_time() - cpu
    stats = index.stats()
    size = (stats.bytes + stats.catalog_bytes) / max(1, stats.subscriptions)
    for way in ways(index):
        yield as_row(f"Watchword, {way.name}", build, rates(way.work, way.events), size), way.ids()


def as_row(matcher: str, build: tuple[float, float], rates: tuple[float, float], size: float) -> Row:
    """Return a row; what it took to build, and the rates, are by the clock and by CPU time."""
    return {
        "matcher": matcher,
        "build s": build[0],
        "build CPU s": build[1],
        "events/s": rates[0],
        "events/CPU s": rates[1],
        "bytes/rule": size,
    }


def rates(work: Callable[[], object], count: int) -> tuple[float, float]:
    """Return how many of `count` events are done in a second, by the clock and by the CPU time of all threads."""
    work()
    turns = []
    for _ in range(TURNS):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        turns.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = (statistics.median(column) for column in zip(*turns, strict=True))
    return count / wall, count / cpu
