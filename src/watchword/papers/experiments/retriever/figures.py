"""Figures 2-1 to 6 of REtriever (section 4.2), each with the engines of `engines`.

The paper's fixed parameters are in its Table 5 and in `Parameters`. Where it names a number of publications beside 200
overlaps (Figures 4 and 5), subscriptions are meant: the ratio of Table 5 says so. Operators that it does not name are
taken to be none. Its sizes are small for today, so `small` leaves out only the 100,000 subscriptions of Figure 2, and
`paper` adds a run with 1,000 publications for steadier figures (without `naive`, which would take minutes).

The figures are images and not in the text: printed values come from the prose, in milliseconds on a Pentium III, and
are shown beside ours in the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.retriever import claims
from watchword.papers.experiments.retriever.engines import ENGINES, PUBLICATIONS, SEED, bench
from watchword.papers.workloads.retriever import Parameters

MORE_PUBLICATIONS = 1_000
SUBSCRIPTIONS = 10_000
_FIXED = {"num_subscription": SUBSCRIPTIONS, "num_overlap": 200}
_TIME, _WORK, _STATES = "µs per publication", "operations per publication", "states of the automaton"


@dataclass(frozen=True)
class Axis:
    """What varies in a figure: a column, its values by scale, and what a value changes of the workload."""

    column: str
    values: Mapping[str, tuple[Any, ...]]
    changed: Callable[[Any], dict[str, Any]]

    def cells(self, scale: str) -> list[Cell]:
        """Return a cell for each value, with the paper's publications, and at paper scale with more of them."""
        counts = (PUBLICATIONS,) if scale == "small" else (PUBLICATIONS, MORE_PUBLICATIONS)
        return [{self.column: value, "publications": count} for count in counts for value in self.values[scale]]

    def measure(self, cell: Cell, scale: str, seed: int) -> list[Row]:
        """Measure all engines on the workload of a cell."""
        parameters = Parameters(
            num_publication=cell["publications"], seed=seed, **_FIXED | self.changed(cell[self.column])
        )
        slow = {"naive"} if cell["publications"] > PUBLICATIONS else set()
        return bench(parameters, [name for name in ENGINES if name not in slow]).rows(cell)


def always(*values: Any) -> dict[str, tuple[Any, ...]]:
    """Return the same values for both scales."""
    return {"small": values, "paper": values}


def _plot(axis: Axis, name: str, y: str, label: str, x_label: str, **more: Any) -> Plot:
    where = {"publications": PUBLICATIONS} | more.pop("where", {"shares": True})
    title = more.pop("title", f"{label} against {x_label}")
    return Plot(name, title, axis.column, y, x_label=x_label, y_label=label, where=where, **more)


def _figure(
    number: str,
    axis: Axis,
    x_label: str,
    found: tuple[Claim, ...],
    *,
    plots: tuple[Plot, ...] = (),
    printed: tuple[Row, ...] = (),
    notes: str = "",
    bars: bool = False,
) -> Experiment:
    """Return the experiment of a figure: time, work and states over its axis."""
    usual = (
        _plot(axis, "time", "us", _TIME, x_label, log_y=True, bars=bars, title=f"Figure {number}: {_TIME}"),
        _plot(axis, "work", "operations", _WORK, x_label, log_y=True, bars=bars),
        _plot(axis, "states", "states", _STATES, x_label, bars=bars),
    )
    return Experiment(
        name=f"retriever/figure-{number}",
        title=f"Matching time against {x_label}",
        source=f"Wang and Jacobsen 2004, Figure {number}, section 4.2",
        cells=axis.cells,
        measure=axis.measure,
        plots=plots or usual,
        printed=printed,
        paired=(axis.column, "publications", "method"),
        claims=found,
        needs=lambda scale: 3 << 30 if scale == "paper" else 1 << 30,
        turns=3,
        best_of=("us", "us_per_letter"),
        notes=notes,
        seed=SEED,
    )


def _printed(column: str, values: Mapping[tuple[Any, str], float]) -> tuple[Row, ...]:
    return tuple(
        {column: value, "publications": PUBLICATIONS, "method": method, "ms": ms}
        for (value, method), ms in values.items()
    )


SIZES = Axis(
    "subscriptions",
    {"small": (100, 1_000, 10_000), "paper": (100, 1_000, 10_000, 100_000)},
    lambda size: {"num_subscription": size, "num_overlap": None},
)
_LOG: dict[str, Any] = {"log_x": True, "log_y": True}
FIGURE_2 = _figure(
    "2",
    SIZES,
    "number of subscriptions",
    claims.SIZES,
    plots=(
        _plot(SIZES, "figure-2-1", "us", _TIME, "subscriptions", title="Figure 2-1, with naive", where={}, **_LOG),
        _plot(SIZES, "figure-2-2", "us", _TIME, "subscriptions", title="Figure 2-2, without naive", log_x=True),
        _plot(SIZES, "work", "operations", _WORK, "subscriptions", where={}, **_LOG),
        _plot(SIZES, "states", "states", _STATES, "subscriptions", **_LOG),
    ),
    printed=_printed(
        "subscriptions",
        {
            (100_000, "nfa"): 650,
            (100_000, "none, records"): 350,
            (100_000, "multi, records"): 300,
            (100_000, "single, records"): 250,
        },
    ),
    notes="1 star, 1 question mark, 3 strings of which 1 is a general overlap.",
)

LENGTHS = Axis(
    "letters",
    always(*range(8, 33, 4)),
    lambda letters: {"num_sub_str": letters // 4, "num_overlap_str": 2},
)
FIGURE_3 = _figure(
    "3",
    LENGTHS,
    "letters of a subscription",
    claims.LENGTHS,
    plots=(
        _plot(LENGTHS, "time", "us", _TIME, "letters", log_y=True, title="Figure 3"),
        _plot(LENGTHS, "time-per-letter", "us_per_letter", "µs per letter of a publication", "letters", log_y=True),
        _plot(LENGTHS, "work", "operations", _WORK, "letters", log_y=True),
        _plot(LENGTHS, "steps", "steps", "steps of recombination, looping states tried", "letters", log_y=True),
        _plot(LENGTHS, "states", "states", _STATES, "letters"),
        _plot(LENGTHS, "bytes", "bytes", "bytes", "letters"),
    ),
    notes="10,000 subscriptions, 200 overlaps, 2 general overlaps each, 1 star, 1 question mark. Publications hold "
    "three subscriptions, so they grow with them.",
)

STARS = Axis(
    "stars",
    always(1, 2, 3),
    lambda stars: {"num_sub_str": 6, "num_overlap_str": 3, "num_star": stars, "num_question": 0},
)
FIGURE_4 = _figure(
    "4",
    STARS,
    "number of stars",
    claims.STARS,
    plots=(
        _plot(STARS, "time", "us", _TIME, "stars", log_y=True, title="Figure 4"),
        _plot(STARS, "time-per-letter", "us_per_letter", "µs per letter of a publication", "stars", log_y=True),
        _plot(STARS, "work-per-letter", "operations_per_letter", "operations per letter", "stars", log_y=True),
    ),
    notes="6 strings, 3 general overlaps, 10,000 subscriptions, 200 overlaps, no question mark. A star stands for four "
    "letters on average, so publications grow by a tenth with each: read the figures per letter.",
)

POSITIONS = Axis(
    "overlaps_at",
    always("general", "prefix", "suffix"),
    lambda position: {"num_sub_str": 6, "overlap_pos": position},
)
FIGURE_5 = _figure(
    "5",
    POSITIONS,
    "position of the overlap",
    claims.POSITIONS,
    notes="6 strings, 1 overlap, 1 star, 1 question mark, 10,000 subscriptions, 200 overlaps.",
    bars=True,
)

SHARES = Axis(
    "overlap_percent",
    always(*range(0, 101, 20)),
    lambda percent: {"num_sub_str": 5, "num_overlap_str": percent // 20, "num_star": 0},
)
FIGURE_6 = _figure(
    "6",
    SHARES,
    "overlap strings, in percent",
    claims.SHARES,
    printed=_printed(
        "overlap_percent",
        {(percent, "nfa"): 190 for percent in range(0, 101, 20)}
        | {(0, "single, records"): 160, (100, "single, records"): 110}
        | {(0, "multi, records"): 83, (100, "multi, records"): 62},
    ),
    notes="5 strings, 1 question mark, no star, 10,000 subscriptions, 200 general overlaps.",
)

FIGURES = (FIGURE_2, FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6)
