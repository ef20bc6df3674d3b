"""What the methods of the property language cost: `python -m benchmarks.properties --scale small`.

Workload: RAPIDMatch (Kale, Hazan, Cao and Singh 2005, section 6), seed 2005. Subscriptions over 100 properties, each
predicate 0, 1 or * with chances drawn around .05, .05 and .9; events of the light query model (`zipf`: t ones in
proportion to t ** -alpha, alpha = 2). Small is 30,000 subscriptions, paper 1,000,000. Events are given as bit strings,
100 as in the paper; pairs of event and id are made of what is found, so an event that costs nothing still costs its
0.59 % of all subscriptions.

    methods        every method at one size: building, matching, operations, size; all must find the same

Wanted: auto faster than rapid. The figures of the paper are experiments: `watchword experiments run properties`.

`µs/event` is the best of several turns, as others use the machine; every row of a table is measured in one process of
one run, so that ratios hold where figures do not.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pyarrow as pa

from benchmarks.harness import Report, Row, main, measure, timed, with_ratios
from watchword import PropertyIndex, methods
from watchword.papers.workloads.properties import (
    Chances,
    as_table,
    as_texts,
    light_events,
    property_names,
    subscriptions,
)

SEED = 2005
PROPERTIES = 100
EVENTS = 100
TURNS = 5
QUICK = ("tree", "rapid", "auto")


SCALES = {"small": 30_000, "paper": 1_000_000}
"""How many subscriptions there are."""


def drawn_subscriptions(count: int) -> pa.Table:
    return as_table(subscriptions(count, Chances.around(PROPERTIES, seed=SEED), SEED))


def light() -> pa.Array:
    return as_texts(light_events(EVENTS, PROPERTIES, 2.0, SEED + 1))


def built(method: str, table: pa.Table) -> PropertyIndex:
    return PropertyIndex(table, method=method, properties=property_names(PROPERTIES))


def best_time(index: PropertyIndex, events: pa.Array) -> float:
    """Return the microseconds for an event, the best of some turns."""
    return 1e6 * measure(lambda: index.match_many(events), repeat=TURNS).best / len(events)


def compare_methods(report: Report, count: int) -> None:
    """Section `methods`."""
    table, events = drawn_subscriptions(count), light()
    expected = pairs(built("auto", table), events.slice(0, 20))
    rows: list[Row] = []
    for name in methods("properties"):
        with report.console.status(f"methods: {name}"):
            rows.append(method_row(name, table, events, expected))
    notes = f"All methods agree on the {expected.num_rows:,} pairs of the first 20 events."
    title = f"methods: {count:,} subscriptions, Zipf alpha = 2"
    report.table(title, with_ratios(rows, "events/s", ["tree", "rapid"]), notes)


def method_row(name: str, table: pa.Table, events: pa.Array, expected: pa.Table) -> Row:
    """Build, check and measure one method."""
    built(name, table.slice(0, 1000)).match_many(events.slice(0, 10))
    made: list[PropertyIndex] = []
    build = timed(lambda: made.append(built(name, table)))
    index = made[0]
    if not pairs(index, events.slice(0, 20)).equals(expected):
        raise SystemExit(f"{name} and auto find different pairs; no figure of this run can be trusted")
    time = best_time(index, events if name in QUICK else events.slice(0, 20))
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


SECTIONS: dict[str, Callable[[Report, int], None]] = {
    "methods": compare_methods,
}


def header(name: str) -> Row:
    """Return what the workload of a scale is."""
    return {
        "workload": "RAPIDMatch (Kale et al. 2005, section 6)",
        "scale": f"{name}: {SCALES[name]:,} subscriptions over {PROPERTIES} properties",
        "seed": SEED,
    }


if __name__ == "__main__":
    main("properties", __doc__ or "", SECTIONS, header, lambda name: nullcontext(SCALES[name]))
