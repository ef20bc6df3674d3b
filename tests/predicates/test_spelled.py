"""AS INTEGER and AS NUMBER: what values of every kind and form are read as, in events of every form, and errors."""

from __future__ import annotations

import doctest
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.predicate_oracle import matches, spelled_integer, spelled_number
from watchword import PredicateIndex
from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.readers import spelled
from watchword.predicates.readers.spelled import integer_of, number_of

TEXTS = [
    *("0", "-0", "+0", "7", "+7", "-7", "007", "-007", "2147483647", "2147483648", "-2147483648", "-2147483649"),
    *("7.0", "7.", ".7", "-.7", "+1.5", "1e3", "1E+3", "1e-3", "1e999", "-1e999", "1e-999", "00.50", "0" * 4000 + "7"),
    *(
        "",
        "+",
        "-",
        ".",
        "e3",
        "1e",
        "--7",
        "+-7",
        " 7",
        "7 ",
        "7\n",
        "7_000",
        "0x7",
        "٣",
        "７",
        "inf",
        "nan",
        "true",
        "x",
    ),
    *("9" * 6000, "1.5.2", "1,5", "½"),
]
OTHERS: list[Any] = [
    0,
    7,
    -7,
    7.0,
    1.5,
    -0.0,
    2**31 - 1,
    2**31,
    -(2**31),
    -(2**31) - 1,
    2**53 + 1,
    10**400,
    True,
    False,
]
CONDITIONS = [
    f"AS {kind}{condition}"
    for kind in ("INTEGER", "NUMBER")
    for condition in ("", " = 7", " = 0", " < 7", " <= 7", " > 7", " >= 7", " BETWEEN -7 AND 7", " BETWEEN 8 AND 6")
] + ["AS NUMBER > 1.5", "AS NUMBER < 1e3", "AS NUMBER = 0.5", "AS INTEGER >= -2147483648", "as integer between 7 and 7"]


def test_examples() -> None:
    outcome = doctest.testmod(spelled)
    assert outcome.attempted and not outcome.failed


@pytest.mark.parametrize("value", [*TEXTS, *OTHERS], ids=lambda value: repr(value)[:20])
def test_what_a_value_is_read_as(value: Any) -> None:
    if not (isinstance(value, str) and len(value) > 4200):
        assert integer_of(value) == spelled_integer(value)
    assert number_of(value) == spelled_number(value)


def test_values_of_other_libraries() -> None:
    assert [integer_of(one) for one in (np.int64(7), np.float32(7), np.bool_(True), np.str_("7"))] == [7, 7, 1, 7]
    assert [number_of(one) for one in (np.int64(7), Decimal("1.5"), np.float64("nan"), Decimal("nan"))] == [
        7,
        1.5,
        None,
        None,
    ]
    assert [integer_of(one) for one in (None, {}, [], b"7", float("nan"), float("inf"), Decimal("7.5"))] == [None] * 7


def rules() -> dict[int, str]:
    written = [f"v {condition}" for condition in CONDITIONS]
    written += [f"NOT v {condition} AND w = 1" for condition in CONDITIONS[:4]]
    written += ["ANY o (v AS INTEGER > 5 AND w = 1)", "o.v AS NUMBER < 5 OR v AS INTEGER = 0"]
    return dict(enumerate(written))


def events() -> list[dict[str, Any]]:
    given = [*TEXTS, *OTHERS, None, [], ["x", "9"], [1, ["2.5"]], {"v": 1}]
    made: list[dict[str, Any]] = [{"v": value, "w": at % 2} for at, value in enumerate(given)]
    return [*made, {"o": [{"v": "7", "w": 1}, {"v": 3}]}, {"o": [{"v": "7"}, {"v": "x", "w": 1}]}, {}]


def test_all_forms_of_events_agree_with_the_judge(tmp_path: Path) -> None:
    index = PredicateIndex(rules())
    given = events()
    expected = [[id for id, text in index.items() if matches(text, event)] for event in given]
    assert sum(map(len, expected)) > 300
    index.save(tmp_path / "index")
    for one in (index, PredicateIndex.open(tmp_path / "index")):
        assert [one.match(event) for event in given] == expected
        assert [one.match(json.dumps(event)) for event in given] == expected
        found = one.match_many([json.dumps(event) for event in given]).to_pydict()
        pairs = sorted(zip(found["event"], found["subscription"], strict=True))
        assert pairs == [(at, id) for at, ids in enumerate(expected) for id in ids]
    for event, ids in zip(given, expected, strict=True):
        assert [id for id in index if index.explain(event, id)] == ids


@pytest.mark.parametrize("method", ["auto", "counting"])
def test_columns(method: str) -> None:
    index = PredicateIndex(rules(), method=method)
    for column in (
        pa.array([*TEXTS, None]),
        pa.array(TEXTS).dictionary_encode(),
        pa.array([0, 7, -7, 2**31, None]),
        pa.array([1.5, 7.0, float("nan"), float("inf")]),
        pa.array([True, False, None]),
        pa.array([Decimal("7.0"), Decimal("1.5"), None]),
        pa.array([["7", "x"], [], None, ["1e3"]]),
    ):
        table = pa.table({"v": column, "w": pa.array([1] * len(column))})
        found = index.match_many(table).to_pydict()
        expected = [(at, id) for at, row in enumerate(table.to_pylist()) for id in index.match(row)]
        assert sorted(zip(found["event"], found["subscription"], strict=True)) == expected


def test_many_ranges_of_one_attribute() -> None:
    bounds = range(-300, 300, 7)
    texts = [f"v AS INTEGER {sign} {bound}" for bound in bounds for sign in ("=", "<", ">=")]
    texts += [f"v AS INTEGER BETWEEN {bound} AND {bound + width}" for bound in bounds for width in (0, 5, 40, 500)]
    index = PredicateIndex(enumerate(texts))
    for value in ("-301", "-300", "0", "1", "7", "299", "5000"):
        assert index.match({"v": value}) == [at for at, text in enumerate(texts) if matches(text, {"v": value})]
    for at in range(0, len(texts), 2):
        del index[at]
    assert index.match({"v": "7"}) == [at for at, text in enumerate(texts) if at % 2 and matches(text, {"v": 7})]


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("v AS INTEGER != 7", 13, "!= does not compare spelled numbers; =, <, <=, >, >= do, and NOT before them"),
        ("v AS INTEGER < '7'", 15, "without quotes"),
        ("v AS INTEGER = TRUE", 15, "without quotes"),
        ("v AS INTEGER < 7.5", 15, "whole numbers from -2147483648 to 2147483647"),
        ("v AS INTEGER < 2147483648", 15, "whole numbers from"),
        ("v AS INTEGER BETWEEN 1 OR 2", 23, "AND and the upper end"),
        ("v AS NUMBER < " + "9" * 400, 14, "beyond the range of a double"),
        ("v AS FLOAT < 7", 5, "expected AS NUMBER"),
        ("AS INTEGER < 7", 3, "expected a comparison"),
    ],
)
def test_errors(text: str, position: int, message: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=re.escape(message)) as caught:
        PredicateIndex({"rule": text})
    assert caught.value.position == position


def test_a_schema_takes_it_of_any_attribute() -> None:
    schema = {"attributes": {"n": "number", "t": "text", "f": "boolean"}}
    index = PredicateIndex({at: f"{name} AS INTEGER = 1" for at, name in enumerate("ntf")}, schema=schema)
    assert index.match({"n": 1, "t": "1", "f": True}) == [0, 1, 2]


def test_an_attribute_may_be_called_as() -> None:
    index = PredicateIndex({"one": "as = 5", "two": "as AS INTEGER = 5", "three": "integer AS NUMBER > 1"})
    assert index.match({"as": 5, "integer": "2"}) == ["one", "two", "three"]
