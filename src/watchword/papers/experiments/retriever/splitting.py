"""What REtriever's paper leaves open: where operators stand, the letters, and the two minimums of its splitting.

Operators that stand apart leave no phrase of Figure 2 that could be cut; the paper measured three different times, so
its operators cannot have stood so. MIN_WORD_LEN and MIN_SPLIT_SCORE are not given for any experiment; they are swept
over the longest subscriptions of Figure 3, where they matter most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Figures, Reading, read
from watchword.papers.experiments.retriever.claims import RECOMBINING
from watchword.papers.experiments.retriever.engines import ENGINES, PUBLICATIONS, PUBLISHED, SEED, bench
from watchword.papers.experiments.rows import by, figure, where
from watchword.papers.workloads.retriever import LETTERS, Parameters, Placement

SIZE = {"small": 10_000, "paper": 100_000}
LONGEST: dict[str, Any] = {"num_subscription": 10_000, "num_overlap": 200, "num_overlap_str": 2, "num_sub_str": 8}
_BEST_OF = ("us", "us_per_letter")


def _placements(scale: str) -> list[Cell]:
    return [
        {"placement": placement, "letters_of": letters, "subscriptions": SIZE[scale]}
        for letters in LETTERS
        for placement in get_args(Placement)
    ]


def _measure_placement(cell: Cell, scale: str, seed: int) -> list[Row]:
    parameters = Parameters(
        cell["subscriptions"],
        PUBLICATIONS,
        placement=cell["placement"],
        letters=LETTERS[cell["letters_of"]],
        seed=seed,
    )
    return bench(parameters, [name for name in ENGINES if name != "naive"]).rows(cell)


def _placement_decides(rows: Sequence[Row]) -> Outcome:
    uniform = where(rows, letters_of="uniform")
    states = {placement: by(uniform, "method", "states", placement=placement) for placement in get_args(Placement)}
    measured = "; ".join(f"{at}: {Figures({name: of[name] for name in PUBLISHED})}" for at, of in states.items())
    apart, together = (len({states[at][name] for name in PUBLISHED}) for at in ("apart", "independent"))
    why = "with a place for each operator all phrases have four letters, and the three ways to cut are one"
    return judged(apart == 1 and together == 3, "states, " + measured, why=why)


PLACEMENT = Experiment(
    name="retriever/placement",
    title="Where operators stand, and the letters",
    source="Wang and Jacobsen 2004, section 4.1, which leaves both open",
    cells=_placements,
    measure=_measure_placement,
    plots=(
        Plot("states", "States by placement", "placement", "states", bars=True, where={"letters_of": "uniform"}),
        Plot("work", "Uniform letters", "placement", "operations", bars=True, where={"letters_of": "uniform"}),
        Plot("english", "English letters", "placement", "operations", bars=True, where={"letters_of": "English"}),
    ),
    claims=(
        Claim("placement", "The three ways to cut differ on the workload of Figure 2.",
              "250, 300 and 350 ms; so places coincide", _placement_decides),
    ),
    needs=lambda scale: 4 << 30 if scale == "paper" else 1 << 30,
    turns=2,
    best_of=_BEST_OF,
    notes="The workload of Figure 2. English letters are drawn in the proportions of prose, one by one.",
    seed=SEED,
)  # fmt: skip


def _minimums(scale: str) -> list[Cell]:
    scores = (0, 2, 4) if scale == "small" else (0, 1, 2, 3, 4)
    return [{"min_word_len": word, "min_split_score": score} for word in (2, 3, 4, 6) for score in scores]


def _measure_minimums(cell: Cell, scale: str, seed: int) -> list[Row]:
    parameters = Parameters(num_publication=PUBLICATIONS, seed=seed, **LONGEST)
    names = [name for name, engine in ENGINES.items() if engine.splits or name == "auto"]
    return bench(parameters, names, **cell).rows(cell)


def _no_minimum_makes_cutting_pay(rows: Sequence[Row]) -> Outcome:
    cheapest = {name: min(where(rows, method=name), key=lambda row: row["operations"]) for name in PUBLISHED}
    none = cheapest["none, records"]["operations"]
    work = Figures(
        {
            f"{name} ({row['min_word_len']}, {row['min_split_score']})": row["operations"]
            for name, row in cheapest.items()
        }
    )
    gain = none / min(cheapest["single, records"]["operations"], cheapest["multi, records"]["operations"])
    measured = f"least operations, at which minimums: {work}"
    return judged(gain >= 1.1, measured, weaker=gain > 1, otherwise=f"{RECOMBINING}: {gain:.2f} times at best")


def _states(splitting: str) -> Reading:
    return read("states", by=("min_word_len", "min_split_score"), method=f"{splitting}, records")


MINIMUMS = Experiment(
    name="retriever/minimums",
    title="The least word and the least gain of a cut",
    source="Wang and Jacobsen 2004, section 3.1, which names the minimums and not their values",
    cells=_minimums,
    measure=_measure_minimums,
    plots=(
        Plot("work", "Least gain 2", "min_word_len", "operations", log_y=True, where={"min_split_score": 2}),
        Plot("states", "Least gain 2", "min_word_len", "states", where={"min_split_score": 2}),
        Plot("gain", "Least word 2", "min_split_score", "operations", log_y=True, where={"min_word_len": 2}),
    ),
    claims=(
        Claim("pays", "With some choice of the minimums cutting makes MATCH cheaper than not cutting.",
              "250 and 300 against 350 ms, minimums not given", _no_minimum_makes_cutting_pay),
        Claim("smaller", "Whatever the minimums, more cuts never make more states.",
              "splitting reduces the size of the DFA (section 3.1)",
              check("multi has {low} to {high} of the states of none", "several.most <= 1 and one.most <= 1",
                    several=_states("multi") / _states("single"), one=_states("single") / _states("none"),
                    low=(_states("multi") / _states("none")).least.then(figure),
                    high=(_states("multi") / _states("none")).most.then(figure))),
    ),
    needs=lambda scale: 1 << 30,
    turns=2,
    best_of=_BEST_OF,
    notes="Subscriptions of 32 letters, as in Figure 3. `auto` cuts nothing, and is the same in every cell.",
    seed=SEED,
)  # fmt: skip
