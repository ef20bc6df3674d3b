"""`explain`: each predicate with the values that it met, and always in agreement with `match`."""

from __future__ import annotations

import datetime
import json

import pytest
from hypothesis import given, settings

from tests.predicate_oracle import matches
from tests.predicate_strategies import HIERARCHIES, events, queries
from watchword import EventError, PredicateIndex

QUOTE = {"name": "RBS", "value": 15, "tags": ["a", "b"], "at": datetime.date(2024, 1, 1), "o": [{"p": 1}, {"p": 2}]}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name = 'RBS' AND value > 20", "no match: missing value > 20 (met 15) in: name = 'RBS' AND value > 20"),
        ("gone = 1", "no match: missing gone = 1 (it is missing) in: gone = 1"),
        ("gone IS MISSING AND value = 15", "match: value = 15 AND NOT gone EXISTS"),
        ("name IS MISSING", "no match: forbidden name EXISTS (met 'RBS') in: NOT name EXISTS"),
        ("tags = 'c'", "no match: missing tags = 'c' (met 'a', 'b') in: tags = 'c'"),
        ("at > '2025-01-01'", "no match: missing at > '2025-01-01' (met '2024-01-01') in: at > '2025-01-01'"),
        ("o = 1", "no match: missing o = 1 (met an object, an object) in: o = 1"),
        ("ANY o (p > 2)", "no match: missing ANY o (p > 2) (met an object, an object) in: ANY o (p > 2)"),
        ("ANY o (p = 2)", "match: ANY o (p = 2)"),
        ("value > 20 OR value < 20 OR value = 3", "match: value < 20"),
    ],
)
def test_what_it_says(text: str, says: str) -> None:
    index = PredicateIndex({"r": text})
    assert str(index.explain(QUOTE, "r")) == says


def test_the_nearest_clause_comes_first() -> None:
    index = PredicateIndex({"r": "name = 'x' AND value > 20 OR name = 'RBS' AND value > 20"})
    explained = index.explain(QUOTE, "r")
    assert not explained.matched
    assert "missing value > 20 (met 15)" in str(explained).splitlines()[0]


def test_long_lists_are_cut() -> None:
    index = PredicateIndex({"r": "a = 9"})
    assert "(met 0, 1, 2, 3, 4, …)" in str(index.explain({"a": list(range(8))}, "r"))
    assert "(met 0, 1, 2, 3, 4)" in str(index.explain({"a": list(range(5))}, "r"))


def test_events_are_read_as_for_matching() -> None:
    index = PredicateIndex({"r": "a = 9"})
    assert index.explain('{"a": 9}', "r").matched and index.explain(b'{"a": 9}', "r").matched
    for event in ("{", [1], 5, None):
        with pytest.raises(EventError):
            index.explain(event, "r")
    with pytest.raises(KeyError):
        index.explain({}, "s")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(queries, events)
def test_it_agrees_with_the_judge(text: str, event: dict) -> None:
    index = PredicateIndex(hierarchies=HIERARCHIES)
    index["r"] = text
    explained = index.explain(event, "r")
    assert explained.matched == matches(text, event, HIERARCHIES) == (index.match(event) == ["r"])
    assert str(explained)


def test_a_contradiction_matches_nothing() -> None:
    index = PredicateIndex({"r": "a = 1 AND NOT a = 1"})
    assert index.match({"a": 1}) == [] and not index.explain(json.dumps({"a": 1}), "r").matched


@pytest.mark.parametrize("text", ["a = 1", "NOT a = 1", "a > 1 OR b = 1", "a EXISTS"])
def test_a_value_of_no_kind_is_refused_as_by_match(text: str) -> None:
    index = PredicateIndex({"r": text})
    for event in ({"a": b"x"}, {"a": [1, object()]}):
        with pytest.raises(EventError, match=r"a: a .* is no value") as refused:
            index.explain(event, "r")
        with pytest.raises(EventError) as same:
            index.match(event)
        assert str(refused.value) == str(same.value)
    assert not PredicateIndex({"r": "a KIND OF 'x'"}).explain({"a": b"x"}, "r")
