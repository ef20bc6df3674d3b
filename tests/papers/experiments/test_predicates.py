"""The experiments of predicates, on tiny cells: counts that no machine changes."""

from __future__ import annotations

import pytest

from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.predicates import EXPERIMENTS, FIGURE_5, FIGURE_6, FIGURE_7
from watchword.papers.experiments.rows import by

METHODS = ("counting", "non-propagation", "propagation")


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    yield
    SHELF.clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("equalities", "work", "matches"),
    [(4, (229.10, 174.42, 59.78, 1.0), 0.0), (2, (2537.04, 167.40, 58.06, 1.0), 0.68)],
)
def test_propagation_checks_a_third_of_the_predicates(equalities: int, work: tuple[float, ...], matches: float) -> None:
    rows = FIGURE_5.measure({"S": 2_000, "V": 35, "NP": 4, "EQ": equalities}, "small", 2000)
    assert by(rows, "method", "operations") == dict(zip((*METHODS, "auto"), work, strict=True))
    assert {row["matches"] for row in rows} == {matches}


def test_cells_vary_one_parameter_each() -> None:
    for experiment in EXPERIMENTS:
        for scale in ("small", "paper"):
            cells = experiment.cells(scale)
            varied = {name for name in cells[0] if len({cell[name] for cell in cells}) > 1}
            assert varied in ({"S"}, {"V"}, {"NP"}, {"EQ"}, {"NP", "EQ"})


def rows_of(axis: str, **curves: list[float]) -> list[Row]:
    """Rows in which the three methods take these times, and as many operations."""
    return [
        {axis: at, "method": method, "us": cost, "operations": cost}
        for method, costs in zip(METHODS, curves.values(), strict=True)
        for at, cost in enumerate(costs, 1)
    ]


@pytest.mark.parametrize(
    ("curves", "expected"),
    [
        (([3.0, 9.0], [2.9, 7.0], [1.0, 2.0]), ("holds", "holds", "holds", "holds")),
        (([3.0, 9.0], [1.0, 2.0], [2.0, 1.5]), ("does not hold", "does not hold", "holds", "holds weaker")),
        (
            ([3.0, 9.0, 10.0], [4.0, 1.0, 2.0], [1.0, 2.0, 1.0]),
            ("holds weaker", "holds weaker", "holds weaker", "holds weaker"),
        ),
    ],
)
def test_verdicts_of_figure_5(curves: tuple[list[float], ...], expected: tuple[str, ...]) -> None:
    rows = rows_of("S", **dict(zip("abc", curves, strict=True)))
    assert tuple(claim.judge(rows).verdict for claim in FIGURE_5.claims) == expected


def test_directions_of_figures_6_and_7() -> None:
    falling = {"a": [3.0, 2.0], "b": [3.0, 1.0], "c": [2.0, 1.0]}
    assert FIGURE_6.claims[-1].judge(rows_of("V", **falling)).verdict == "holds"
    assert FIGURE_7.claims[-1].judge(rows_of("NP", **falling)).verdict == "does not hold"
