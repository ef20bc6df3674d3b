"""Figures 5 and 6: time for each match against the number of matches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
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


def _cheaper_with_more(rows: Sequence[Row]) -> Outcome:
    ends = {}
    for method in PAPERS_OWN:
        found = list(curve(rows, "matches", "operations_per_match", method=method).values())
        ends[method] = found[0], found[-1]
    said = "; ".join(f"{method}: {first:.0f} to {last:.0f} nodes a match" for method, (first, last) in ends.items())
    return judged(all(last < first for first, last in ends.values()), said)


def _rapid_always_better(rows: Sequence[Row]) -> Outcome:
    nodes = ratios(*(curve(rows, "matches", "operations", method=method) for method in PAPERS_OWN))
    times = ratios(*(curve(rows, "matches", "ns_per_match", method=method) for method in PAPERS_OWN))
    said = f"at least {min(nodes.values()):.2f} times fewer nodes, {min(times.values()):.2f} times faster"
    why = "hardware: it visits fewer nodes everywhere, but 67 trees fill the cache where one fits"
    return judged(min(*nodes.values(), *times.values()) > 1, said, weaker=min(nodes.values()) > 1, otherwise=why)


def _better_at_small_outputs(rows: Sequence[Row]) -> Outcome:
    found = list(ratios(*(curve(rows, "matches", "operations", method=method) for method in PAPERS_OWN)).values())
    third = max(1, len(found) // 3)
    few, many = float(np.mean(found[:third])), float(np.mean(found[-third:]))
    said = f"nodes' ratio {few:.2f} for the fewest matches, {many:.2f} for the most"
    why = "workload: more matches come of more subscriptions here, and with those the ratio is stable"
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
            Claim("cheaper", "A match costs less where there are more.", "both fall", _cheaper_with_more, True),
            Claim("better", "RAPIDMatch is better for every number of matches.", "always better", _rapid_always_better),
            Claim(
                "small",
                "Its lead is greatest for few matches.",
                "greater for smaller outputs",
                _better_at_small_outputs,
                True,
            ),
        ),
        needs=needs,
        best_of=TIMES,
        seed=SEED,
        notes="Which figure has which events, the paper does not say; of each size three groups of events by matches.",
    )


FIGURE_5, FIGURE_6 = (output_figure(number, kind) for number, kind in zip((5, 6), KINDS, strict=True))
