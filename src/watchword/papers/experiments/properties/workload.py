"""What the experiments of properties share: the workload of section 6, and how methods are compared on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.papers.experiments.experiment import Cell, Row
from watchword.papers.experiments.measuring import SHELF, compared, operations
from watchword.papers.experiments.rows import where
from watchword.papers.workloads.properties import (
    Chances,
    as_table,
    as_texts,
    exponential_events,
    light_events,
    property_names,
    subscriptions,
)
from watchword.properties import PropertyIndex

DOCUMENT = "Kale, Hazan, Cao and Singh 2005"
SEED = 2005
PROPERTIES, EVENTS, LIGHT = 100, 100, 10
METHODS = ("tree", "rapid", "auto")
PAPERS_OWN = ("tree", "rapid")
SIZES = {"small": (3_000, 10_000, 30_000, 100_000), "paper": (10_000, 100_000, 300_000, 1_000_000)}
SWEPT = {"small": 50_000, "paper": 1_000_000}
ALPHAS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
CHANCES = (0.01, 0.05, 0.1, 0.2, 0.5)
ZIPF, EXPONENTIAL = "Zipf", "exponential"
KINDS = ({"kind": ZIPF, "parameter": 2.0}, {"kind": EXPONENTIAL, "parameter": 0.1})
TIMES = ("us", "ns_per_match")


def events_of(cell: Cell, seed: int, count: int = EVENTS, width: int = PROPERTIES) -> pa.Array:
    """Return the events of a cell's kind and parameter."""
    draw = light_events if cell["kind"] == ZIPF else exponential_events
    return as_texts(draw(count, width, cell["parameter"], seed + 1))


def indexes_of(count: int, seed: int, methods: Sequence[str] = METHODS) -> dict[str, PropertyIndex]:
    """Return an index of each method over the same subscriptions; smaller ones begin alike."""
    table = as_table(subscriptions(count, Chances.around(PROPERTIES, seed=seed), seed))
    names = property_names(PROPERTIES)
    return {method: PropertyIndex(table, method=method, properties=names) for method in methods}


def shelved(count: int, seed: int) -> dict[str, PropertyIndex]:
    """Return the indexes that the figures compare, kept for the next cell."""
    return SHELF.get(("properties", count, seed), partial(indexes_of, count, seed))


def nodes_by_event(index: PropertyIndex, events: pa.Array) -> np.ndarray[Any, Any]:
    """Return how many nodes each event visits."""
    return np.array([operations(index, partial(index.match_many, events[at : at + 1])) for at in range(len(events))])


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Compare the methods on one number of subscriptions and one kind of events."""
    indexes, events = shelved(cell["subscriptions"], seed), events_of(cell, seed)
    rows = compared(indexes, events, turns=3, seconds=0.3, counted=EVENTS)
    nodes = {name: nodes_by_event(indexes[name], events) for name in PAPERS_OWN}
    ones = float(np.mean([event.as_py().count("1") for event in events]))
    for row in rows:
        row["ones"] = ones
        if row["method"] in nodes:
            visited = nodes[row["method"]]
            row["nodes_ratio"] = float(nodes["tree"].mean() / visited.mean())
            row["nodes_ratio_by_event"] = float((nodes["tree"] / visited).mean())
    return [cell | row for row in rows]


def with_ratios(rows: list[Row]) -> list[Row]:
    """Return rows with `time_ratio`, the time of TreeMatch in the same cell over theirs."""
    trees = {_cell_of(row): row["us"] for row in where(rows, method="tree")}
    return [row | {"time_ratio": trees[_cell_of(row)] / row["us"]} for row in rows]


def _cell_of(row: Row) -> tuple[Any, ...]:
    return row["subscriptions"], row["kind"], row["parameter"]


def measure_output(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Compare the methods on events with few, more and many matches, by the time for each match."""
    indexes = shelved(cell["subscriptions"], seed)
    found = []
    for group in by_matches(indexes["auto"], events_of(cell, seed, 3 * EVENTS), 3):
        for row in compared(indexes, group, turns=3, seconds=0.2, counted=EVENTS):
            per_match = {"ns_per_match": 1e3 * row["us"] / row["matches"]}
            found.append(cell | row | per_match | {"operations_per_match": row["operations"] / row["matches"]})
    return found


def by_matches(index: PropertyIndex, events: pa.Array, groups: int) -> list[pa.Array]:
    """Return the events in groups of the same size, those with the fewest matches first."""
    found = np.bincount(index.match_many(events)["event"].to_numpy(), minlength=len(events))
    order = np.argsort(found, kind="stable")
    return [events.take(pa.array(part)) for part in np.array_split(order, groups)]


def needs(scale: str) -> int:
    """Return the bytes that the largest indexes take; RAPIDMatch has 1.3 kB for each subscription."""
    return {"small": 10**9, "paper": 5 * 10**9}[scale]
