"""Figure 4: time against the distribution of events."""

from __future__ import annotations

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot
from watchword.papers.experiments.figures import Reading, every, read
from watchword.papers.experiments.properties.workload import (
    ALPHAS,
    CHANCES,
    DOCUMENT,
    EXPONENTIAL,
    SEED,
    SWEPT,
    TIMES,
    ZIPF,
    measure,
    needs,
    with_ratios,
)


def swept(scale: str) -> list[Cell]:
    """Return the cells of Figure 4: alpha and p, at one size."""
    values = [(ZIPF, alpha) for alpha in ALPHAS] + [(EXPONENTIAL, p) for p in CHANCES]
    return [{"subscriptions": SWEPT[scale], "kind": kind, "parameter": value} for kind, value in values]


def _rapid(column: str, kind: str) -> Reading:
    return read(column, along="parameter", kind=kind, method="rapid")


RATIO, ONES = (_rapid(column, ZIPF) for column in ("nodes_ratio", "ones"))
FIGURE_4 = Experiment(
    name="properties/figure-4",
    title="Time against the distribution of events",
    source=f"{DOCUMENT}, Figure 4, section 6.2",
    cells=swept,
    measure=measure,
    plots=tuple(
        Plot(
            f"{y}-{kind.lower()}",
            f"{kind}: {label} against {axis}",
            "parameter",
            y,
            x_label=axis,
            y_label=label,
            log_y=y == "us",
            where={"kind": kind},
        )
        for kind, axis in ((ZIPF, "alpha"), (EXPONENTIAL, "p"))
        for y, label in (("us", "µs for an event"), ("nodes_ratio", "nodes of tree / nodes"))
    ),
    claims=(
        Claim("falls", "RAPIDMatch's work falls as events have fewer ones.", "falls with alpha up, p down",
              check("nodes {alpha.first:,.0f} to {alpha.last:,.0f} as alpha rises, "
                    "{p.first:,.0f} to {p.last:,.0f} as p rises", "alpha.falls and p.rises",
                    weaker="alpha.last < alpha.first and p.first < p.last",
                    alpha=_rapid("operations", ZIPF), p=_rapid("operations", EXPONENTIAL),
                    ones=_rapid("ones", EXPONENTIAL).last,
                    otherwise="workload: at the largest p an event has {ones:.0f} ones on average; those with more "
                    "than c = 10 take the plain tree", provided="ones > 10")),
        Claim("constant", "TreeMatch gains nothing from light events.", "constant for all parameters",
              check("nodes within a factor of {spread:.2f}", "spread < 1.1", weaker="spread < 1.5",
                    spread=every("operations", method="tree").spread)),
        Claim("flattens", "The ratio flattens above alpha = 3.", "flat from alpha = 3 on",
              check("nodes' ratio {low:.1f}, {middle:.1f}, {high:.1f} at alpha 1.5, 3, 5", "after < 1.3",
                    weaker="after < before", low=RATIO[1.5], middle=RATIO[3.0], high=RATIO[5.0],
                    before=RATIO[3.0] / RATIO[1.5], after=RATIO[5.0] / RATIO[3.0],
                    ones=ONES[3.0], end=ONES[5.0],
                    otherwise="paper: events still come closer to a single 1 above alpha = 3: {ones:.2f} there, "
                    "{end:.2f} at 5", provided="end < ones")),
        Claim("near-one", "The reason is that events then have about one 1.", "close to 1",
              check("{three:.2f} at 3, {four:.2f} at 4, {five:.2f} at 5", "three < 1.6 and five < 1.15",
                    weaker="five < 1.5", three=ONES[3.0], four=ONES[4.0], five=ONES[5.0])),
    ),
    needs=needs,
    turns=2,
    best_of=TIMES,
    derive=with_ratios,
    seed=SEED,
)  # fmt: skip
