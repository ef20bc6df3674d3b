"""The arithmetic of the benchmarks. No timing is asserted: clocks are replaced or ignored."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.harness import Measurement, Report, affordable, figure, in_fresh_process, measure, with_ratios

MEGABYTE = 1 << 20
SIZES = (("long", 5), ("short", 2))


def test_a_page_has_every_table() -> None:
    rows = [{"method": "a", "items/s": 1234.5, "x": None}, {"method": "b", "items/s": 0.5}]
    content = {"title": "t", "header": {"seed": 7}, "tables": [{"title": "first", "notes": "n", "rows": rows}]}
    assert harness.page(content).splitlines() == [
        "# Benchmarks: t",
        "",
        "- seed: 7",
        "",
        "## first",
        "",
        "| method | items/s | x |",
        "| --- | --- | --- |",
        "| a | 1,234 | – |",
        "| b | 0.5 | – |",
        "",
        "n",
    ]


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
    monkeypatch.setattr(harness, "timed", lambda function: 4.0)
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

    monkeypatch.setattr(harness, "timed", ticking)
    assert affordable(tried.append, most, seconds=8.0) == expected
    assert max(tried) <= most


def test_ways_take_turns_on_what_each_can_afford(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "affordable", lambda run, most, seconds: min(most, 3))
    calls: list[tuple[str, int]] = []
    ways = {name: (lambda events, name=name: calls.append((name, len(events))), [0] * size) for name, size in SIZES}
    measured = harness.in_turns(ways, turns=2, seconds=1.0)
    first, settled = [("long", 3), ("short", 2)], [("short", 2)] * 2 + [("long", 3)] * 2
    assert calls == first + settled  # each turn begins with another; from the second on each runs once before the clock
    assert [measurement.work for measurement in measured.values()] == [3, 2]


def test_ratios_are_taken_against_rows_of_the_same_table() -> None:
    rows = [
        {"method": "slow", "rate": 2.0},
        {"method": "fast", "rate": 8.0},
        {"method": "absent", "rate": None},
    ]
    found = with_ratios(rows, "rate", ["slow", "unknown"])
    assert [row["× slow"] for row in found] == [1.0, 4.0, None]
    assert "× unknown" not in found[0]
    assert "× slow" not in rows[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (1234567, "1,234,567"),
        (1234.56, "1,235"),
        (0.012345, "0.0123"),
        ("trie", "trie"),
        (3.0, "3"),
    ],
)
def test_figures_are_short(value: object, text: str) -> None:
    assert figure(value) == text


def test_a_report_prints_tables_and_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = Report("a title", {"seed": 5})
    report.table("a table", [{"method": "trie", "nodes": 1200}, {"method": "count", "postings": 0.5}], "a caption")
    report.note("a remark")
    printed = capsys.readouterr().out
    for piece in ("a title", "seed: 5", "a table", "1,200", "0.5", "–", "a caption", "a remark", "numba"):
        assert piece in printed
    report.write(tmp_path / "report.json")
    written = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert written["header"]["seed"] == 5 and {"cpu", "python", "packages"} <= written["header"].keys()
    assert written["tables"][0]["rows"][1] == {"method": "count", "postings": 0.5}
    assert written["notes"] == ["a remark"]


def test_the_command_line_names_the_sections() -> None:
    chosen = harness.arguments("…", ["methods", "text"], ["--scale", "paper", "--only", "text"])
    assert (chosen.scale, chosen.only, chosen.json) == ("paper", ["text"], None)
    with pytest.raises(SystemExit):
        harness.arguments("…", ["methods"], ["--only", "nothing"])


@pytest.mark.parametrize(("only", "expected"), [([], ["one", "two"]), (["--only", "two"], ["two"])])
def test_main_runs_sections_on_what_belongs_to_the_scale(tmp_path: Path, only: list[str], expected: list[str]) -> None:
    events: list[str] = []

    @contextmanager
    def setting(scale: str) -> Iterator[int]:
        events.append("made")
        yield {"small": 10, "paper": 1000}[scale]
        events.append("removed")

    def section(report: Report, size: int, name: str) -> None:
        events.append(name)
        report.table(name, [{"size": size}])

    sections = {name: partial(section, name=name) for name in ("one", "two")}
    file = tmp_path / "figures.json"
    argv = ["--scale", "paper", "--json", str(file), *only]
    harness.main("a title", "…", sections, lambda scale: {"scale": scale, "seed": 7}, setting, argv)
    assert events == ["made", *expected, "removed"]
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["header"]["scale"] == "paper" and written["header"]["seed"] == 7
    assert [(table["title"], table["rows"]) for table in written["tables"]] == [
        (name, [{"size": 1000}]) for name in expected
    ]


def hold(megabytes: int, kept: int):  # type: ignore[no-untyped-def]
    """Prepare by filling some memory; the work fills `megabytes` more and returns a number."""
    ballast = b"x" * (kept * MEGABYTE)
    return lambda: len(b"y" * (megabytes * MEGABYTE)) + 0 * len(ballast)


@pytest.mark.slow
def test_peak_memory_is_that_of_the_work_in_a_process_of_its_own() -> None:
    large = b"z" * (300 * MEGABYTE)
    answer = in_fresh_process("tests.benchmarks.test_harness:hold", 64, 32)
    assert answer["result"] == 64 * MEGABYTE
    grown = (answer["peak"] - answer["before"]) / MEGABYTE
    assert 60 < grown < 120, "the work's own memory, without what was held before"
    assert answer["before"] < len(large), "and without the parent's"
