"""The cost of an event against the number of subscriptions, language by language: rows for `benchmarks.scale`.

One thread and no Spark; CPU time, the best of several turns. Keywords: the steps of `data.scale`, up to the one that is
measured, each in the shards that `build` made of it, one after the other, or in one index where it made none. The
others, from ten thousand to a million, are the workloads of their own benchmarks, in which an event matches about as
many subscriptions at every size: patterns 3 (REtriever), predicates 10 (three equalities on 3 of 16 attributes). Paths
of the NITF document type are the exception: a document matches more of more paths.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.data.keywords import data_folder
from benchmarks.data.paths import generated, nitf_documents, nitf_dtd
from benchmarks.data.patterns import controlled
from benchmarks.data.predicates import shared_rules, values_for
from benchmarks.data.scale import STEPS, Place, item_terms, place_of, write_items, write_subscriptions
from benchmarks.harness import Measurement, Row
from watchword import KeywordIndex, PathIndex, PatternIndex, PredicateIndex
from watchword.papers.experiments.experiment import Plot
from watchword.shards import opening

SIZES = (10_000, 100_000, 1_000_000)
EVENTS = 20_000
TURNS, TURN_SECONDS = 5, 0.5
PLOT = Plot(
    "growth",
    "The cost of an event against the number of subscriptions",
    x="subscriptions",
    y="µs/event",
    series="language",
    y_label="CPU microseconds for an event, one thread",
    log_x=True,
    log_y=True,
)


def growth_rows(folder: Path, name: str) -> Iterator[Row]:
    """Yield a row for each language and size; keywords up to a step."""
    names = list(STEPS)
    for step in names[: names.index(name) + 1]:
        place = place_of(folder, step)
        write_subscriptions(place)
        write_items(place)
        yield _row("keywords", place.step.subscriptions, _keyword_shards(place), item_terms(place, EVENTS))
    sizes = SIZES[:-1] if name == "small" else SIZES
    for size in sizes:
        patterns = controlled(size, EVENTS)
        yield _row("patterns", size, [PatternIndex(patterns.subscriptions)], patterns.publications)
    for size in sizes:
        rules = shared_rules(size, ranges=False, values=values_for(size))
        yield _row("predicates", size, [PredicateIndex(rules.subscription_table())], rules.event_table(EVENTS))
    if data_folder().is_dir():
        documents, dtd = nitf_documents(data_folder()), nitf_dtd(data_folder())
        for size in sizes:
            yield _row("paths", size, [PathIndex(generated(size, dtd, 8))], documents)


def _keyword_shards(place: Place) -> list[Any]:
    """Return the indexes of a step: those that `build` made where it did, else one in memory."""
    if Path(place.index).exists():
        return [opening.open_shard(place.built, number) for number in range(len(place.built.shards))]
    return [KeywordIndex(pq.read_table(place.subscriptions))]


def _row(language: str, subscriptions: int, indexes: list[Any], events: Any) -> Row:
    """Measure matching in all of some indexes, one after the other."""
    found = [0]

    def match(some: Any) -> None:
        found[0] = sum(index.match_many(some).num_rows for index in indexes)

    count = 256
    match(events[:count])  # which compiles what is not compiled yet
    while count < len(events) and _cpu_seconds(match, events[:count]) < TURN_SECONDS / 4:
        count = min(4 * count, len(events))
    taken = Measurement(tuple(_cpu_seconds(match, events[:count]) for _ in range(TURNS)), len(events[:count]))
    return {
        "language": language,
        "subscriptions": subscriptions,
        "indexes": len(indexes),
        "events": taken.work,
        "µs/event": taken.microseconds,
        "pairs/event": found[0] / taken.work,
    }


def _cpu_seconds(match: Callable[[Any], None], events: Any) -> float:
    """Return the time that the processor spent, which is the same whatever else it has to do."""
    began = time.process_time()
    match(events)
    return time.process_time() - began
