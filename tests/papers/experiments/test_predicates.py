"""The experiments of predicates, on tiny cells: counts that no machine changes."""

from __future__ import annotations

import pytest

from watchword.papers.experiments.experiment import Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.predicates import EXPERIMENTS, FIGURE_5, FIGURE_6, FIGURE_7, SECTION_4, SECTION_5
from watchword.papers.experiments.rows import by

METHODS = ("counting", "non-propagation", "propagation")


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    yield
    SHELF.clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("equalities", "work", "matches"),
    [(4, (229.10, 174.42, 59.78, 15.8), 0.0), (2, (2083.66, 167.40, 57.86, 16.3), 0.44)],
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
            ("holds weaker", "holds weaker", "holds weaker", "does not hold"),
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


def test_figures_of_time_are_judged_by_times_with_some_slack() -> None:
    noisy = rows_of("NP", a=[3.0, 4.0, 3.8, 6.0], b=[2.0, 3.0, 2.9, 5.0], c=[1.0, 2.0, 1.9, 3.0])
    rising = FIGURE_7.claims[-1]
    assert rising.times and rising.judge(noisy).verdict == "holds"
    slower = [row | {"us": 9.0 - row["NP"]} if row["method"] == "propagation" else row for row in noisy]
    judged = rising.judge(slower)
    assert judged.verdict == "holds weaker" and judged.why == (
        "paper: by its own design propagation stops at the first predicate that fails, and more of them cost it little "
        "(propagation 8 to 5 µs)"
    )
    fewer = [row | {"us": 9.0 - row["NP"], "operations": row["NP"], "matches": 30.0 / row["NP"] ** 3} for row in noisy]
    judged = rising.judge(fewer)
    assert judged.verdict == "does not hold" and judged.why.startswith("workload: an event matches 30 subscriptions")
    flat = [row | {"us": 5.0} for row in noisy]
    assert rising.judge(flat).verdict == "does not hold"


def test_fastest_rests_on_times_and_can_fail_where_operations_are_fewest() -> None:
    rows = rows_of("S", a=[3.0, 9.0, 9.0], b=[2.0, 5.0, 5.0], c=[1.0, 2.0, 2.0])
    verdicts = []
    for lost in ((), (1,), (1, 2), (1, 2, 3)):
        changed = [row | {"us": 10.0} if row["method"] == "propagation" and row["S"] in lost else row for row in rows]
        verdicts.append(FIGURE_5.claims[0].judge(changed).verdict)
    assert verdicts == ["holds", "holds weaker", "does not hold", "does not hold"]


def test_unnecessary_tests_are_those_that_propagation_does_not_make() -> None:
    (claim,) = (claim for claim in SECTION_4.claims if claim.id == "unnecessary")
    for factor, expected in ((3.0, "holds"), (1.5, "holds weaker"), (0.9, "does not hold")):
        work = {"counting": 10.0 * factor, "propagation": 10.0}
        rows = [
            {"S": size, "method": name, "operations": done, "matches": 0.1, "NP": 4}
            for size in (10, 20)
            for name, done in work.items()
        ]
        assert claim.judge(rows).verdict == expected


@pytest.mark.slow
def test_kind_of_and_contains_are_clustered_by_their_equalities() -> None:
    rows = SECTION_5.measure({"S": 3_000, "EQ": 2}, "small", 2000)
    work = by(rows, "method", "operations")
    assert work["propagation"] < work["non-propagation"] < work["counting"]
    assert {row["NP"] for row in rows} == {4}
