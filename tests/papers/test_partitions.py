"""A predicate index as binary properties: both find the same, whatever the method."""

from __future__ import annotations

import random

import pytest

from watchword import PredicateIndex
from watchword.errors import EventError, SubscriptionError
from watchword.papers.partitions import Partition, binary_model

VALUES = [
    None,
    -1,
    0,
    1,
    1.5,
    2,
    3,
    4.0,
    1e300,
    float("inf"),
    float("nan"),
    "",
    "a",
    "b",
    "bb",
    "z",
    True,
    False,
    {"x": 1},
]
CONSTANTS = ["0", "1", "2", "3.5", "'a'", "'b'", "TRUE"]


def predicate(draw: random.Random) -> str:
    name, first = draw.choice("abc"), draw.choice(CONSTANTS)
    sign = draw.choice(["=", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN", "EXISTS", "IS MISSING"])
    if sign in ("EXISTS", "IS MISSING"):
        return f"{name} {sign}"
    if sign == "IN":
        return f"{name} IN ({', '.join(draw.sample(CONSTANTS, 3))})"
    if first == "TRUE" and sign not in ("=", "!="):
        first = "2"
    if sign == "BETWEEN":
        return f"{name} BETWEEN {first} AND {draw.choice(CONSTANTS[:4] if first[0] != chr(39) else CONSTANTS[4:6])}"
    return f"{name} {sign} {first}"


def rule(draw: random.Random) -> str:
    parts = [("NOT " if draw.random() < 0.2 else "") + predicate(draw) for _ in range(draw.randint(1, 4))]
    return draw.choice([" AND ", " AND ", " OR "]).join(parts)


@pytest.mark.parametrize("method", ["brute", "tree", "rapid", "auto"])
def test_both_indexes_find_the_same(method: str) -> None:
    for seed in range(8):
        draw = random.Random(seed)
        rules = PredicateIndex({f"r{number}": rule(draw) for number in range(40)})
        model = binary_model(rules, method=method)
        for _ in range(60):
            event = {name: draw.choice(VALUES) for name in "abc" if draw.random() < 0.8}
            assert model.match(event) == rules.match(event), (seed, event)
            assert model.space.bits(event).count("1") == len(model.space.partitions)


def test_parts_are_missing_other_and_by_kind_below_at_and_above() -> None:
    parts = Partition(("a",), {(2, "b"), (1, 5), (1, 2)})
    values = [None, True, 1, 2, 3, 5, 6, "a", "b", "c"]
    assert [parts.part_of(value) for value in values] == list(range(10)) and parts.size == 10


def test_nested_attributes_and_lists_of_one_value() -> None:
    rules = PredicateIndex({"s": "order.price > 5", "t": "order.price > 5 AND order.price < 3"})
    model = binary_model(rules)
    assert model.match({"order": {"price": [7]}}) == rules.match({"order": {"price": [7]}}) == ["s"]
    assert model.owners == ["s"], "what no event satisfies has no row"


def test_no_subscriptions_have_no_properties_but_a_model() -> None:
    rules = PredicateIndex({"s": "a EXISTS"})
    assert binary_model(rules).space.meanings == ("a: missing", "a: other")
    assert binary_model(rules).match({"a": [1]}) == ["s"] and binary_model(rules).match({}) == []


@pytest.mark.parametrize(
    "text",
    ["a STARTS WITH 'x'", "a = 'x' IGNORING CASE", "a > '2024-01-01'", "a IN CIDR '10.0.0.0/8'", "ANY a (b = 1)"],
)
def test_predicates_that_do_not_cut_an_attribute_are_refused(text: str) -> None:
    with pytest.raises(SubscriptionError, match="'odd' does not cut an attribute into parts"):
        binary_model(PredicateIndex({"even": "a = 1", "odd": text}))


def test_events_with_several_values_are_refused() -> None:
    model = binary_model(PredicateIndex({"s": "a = 1"}))
    with pytest.raises(EventError, match="'a' has 2 values"):
        model.match({"a": [1, 2]})
