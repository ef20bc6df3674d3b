"""Looking things up in rows."""

from __future__ import annotations

import pytest

from watchword.papers.experiments.rows import by, curve, falls, figure, rises, value

ROWS = [{"method": "tree", "S": 20, "us": 2.0}, {"method": "tree", "S": 10, "us": 1.0}, {"method": "auto", "S": 10}]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (1234567, "1,234,567"),
        (1234.56, "1,235"),
        (0.012345, "0.0123"),
        ("trie", "trie"),
        (3.0, "3"),
    ],
)
def test_figures_are_short(value: object, text: str) -> None:
    assert figure(value) == text


def test_a_curve_is_in_the_order_of_its_axis() -> None:
    assert list(curve(ROWS, "S", "us", method="tree").items()) == [(10, 1.0), (20, 2.0)]
    assert by(ROWS, "S", "us", method="tree") == {20: 2.0, 10: 1.0}


def test_what_no_row_has_is_a_lookup_error() -> None:
    with pytest.raises(LookupError, match="auto"):
        curve(ROWS, "S", "us", method="auto")
    with pytest.raises(LookupError, match="2 rows"):
        value(ROWS, "us", method="tree")


def test_a_slack_forgives_a_dent() -> None:
    assert rises([1, 2, 2]) and not rises([2.0, 1.9]) and rises([2.0, 1.9], slack=0.1)
    assert falls([2, 2, 1]) and not falls([1.9, 2.0]) and falls([1.9, 2.0], slack=0.1)
