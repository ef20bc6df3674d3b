"""An event is nested at most 200 deep, in whatever form it comes and wherever the depth is."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from watchword import EventError, PredicateIndex
from watchword.predicates.events.depth import MAX_DEPTH


def nested(depth: int, *, lists: bool = False) -> dict[str, Any]:
    """Return an event that is so deep, of which one attribute is asked for and the deep one is not."""
    inner: Any = 1
    for level in range(depth - 1):
        inner = [inner] if lists and level % 2 else {"b": inner}
    return {"a": 1, "other": inner}


def column(depth: int) -> pa.Array:
    """Return two events as columns; null from some depth on, but their type is so deep."""
    kind = pa.int64()
    for level in range(depth - 1):
        kind = pa.list_(kind) if level % 2 else pa.struct({"b": kind})
    return pa.array([{"a": 1, "other": None}] * 2, pa.struct({"a": pa.int64(), "other": kind}))


@pytest.fixture(params=["auto", "counting"])
def index(request: pytest.FixtureRequest) -> PredicateIndex:
    return PredicateIndex({"r": "a = 1", "b": "ANY other (b = 2)"}, method=request.param)


def refused(index: PredicateIndex, events: Any) -> int:
    """Return the position of the event that is refused for its depth."""
    with pytest.raises(EventError, match=f"nested more than {MAX_DEPTH} deep") as refusal:
        index.match_many(events)
    return refusal.value.position


@pytest.mark.parametrize("lists", [False, True])
def test_the_limit_is_that_of_every_form(index: PredicateIndex, lists: bool) -> None:
    good, bad = nested(MAX_DEPTH, lists=lists), nested(MAX_DEPTH + 1, lists=lists)
    text = json.dumps(bad)
    assert index.match(good) == index.match(json.dumps(good)) == index.match(json.dumps(good).encode()) == ["r"]
    for event in (bad, text, text.encode()):
        assert refused(index, [{"a": 1}, event]) == 1
        with pytest.raises(EventError, match="nested more than"):
            index.match(event)
        with pytest.raises(EventError, match="nested more than"):
            index.explain(event, "r")


def test_lines_of_json(index: PredicateIndex) -> None:
    good, bad = json.dumps(nested(MAX_DEPTH)), json.dumps(nested(MAX_DEPTH + 1))
    shallow = ['{"a": 1}'] * 20
    assert index.match_many([*shallow, good]).num_rows == 21
    assert refused(index, [*shallow, bad, *shallow]) == 20
    assert refused(index, pa.array([*shallow, bad, *shallow])) == 20


def test_columns(index: PredicateIndex) -> None:
    assert index.match_many(column(MAX_DEPTH)).num_rows == 2
    assert refused(index, column(MAX_DEPTH + 1)) == 0
    assert index._plugged.refusal(column(MAX_DEPTH).type) is None
    assert "deep" in str(index._plugged.refusal(column(MAX_DEPTH + 1).type))


def test_atoms_for_routing(index: PredicateIndex) -> None:
    for events in (column(MAX_DEPTH + 1), pa.array([json.dumps(nested(MAX_DEPTH + 1))])):
        with pytest.raises(EventError, match="nested more than"):
            index.atoms(events)


def test_an_event_that_contains_itself_is_refused(index: PredicateIndex) -> None:
    event: dict[str, Any] = {"a": 1}
    event["again"] = [event, {"deeper": event}]
    assert refused(index, [event]) == 0


def test_what_stands_in_many_places_is_looked_at_once(index: PredicateIndex) -> None:
    shared: Any = 1
    for _ in range(60):
        shared = [shared, shared]
    assert index.match({"a": 1, "unasked": shared}) == ["r"]


def test_brackets_in_texts_and_many_flat_objects_are_not_depth(index: PredicateIndex) -> None:
    event = {"a": 1, "text": "[" * 1_000, "list": [{"c": [2]}] * 300}
    assert index.match(event) == index.match(json.dumps(event)) == ["r"]
    assert index.match_many([json.dumps(event)] * 20).num_rows == 20


@pytest.mark.parametrize("lists", [pa.list_, pa.large_list, lambda kind: pa.list_(kind, 1)])
def test_lists_of_every_kind_count(index: PredicateIndex, lists: Any) -> None:
    def events(depth: int) -> pa.Array:
        kind = pa.int64()
        for _ in range(depth - 1):
            kind = lists(kind)
        return pa.array([{"a": 1, "other": None}], pa.struct({"a": pa.int64(), "other": kind}))

    assert found(index, events(200)) == [["r"]]
    assert refused(index, events(201)) == 0


def found(index: PredicateIndex, events: pa.Array) -> list[list[str]]:
    """Return the ids that each event matches."""
    pairs = index.match_many(events).to_pylist()
    return [[pair["subscription"] for pair in pairs if pair["event"] == row] for row in range(len(events))]
