"""What the experiments of predicates share: the workload, the comparison of methods, and checks of figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from watchword.papers.experiments.experiment import Cell, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.measuring import SHELF, compared
from watchword.papers.experiments.rows import curve, figure
from watchword.papers.workloads.predicates import NOTES_SIGNS, PredicateWorkload
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
    workload = PredicateWorkload(
        cell["S"], values=cell["V"], predicates=cell["NP"], equalities=cell["EQ"], seed=seed, signs=NOTES_SIGNS
    )
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


SLACK = 0.2
"""By which share a time may go against the direction of a figure: the notes speak of noise, too."""


def fastest(axis: str, rows: Sequence[Row]) -> Outcome:
    """Propagation is the fastest of the three everywhere, weaker: in most places. Operations say why it is not."""
    lead, fewer = (_lead(axis, column, rows) for column in ("us", "operations"))
    won, least = ([at for at, times in of.items() if times >= 1] for of in (lead, fewer))
    said = f"fastest in {len(won)} of {len(lead)}, {min(lead.values()):.2f} to {max(lead.values()):.2f} times; "
    said += f"fewest operations in {len(least)}"
    lost = [at for at in lead if at not in won]
    behind = ", ".join(f"{axis} = {at} ({1 / lead[at]:.2f} times the time of the next)" for at in lost)
    blame = "hardware: fewest operations there, too" if {*lost} <= {*least} else "implementation: no fewer operations"
    return judged(not lost, said, weaker=len(won) > len(lead) / 2, otherwise=f"{blame}; behind at {behind}")


def _lead(axis: str, column: str, rows: Sequence[Row]) -> dict[int, float]:
    """Return the better of the two others over propagation, along the axis."""
    curves = {method: curve(rows, axis, column, method=method) for method in NOTES_OWN}
    others = {at: min(curves[other][at] for other in NOTES_OWN[:2]) for at in curves["propagation"]}
    return {at: others[at] / own if own else 1.0 for at, own in curves["propagation"].items()}


def trend(
    axis: str, direction: Callable[[Sequence[float], float], bool], rows: Sequence[Row], *, design: str = ""
) -> Outcome:
    """The time of each of the three rises, or falls, along the axis, but for noise; weaker: it ends so for two.

    `design` is why the operations of a method need not follow.
    """
    work, times = (
        {name: list(curve(rows, axis, column, method=name).values()) for name in NOTES_OWN}
        for column in ("operations", "us")
    )
    said = "; ".join(f"{name}: {_ends(times[name])} µs, {_ends(work[name])} operations" for name in NOTES_OWN)
    others: dict[str, list[str]] = {}
    for name in NOTES_OWN:
        if not (direction(times[name], SLACK) and _arrives(times[name], direction)):
            blame = f"paper: by its own design {design}"
            if not design or direction(work[name], 0.0):
                blame = _aside(axis, rows)
            others.setdefault(blame, []).append(f"{name} {_ends(times[name])} µs")
    why = "; ".join(f"{blame} ({', '.join(names)})" for blame, names in others.items())
    return judged(not others, said, weaker=sum(_arrives(of, direction) for of in times.values()) > 1, otherwise=why)


def _arrives(values: Sequence[float], direction: Callable[[Sequence[float], float], bool]) -> bool:
    """Return whether the last value lies in a direction of the first."""
    return direction([values[0], values[-1]], 0.0) and values[0] != values[-1]


def _aside(axis: str, rows: Sequence[Row]) -> str:
    """Return what a time has in it beside operations: writing down what matches, or what else the machine does."""
    try:
        first, *_, last = curve(rows, axis, "matches", method=NOTES_OWN[0]).values()
    except LookupError:
        first = last = 0.0
    if max(first, last) > 10 * min(first, last) + 1:
        return f"workload: an event matches {figure(first)} subscriptions at first, {figure(last)} in the end"
    return "hardware: operations go so, times not everywhere"


def _ends(values: Sequence[float]) -> str:
    return f"{figure(float(values[0]))} to {figure(float(values[-1]))}"


def plots(axis: str, label: str, log_x: bool = False) -> tuple[Plot, ...]:
    """Return the plots of time and of operations over an axis."""
    measured = (("us", "µs for an event"), ("operations", "operations for an event"))
    return tuple(
        Plot(y, f"{name} against {axis}", axis, y, x_label=label, y_label=name, log_x=log_x, log_y=True)
        for y, name in measured
    )


def along_s(column: str, method: str) -> Reading:
    """Return a column of a method by the number of subscriptions."""
    return read(column, along="S", method=method)
