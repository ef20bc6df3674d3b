"""Section 3: CountMatch against TreeMatch, which the paper reports without a figure.

CountMatch counts stars, as the paper does (`countmatch`); the index's method ``count``, which has none to count, stands
beside it.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.measuring import by_turns, compared
from watchword.papers.experiments.properties.countmatch import CountMatch
from watchword.papers.experiments.properties.workload import (
    DOCUMENT,
    EVENTS,
    KINDS,
    PROPERTIES,
    SEED,
    SIZES,
    TIMES,
    ZIPF,
    events_of,
    needs,
)
from watchword.papers.workloads.properties import Chances, as_table, property_names, subscriptions
from watchword.properties import PropertyIndex

COUNTED = ("count", "tree", "auto")
COUNTMATCH = "CountMatch"
FEW = 10
"""Events that CountMatch, which touches every subscription for each, is given."""


def counting_cells(scale: str) -> list[Cell]:
    """Return the cells of section 3: the workload at some sizes, and the worked example."""
    drawn = [{"workload": "section 6", "subscriptions": size, **kind} for size in SIZES[scale][:3] for kind in KINDS]
    return [*drawn, {"workload": "section 3", "subscriptions": 1_000, "kind": "all 0", "parameter": 0.0}]


def measure_counting(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Compare CountMatch with TreeMatch."""
    count, names = cell["subscriptions"], property_names(PROPERTIES)
    if cell["workload"] == "section 3":
        drawn = np.full((count, PROPERTIES), ord("*"), np.uint8)
        drawn[:, -1] = ord("1")
        events = pa.array(["0" * PROPERTIES] * EVENTS, pa.large_string())
    else:
        drawn, events = subscriptions(count, Chances.around(PROPERTIES, seed=seed), seed), events_of(cell, seed)
    indexes = {method: PropertyIndex(as_table(drawn), method=method, properties=names) for method in COUNTED}
    rows = compared(indexes, events, turns=3, seconds=0.2, counted=EVENTS)
    return [cell | row for row in (*rows, _countmatch(CountMatch(drawn), events))]


def _countmatch(match: CountMatch, events: pa.Array) -> Row:
    few = events[:FEW]
    matrix = np.array([list(event.encode()) for event in few.to_pylist()], np.uint8)
    hits = match(matrix)
    taken = by_turns({COUNTMATCH: (match, matrix)}, turns=3)[COUNTMATCH]
    work = {"operations": hits.operations / len(few), "matches": len(hits.payloads) / len(few)}
    return {"method": COUNTMATCH, "us": taken.microseconds, "operation": "counter updates"} | work


def _drawn(column: str, method: str) -> Reading:
    return read(column, by=("subscriptions", "kind"), workload="section 6", method=method)


SECTION_3 = Experiment(
    name="properties/section-3",
    title="CountMatch against TreeMatch",
    source=f"{DOCUMENT}, sections 3 and 6 (no figure)",
    cells=counting_cells,
    measure=measure_counting,
    plots=tuple(
        Plot(y, f"Zipf 2: {label}", "subscriptions", y, y_label=label, log_x=True, log_y=True, where={"kind": ZIPF})
        for y, label in (("us", "µs for an event"), ("operations", "operations for an event"))
    ),
    claims=(
        Claim("slower", "CountMatch is slower than TreeMatch in every experiment.", "always worse",
              check("{more.least:.1f} to {more.most:.1f} times slower", "more.least > 1", weaker="more.most > 1",
                    more=_drawn("us", COUNTMATCH) / _drawn("us", "tree")), times=True),
        Claim("operations", "It updates more counters than the tree follows links.", "z <= y <= x",
              check("{more.least:.0f} to {more.most:.0f} counter updates for a node visited", "more.least >= 1",
                    weaker="more.most >= 1", more=_drawn("operations", COUNTMATCH) / _drawn("operations", "tree"))),
        Claim("example", "N subscriptions of stars and a last 1, an event of zeros: counting does far more.",
              "k N against less than 2 N",
              check("CountMatch {count:,.0f} operations, the tree {tree:,.0f}, for N = {number:,} and k = 100; without "
                    "stars {skipping:,.0f}", "tree < double < count", weaker="tree < count",
                    count=read("operations", workload="section 3", method=COUNTMATCH),
                    skipping=read("operations", workload="section 3", method="count"),
                    tree=read("operations", workload="section 3", method="tree"),
                    number=read("subscriptions", workload="section 3", method="count"),
                    double=read("subscriptions", workload="section 3", method="count") * 2,
                    why="the last predicate does not hold: (k - 1) N updates, not k N")),
    ),
    needs=needs,
    best_of=TIMES,
    seed=SEED,
)  # fmt: skip
