"""Labels of breakpoints: in order whatever comes, spread where there is no room, the same after a snapshot."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.cases import found
from watchword import Index, PredicateIndex
from watchword.predicates import breaks, points, zones
from watchword.predicates import fields as fields_module
from watchword.predicates.fields import Field, Fields
from watchword.predicates.predicate import Predicate
from watchword.predicates.query import UNLIMITED, parse
from watchword.predicates.values import NUMBER, OTHER, TEXT, VIEWS, View
from watchword.predicates.zones import INSIDE, OUTSIDE, POINT, ZONE_BITS, Zone


def predicate(text: str) -> Predicate:
    ((one,), *_) = parse(text, UNLIMITED)[0]
    return one


def check(zone: Zone) -> None:
    """Labels are even, ascend with the breakpoints, and leave room for values between and around them."""
    assert zone.breaks == sorted(zone.breaks) and len(set(zone.breaks)) == len(zone.breaks)
    assert all(label % 2 == 0 for label in zone.labels)
    assert all(one + 2 <= two for one, two in pairwise([zone.first - 1, *zone.labels, zone.last + 1]))


def test_the_example() -> None:
    fields = Fields()
    fields.define(
        [predicate("value > 20"), predicate("value <= 30"), predicate("value != 20"), predicate("name = 'x'")]
    )
    value = fields.by_name[("value",), View.PLAIN]
    zone = value.zones[NUMBER]
    low, high = zone.labels
    assert [zone.place(one) for one in (15, 20, 25, 30, 31)] == [zone.first, low, low + 1, high, high + 1]
    atoms = fields.atoms
    assert atoms.modes.tolist() == [INSIDE, INSIDE, OUTSIDE, POINT]
    assert list(zip(atoms.lows.tolist()[:3], atoms.highs.tolist()[:3], strict=True)) == [
        (low + 1, zone.last), (zone.first, high), (low, low)
    ]  # fmt: skip
    assert fields.by_name[("name",), View.PLAIN].points[TEXT] == {"x": [3]}
    assert atoms.fields.tolist() == [0, 0, 0, 1]


def test_kinds_have_zones_of_their_own() -> None:
    zones = [Zone(kind) for kind in range(OTHER + 1)]
    assert all(one.last < two.first for one, two in pairwise(zones))
    assert all(
        zone.first & 1 and zone.first >> ZONE_BITS == zone.last >> ZONE_BITS == kind for kind, zone in enumerate(zones)
    )


@pytest.mark.parametrize("order", ["ascending", "descending", "bisecting", "random"])
def test_room_runs_out_and_is_made_anew(order: str) -> None:
    """Halving a zone of 2^56 labels has an end after some fifty breakpoints; ascending ones halve nothing."""
    values: list[Any] = list(range(300))
    if order == "descending":
        values.reverse()
    elif order == "bisecting":
        values = bisected(0, 2**130)
    elif order == "random":
        random.Random(1).shuffle(values)
    fields, texts = Fields(), list(dict.fromkeys(f"a > {value}" for value in values))
    predicates = [predicate(text) for text in texts]
    for count, one in enumerate(predicates, 1):
        fields.define([one])
        check(fields.all[0].zones[NUMBER])
        if count % 40 == 0 or count == len(predicates):
            compare(fields, predicates[:count], [-1, 0.25, 0.5, 0.9999, 7, 7.5, 299, 300])
    assert (fields.spreads > 0) == (order == "bisecting")


@pytest.mark.parametrize("before", [[], [10**9], list(range(0, 10**7, 10**4))])
def test_values_that_ascend_or_descend_leave_labels_where_they_are(before: list[int]) -> None:
    """Also in the middle of others, and two series at once, as the ends of BETWEEN are."""
    fields = Fields()
    fields.define([predicate(f"a > {value}") for value in before])
    for value in range(3000):
        fields.define([predicate(f"a BETWEEN {5000 + value} AND {5100 + value}"), predicate(f"a < {-value}")])
    assert fields.spreads == 0
    check(fields.all[0].zones[NUMBER])


@given(st.lists(st.integers(0, 60), max_size=60), st.integers(2, 8))
def test_breakpoints_in_blocks_are_those_of_one_list(values: list[int], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(breaks, "BLOCK", most)
        found, listed = breaks.Breaks(), {}
        for number, value in enumerate(values):
            place = found.find(value)
            below, above = [one for one in listed if one < value], [one for one in listed if one > value]
            assert place.own == listed.get(value)
            if place.own is None:
                assert place.below == (listed[max(below)] if below else None)
                assert place.above == (listed[min(above)] if above else None)
                found.insert(place, value, 2 * number)
                listed[value] = 2 * number
        assert found.values() == sorted(listed) and len(found) == len(listed)
        assert found.labels() == [listed[value] for value in sorted(listed)]
        for value in range(-1, 62):
            near = max((one for one in listed if one <= value), default=None)
            assert found.label_at(value) == (None if near is None else listed[near] + (near != value))


def bisected(low: int, high: int) -> list[int]:
    """Return the middle of an interval, of one of its halves, and so on."""
    found = [low, high]
    while high - low > 1:
        found.append((low + high) // 2)
        low, high = (found[-1], high) if len(found) % 3 else (low, found[-1])
    return found


def compare(fields: Fields, predicates: list[Predicate], values: list[Any]) -> None:
    """The label of a value lies in the spans of just those predicates that it satisfies."""
    atoms = fields.atoms
    for atom, one in enumerate(predicates):
        field = fields.field(one.attribute, one.view)
        for value in values:
            assert isinstance(one.view, View)
            key = VIEWS[one.view](value)
            assert key is not None
            label = field.zones[key[0]].place(key[1])
            inside = atoms.lows[atom] <= label <= atoms.highs[atom]
            assert one.holds(value) == (inside if atoms.modes[atom] == INSIDE else not inside), (one.written, value)


VALUES = [-1, 0, 1, 1.5, 2, 2**53, 2**53 + 1, "", "a", "ab", "abc", "b", "\U0010ffff", True, False, "2024-01-01", {}]
SPANS = st.sampled_from(
    [f"a {sign} {one}" for sign in ("!=", "<", "<=", ">", ">=") for one in ("0", "1.5", str(2**53 + 1), "'a'", "'ab'")]
    + [f"a {word} WITH '{text}'" for word in ("STARTS", "ENDS") for text in ("", "a", "ab", "\U0010ffff")]
    + ["a BETWEEN 1 AND 2", "a BETWEEN 2 AND 1", "a BETWEEN 'a' AND 'b'", "a EXISTS", "a != TRUE", "a < '2024-01-02'"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(SPANS, min_size=1, max_size=12, unique=True))
def test_spans_hold_where_their_predicates_do(texts: list[str]) -> None:
    predicates = [predicate(text) for text in texts]
    fields = Fields()
    fields.define(predicates[:2])
    for one in predicates[2:]:
        fields.define([one])
    compare(fields, predicates, VALUES)
    at_once = Fields()
    at_once._spread_for(predicates)
    at_once.define(predicates)
    compare(at_once, predicates, VALUES)


@pytest.mark.parametrize("few", [0, 1024])
@settings(max_examples=60, deadline=None)
@given(st.lists(SPANS, min_size=1, max_size=12, unique=True), st.lists(SPANS, max_size=4))
def test_a_snapshot_keeps_the_labels(few: int, texts: list[str], more: list[str]) -> None:
    """Few constants become lists and dicts, many are searched where they lie: both answer alike."""
    predicates = [predicate(text) for text in (*texts, "a = 1", "b IN ('x', 'y')", "b = 'x'", f"a = {2**70}")]
    fields = Fields()
    fields.define(predicates)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(points, "FEW", few)
        patch.setattr(fields_module, "FEW_BREAKS", few)
        opened = Fields()
        opened.restore({name: array.copy() for name, array in fields.arrays().items()})
        assert opened.count == len(predicates) and all(one.is_asleep for one in opened.all)
        assert [(one.path, one.view, one.has_spans) for one in opened.all] == [
            (one.path, one.view, one.has_spans) for one in fields.all
        ]
        compare(opened, predicates[: len(texts)], VALUES)
        for one, other in zip(opened.all, fields.all, strict=True):
            assert same(one, other)
        new = [predicate(text) for text in dict.fromkeys(more) if text not in texts]
        for one in new:
            opened.define([one])
        compare(opened, predicates[: len(texts)], VALUES)
        assert opened.count == len(predicates) + len(new)


def same(one: Field, other: Field) -> bool:
    one.wake()
    values = [1, 2, 2**70, 2**70 + 1, 10**400, 0.5, "x", "y", "z", True]
    for kind, value in ((key[0], key[1]) for value in values if (key := VIEWS[View.PLAIN](value)) is not None):
        if list(one.points[kind].get(value, ())) != list(other.points[kind].get(value, ())):
            return False
        if one.zones[kind].place(value) != other.zones[kind].place(value):
            return False
    return True


def test_many_at_once_are_spread_evenly() -> None:
    fields = Fields()
    fields.define([predicate(f"a < {value}") for value in range(1000)])
    labels = fields.all[0].zones[NUMBER].labels
    assert len({two - one for one, two in pairwise(labels)}) == 1
    assert fields.spreads == 0


@pytest.mark.parametrize("method", ["auto", "counting", "propagation"])
def test_an_index_whose_labels_run_out(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Subscribing one by one in ascending order, with a snapshot in between, matching all along; each takes half of
    the room that is left."""
    monkeypatch.setattr(zones, "LITTLE", 1)
    index, model, spreads = PredicateIndex(method=method), {}, 0
    for value in range(130):
        index[value] = f"a >= {value}" if value % 3 else f"a > {value} AND NOT a = {value + 1}"
        model[value] = value
        if value in (70, 100):
            spreads += index._plugged.fields.spreads
            index.save(tmp_path / "index")
            index = Index.open(tmp_path / "index")
        if value % 10 == 9:
            events = [{"a": one} for one in (-1, 0, 0.5, 33, 34, 50, value, value + 0.5)]
            wanted = [[key for key in model if holds(key, event["a"])] for event in events]
            assert [index.match(event) for event in events] == wanted
            assert found(index.match_many(events * 3), 24) == wanted * 3
    assert spreads > 0


def holds(key: int, value: float) -> bool:
    return value >= key if key % 3 else value > key and value != key + 1
