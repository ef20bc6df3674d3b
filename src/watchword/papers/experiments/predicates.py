"""Wang, Quan and Zhao 2019, *Notes and Implementation of Algorithms*, after Pereira et al. 2000: Figures 5 to 8.

Workload (`workloads.predicates`): S subscriptions of NP predicates, EQ of them equalities, each on another of A = 16
attributes with V values. Where the notes are silent: A is 16, the most that Figure 4 has; Figure 7 is drawn twice, with
all predicates equalities and with EQ = 4; Figure 8 has NP = 4. Operations are counter increments of `counting`,
predicates checked of the two clustered methods, blocks read of `auto`; they do not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, ahead, read, trend
from watchword.papers.experiments.measuring import SHELF, compared
from watchword.papers.experiments.rows import curve, falls, rises
from watchword.papers.workloads.predicates import PredicateWorkload
from watchword.predicates import PredicateIndex

DOCUMENT = "Wang, Quan and Zhao 2019"
SEED = 2000
METHODS = ("counting", "non-propagation", "propagation", "auto")
NOTES_OWN = METHODS[:3]
SIZES = {"small": (15_000, 60_000, 240_000), "paper": (15_000, 60_000, 250_000, 1_000_000, 3_000_000)}
SIZE = {"small": 50_000, "paper": 500_000}
BRUTE_SIZES = {"small": (5_000, 15_000, 60_000), "paper": (15_000, 60_000, 250_000)}
EVENTS, COUNTED = 20_000, 50
DEFAULTS = {"V": 35, "NP": 4, "EQ": 4}


def indexes_of(cell: Cell, seed: int, methods: Sequence[str]) -> tuple[PredicateWorkload, dict[str, PredicateIndex]]:
    """Return the workload of a cell and an index of each method over it, with what they put off until they match."""
    workload = PredicateWorkload(cell["S"], values=cell["V"], predicates=cell["NP"], equalities=cell["EQ"], seed=seed)
    table, event = workload.subscription_table(), workload.event_table(1)
    indexes = {method: PredicateIndex(table, method=method) for method in methods}
    for index in indexes.values():
        index.match_many(event)
    return workload, indexes


def measure(cell: Cell, scale: str, seed: int, methods: Sequence[str] = METHODS) -> list[Row]:
    """Compare the methods on one workload."""
    key = ("predicates", *sorted(cell.items()), seed, methods)
    workload, indexes = SHELF.get(key, partial(indexes_of, cell, seed, methods))
    rows = compared(indexes, workload.event_table(EVENTS), turns=3, seconds=0.1, counted=COUNTED)
    return [cell | row | {"ns_per_operation": 1e3 * row["us"] / max(1.0, row["operations"])} for row in rows]


def needs(scale: str) -> int:
    """Return the bytes that four indexes and their texts take at the largest size."""
    return {"small": 10**9, "paper": 6 * 10**9}[scale]


# checks that several figures share

STOPS = "paper: by its own design propagation stops at the first predicate that fails, and more of them cost it nothing"
ONE_IS_ENOUGH = "paper: a cluster is chosen by one equality, and a second selects no better"


def _fastest(axis: str, rows: Sequence[Row]) -> Outcome:
    """Propagation is the fastest of the three everywhere; beside that, where it makes the fewest operations."""
    lead, fewer = (_lead(axis, column, rows) for column in ("us", "operations"))
    won, least = ([at for at, times in of.items() if times >= 1] for of in (lead, fewer))
    said = f"fastest in {len(won)} of {len(lead)}, {min(lead.values()):.2f} to {max(lead.values()):.2f} times; "
    said += f"fewest operations in {len(least)}"
    lost = ", ".join(f"{axis} = {at}" for at in lead if at not in won)
    why = f"implementation: not at {lost}, where its bookkeeping saves no check"
    if len(least) == len(lead):
        why = f"hardware: it makes the fewest operations everywhere, or as few; by the times not at {lost}"
    return judged(not lost, said, weaker=len(won) > len(lead) / 2 or len(least) == len(lead), otherwise=why)


def _lead(axis: str, column: str, rows: Sequence[Row]) -> dict[int, float]:
    """Return the better of the two others over propagation, along the axis."""
    curves = {method: curve(rows, axis, column, method=method) for method in NOTES_OWN}
    others = {at: min(curves[other][at] for other in NOTES_OWN[:2]) for at in curves["propagation"]}
    return {at: others[at] / own if own else 1.0 for at, own in curves["propagation"].items()}


def _trend(
    axis: str, direction: Callable[[Sequence[float], float], bool], rows: Sequence[Row], *, why: str = ""
) -> Outcome:
    """The work of each of the three rises, or falls, along the axis."""
    work = {method: list(curve(rows, axis, "operations", method=method).values()) for method in NOTES_OWN}
    times = {method: list(curve(rows, axis, "us", method=method).values()) for method in NOTES_OWN}
    kept = [method for method, values in work.items() if direction(values, 0.0)]
    said = "; ".join(
        f"{name}: {work[name][0]:,.0f} to {work[name][-1]:,.0f} operations, {times[name][0]:,.1f} to "
        f"{times[name][-1]:,.1f} µs"
        for name in NOTES_OWN
    )
    others = [name for name in NOTES_OWN if name not in kept]
    otherwise = f"{why or 'workload: as it is'}; so for {' and '.join(others)}"
    return judged(not others, said, weaker=bool(kept), otherwise=otherwise)


def _plots(axis: str, label: str, log_x: bool = False) -> tuple[Plot, ...]:
    measured = (("us", "µs for an event"), ("operations", "operations for an event"))
    return tuple(
        Plot(y, f"{name} against {axis}", axis, y, x_label=label, y_label=name, log_x=log_x, log_y=True)
        for y, name in measured
    )


FASTEST = "Propagation is the fastest of the three, whatever is varied."


def _figure(
    number: str,
    axis: str,
    label: str,
    cells: Callable[[str], list[Cell]],
    claims: tuple[Claim, ...],
    log_x: bool = False,
) -> Experiment:
    best = Claim("fastest", FASTEST, "outperforms the other two in all contexts shown", partial(_fastest, axis), True)
    return Experiment(
        name=f"predicates/figure-{number}",
        title=f"Time against {label}",
        source=f"{DOCUMENT}, Figure {number}, section 3",
        cells=cells,
        measure=measure,
        plots=_plots(axis, label, log_x),
        claims=(best, *claims),
        needs=needs,
        turns=2,
        best_of=("us", "ns_per_operation"),
        seed=SEED,
    )


# the figures


def _sizes(scale: str) -> list[Cell]:
    return [{"S": size, **DEFAULTS} for size in SIZES[scale]]


def _values(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "V": values} for values in (10, 35, 70, 100, 150, 200)]


def _all_equalities(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "NP": count, "EQ": count} for count in (1, 2, 4, 8, 12, 16)]


def _four_equalities(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "NP": count} for count in (4, 6, 8, 12, 16)]


def _equalities(scale: str) -> list[Cell]:
    return [{"S": SIZE[scale], **DEFAULTS, "EQ": count} for count in range(5)]


def _along_s(column: str, method: str) -> Reading:
    return read(column, along="S", method=method)


LEAD = _along_s("us", "counting") / _along_s("us", "non-propagation")
OTHER_CODE = (
    "paper: its printed C++ of both evaluates predicates anew, and its counting loops over all subscriptions, which is "
    "not its Figure 2"
)
FIGURE_5 = _figure(
    "5",
    "S",
    "the number of subscriptions S",
    _sizes,
    (
        Claim("close", "Non-propagation is very close to counting.", "very close",
              check("{lead.first:.1f} to {lead.last:.1f} times faster than counting, from the smallest S to the "
                    "largest", "lead.most < 1.5", weaker="lead.least < 1.5", otherwise=OTHER_CODE, lead=LEAD),
              times=True),
        Claim("passes", "The more subscriptions, the further non-propagation is ahead of counting.",
              "outperforms counting as S increases (section 4)",
              check("faster in {ahead.count} of {lead.count} sizes, by {lead.least:.1f} to {lead.most:.1f} times",
                    "lead.last > 1 and grows", weaker="lead.most > 1", lead=LEAD, ahead=ahead(LEAD),
                    grows=trend(LEAD, "rises", slack=0.1),
                    otherwise="hardware: it is ahead, by a lead that depends on the machine more than on S"),
              times=True),
        Claim("grows", "Work grows with S.", "rises in Figure 5", partial(_trend, "S", rises)),
    ),
    log_x=True,
)  # fmt: skip
FIGURE_6 = _figure(
    "6",
    "V",
    "the number of values V",
    _values,
    (Claim("falls", "More values of an attribute mean less work.", "falls, with noise", partial(_trend, "V", falls)),),
)
FIGURE_7 = _figure(
    "7",
    "NP",
    "the number of predicates NP, all equalities",
    _all_equalities,
    (Claim("rises", "More predicates mean more work.", "rises", partial(_trend, "NP", rises, why=STOPS)),),
)
FIGURE_7_FOUR = _figure(
    "7-four-equalities",
    "NP",
    "the number of predicates NP, four of them equalities",
    _four_equalities,
    (Claim("rises", "More predicates mean more work.", "rises", partial(_trend, "NP", rises, why=STOPS)),),
)
FIGURE_8 = _figure(
    "8",
    "EQ",
    "the number of equalities EQ, of NP = 4",
    _equalities,
    (
        Claim(
            "falls",
            "More equalities mean less work: they are more selective.",
            "falls",
            partial(_trend, "EQ", falls, why=ONE_IS_ENOUGH),
        ),
    ),
)


# section 4


def _section_4_cells(scale: str) -> list[Cell]:
    return [{"S": size, **DEFAULTS} for size in BRUTE_SIZES[scale]]


NEEDED = (_along_s("matches", "counting") * _along_s("NP", "counting")).last
SECTION_4 = Experiment(
    name="predicates/section-4",
    title="The algorithms compared",
    source=f"{DOCUMENT}, section 4",
    cells=_section_4_cells,
    measure=partial(measure, methods=("brute", *METHODS)),
    plots=_plots("S", "subscriptions S", log_x=True),
    claims=(
        Claim("brute", "Counting is better than testing each subscription.", "better than naive",
              check("{lead.least:.1f} to {lead.most:.1f} times faster than brute force", "lead.least > 1",
                    weaker="lead.most > 1", lead=_along_s("us", "brute") / _along_s("us", "counting")), times=True),
        Claim("unnecessary", "Counting makes many unnecessary tests.", "many",
              check("{done:,.0f} increments for {needed:.2f} that belong to matches", "done > many",
                    done=_along_s("operations", "counting").last, needed=NEEDED, many=NEEDED * 10)),
        Claim("waste", "Non-propagation checks predicates that propagation need not.", "a waste of time",
              check("{more.least:.2f} to {more.most:.2f} times the predicates checked", "more.least > 1",
                    more=_along_s("operations", "non-propagation") / _along_s("operations", "propagation"))),
        Claim("locality", "Propagation's data lies together, so that it misses the cache less.", "handles cache misses",
              check("counting {counting.last:.1f} ns an operation at S = {counting.end:,}; "
                    "propagation {own.last:.1f} ns an operation at S = {own.end:,}", "own.last < counting.last",
                    counting=_along_s("ns_per_operation", "counting"), own=_along_s("ns_per_operation", "propagation"),
                    otherwise="implementation: both times hold the reading of the event; propagation saves operations, "
                    "not the price of one"), times=True),
    ),
    needs=needs,
    turns=2,
    best_of=("us", "ns_per_operation"),
    seed=SEED,
)  # fmt: skip

EXPERIMENTS = (FIGURE_5, FIGURE_6, FIGURE_7, FIGURE_7_FOUR, FIGURE_8, SECTION_4)
