"""The methods of the notes, and their traps: what the printed code gets wrong is right here, in every method."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import watchword
from tests.contract.cases import DRAWN_EVENTS, found, samples
from tests.predicate_oracle import matches
from tests.predicate_strategies import HIERARCHIES, events, queries
from watchword import Index, OptionError, PredicateIndex

METHODS = ("auto", "brute", "counting", "propagation", "non-propagation")

every = pytest.mark.parametrize("method", METHODS)


def test_the_methods() -> None:
    assert tuple(watchword.methods("predicates")) == METHODS
    with pytest.raises(OptionError, match="no method 'tree' for predicates"):
        PredicateIndex(method="tree")


@every
def test_figure_1_4(method: str) -> None:
    """The thesis's stock quotes."""
    index = PredicateIndex({"S1": "name = 'NWK' AND value > 55", "S2": "name = 'RBS' AND value > 20"}, method=method)
    assert index.match({"name": "RBS", "value": 60}) == ["S2"]
    assert index.match({"name": "NWK", "value": 55}) == []


@every
def test_a_subscription_without_equality_is_found(method: str) -> None:
    """It has no equality to cluster by: ranges, negations, nothing but negations."""
    rules = {
        "range": "value > 20",
        "ranges": "value > 20 AND value < 30 AND size >= 5",
        "unequal": "name != 'RBS'",
        "not": "NOT name = 'RBS'",
        "missing": "name IS MISSING",
        "prefix": "name STARTS WITH 'R'",
        "exists": "name EXISTS",
        "equal": "name = 'RBS'",
    }
    index = PredicateIndex(rules, method=method)
    assert index.match({"name": "RBS", "value": 25, "size": 5}) == ["range", "ranges", "prefix", "exists", "equal"]
    assert index.match({"value": 25}) == ["range", "not", "missing"]
    assert index.match({}) == ["not", "missing"]
    assert index.match({"name": "NWK"}) == ["unequal", "not", "exists"]


@every
def test_predicates_on_what_an_event_lacks_are_false(method: str) -> None:
    index = PredicateIndex(
        {"ne": "a != 1", "lt": "a < 1", "in": "a IN (1, 2)", "and": "a != 1 AND b = 1"}, method=method
    )
    for event in ({}, {"b": 1}, {"a": None, "b": 1}, {"a": [], "b": 1}):
        assert index.match(event) == []


@every
def test_a_cluster_holds_rows_of_different_lengths(method: str) -> None:
    """The printed C++ takes the first member's length for the whole cluster."""
    rules = {n: " AND ".join(["a = 1", *(f"b{k} = 1" for k in range(n))]) for n in range(6)}
    index = PredicateIndex(rules, method=method)
    for size in range(6):
        assert index.match({"a": 1, **{f"b{k}": 1 for k in range(size)}}) == list(range(size + 1))


@every
def test_nothing_is_counted_twice_or_kept_from_the_event_before(method: str) -> None:
    """The printed C++ counts with reused state and leaves its loop too early."""
    index = PredicateIndex({"r": "a = 1 AND b = 1 AND c = 1", "s": "a = 1 AND b = 1"}, method=method)
    halves = [{"a": 1}, {"b": 1, "c": 1}] * 3
    assert found(index.match_many(halves), 6) == [[]] * 6
    assert index.match({"a": [1, 1, 1]}) == [] and index.match({"a": [1, 1], "b": [1, 1]}) == ["s"]
    assert found(index.match_many([{"a": 1, "b": 1, "c": 1}, {}, {"a": 1, "b": 1}]), 3) == [["r", "s"], [], ["s"]]


@every
def test_values_whose_hashes_clash_are_different(method: str) -> None:
    values: list[Any] = [-1, -2, 2**61 - 1, 0, 2**61, 1, 2**63, 2**64 + 8, "1", True, 1.5, "x", "1.5"]
    rules = {n: f"a = {literal(value)} AND b = 1" for n, value in enumerate(values)}
    index = PredicateIndex(rules, method=method)
    for number, value in enumerate(values):
        assert index.match({"a": value, "b": 1}) == [number]


def literal(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else repr(value)


@every
def test_kind_of_and_contains_belong_to_the_language(method: str) -> None:
    rules = {
        "kind": "topic KIND OF 'politics' AND tags CONTAINS 'x'",
        "both": "tags CONTAINS 'x' AND tags CONTAINS 'y'",
    }
    index = PredicateIndex(rules, method=method, hierarchies={"topic": {"national": "politics"}})
    assert index.match({"topic": "national", "tags": ["y", "x"]}) == ["kind", "both"]
    assert index.match({"topic": "politics", "tags": "x"}) == ["kind"]
    assert index.match({"topic": "sports", "tags": ["y"]}) == []


@every
def test_insert_and_delete(method: str) -> None:
    draw = random.Random(1)
    index, model = PredicateIndex(method=method), {}
    for step in range(200):
        key = draw.randrange(60)
        if key in model and draw.random() < 0.5:
            del index[key], model[key]
        else:
            index[key] = model[key] = draw.choice(
                ["a = {0} AND b > {1}", "a = {0} OR b = {1}", "NOT a = {0}", "b BETWEEN {1} AND {0}", "a IN ({0}, {1})"]
            ).format(draw.randrange(4), draw.randrange(4))
        if step % 20 == 0:
            for event in ({"a": 1, "b": 2}, {"a": [0, 3]}, {"b": 1.5}, {}):
                assert sorted(index.match(event)) == sorted(k for k, text in model.items() if matches(text, event))
    for key in list(model):
        del index[key]
    assert len(index) == 0 and index.match({"a": 1, "b": 1}) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_all_methods_agree_with_the_judge(seed: int, tmp_path: Path) -> None:
    texts, judged = samples(queries)[:150], samples(events, DRAWN_EVENTS)[:40]
    model = dict(enumerate(random.Random(seed).sample(texts, min(100, len(texts)))))
    expected = [[key for key, text in model.items() if matches(text, event, HIERARCHIES)] for event in judged]
    for method in METHODS:
        index = PredicateIndex(model, method=method, hierarchies=HIERARCHIES)
        assert [index.match(event) for event in judged] == expected, method
        index.save(tmp_path / method)
        assert found(Index.open(tmp_path / method).match_many(judged), len(judged)) == expected, method


def test_figures_count_what_each_method_does() -> None:
    rules = {n: f"a = {n % 10} AND b = {n % 7} AND c > {n % 5}" for n in range(1000)}
    events = [{"a": n % 10, "b": n % 7, "c": n % 9} for n in range(50)]
    done = {}
    for method in METHODS:
        index = PredicateIndex(rules, method=method)
        index.match_many(events)
        done[method] = index.stats().operations_per_match
        assert index.stats().subscriptions == index.stats().clauses == 1000
        assert index.stats().atoms == 10 + 7 + 5
    assert done["propagation"] <= done["non-propagation"] < done["brute"]
    assert done["auto"] < done["counting"]


@every
def test_subscriptions_are_found_whatever_their_order(method: str) -> None:
    rules = {n: f"v >= {n}" for n in range(50)}
    for order in (1, -1):
        index = PredicateIndex(method=method)
        for key in list(rules)[::order]:
            index[key] = rules[key]
        assert sorted(index.match({"v": 20.5})) == list(range(21))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "counting", "propagation"])
def test_many_attributes(method: str) -> None:
    """Rules that are each about something else: nothing may grow with the square of the attributes."""
    rules = {n: f"a{n} = 1 AND b = {n % 7}" if n % 2 else f"c.a{n} > 1" for n in range(20_000)}
    index = PredicateIndex(rules, method=method)
    assert index.match({"a5": 1, "b": 5, "a7": 2}) == [5]
    assert index.match({"c": [{"a8": 2}, {"a10": 1, "x": 1}], 5: 1}) == [8]
    assert found(index.match_many([{"a5": 1, "b": 5}, {"c": {"a6": 1.5}}, {}]), 3) == [[5], [6], []]
    assert index.stats().bytes < 20_000_000
