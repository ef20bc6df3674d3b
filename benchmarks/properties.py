"""What the methods of the property language cost: `python -m benchmarks.properties --scale small`.

Workload: RAPIDMatch (Kale, Hazan, Cao and Singh 2005, section 6), seed 2005. Subscriptions over 100 properties, each
predicate 0, 1 or * with chances drawn around .05, .05 and .9; events of the light query model (`zipf`: t ones in
proportion to t ** -alpha) or with each property 1 with probability p (`exponential`). Small is up to 100,000
subscriptions, paper up to 1,000,000. Events are given as bit strings, 100 of each kind as in the paper; pairs of event
and id are made of what is found, so an event that costs nothing still costs its 0.59 % of all subscriptions.

    methods        every method at one size: building, matching, operations, size; all must find the same
    size           Figure 3: time against the number of subscriptions, Zipf alpha = 2 and exponential p = 0.1
    distribution   Figure 4: time against alpha and p, at the largest size
    output         Figures 5 and 6: time per match against the number of matches

Wanted: rapid more than 8 times faster than tree with Zipf alpha = 2, and never slower; count slower than tree; auto
faster than rapid everywhere. The paper never says its c; here it is 10. Nor does it say of what its ratio is: the ratio
of mean nodes visited is about 5, which misses the 8, and the mean of each event's ratio about 11.

`µs/event` is the best of several turns, as others use the machine; every row of a table is measured in one process of
one run, method after method in turn, so that ratios hold where figures do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from benchmarks.harness import Report, Row, main, ratio, timed, with_ratios
from watchword import PropertyIndex, methods
from watchword.workloads.properties import (
    Chances,
    as_table,
    as_texts,
    exponential_events,
    light_events,
    property_names,
    subscriptions,
)

SEED = 2005
PROPERTIES = 100
EVENTS = 100
TURNS = 5
ALPHAS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0)
CHANCES = (0.01, 0.05, 0.1, 0.2, 0.5)
COMPARED = ("tree", "rapid", "auto")


@dataclass(frozen=True)
class Scale:
    """How much data a run uses; `methods` is the size at which all methods are compared."""

    sizes: tuple[int, ...]
    methods: int


SCALES = {
    "small": Scale((10_000, 30_000, 100_000), 30_000),
    "paper": Scale((10_000, 100_000, 300_000, 1_000_000), 1_000_000),
}


def drawn_subscriptions(count: int) -> pa.Table:
    return as_table(subscriptions(count, Chances.around(PROPERTIES, seed=SEED), SEED))


def zipf(alpha: float, count: int = EVENTS) -> pa.Array:
    return as_texts(light_events(count, PROPERTIES, alpha, SEED + 1))


def exponential(p: float, count: int = EVENTS) -> pa.Array:
    return as_texts(exponential_events(count, PROPERTIES, p, SEED + 1))


def built(method: str, table: pa.Table) -> PropertyIndex:
    return PropertyIndex(table, method=method, properties=property_names(PROPERTIES))


def best_times(indexes: Mapping[str, PropertyIndex], events: pa.Array) -> dict[str, float]:
    """Return the microseconds for an event with each index, the best of some turns in which all have theirs."""
    for index in indexes.values():
        index.match_many(events.slice(0, 5))
    seconds = {name: float("inf") for name in indexes}
    for _ in range(TURNS):
        for name, index in indexes.items():
            seconds[name] = min(seconds[name], timed(lambda: index.match_many(events)))  # noqa: B023
    return {name: 1e6 * found / len(events) for name, found in seconds.items()}


def compared(indexes: Mapping[str, PropertyIndex], events: pa.Array) -> Row:
    """Return the columns that every figure has: times, and what they say of each other."""
    times = best_times(indexes, events)
    return {
        **{f"{name} µs/event": times[name] for name in indexes},
        "tree/rapid": ratio(times["tree"], times["rapid"]),
        "rapid/auto": ratio(times["rapid"], times["auto"]),
    }


def visits(indexes: Mapping[str, PropertyIndex], events: pa.Array) -> Row:
    """Return how many nodes the trees of the paper visit for an event, the ratio of the means and the mean ratio."""
    tree, rapid = (np.array([nodes_visited(indexes[name], event) for event in events]) for name in ("tree", "rapid"))
    means = {"tree nodes": float(tree.mean()), "rapid nodes": float(rapid.mean())}
    return means | {"nodes": tree.mean() / rapid.mean(), "nodes, by event": float((tree / rapid).mean())}


def nodes_visited(index: PropertyIndex, event: pa.Scalar) -> int:
    """Return how many nodes one event visits."""
    plugged = index._plugged
    return int(plugged.find(plugged.read([event.as_py()], 0)).operations)


def compare_methods(report: Report, scale: Scale) -> None:
    """Section `methods`."""
    table, events = drawn_subscriptions(scale.methods), zipf(2.0)
    expected = pairs(built("auto", table), events.slice(0, 20))
    rows: list[Row] = []
    for name in methods("properties"):
        with report.console.status(f"methods: {name}"):
            rows.append(method_row(name, table, events, expected))
    notes = f"All methods agree on the {expected.num_rows:,} pairs of the first 20 events."
    title = f"methods: {scale.methods:,} subscriptions, Zipf alpha = 2"
    report.table(title, with_ratios(rows, "events/s", ["tree", "rapid"]), notes)


def method_row(name: str, table: pa.Table, events: pa.Array, expected: pa.Table) -> Row:
    """Build, check and measure one method."""
    built(name, table.slice(0, 1000)).match_many(events.slice(0, 10))
    made: list[PropertyIndex] = []
    build = timed(lambda: made.append(built(name, table)))
    index = made[0]
    if not pairs(index, events.slice(0, 20)).equals(expected):
        raise SystemExit(f"{name} and auto find different pairs; no figure of this run can be trusted")
    time = best_times({name: index}, events if name in COMPARED else events.slice(0, 20))[name]
    stats = index.stats()
    return {
        "method": name,
        "build s": build,
        "µs/event": time,
        "events/s": 1e6 / time,
        "operations/event": stats.operations_per_match,
        "bytes/subscription": stats.bytes / table.num_rows,
    }


def pairs(index: PropertyIndex, events: pa.Array) -> pa.Table:
    """Return what an index finds, in an order that does not depend on the method."""
    return index.match_many(events).sort_by([("event", "ascending"), ("subscription", "ascending")])


def figure_3(report: Report, scale: Scale) -> None:
    """Section `size`."""
    kinds = {"Zipf alpha = 2": zipf(2.0), "exponential p = 0.1": exponential(0.1)}
    rows: dict[str, list[Row]] = {kind: [] for kind in kinds}
    for size in scale.sizes:
        with report.console.status(f"size: {size:,}"):
            indexes = built_indexes(size)
            for kind, events in kinds.items():
                row = compared(indexes, events) | visits(indexes, events)
                rows[kind].append({"subscriptions": size} | row)
    notes = "nodes: visited by tree over those by rapid, on average; by event: the average of each event's ratio"
    for kind, measured in rows.items():
        report.table(f"Figure 3: {kind}", measured, notes)


def figure_4(report: Report, scale: Scale) -> None:
    """Section `distribution`."""
    with report.console.status("distribution"):
        indexes = built_indexes(scale.sizes[-1])
        by_alpha = [{"alpha": alpha} | compared(indexes, zipf(alpha)) for alpha in ALPHAS]
        by_p = [{"p": p} | compared(indexes, exponential(p)) for p in CHANCES]
    report.table(f"Figure 4: Zipf, {scale.sizes[-1]:,} subscriptions", by_alpha)
    report.table(f"Figure 4: exponential, {scale.sizes[-1]:,} subscriptions", by_p)


@cache
def built_indexes(size: int) -> dict[str, PropertyIndex]:
    """Return the indexes that are compared, kept for the next section; smaller sizes begin alike."""
    table = drawn_subscriptions(size)
    return {name: built(name, table) for name in COMPARED}


def figures_5_and_6(report: Report, scale: Scale) -> None:
    """Section `output`."""
    for title, events in (("5: Zipf alpha = 2", zipf(2.0, 2 * EVENTS)), ("6: p = 0.1", exponential(0.1, 2 * EVENTS))):
        rows: list[Row] = []
        for size in scale.sizes:
            with report.console.status(f"output: {title}, {size:,}"):
                indexes = built_indexes(size)
                groups = by_matches(indexes["auto"], events)
                rows += [{"subscriptions": size} | output_row(indexes, group) for group in groups]
        report.table(f"Figure {title}", rows, "ns: nanoseconds per match; of each size the events in two halves")


def by_matches(index: PropertyIndex, events: pa.Array, groups: int = 2) -> Sequence[pa.Array]:
    """Return the events in groups of the same size, those with the fewest matches first."""
    found = np.bincount(index.match_many(events)["event"].to_numpy(), minlength=len(events))
    order = np.argsort(found, kind="stable")
    return [events.take(pa.array(part)) for part in np.array_split(order, groups)]


def output_row(indexes: Mapping[str, PropertyIndex], events: pa.Array) -> Row:
    """Return the time for each match, with events of about as many matches."""
    matches = indexes["auto"].match_many(events).num_rows / len(events)
    times = best_times(indexes, events)
    row = {"matches": matches} | {f"{name} ns": 1e3 * time / matches for name, time in times.items()}
    return row | {"tree/rapid": times["tree"] / times["rapid"], "rapid/auto": times["rapid"] / times["auto"]}


SECTIONS: dict[str, Callable[[Report, Scale], None]] = {
    "methods": compare_methods,
    "size": figure_3,
    "distribution": figure_4,
    "output": figures_5_and_6,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    return {
        "workload": "RAPIDMatch (Kale et al. 2005, section 6)",
        "scale": f"{name}: up to {SCALES[name].sizes[-1]:,} subscriptions over {PROPERTIES} properties",
        "seed": SEED,
    }


if __name__ == "__main__":
    main("properties", __doc__ or "", SECTIONS, header, lambda name: nullcontext(SCALES[name]))
