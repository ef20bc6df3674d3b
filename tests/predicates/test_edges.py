"""Numbers and instants at the end of what is told apart, in every form in which an event may come."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from watchword import PredicateIndex
from watchword.errors import EventError

RULES = {"equal": "a = 0.1", "longer": "a = 0.10000000000000000001", "more": "a > 0.1", "less": "a < 0.1"}


@pytest.mark.parametrize("number", ["0.1", "0.10000000000000000001", "0.1000000000000000055511151231257827"])
def test_fractions_are_doubles_in_every_form(number: str) -> None:
    index = PredicateIndex(RULES)
    forms = [{"a": Decimal(number)}, {"a": float(number)}, f'{{"a": {number}}}']
    assert [index.match(event) for event in forms] == [["equal", "longer"]] * 3
    columns = [pa.table({"a": [Decimal(number)]}), pa.table({"a": [float(number)]}), [f'{{"a": {number}}}'] * 9]
    for column in columns:
        found = index.match_many(column).to_pydict()
        assert set(found["subscription"]) == {"equal", "longer"}


def test_integers_are_exact_in_every_form() -> None:
    large = 10**20 + 1
    index = PredicateIndex({"equal": f"a = {large}", "below": f"a < {large}", "above": f"a > {10**20}"})
    events = [{"a": large}, {"a": Decimal(large)}, f'{{"a": {large}}}']
    assert [index.match(event) for event in events] == [["equal", "above"]] * 3
    found = index.match_many(pa.table({"a": pa.array([Decimal(large)], pa.decimal128(30, 0))}))
    assert sorted(found["subscription"].to_pylist()) == ["above", "equal"]


def test_digits_beyond_nanoseconds_are_left_out() -> None:
    index = PredicateIndex(
        {"nine": "a = '2024-01-01T00:00:00.123456789'", "ten": "a = '2024-01-01T00:00:00.1234567899'"}
    )
    event = {"a": "2024-01-01T00:00:00.12345678951"}
    assert index.match(event) == ["nine", "ten"]
    assert index.match_many(pa.table({"a": [event["a"]]}))["subscription"].to_pylist() == ["nine", "ten"]


@pytest.mark.parametrize("values", [[10**20, 1], [[10**20], [1]], [{"x": -(10**20)}, {"x": 1}]])
def test_integers_of_pandas_beyond_64_bits_name_their_column(values: list) -> None:
    index = PredicateIndex({"a": "a > 1"})
    with pytest.raises(EventError, match="column 'a' has an integer beyond 64 bits"):
        index.match_many(pd.DataFrame({"b": [1, 2], "a": values}))
    assert index.match_many([{"a": 10**20}]).num_rows == 1
