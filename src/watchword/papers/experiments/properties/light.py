"""Section 4.3, in time: how large c should be. The paper bounds space and nodes by it, and measures one c only.

With c RAPIDMatch has trees for events of up to c ones; those with more take the plain tree. A larger c serves more
events, and puts each subscription into more trees.
"""

from __future__ import annotations

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.figures import Figures, Reading, read
from watchword.papers.experiments.measuring import compared
from watchword.papers.experiments.properties.workload import (
    DOCUMENT,
    EVENTS,
    EXPONENTIAL,
    KINDS,
    PROPERTIES,
    SEED,
    TIMES,
    ZIPF,
    events_of,
    needs,
)
from watchword.papers.models.rapid import trees
from watchword.papers.workloads.properties import Chances, as_table, property_names, subscriptions
from watchword.properties import PropertyIndex

LIGHTEST = (0, 1, 2, 4, 6, 8, 10, 12)
SIZES = {"small": 10_000, "paper": 100_000}


def cells(scale: str) -> list[Cell]:
    """Return a cell for each c, on both kinds of events."""
    return [{"subscriptions": SIZES[scale], **kind, "c": c} for kind in KINDS for c in LIGHTEST]


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Match events with RAPIDMatch of one c, and with TreeMatch and `auto` beside it."""
    drawn = as_table(subscriptions(cell["subscriptions"], Chances.around(PROPERTIES, seed=seed), seed))
    names, options = property_names(PROPERTIES), {"tree": {}, "rapid": {"c": cell["c"]}, "auto": {}}
    indexes = {name: PropertyIndex(drawn, method=name, properties=names, **own) for name, own in options.items()}
    events = events_of(cell, seed)
    light = sum(event.count("1") <= cell["c"] for event in events.to_pylist()) / len(events)
    rows = compared(indexes, events, turns=3, seconds=0.2, counted=EVENTS)
    return [cell | {"light": light} | row for row in rows]


def _by_c(column: str, kind: str, method: str = "rapid") -> Reading:
    return read(column, along="c", kind=kind, method=method)


BOUND = _by_c("bytes", ZIPF, "tree").then(lambda size: Figures({c: trees(c) * each for c, each in size.items()}))
"""The bytes of as many plain trees as there are for each c."""
SWEEP_OF_C = Experiment(
    name="properties/sweep-c",
    title="RAPIDMatch against c, in time and in space",
    source=f"{DOCUMENT}, section 4.3, which bounds both and measures neither",
    cells=cells,
    measure=measure,
    plots=tuple(
        Plot(f"{y}-{kind.lower()}", f"{kind}: {label} against c", "c", y, y_label=label, log_y=True,
             where={"kind": kind})
        for kind in (ZIPF, EXPONENTIAL)
        for y, label in (("us", "µs for an event"), ("operations", "operations"), ("bytes", "bytes for a subscription"))
    ),
    claims=(
        Claim("c-time", "The more ones c allows for, the less time light events take.",
              "O(2^(k (1 - 1/(c + 1)))) a tree",
              check("Zipf 2: {us.first:,.1f} µs at c = {us.start}, {us.least:,.1f} at best, {us.last:,.1f} at c = "
                    "{us.end}; nodes {nodes.first:,.0f} to {nodes.last:,.0f}", "us.last < half and nodes.falls",
                    weaker="us.last < us.first", us=_by_c("us", ZIPF), nodes=_by_c("operations", ZIPF),
                    half=_by_c("us", ZIPF).first / 2,
                    otherwise="hardware: {nodes.growth:.2f} times the nodes, in more trees than the caches hold: "
                    "{us.growth:.2f} times the time", provided="nodes.last < nodes.first"), times=True),
        Claim("c-heavy", "Where most events have more ones than c, it gains nothing until c reaches them.",
              "events with more than c ones use the plain tree",
              check("each property 1 with .1: {before:.2f} of the nodes of c = 0 at c = 4, where {light:.0%} of events "
                    "are light; {after:.2f} at c = 12", "0.8 < before and after < 0.8", weaker="after < before",
                    before=_by_c("operations", EXPONENTIAL)[4] / _by_c("operations", EXPONENTIAL)[0],
                    after=_by_c("operations", EXPONENTIAL)[12] / _by_c("operations", EXPONENTIAL)[0],
                    light=_by_c("light", EXPONENTIAL)[4])),
        Claim("c-space", "Space grows with the square of c at most.", "O(c² k N) (Proposition 3)",
              check("{size.first:,.0f} to {size.last:,.0f} bytes for a subscription, {part.least:.2f} to "
                    "{part.most:.2f} of the plain tree for each tree", "size.rises and part.most <= 1",
                    weaker="part.most <= 2",
                    size=_by_c("bytes", ZIPF), part=_by_c("bytes", ZIPF) / BOUND,
                    otherwise="implementation: {part.most:.2f} times the plain tree for each of the trees")),
    ),
    needs=needs,
    turns=2,
    best_of=TIMES,
    seed=SEED,
)  # fmt: skip
