"""Figure 3: time against the number of subscriptions."""

from __future__ import annotations

from functools import partial

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot
from watchword.papers.experiments.figures import Reading, each, every, read, text
from watchword.papers.experiments.properties.workload import (
    DOCUMENT,
    EXPONENTIAL,
    KINDS,
    SEED,
    SIZES,
    TIMES,
    ZIPF,
    measure,
    needs,
    with_ratios,
)


def sizes(scale: str) -> list[Cell]:
    """Return the cells: each kind of events at each size, kinds together, as they share indexes."""
    return [{"subscriptions": size, **kind} for size in SIZES[scale] for kind in KINDS]


def _rapid(column: str, kind: str) -> Reading:
    return read(column, along="subscriptions", kind=kind, method="rapid")


FIGURE_3 = Experiment(
    name="properties/figure-3",
    title="Time against the number of subscriptions",
    source=f"{DOCUMENT}, Figure 3, section 6.1",
    cells=sizes,
    measure=measure,
    plots=tuple(
        Plot(
            f"{y}-{kind.lower()}",
            f"{kind}: {label} against subscriptions",
            "subscriptions",
            y,
            x_label="subscriptions",
            y_label=label,
            log_x=True,
            log_y=y == "us",
            where={"kind": kind},
        )
        for kind in (ZIPF, EXPONENTIAL)
        for y, label in (("us", "µs for an event"), ("nodes_ratio", "nodes of tree / nodes"))
    ),
    claims=(
        Claim("eight", "With Zipf's alpha = 2 RAPIDMatch is more than 8 times faster than TreeMatch.",
              "more than 8 times",
              check("{nodes.last:.1f} times fewer nodes ({events.last:.1f} by the mean of each event's ratio), "
                    "{times.last:.1f} times faster", "nodes.last > 8", weaker="events.last > 8 or nodes.last > 2",
                    nodes=_rapid("nodes_ratio", ZIPF), events=_rapid("nodes_ratio_by_event", ZIPF),
                    times=_rapid("time_ratio", ZIPF),
                    otherwise="paper: of what the ratio is, it does not say: by means it is {nodes.last:.1f}, by "
                    "events {events.last:.1f}; events with more than c ones go to the plain tree")),
        Claim("stable", "The ratio of the two does not depend on the size.", "relatively stable",
              check("{by_kind}", "spread.most < 1.25", weaker="spread.most < 2",
                    spread=each((ZIPF, EXPONENTIAL), lambda kind: _rapid("nodes_ratio", kind).spread),
                    by_kind=text(each((ZIPF, EXPONENTIAL), partial(_rapid, "nodes_ratio")),
                                 "{label}: {figure.least:.2f} to {figure.most:.2f}", "; "))),
        Claim("exponential", "With each property 1 by chance p = 0.1 the gain is small.", "1.2 times",
              check("{nodes.last:.2f} times fewer nodes, {times.last:.2f} times faster", "1.1 <= nodes.last <= 1.6",
                    weaker="nodes.last > 1", nodes=_rapid("nodes_ratio", EXPONENTIAL),
                    times=_rapid("time_ratio", EXPONENTIAL))),
        Claim("never-worse", "RAPIDMatch is never worse than TreeMatch.", "close to, and never worse",
              check("of TreeMatch over RAPIDMatch at worst {nodes.least:.2f} in nodes, {times.least:.2f} in time",
                    "nodes.least >= 0.95 and times.least >= 0.95", weaker="nodes.least >= 0.95",
                    nodes=every("nodes_ratio", method="rapid"), times=every("time_ratio", method="rapid"),
                    otherwise="hardware: fewer nodes everywhere, but 67 trees fill the cache where one fits",
                    provided="nodes.least >= 1"),
              times=True),
        Claim("ones", "Such events have about 3 ones with Zipf and 10 with the chance.", "3 and 10 of 100",
              check("{zipf.first:.1f} and {chance.first:.1f} of 100",
                    "2 <= zipf.first <= 4 and 9 <= chance.first <= 11", weaker="zipf.first < chance.first",
                    zipf=every("ones", kind=ZIPF), chance=every("ones", kind=EXPONENTIAL))),
    ),
    needs=needs,
    turns=2,
    best_of=TIMES,
    derive=with_ratios,
    seed=SEED,
)  # fmt: skip
