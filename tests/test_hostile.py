"""What strangers may hand in, in every language: refused by the right error, in a short message, and soon."""

from __future__ import annotations

import json
import time
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from watchword import (
    EventError,
    KeywordIndex,
    PathIndex,
    PatternIndex,
    PredicateIndex,
    PropertyIndex,
    SubscriptionError,
    SubscriptionSyntaxError,
)
from watchword.index import Index
from watchword.predicates import from_eventbridge

LONG = 1_000_000
SOON = 30.0
"""Seconds of computing, kernels compiled or not; what is quadratic takes minutes."""


def properties() -> PropertyIndex[Any]:
    return PropertyIndex(properties=["sports", "politics"])


BOMBS: dict[str, tuple[type[Index] | Any, str]] = {
    "a distance of a million digits": (KeywordIndex, "a w/" + "1" * LONG),
    "a word of a predicate": (PredicateIndex, "a = 1 " + "b" * LONG),
    "a comparison": (PredicateIndex, "a " + "b" * LONG),
    "an attribute": (PredicateIndex, "1" * 4000),
    "a text": (PredicateIndex, "a = '" + "x" * LONG + "'"),
    "a node of many levels": (PredicateIndex, "a KIND OF '" + "/" * 60_000 + "'"),
    "a property without a value": (properties, "p" * LONG),
    "an unknown property": (properties, "p" * LONG + "=1"),
    "a ternary string": (properties, "01" * LONG),
    "a property that looks like a place for one": (properties, "{0.__class__}{"),
    "a pattern": (PatternIndex, "a" * LONG),
    "a path": (PathIndex, "/a" * LONG),
    "a prefix": (lambda: PathIndex(namespaces={"x": "urn:x"}), "//" + "y" * 4000 + ":a"),
}


@pytest.mark.parametrize(("make", "text"), BOMBS.values(), ids=BOMBS.keys())
def test_a_message_does_not_repeat_the_bomb(make: Any, text: str) -> None:
    index = make()
    with pytest.raises(SubscriptionSyntaxError) as refused:
        index["s"] = text
    assert len(str(refused.value)) < 1_000 and not len(index)


def test_values_that_cannot_be_written_are_named_all_the_same() -> None:
    huge = 10**5_000  # more digits than Python writes
    for ids in ({huge: "a"}, {"s": "a", huge: "b"}, [(huge, huge)], [huge], [("s", huge)]):
        with pytest.raises(SubscriptionError):
            KeywordIndex(ids)  # type: ignore[arg-type]
    with pytest.raises(EventError):
        KeywordIndex({"s": "a"}).match([huge])
    with pytest.raises(EventError):
        properties().match({"sports": huge})
    rules = PredicateIndex({"s": "value < 5", "t": "value > 5"})
    assert rules.match({"value": huge}) == ["t"]
    assert "thousands of digits" in str(rules.explain({"value": huge}, "s"))


def test_a_short_text_that_stands_for_a_huge_number_costs_nothing() -> None:
    rules = PredicateIndex({"more": "value > 5", "less": "value < 5", "same": "value = 5"})
    began = time.process_time()
    assert rules.match({"value": Decimal("1e99999999")}) == ["more"]
    assert rules.match({"value": Decimal("-1e99999999")}) == ["less"]
    assert rules.match({"value": Decimal("1e-99999999")}) == ["less"]
    assert rules.match({"value": Decimal("Infinity")}) == ["more"]
    assert rules.match({"value": Decimal("NaN")}) == rules.match({"value": Decimal("sNaN")}) == []
    assert rules.match({"value": Decimal("5.0")}) == ["same"]
    assert rules.match(json.loads('{"value": 1e99999999}', parse_float=Decimal)) == ["more"]
    assert time.process_time() - began < SOON


def test_a_key_that_stands_twice_among_many_is_found_soon() -> None:
    event = "{" + ", ".join(f'"k{n}": 1' for n in range(100_000)) + ', "last": 1, "last": 2}'
    began = time.process_time()
    with pytest.raises(EventError, match="the key 'last' stands in one object twice"):
        PredicateIndex({"s": "k1 = 1"}).match(event)
    with pytest.raises(SubscriptionError, match="last: the key stands twice"):
        from_eventbridge(event.replace("1", "[1]").replace("2}", "[2]}"))
    wide = pa.array([{f"p{n}": True for n in range(20_000)}])
    declared = PropertyIndex({"s": "p7=1"}, properties=[f"p{n}" for n in range(20_000)])
    assert len(declared.match_many(wide)) == 1
    assert time.process_time() - began < SOON


def test_a_path_of_many_levels_is_below_the_first_of_them() -> None:
    rules = PredicateIndex(hierarchies={"topic": {"a": "top"}})
    rules.update({"s": "topic KIND OF 'a'", "t": "topic KIND OF 'a/a/a'", "u": "topic KIND OF 'top'"})
    deep = "a/" * 500_000
    began = time.process_time()
    assert rules.match({"topic": deep}) == rules.match({"topic": "a/a/a"}) == ["s", "t", "u"]
    assert rules.match_many(pa.table({"topic": [deep, "a/a", deep]}), ordered=True).to_pydict() == {
        "event": [0, 0, 0, 1, 1, 2, 2, 2],
        "subscription": ["s", "t", "u", "s", "u", "s", "t", "u"],
    }
    assert time.process_time() - began < SOON


@pytest.mark.slow
def test_columns_of_deeply_nested_types_are_refused() -> None:
    column = pa.array(["x"], pa.string_view())
    for _ in range(300):
        column = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), column)
    indexes = (KeywordIndex(), PatternIndex(), PathIndex(), PredicateIndex(), properties())
    for index in indexes:
        with pytest.raises(EventError):
            index.match_many(column)
        with pytest.raises(EventError):
            index.match_many(pa.table({"a": column}), column="a")
        with pytest.raises(SubscriptionError):
            index.update(pa.table({"id": column, "subscription": column}))


@pytest.mark.slow
def test_all_lists_of_a_rule_share_what_it_may_cost() -> None:
    pairs = " AND ".join(f"(x{n} = 1 OR y{n} = 1)" for n in range(8))
    inner = pairs + " AND (NOT x0 = 1 OR NOT y0 = 1)" * 12  # which leaves as many clauses as there were
    index = PredicateIndex(max_work=100_000)
    index.check(f"ANY list ({inner})")
    with pytest.raises(SubscriptionSyntaxError, match="max_work=100000 steps"):
        index.check(" AND ".join(f"ANY list{n} ({inner})" for n in range(60)))


def test_lists_in_lists_do_not_multiply_without_end() -> None:
    """Five pairs are multiplied out, into 32 clauses that each repeat what stands inside: six lists are too much."""
    text, index = "z = 1", PredicateIndex()
    for level in range(6):
        pairs = " AND ".join(f"(x{n} = 1 OR y{n} = 1)" for n in range(5))
        text = f"ANY list{level} ({text} AND {pairs})"
        if not level:
            index.check(text)
    with pytest.raises(SubscriptionSyntaxError, match="max_work=2097152 steps"):
        index.check(text)


CARETS = [
    ("greece AND (", 11),
    ("東京 AND (", 9),
    ("cafe\u0301 (", 5),
    ("a\x1bb (", 7),
    ("a\u202eb (", 9),
]


@pytest.mark.parametrize(("text", "column"), CARETS)
def test_the_caret_stands_where_a_terminal_shows_the_fault(text: str, column: int) -> None:
    with pytest.raises(SubscriptionSyntaxError) as refused:
        KeywordIndex().check(text)
    _, shown, caret = str(refused.value).split("\n")
    assert caret == "  " + " " * column + "^"
    assert shown.isprintable()


ACTING = [
    (PredicateIndex, "a = '\x1b[2J' ("),
    (PredicateIndex, "a \x1b"),
    (properties, "\x1b[2J"),
    (properties, "\x1b[2J=1"),
    (properties, "\u202e=x"),
    (PathIndex, "//a\x1b"),
    (PatternIndex, "\x1b\\"),
]


@pytest.mark.parametrize(("make", "text"), ACTING)
def test_what_acts_on_a_terminal_is_shown_in_errors(make: Any, text: str) -> None:
    with pytest.raises(SubscriptionSyntaxError) as refused:
        make().check(text)
    assert str(refused.value).replace("\n", "").isprintable()
