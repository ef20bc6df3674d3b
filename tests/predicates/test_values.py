"""Values: exact numbers, instants, views; and how a literal and an event's value meet."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.cases import found
from watchword import EventError, PredicateIndex
from watchword.predicates.values import (
    BOOLEAN,
    INSTANT,
    NOTHING,
    NUMBER,
    TEXT,
    VIEWS,
    View,
    after_prefix,
    instant_of_date,
    instant_of_text,
    plain_key,
    show_value,
)

UTC = datetime.UTC


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (15, (NUMBER, 15)),
        (15.0, (NUMBER, 15)),
        (-0.0, (NUMBER, 0)),
        (1.5, (NUMBER, 1.5)),
        (2.0**53, (NUMBER, 2**53)),
        (10**400, (NUMBER, 10**400)),
        (float("inf"), (NUMBER, float("inf"))),
        (float("nan"), None),
        (Decimal("1.0"), (NUMBER, 1)),
        (Decimal("1.5"), (NUMBER, 1.5)),
        (Decimal("1e30"), (NUMBER, 10**30)),
        (Decimal("NaN"), None),
        (np.int64(5), (NUMBER, 5)),
        (np.float32(0.5), (NUMBER, 0.5)),
        (np.bool_(True), (BOOLEAN, True)),
        (True, (BOOLEAN, True)),
        ("x", (TEXT, "x")),
        (None, None),
        ({"a": 1}, NOTHING),
        (datetime.date(2024, 1, 1), NOTHING),
    ],
)
def test_keys(value: Any, key: Any) -> None:
    made = plain_key(value)
    assert made == key
    assert made is None or type(made[1]) is type(key[1])


@pytest.mark.parametrize("value", [b"x", 1j, object(), datetime.time(1), range(3)])
def test_what_is_no_value(value: Any) -> None:
    with pytest.raises(TypeError, match="is no value"):
        plain_key(value)
    index = PredicateIndex({"r": "a = 1 OR a EXISTS"})
    with pytest.raises(EventError, match=f"a: a {type(value).__name__} is no value") as refusal:
        index.match_many([{"a": 1}, {"a": value}])
    assert refusal.value.position == 1


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01", 0),
        ("1970-01-02", 86400 * 10**9),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("1970-01-01T00:00:00.0000000019", 1),
        ("1970-01-01 01:00+01:00", 0),
        ("1970-01-01T00:00-00:30", 1800 * 10**9),
        ("0001-01-01", -62135596800 * 10**9),
        ("9999-12-31T23:59:59Z", 253402300799 * 10**9),
    ],
)
def test_instants(text: str, instant: int) -> None:
    assert instant_of_text(text) == instant
    assert VIEWS[View.INSTANTS](text) == (INSTANT, instant)


@pytest.mark.parametrize(
    "text",
    ["1970", "1970-1-1", "1970-02-30", "1970-01-01T24:00", "1970-01-01T00:60", "1970-01-01T00", "1970-01-01T00:00:00.",
     "1970-01-01T00:00+24:00", "1970-01-01T00:00+01", "1970-01-01Z", " 1970-01-01", "1970-01-01\n", "0000-01-01", "",
     "１９７０-01-01"],
)  # fmt: skip
def test_texts_that_are_no_instants(text: str) -> None:
    assert instant_of_text(text) is None
    assert VIEWS[View.INSTANTS](text) == NOTHING


@settings(max_examples=200, deadline=None)
@given(st.datetimes(timezones=st.sampled_from([None, UTC, datetime.timezone(datetime.timedelta(hours=-5))])))
def test_objects_and_their_texts_are_one_instant(moment: datetime.datetime) -> None:
    assert instant_of_date(moment) == instant_of_text(moment.isoformat())
    assert instant_of_date(moment.date()) == instant_of_text(moment.date().isoformat())


def test_views() -> None:
    assert VIEWS[View.FOLDED]("Straße") == (TEXT, "strasse")
    assert VIEWS[View.FOLDED](5) == (NUMBER, 5)
    assert VIEWS[View.BACKWARDS]("abc") == (TEXT, "cba")
    assert VIEWS[View.BACKWARDS](5) == NOTHING
    assert VIEWS[View.BACKWARDS](None) is None
    assert VIEWS[View.FOLDED_BACKWARDS]("aßC") == (TEXT, "cssa")
    assert VIEWS[View.ADDRESSES]("10.0.0.1") == (4, 10 << 24 | 1)
    assert VIEWS[View.ADDRESSES]("::1") == (5, 1)
    assert VIEWS[View.ADDRESSES]("x") == VIEWS[View.ADDRESSES](5) == NOTHING
    assert VIEWS[View.INSTANTS](5) == NOTHING
    assert VIEWS[View.INSTANTS](float("nan")) is None


@pytest.mark.slow
@given(st.text(), st.text())
def test_behind_a_prefix(prefix: str, text: str) -> None:
    behind = after_prefix(prefix)
    assert text.startswith(prefix) == (prefix <= text and (behind is None or text < behind))
    assert (prefix + text).startswith(prefix) and (behind is None or prefix + text < behind)


def test_show_value() -> None:
    shown = [show_value(value) for value in (5, 0.1, "it's", False, {}, datetime.date(2024, 1, 1), float("inf"))]
    assert shown == ["5", "0.1", "'it''s'", "FALSE", "an object", "'2024-01-01'", "inf"]


numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62, 2**63 - 1, -(2**63), 0]),
    st.floats(allow_nan=False),
    st.integers(-(10**40), 10**40),
)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=4), st.lists(numbers, min_size=1, max_size=4))
def test_numbers_compare_by_value(literals: list[Any], values: list[Any]) -> None:
    finite = [one for one in literals if one == one and abs(one) != float("inf")]
    signs = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
    subscriptions, truth = {}, {}
    for number, literal in enumerate(finite):
        for sign in signs:
            key = f"{number}{sign}"
            subscriptions[key] = f"a {sign} {literal!r}"
            truth[key] = (sign, literal)
    index = PredicateIndex(subscriptions)
    wanted = [
        sorted(key for key, (sign, literal) in truth.items() if _compare(sign, value, literal)) for value in values
    ]
    assert [sorted(index.match({"a": value})) for value in values] == wanted
    for kind in (pa.int64(), pa.float64()):
        try:
            column = pa.array(values, kind)
        except (pa.ArrowInvalid, OverflowError, pa.ArrowTypeError):
            continue
        if column.to_pylist() == values and all(isinstance(one, int) for one in values) == (kind == pa.int64()):
            assert found(index.match_many(pa.table({"a": column})), len(values)) == wanted


def _compare(sign: str, value: Any, literal: Any) -> bool:
    return {
        "=": value == literal,
        "!=": value != literal,
        "<": value < literal,
        "<=": value <= literal,
        ">": value > literal,
        ">=": value >= literal,
    }[sign]


def test_kinds_do_not_meet() -> None:
    index = PredicateIndex(
        {"five": "a = 5", "text": "a = '5'", "true": "a = TRUE", "not": "a != 5", "less": "a < 'x'",
         "date": "a = '2024-01-01'", "before": "a < '2024-01-02'", "not date": "a != '2024-01-01'"}
    )  # fmt: skip
    assert index.match({"a": 5}) == ["five", "not date"]
    assert index.match({"a": "5"}) == ["text", "not", "less", "not date"]
    assert index.match({"a": True}) == ["true", "not", "not date"]
    assert index.match({"a": "2024-01-01T00:00Z"}) == ["not", "less", "date", "before"]
    assert index.match({"a": datetime.date(2024, 1, 1)}) == ["not", "date", "before"]
    assert index.match({"a": {"b": 1}}) == ["not", "not date"]
    assert index.match({"a": None}) == index.match({"a": []}) == index.match({}) == index.match({"a": [None]}) == []
    assert index.match({"a": float("nan")}) == []


@pytest.mark.parametrize("digits", [309, 310, 4000])
def test_numbers_of_many_digits_are_matched_and_explained(digits: int) -> None:
    number = 10**digits - 1
    index = PredicateIndex({"same": f"x = {number}", "more": f"x > {number}"})
    assert index.match({"x": number}) == ["same"]
    assert str(number) in str(index.explain({"x": number}, "more"))


INSTANTS = {
    "there": "a EXISTS",
    "later": "a > '2024-05-01'",
    "then": "a = '2024-05-01'",
    "three": "a = 3",
    "x": "a = 'x'",
}


@pytest.mark.parametrize(
    ("value", "ids"),
    [
        (pd.NaT, []),
        (pd.NA, []),
        (np.datetime64("NaT"), []),
        (np.float64("nan"), []),
        ([pd.NaT, None, np.datetime64("NaT")], []),
        (np.datetime64("2024-05-01"), ["there", "then"]),
        (np.datetime64("2024-05"), ["there", "then"]),
        (np.datetime64("2024-05-01T00:00:00.000000001"), ["there", "later"]),
        (np.datetime64("2024-05-01T00:00:01", "ms"), ["there", "later"]),
        (np.datetime64("1969-12-31T23:59:59.999999999"), ["there"]),
        (np.datetime64("9999-12-31"), ["there", "later"]),
        (pd.Timestamp("2024-05-01 00:00:00.000000001"), ["there", "later"]),
        (pd.Timestamp("2024-05-01 02:00", tz="Europe/Athens"), ["there"]),
        (pd.Timestamp("2024-05-01 03:00", tz="Europe/Athens"), ["there", "then"]),
        (np.int64(3), ["there", "three"]),
        (np.uint8(3), ["there", "three"]),
        (np.float32(3), ["there", "three"]),
        (np.str_("x"), ["there", "x"]),
        (np.bool_(True), ["there"]),
    ],
)
def test_values_of_pandas_and_numpy_inside_objects(value: object, ids: list[str]) -> None:
    index = PredicateIndex(INSTANTS)
    for method in ("auto", "counting"):
        index = PredicateIndex(INSTANTS, method=method)
        assert index.match({"a": value}) == ids
        pairs = index.match_many([{"a": value}, {"a": [value]}], ordered=True).to_pylist()
        assert [pair["subscription"] for pair in pairs] == ids * 2
    assert [key for key in index if index.explain({"a": value}, key)] == ids


@pytest.mark.parametrize(
    "value",
    [np.array([1, 3]), np.array(3), np.array([3]), np.timedelta64(1, "s"), np.datetime64(2**40, "Y"), np.void(b"x")],
)
def test_values_that_are_no_values_are_named(value: object) -> None:
    index = PredicateIndex({"day": "a > '2024-05-01'", "there": "a EXISTS"})
    with pytest.raises(EventError, match=r"^event 1: a: ") as caught:
        index.match_many([{"a": 1}, {"a": value}])
    assert caught.value.position == 1
