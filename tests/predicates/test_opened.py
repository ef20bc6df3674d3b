"""An opened predicate index answers and changes like any other, whether its fields sleep or not."""

from __future__ import annotations

import math
import random
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.contract.cases import DRAWN_EVENTS, found, samples
from tests.predicate_oracle import matches
from tests.predicate_strategies import HIERARCHIES, events, queries
from watchword import Index, PredicateIndex, methods
from watchword.predicates import fields, points


@pytest.mark.parametrize("method", methods("predicates"))
def test_the_first_thing_is_a_change(tmp_path: Path, method: str) -> None:
    rules = {f"s{n}": f"a = {n % 5} AND b > {n}" for n in range(50)}
    PredicateIndex(rules, method=method).save(tmp_path / "one")
    index = Index.open(tmp_path / "one")
    del index["s3"]
    index["s50"] = "a = 3 AND c EXISTS"
    index.save(tmp_path / "two")
    for opened in (index, Index.open(tmp_path / "two")):
        wanted = [f"s{n}" for n in range(50) if n % 5 == 3 and n != 3] + ["s50"]
        assert opened.match({"a": 3, "b": 100, "c": 0}) == wanted


@pytest.fixture(params=[0, 1024], ids=["searched where they lie", "made into dicts"])
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many constants become Python objects when a field wakes."""
    monkeypatch.setattr(points, "FEW", request.param)
    monkeypatch.setattr(fields, "FEW_BREAKS", request.param)
    return int(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("method", ["auto", "counting", "propagation"])
def test_a_life_of_opening_and_changing(few: int, method: str, seed: int, tmp_path: Path) -> None:
    """Whatever is saved, opened, changed and saved again finds what the judge does, in every form of events."""
    draw = random.Random(seed)
    texts, judged = samples(queries)[:150], samples(events, DRAWN_EVENTS)[:40]
    model = dict(enumerate(draw.sample(texts, 60)))
    index: Index = PredicateIndex(model, method=method, hierarchies=HIERARCHIES)
    for turn in range(4):
        index.save(tmp_path / "index")
        index = Index.open(tmp_path / "index")
        if turn % 2:
            index.save(tmp_path / "again")  # a part of the fields sleeps, or all of them
            index = Index.open(tmp_path / "again")
        for _ in range(8):
            key = draw.randrange(80)
            if key in model and draw.random() < 0.4:
                del index[key], model[key]
            else:
                index[key] = model[key] = draw.choice(texts)
            event = draw.choice(judged)
            assert index.match(event) == [one for one in index if matches(model[one], event, HIERARCHIES)]
        expected = [sorted(key for key in model if matches(model[key], event, HIERARCHIES)) for event in judged]
        assert found(index.match_many(judged), len(judged)) == expected
        assert [sorted(index.match(event)) for event in judged] == expected


CONSTANTS: list[Any] = [0, 1, -1, 0.5, 2**53, 2**53 + 1, 2**63, 2**64 + 1, 2**70, 2**70 + 1, 10**30, 10**400]
VALUES: list[Any] = [
    *CONSTANTS, -0.0, 1.0, True, 2.0**53, 2.0**70, 1e30, 10**400 + 1, -(10**400), float("inf"), float("-inf"),
    float("nan"), None, Decimal("0.5"), Decimal("1"), Decimal("1e30"), Decimal("NaN"), date(2024, 1, 1),
    datetime(2024, 1, 1, 12), "2024-01-01", "x", "\ud800", [None, 1], [None], {"a": 1},
]  # fmt: skip


def test_constants_of_every_sort_are_exact_where_they_lie(few: int, tmp_path: Path) -> None:
    rules = {f"= {one}": f"v = {one}" for one in CONSTANTS} | {f"> {one}": f"v > {one}" for one in CONSTANTS}
    rules |= {"day": "v = '2024-01-01'", "before": "v < '2024-01-01T12:00'", "x": "v = 'x'", "odd": "v = '\ud800'"}
    rules |= {"in": f"v IN (0.5, 'x', {2**70})", "there": "v EXISTS", "prefix": "v STARTS WITH '2'"}
    index = PredicateIndex(rules)
    expected = [index.match({"v": value}) for value in VALUES]
    for at, value in enumerate(VALUES[: len(CONSTANTS)]):
        assert set(expected[at]) >= {f"= {value}", "there"} | {f"> {one}" for one in CONSTANTS if value > one}
        assert not set(expected[at]) & {f"> {one}" for one in CONSTANTS if value <= one}
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert [opened.match({"v": value}) for value in VALUES] == expected
    assert [opened.match({"v": [value, None]}) for value in VALUES] == expected
    whole, large = pa.array([0, 1, -1, 2**53 + 1, None]), pa.array([2**63, 2**64 - 1], pa.uint64())
    for column in (whole, large, pa.array([0.5, math.nan])):
        wanted = [sorted(index.match({"v": value})) for value in column.to_pylist()]
        assert found(opened.match_many(pa.table({"v": column})), len(column)) == wanted
    nulls = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["x", None]))
    assert found(opened.match_many(pa.table({"v": nulls})), 3) == [sorted(index.match({"v": "x"})), [], []]


def test_addresses_that_share_their_nearest_double(few: int, tmp_path: Path) -> None:
    rules = {n: f"ip IN CIDR '2001:db8::{n:x}/128'" for n in range(40)} | {99: "ip IN CIDR '2001:db8::/122'"}
    PredicateIndex(rules).save(tmp_path / "index")
    index = Index.open(tmp_path / "index")
    for n in (0, 1, 7, 39):
        assert index.match({"ip": f"2001:db8::{n:x}"}) == [n, 99]
    assert index.match({"ip": "2001:db8::3f"}) == [99] and index.match({"ip": "2001:db8::40"}) == []


def test_only_the_attributes_of_an_event_wake_and_nothing_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = {n: f"a{n % 50} = {n} AND ANY o{n % 5} (k > {n % 7})" for n in range(500)}
    PredicateIndex(rules).save(tmp_path / "index")

    def fail(*_: Any) -> Any:
        raise AssertionError("a text is parsed")

    monkeypatch.setattr("watchword.predicates.language.parse", fail)
    monkeypatch.setattr("watchword.predicates.query.PredicateParser.__init__", fail)
    index = PredicateIndex.open(tmp_path / "index")
    known = index._plugged.fields.all
    assert all(field.is_asleep for field in known)
    assert index.match({"a7": 7, "o2": [{"k": 1}]}) == [7]
    assert index.match({"a7": 7, "o2": [{"k": 0}]}) == []
    assert {field.path for field in known if not field.is_asleep} == {("a7",), ("o2",)}
    index.save(tmp_path / "again")
    assert PredicateIndex.open(tmp_path / "again").match({"a8": 8, "o3": {"k": 2}}) == [8]
