"""Figure 4: time against the distribution of events."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
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
from watchword.papers.experiments.rows import curve, falls, where


def swept(scale: str) -> list[Cell]:
    """Return the cells of Figure 4: alpha and p, at one size."""
    values = [(ZIPF, alpha) for alpha in ALPHAS] + [(EXPONENTIAL, p) for p in CHANCES]
    return [{"subscriptions": SWEPT[scale], "kind": kind, "parameter": value} for kind, value in values]


def _fewer_ones_less_work(rows: Sequence[Row]) -> Outcome:
    alpha = list(curve(rows, "parameter", "operations", kind=ZIPF, method="rapid").values())
    p = list(curve(rows, "parameter", "operations", kind=EXPONENTIAL, method="rapid").values())
    said = f"nodes {alpha[0]:,.0f} to {alpha[-1]:,.0f} as alpha rises, {p[0]:,.0f} to {p[-1]:,.0f} as p rises"
    why = "workload: with p of .2 and more all events have more than c = 10 ones, and take the plain tree"
    return judged(falls(alpha) and falls(p[::-1]), said, weaker=alpha[-1] < alpha[0] and p[0] < p[-1], otherwise=why)


def _tree_is_constant(rows: Sequence[Row]) -> Outcome:
    nodes = [row["operations"] for row in where(rows, method="tree")]
    ratio = max(nodes) / min(nodes)
    return judged(ratio < 1.1, f"nodes within a factor of {ratio:.2f}", weaker=ratio < 1.5)


def _flattens(rows: Sequence[Row]) -> Outcome:
    found = curve(rows, "parameter", "nodes_ratio", kind=ZIPF, method="rapid")
    before, after = found[3.0] / found[1.5], found[5.0] / found[3.0]
    said = f"nodes' ratio {found[1.5]:.1f}, {found[3.0]:.1f}, {found[5.0]:.1f} at alpha 1.5, 3, 5"
    why = "paper: events still come closer to a single 1 above alpha = 3, where they have 1.3 on average"
    return judged(after < 1.3, said, weaker=after < before, otherwise=why)


def _near_one(rows: Sequence[Row]) -> Outcome:
    found = curve(rows, "parameter", "ones", kind=ZIPF, method="rapid")
    said = ", ".join(f"{found[alpha]:.2f} at {alpha:g}" for alpha in (3.0, 4.0, 5.0))
    return judged(found[3.0] < 1.6 and found[5.0] < 1.15, said, weaker=found[5.0] < 1.5)


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
        Claim(
            "falls",
            "RAPIDMatch's work falls as events have fewer ones.",
            "falls with alpha up, p down",
            _fewer_ones_less_work,
            True,
        ),
        Claim(
            "constant",
            "TreeMatch gains nothing from light events.",
            "constant for all parameters",
            _tree_is_constant,
            True,
        ),
        Claim("flattens", "The ratio flattens above alpha = 3.", "flat from alpha = 3 on", _flattens, True),
        Claim("near-one", "The reason is that events then have about one 1.", "close to 1", _near_one, True),
    ),
    needs=needs,
    turns=2,
    best_of=TIMES,
    derive=with_ratios,
    seed=SEED,
)
