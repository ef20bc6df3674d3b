"""Events in bulk, as columns or JSON: the same answers as one by one, and as the oracle gives for the same objects."""

from __future__ import annotations

import datetime
import json
import random
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from tests.contract.cases import found, samples
from tests.predicate_oracle import matches
from tests.predicate_strategies import HIERARCHIES, queries
from watchword import EventError, PredicateIndex

WORDS = ["", "x", "xy", "X", "straße", "STRASSE", "東京", "5", "2024-01-01", "2024-01-01T01:30:00+01:30", "it's"]
INTEGERS = [0, 1, 2, 5, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]


def table(seed: int, rows: int = 60) -> pa.Table:
    """Return typed columns, with nulls, under the names that the queries ask for."""
    one = random.Random(seed)

    def some(values: list[Any]) -> list[Any]:
        return [one.choice([None, *values, *values]) for _ in range(rows)]

    days = [datetime.date(2024, 1, 1), datetime.date(2023, 12, 31)]
    moments = [datetime.datetime(2024, 1, 1, 0, 0), datetime.datetime(2024, 1, 1, 1, 30)]
    orders = [[{"price": 5, "sku": "x"}, {"price": None, "sku": "xy"}], [], [{"price": 1, "sku": "X"}], None]
    columns = {
        "a": one.choice([pa.array(some(INTEGERS), pa.int64()), pa.array(some(WORDS)), pa.array(some([True, False])),
                         pa.array(some([0.0, 1.5, float("nan"), float("inf"), 2.0**53])), pa.array(some(days)),
                         pa.array(some([[1, 5], ["x"][:0], [2, None]]), pa.list_(pa.int64()))]),
        "b": one.choice([pa.array(some(WORDS)).dictionary_encode(), pa.array(some(WORDS), pa.large_string()),
                         pa.array(some([0, 1, 2**63 + 5]), pa.uint64()), pa.array(some([1.5, 0.1]), pa.float32())]),
        "c": one.choice([pa.array(some([Decimal("1.0"), Decimal("1.5")])), pa.array(some([["x", "xy"], ["y"]])),
                         pa.array(some(moments), pa.timestamp("us")), pa.nulls(rows)]),
        "n": pa.array(some([{"x": "x", "y": 1}, {"x": None, "y": 2}, {"x": "xy", "y": None}])),
        "q r": pa.array(some(WORDS)),
        "orders": pa.array(some(orders), pa.list_(pa.struct({"price": pa.int64(), "sku": pa.string()}))),
        "topic": pa.array(some(["politics", "national", "politics/national", "x"])),
        "ip": pa.array(some(["10.0.0.1", "2001:db8::1", "x"])),
        "day": one.choice([pa.array(some(moments), pa.timestamp("ns", "UTC")), pa.array(some(WORDS[-3:]))]),
        "noise": pa.array(some([b"bytes"])),
    }  # fmt: skip
    return pa.table({name: column for name, column in columns.items() if one.random() < 0.9})


def plain(event: Any) -> Any:
    """Return an event in Python's own types, which the judge knows; moments have whole microseconds here."""
    return {name: _plain(value) for name, value in event.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value.to_pydatetime() if isinstance(value, pd.Timestamp) else value


def wanted(model: dict[int, str], events: list[Any]) -> list[list[int]]:
    events = [plain(event) for event in events]
    return [[key for key, text in model.items() if matches(text, event, HIERARCHIES)] for event in events]


@pytest.mark.parametrize("method", ["auto", "counting"])
@pytest.mark.parametrize("seed", range(12))
def test_columns_are_the_objects_that_they_hold(seed: int, method: str) -> None:
    model = dict(enumerate(random.Random(seed).sample(samples(queries)[:120], 60)))
    index = PredicateIndex(model, method=method, hierarchies=HIERARCHIES)
    events = table(seed)
    expected = wanted(model, events.to_pylist())
    assert found(index.match_many(events), len(events)) == expected
    assert found(index.match_many(events.to_struct_array()), len(events)) == expected
    assert found(index.match_many(events.combine_chunks().to_batches()[0]), len(events)) == expected
    sliced = events.to_struct_array().combine_chunks()[7:-3]
    assert found(index.match_many(sliced), len(sliced)) == expected[7:-3]
    assert found(index.match_many(events.to_pylist()), len(events)) == expected


@pytest.mark.parametrize("seed", range(8))
def test_json_texts_are_the_objects_that_they_hold(seed: int) -> None:
    one = random.Random(seed)
    model = dict(enumerate(one.sample(samples(queries)[:120], 60)))
    index = PredicateIndex(model, hierarchies=HIERARCHIES)
    values: list[Any] = [*WORDS, *INTEGERS, 1.5, None, True, ["x", 5], {"x": "x"}, [{"price": 5, "sku": "x"}], 10**30]
    kinds = one.choice([WORDS, INTEGERS, [1.5, 2, 3], values])
    names = ("a", "b", "c", "n", "q r", "orders", "topic", "ip", "day")
    events = [{name: one.choice(kinds) for name in names if one.random() < 0.7} for _ in range(50)]
    expected = wanted(model, events)
    texts = [json.dumps(event) for event in events]
    assert found(index.match_many(texts), len(texts)) == expected
    assert found(index.match_many([text.encode() for text in texts]), len(texts)) == expected
    assert found(index.match_many(pa.array(texts)), len(texts)) == expected
    assert [index.match(text) for text in texts] == expected
    padded = [json.dumps(event, indent=1) for event in events]
    assert found(index.match_many(padded), len(texts)) == expected


def test_maps_are_objects() -> None:
    index = PredicateIndex({"r": "a = 1 AND m.b = 'x'"})
    kind = pa.struct({"a": pa.int64(), "m": pa.map_(pa.string(), pa.string())})
    events = pa.array([{"a": 1, "m": [("b", "x")]}, {"a": 1, "m": [("c", "x")]}, {"a": 1, "m": None}], kind)
    assert found(index.match_many(events), 3) == [["r"], [], []]
    assert found(index.match_many(pa.array([[("a", 1)], [("a", 2)]], pa.map_(pa.string(), pa.int64()))), 2) == [[], []]


@pytest.mark.parametrize(
    ("events", "position", "says"),
    [
        (['{"a": 1}', "{", '{"a": 1}'], 1, "no JSON"),
        (['{"a": 1}', "[1]"], 1, "an event is an object, not an array"),
        (['{"a": 1, "a": 2}'], 0, "twice"),
        (['{"a": NaN}'], 0, "NaN"),
        (["[" * 10_000 + "]" * 10_000], 0, "nested"),
        (['{"a": 1}'] * 20 + ['{"b": ' * 10_000 + "1" + "}" * 10_000], 20, "nested"),
        ([b"\xff"], 0, "UTF-8"),
        (pa.array([None, {"a": b"x"}]), 1, "binary is no value"),
        (pa.array([1, 2]), 0, "int64"),
        (pa.array([{"a": b"x"}]), 0, "binary is no value"),
    ],
)
def test_bad_events(events: Any, position: int, says: str) -> None:
    index = PredicateIndex({"r": "a = 1 OR b = 2"})
    with pytest.raises(EventError) as refusal:
        index.match_many(events)
    assert refusal.value.position == position
    assert says in str(refusal.value)


def test_a_hierarchy_inside_any_is_declared_by_its_whole_path() -> None:
    trees = {"orders.sku": {"apple": "fruit"}, "sku": {"apple": "stone"}}
    index = PredicateIndex(
        {"r": "ANY orders (sku KIND OF 'fruit')", "s": "ANY orders (sku KIND OF 'stone')"}, hierarchies=trees
    )
    event = {"orders": [{"sku": "apple"}]}
    assert index.match(event) == ["r"]
    assert found(index.match_many(pa.array([event])), 1) == [["r"]]
    assert index.explain(event, "r") and not index.explain(event, "s")


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_moments_beyond_nanoseconds_are_compared(unit: str) -> None:
    """A nanosecond clock of 64 bits ends in 2262; the year 3000 does not fit."""
    index = PredicateIndex({"late": "day > '2500-01-01'", "early": "day < '2500-01-01'", "then": "day = '3000-01-01'"})
    moments = [datetime.datetime(3000, 1, 1), datetime.datetime(2024, 1, 1), datetime.datetime(1500, 1, 1), None]
    for zone in (None, "UTC"):
        column = pa.table({"day": pa.array(moments, pa.timestamp(unit, zone))})
        singly = [index.match(event) for event in column.to_pylist()]
        pairs = index.match_many(column, ordered=True).to_pylist()
        assert [[pair["subscription"] for pair in pairs if pair["event"] == row] for row in range(4)] == singly
        assert singly == [["late", "then"], ["early"], ["early"], []]


def test_figures_of_rules_are_true_after_they_come_and_go() -> None:
    """A rule of one clause, one with NOT, and one of three clauses: as rows of literals, singly and in bulk."""
    texts = {"one": "a = 1 AND b = 2", "not": "a = 1 AND NOT b = 3", "three": "a = 5 OR b = 6 OR c = 7"}
    for method in ("auto", "brute", "counting"):
        bulk, single = PredicateIndex(texts, method=method), PredicateIndex(method=method)
        for key, text in texts.items():
            single[key] = text
        for index in (bulk, single):
            assert (index.stats().clauses, index.stats().subscriptions) == (5, 3)
            index["not"] = "c = 8 OR NOT c = 9"
            assert index.stats().clauses == 6
            for left, key in ((5, "one"), (2, "three"), (0, "not")):
                del index[key]
                assert index.stats().clauses == left
            assert index.stats().atoms == 0


@pytest.mark.parametrize("kind", [pa.decimal32(5, 1), pa.decimal64(9, 1), pa.decimal128(20, 1), pa.decimal256(50, 1)])
def test_decimals_of_every_width(kind: pa.DataType) -> None:
    index = PredicateIndex({"three": "a = 3", "more": "a > 3", "there": "a EXISTS"})
    column = pa.array([Decimal("3.0"), None, Decimal("3.1")], kind)
    for events in (column, column.dictionary_encode() if kind.bit_width > 64 else column):
        pairs = index.match_many(pa.table({"a": events}), ordered=True).to_pylist()
        assert [(pair["event"], pair["subscription"]) for pair in pairs] == [
            (0, "three"), (0, "there"), (2, "more"), (2, "there"),
        ]  # fmt: skip


@pytest.mark.parametrize(
    "column",
    [
        pa.array([0, -800_000], pa.int32()).cast(pa.date32()),
        pa.array([0, 2**62]).cast(pa.timestamp("s")),
        pa.array([0, 2**60]).cast(pa.timestamp("ms", "UTC")),
        pa.array([[0], [0, 2**60]], pa.list_(pa.timestamp("ms"))),
    ],
)
def test_dates_outside_the_years_1_to_9999_are_named(column: pa.Array) -> None:
    for rule in ("a EXISTS", "a > '2024-01-01'", "a = 5"):
        index = PredicateIndex({"r": rule})
        with pytest.raises(EventError, match=r"event 1: a: a .* that is no date of the years 1 to 9999"):
            index.match_many(pa.table({"a": column}))
