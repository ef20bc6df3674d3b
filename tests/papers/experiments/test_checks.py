"""Claims as data: figures, conditions on them, and sentences about them."""

from __future__ import annotations

import pytest

from watchword.papers.experiments.checks import check, is_met
from watchword.papers.experiments.experiment import Claim
from watchword.papers.experiments.figures import Figures, Reading, ahead, among, each, every, read, text, trend

ROWS = [
    {"method": method, "S": size, "us": us}
    for method, times in (("tree", (8.0, 20.0, 12.0)), ("rapid", (4.0, 5.0, 24.0)))
    for size, us in zip((10, 20, 40), times, strict=True)
]
TREE, RAPID = (read("us", along="S", method=method) for method in ("tree", "rapid"))


@pytest.mark.parametrize(
    ("reading", "figures"),
    [
        (TREE, {10: 8.0, 20: 20.0, 40: 12.0}),
        (read("us", by="method", S=20), {"tree": 20.0, "rapid": 5.0}),
        (read("us", by=("method", "S"), method=("rapid",), S=(10, 40)), {("rapid", 10): 4.0, ("rapid", 40): 24.0}),
        (read("us", S=20, method="tree"), 20.0),
        (every("us", S=40), {0: 12.0, 1: 24.0}),
        (each(("tree", "rapid"), lambda method: read("us", S=40, method=method)), {"tree": 12.0, "rapid": 24.0}),
        (TREE / RAPID, {10: 2.0, 20: 4.0, 40: 0.5}),
        (TREE / TREE[10], {10: 1.0, 20: 2.5, 40: 1.5}),
        (100 / RAPID, {10: 25.0, 20: 20.0, 40: pytest.approx(4.17, abs=0.01)}),
        (abs(1 - RAPID / TREE), {10: 0.5, 20: 0.75, 40: 1.0}),
        (TREE * 2 - RAPID, {10: 12.0, 20: 35.0, 40: 0.0}),
        (TREE.growth, 1.5),
        (TREE.spread, 2.5),
        (RAPID.first, 4.0),
        (RAPID.last, 24.0),
        (TREE.least, 8.0),
        (TREE.most, 20.0),
        (among(TREE, 40, 10), {40: 12.0, 10: 8.0}),
        (ahead(TREE / RAPID), {10: 2.0, 20: 4.0}),
        (trend(RAPID, "rises"), True),
        (trend(TREE, "falls"), False),
        (trend(TREE, "rises", slack=0.39), False),
        (trend(TREE, "rises", slack=0.4), True),
        (text(TREE, "{label}: {figure:.0f}", "; "), "10: 8; 20: 20; 40: 12"),
    ],
)
def test_readings(reading: Reading, figures: object) -> None:
    assert reading(ROWS) == figures


def test_a_family_has_the_least_and_the_most_of_all_of_its_curves() -> None:
    family = each(("tree", "rapid"), lambda method: read("us", along="S", method=method))(ROWS)
    assert (family.least, family.most) == (4.0, 24.0)


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("a > 1", True),
        ("a > 2", False),
        ("a >= 2", True),
        ("1 < a < 2", False),
        ("1 < a <= 2", True),
        ("-0.5 < a", True),
        ("a == 2 and b.least > 3", False),
        ("a == 2 or b.least > 3", True),
        ("b[x] < b[two, words] and b.rises", True),
        ("b.falls", False),
    ],
)
def test_conditions(condition: str, met: bool) -> None:
    assert is_met(condition, {"a": 2, "b": Figures({"x": 3.0, "two, words": 4.0})}) == met


@pytest.mark.parametrize("row", [{"method": "tree", "S": 10}, {"method": "auto", "S": 10, "us": 1.0}, {"us": 0.0}])
def test_rows_that_lack_a_figure_show_nothing(row: dict[str, object]) -> None:
    lead = check("{lead.least:.1f} times", "lead.least > 1", lead=TREE / RAPID)
    assert Claim("lead", "It leads.", "?", lead).judge([row]).verdict == "not shown at this scale"
    alone = check("{a:.1f}", "a > 1", a=read("S", S=10) / read("us", us=0.0))
    assert Claim("alone", "It is alone.", "?", alone).judge([{"S": 10}, {"us": 0.0}]).verdict.startswith("not shown")


@pytest.mark.parametrize(
    ("says", "holds", "weaker"),
    [("{led.least:.1f}", "lead.least > 1", ""), ("{lead}", "lead.least > 1", "led > 1"), ("none", "1 < 2", "")],
)
def test_a_figure_that_is_not_given_or_not_named_is_refused(says: str, holds: str, weaker: str) -> None:
    with pytest.raises(ValueError, match="do not name the figures given"):
        check(says, holds, weaker=weaker, lead=TREE)
