"""Section 3: CountMatch against TreeMatch, which the paper reports without a figure."""

from __future__ import annotations

import pyarrow as pa

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.measuring import compared
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
    indexes_of,
    needs,
)
from watchword.papers.workloads.properties import property_names
from watchword.properties import PropertyIndex

COUNTED = ("count", "tree", "auto")


def counting_cells(scale: str) -> list[Cell]:
    """Return the cells of section 3: the workload at some sizes, and the worked example."""
    drawn = [{"workload": "section 6", "subscriptions": size, **kind} for size in SIZES[scale][:3] for kind in KINDS]
    return [*drawn, {"workload": "section 3", "subscriptions": 1_000, "kind": "all 0", "parameter": 0.0}]


def measure_counting(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Compare CountMatch with TreeMatch."""
    if cell["workload"] == "section 3":
        names = property_names(PROPERTIES)
        table = dict.fromkeys(range(cell["subscriptions"]), "*" * (PROPERTIES - 1) + "1")
        indexes = {method: PropertyIndex(table, method=method, properties=names) for method in COUNTED}
        events = pa.array(["0" * PROPERTIES] * EVENTS, pa.large_string())
    else:
        indexes, events = indexes_of(cell["subscriptions"], seed, COUNTED), events_of(cell, seed)
    return [cell | row for row in compared(indexes, events, turns=3, seconds=0.2, counted=EVENTS)]


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
                    more=_drawn("us", "count") / _drawn("us", "tree")), times=True),
        Claim("operations", "It updates more counters than the tree follows links.", "z <= y <= x",
              check("{more.least:.0f} to {more.most:.0f} counter updates for a node visited", "more.least >= 1",
                    more=_drawn("operations", "count") / _drawn("operations", "tree"))),
        Claim("example", "N subscriptions of stars and a last 1, an event of zeros: counting does far more.",
              "k N against less than 2 N",
              check("count {count:,.0f} operations, tree {tree:,.0f}, for N = {number:,} and k = 100", "count > tree",
                    count=read("operations", workload="section 3", method="count"),
                    tree=read("operations", workload="section 3", method="tree"),
                    number=read("subscriptions", workload="section 3", method="count"),
                    otherwise="paper: its text counts stars as predicates that hold, (k - 1) N of them; an index that "
                    "skips stars has none to update")),
    ),
    needs=needs,
    best_of=TIMES,
    seed=SEED,
)  # fmt: skip
