"""The oracle itself: its examples, and a few verdicts worked out by hand."""

from __future__ import annotations

import doctest

import pytest

from tests import oracle


def test_examples() -> None:
    outcome = doctest.testmod(oracle)
    assert outcome.attempted > 10 and outcome.failed == 0


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("a b OR c", ["a b", "c", "c d"]),
        ("a AND b OR c AND d", ["a b", "c d"]),
        ("a (b OR c)", ["a b", "a c"]),
        ("NOT a b", ["b", "c b"]),
        ("NOT (a b)", ["a", "", "c"]),
        ('"a b" OR "b c"', ["a b", "x b c"]),
        ("-a -b", ["", "c"]),
    ],
)
def test_matches(query: str, texts: list[str]) -> None:
    assert all(oracle.matches(query, text) for text in texts)


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("a b OR c", ["a", "b", ""]),
        ("a (b OR c)", ["a", "b c"]),
        ("NOT a b", ["a b", "a"]),
        ("NOT (a b)", ["b a"]),
        ('"a b"', ["b a", "a x b", "ab"]),
        ("a NOT a", ["", "a", "b"]),
    ],
)
def test_does_not_match(query: str, texts: list[str]) -> None:
    assert not any(oracle.matches(query, text) for text in texts)


@pytest.mark.parametrize(
    "query",
    ["", " ", "&", "NOT &", "(&)", "()", "a ()", "a AND", "OR b", "NOT", "a OR OR b", "(a", "a)", '"a', '""'],
)
def test_refuses(query: str) -> None:
    with pytest.raises(ValueError):
        oracle.parse(query)
