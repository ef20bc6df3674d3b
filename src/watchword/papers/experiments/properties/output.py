"""Figures 5 and 6: time for each match against the number of matches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.properties.workload import (
    DOCUMENT,
    KINDS,
    PAPERS_OWN,
    SEED,
    SIZES,
    TIMES,
    measure_output,
    needs,
)
from watchword.papers.experiments.rows import curve, ratios


def output_cells(kind: Cell, scale: str) -> list[Cell]:
    """Return the cells of Figure 5 or 6: one kind of events at each size."""
    return [{"subscriptions": size, **kind} for size in SIZES[scale]]


def _by_matches(column: str, method: str) -> Reading:
    return read(column, along="matches", method=method)


def _better_at_small_outputs(rows: Sequence[Row]) -> Outcome:
    found = list(ratios(*(curve(rows, "matches", "operations", method=method) for method in PAPERS_OWN)).values())
    third = max(1, len(found) // 3)
    few, many = float(np.mean(found[:third])), float(np.mean(found[-third:]))
    said = f"nodes' ratio {few:.2f} for the fewest matches, {many:.2f} for the most"
    why = "workload: more matches come of more subscriptions here, and with those the ratio goes from "
    why += f"{found[0]:.2f} to {found[-1]:.2f}"
    return judged(few > 1.05 * many, said, weaker=few > many, otherwise=why)


def output_figure(number: int, kind: Cell) -> Experiment:
    """Return Figure 5 or 6."""
    axes = ("matches", "ns_per_match")
    title = f"Time for each match, {kind['kind']} {kind['parameter']:g}"
    return Experiment(
        name=f"properties/figure-{number}",
        title=title,
        source=f"{DOCUMENT}, Figure {number}, section 6.3",
        cells=partial(output_cells, kind),
        measure=measure_output,
        plots=(
            Plot("time", title, *axes, x_label="matches", y_label="ns for a match", log_x=True, log_y=True),
            Plot("nodes", "Nodes for each match", "matches", "operations_per_match", log_x=True, log_y=True),
        ),
        claims=(
            Claim("cheaper", "A match costs less where there are more.", "both fall",
                  check("tree: {tree.first:.0f} to {tree.last:.0f} nodes a match; "
                        "rapid: {rapid.first:.0f} to {rapid.last:.0f} nodes a match",
                        "tree.last < tree.first and rapid.last < rapid.first",
                        tree=_by_matches("operations_per_match", "tree"),
                        rapid=_by_matches("operations_per_match", "rapid"))),
            Claim("better", "RAPIDMatch is better for every number of matches.", "always better",
                  check("at least {nodes.least:.2f} times fewer nodes, {times.least:.2f} times faster",
                        "nodes.least > 1 and times.least > 1", weaker="nodes.least > 1",
                        nodes=_by_matches("operations", "tree") / _by_matches("operations", "rapid"),
                        times=_by_matches("ns_per_match", "tree") / _by_matches("ns_per_match", "rapid"),
                        otherwise="hardware: it visits fewer nodes everywhere, but 67 trees fill the cache where one "
                        "fits", provided="nodes.least > 1"), times=True),
            Claim("small", "Its lead is greatest for few matches.", "greater for smaller outputs",
                  _better_at_small_outputs),
        ),
        needs=needs,
        best_of=TIMES,
        seed=SEED,
        notes="Which figure has which events, the paper does not say; of each size three groups of events by matches.",
    )  # fmt: skip


FIGURE_5, FIGURE_6 = (output_figure(number, kind) for number, kind in zip((5, 6), KINDS, strict=True))
