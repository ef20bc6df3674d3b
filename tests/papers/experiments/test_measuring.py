"""How times and operations are measured. No timing is asserted: clocks are replaced or ignored."""

from __future__ import annotations

import math

import pytest

from watchword import PropertyIndex
from watchword.papers.experiments import measuring
from watchword.papers.experiments.measuring import Measurement, Shelf, affordable, measure, operations

SIZES = (("long", 5), ("short", 2))


def test_a_measurement_sums_up_its_repetitions() -> None:
    measurement = Measurement((3.0, 1.0, 2.0), work=10)
    assert measurement.median == 2.0
    assert measurement.spread == 1.0
    assert measurement.rate == 5.0
    assert measurement.best == 1.0 and measurement.best_rate == 10.0
    assert measurement.quantile(0.0) == 1.0 and measurement.quantile(0.99) == 3.0


def test_a_clock_that_did_not_move_divides_nothing_by_zero() -> None:
    still = Measurement((0.0,), work=3)
    assert still.spread == 0.0 and math.isinf(still.rate)


def test_measuring_warms_up_and_repeats() -> None:
    calls: list[int] = []
    measurement = measure(lambda: calls.append(1), work=7, repeat=4, warmup=2)
    assert len(calls) == 6 and len(measurement.seconds) == 4 and measurement.work == 7


def test_measuring_stops_when_the_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "timed", lambda function: 4.0)
    assert len(measure(lambda: None, repeat=9, warmup=0, budget=10.0).seconds) == 3
    assert len(measure(lambda: None, repeat=9, warmup=0, budget=1.0).seconds) == 1


@pytest.mark.parametrize(("per_unit", "most", "expected"), [(0.0, 500, 500), (1.0, 500, 8), (99.0, 500, 1)])
def test_the_affordable_amount_grows_until_it_costs(
    monkeypatch: pytest.MonkeyPatch, per_unit: float, most: int, expected: int
) -> None:
    tried: list[int] = []

    def ticking(function: object) -> float:
        function()  # type: ignore[operator]
        return per_unit * tried[-1]

    monkeypatch.setattr(measuring, "timed", ticking)
    assert affordable(tried.append, most, seconds=8.0) == expected
    assert max(tried) <= most


def test_ways_take_turns_on_what_each_can_afford(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "affordable", lambda run, most, seconds: min(most, 3))
    calls: list[tuple[str, int]] = []
    ways = {name: (lambda events, name=name: calls.append((name, len(events))), [0] * size) for name, size in SIZES}
    measured = measuring.in_turns(ways, turns=2, seconds=1.0)
    first, settled = [("long", 3), ("short", 2)], [("short", 2)] * 2 + [("long", 3)] * 2
    assert calls == first + settled  # each turn begins with another; from the second on each runs once before the clock
    assert [measurement.work for measurement in measured.values()] == [3, 2]


def test_operations_are_those_of_the_work_alone() -> None:
    index = PropertyIndex({1: "11*", 2: "*1*", 3: "**0"}, method="count", properties=["a", "b", "c"])
    assert operations(index, lambda: index.match_many(["110"])) == 4.0  # two predicates of 1, one each of 2 and 3
    index.match_many(["000"] * 7)
    assert operations(index, lambda: index.match_many(["110", "001"])) == 2.0
    assert operations(index, lambda: None) == 0.0


def test_a_shelf_keeps_what_fits_and_drops_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "total_memory", lambda: 100)
    monkeypatch.setattr(measuring, "free_memory", lambda: 60)
    shelf, made = Shelf(), []

    def get(key: str) -> str:
        return shelf.get(key, lambda: made.append(key) or key)

    assert [get("a"), get("b"), get("a")] == ["a", "b", "a"] and made == ["a", "b"]
    monkeypatch.setattr(measuring, "free_memory", lambda: 40)
    get("c")
    get("a")
    assert made == ["a", "b", "c", "a"]
