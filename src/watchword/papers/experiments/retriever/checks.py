"""What the checks of REtriever's claims are written with.

Counts decide wherever the claim is one about work, for they are the same on every machine; the times of this run are
named beside them. The paper's ways to split are those with records, whose MATCH is the published one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.retriever.engines import PUBLICATIONS
from watchword.papers.experiments.rows import curve, figure

RECOMBINING = (
    "paper: by the operations of its own MATCH cutting saves few visits and leaves short words that many subscriptions "
    "have: each has a record for each, to be given positions and walked back through"
)


def of(rows: Sequence[Row], axis: str, column: str, method: str) -> dict[Any, float]:
    """Return a column of a method over an axis, of the run with the paper's number of publications."""
    return curve(rows, axis, column, method=method, publications=PUBLICATIONS)


def growth(values: Mapping[Any, float]) -> float:
    """Return the last value of a curve as a multiple of the first.

    >>> growth({1: 4.0, 2: 5.0, 3: 6.0})
    1.5
    """
    found = list(values.values())
    return found[-1] / found[0]


def listed(values: Mapping[Any, float]) -> str:
    """Return a curve in words.

    >>> listed({"nfa": 650.0, "single": 250.0})
    'nfa 650, single 250'
    """
    return ", ".join(f"{at} {figure(value)}" for at, value in values.items())


def by_method(rows: Sequence[Row], axis: str, column: str, at: Any, methods: Sequence[str]) -> dict[str, float]:
    """Return a column at one value of an axis, by method."""
    return {method: of(rows, axis, column, method)[at] for method in methods}
