"""The benchmark of predicates runs: every section, on data so small that its figures mean nothing."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks import predicate_rivals, predicates
from benchmarks.data import predicates as predicate_data
from benchmarks.data.predicates import Scale
from benchmarks.harness import Report, Row

TINY = Scale(
    rules=300,
    more_rules=400,
    events=60,
    subscriptions=300,
    real_rules=200,
    real_events=50,
    sql_rules=300,
    sql_events=60,
    distinct_rules=2000,
)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TURNS", "SQL_TURNS"):
        monkeypatch.setattr(predicates, name, 2)
    monkeypatch.setattr(predicates, "TURN_SECONDS", 0.001)


def run(section: str) -> Report:
    report = Report("test", {})
    predicates.SECTIONS[section](report, TINY)
    return report


def tables(report: Report) -> dict[str, list[Row]]:
    return {table["title"]: table["rows"] for table in report.content["tables"]}


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few flights and events as the real files have them."""
    (tmp_path / "events").mkdir()
    columns = "month,day,hour,dep_delay,carrier,flight,tailnum,origin,dest,air_time,distance"
    rows = [
        f"{1 + k % 12},{1 + k % 28},{k % 24},{k % 9 - 3 if k % 7 else 'NA'},"
        f"C{k % 3},{k % 5},T{k % 4},O{k % 2},D{k % 6},{k % 11},{k % 13}"
        for k in range(80)
    ]
    with zipfile.ZipFile(tmp_path / predicate_data.FLIGHTS, "w") as archive:
        archive.writestr("flights.csv", "\n".join([columns, *rows]))
    with gzip.open(tmp_path / predicate_data.GITHUB, "wt", encoding="utf-8") as file:
        for k in range(80):
            event = {"id": str(k), "dt": f"2019-09-26T00:{k % 60:02}:01Z", "repo": f"r/{k % 5}", "actor": f"o'{k % 4}"}
            event |= {"type": "push", "commits": k % 3} if k % 2 else {"type": "pr", "age": "2019-09-25T23:56:29Z"}
            file.write(json.dumps(event) + "\n")
    monkeypatch.setenv("WATCHWORD_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.slow
def test_rules_are_measured_in_every_form() -> None:
    found = tables(run("rules"))
    ways = [row["way"] for row in found["rules: 300 rules of two equalities and a range"]]
    assert ways == [
        "auto, Arrow",
        "propagation, Arrow",
        "counting, Arrow",
        "auto, JSON lines",
        "auto, match(dict)",
    ]
    assert len(found) == 5 and len(found["rules: verdict"]) == 11


@pytest.mark.slow
def test_subscriptions_are_set_against_propagation() -> None:
    found = tables(run("subscriptions"))
    rows = found["subscriptions: 300, EQ = 2, NEQ = 2"]
    assert len(rows) == 4 and rows[1]["× propagation, Arrow"] == 1.0


@pytest.mark.slow
def test_real_events_are_read_where_they_lie(data: Path) -> None:
    found = tables(run("real"))
    assert [row["way"] for row in found["real: 200 rules over GitHub events, no times"]] == [
        "auto, Arrow",
        "auto, JSON lines",
        "propagation, Arrow",
    ]
    assert len(found["real: verdict"]) == 5


@pytest.mark.slow
def test_opening_is_measured_warm_and_in_a_fresh_process() -> None:
    found = tables(run("open"))
    rows = found["open: 2,000 rules of a predicate of their own"]
    assert [row["rules"] for row in rows] == ["one attribute, =", "one attribute, >", "2 attributes × 1,000 constants"]
    assert all(row["in a fresh process ms"] > row["open and match ms"] > 0 for row in rows)
    assert found["open: verdict"][0]["measured"] == max(row["open and match ms"] for row in rows)


def test_where_there_is_no_data_or_no_rival_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHWORD_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(predicate_rivals, "duckdb", None)
    for section in ("real", "duckdb"):
        report = run(section)
        assert not report.content["tables"] and "left out" in report.content["notes"][0]


def test_two_ways_that_differ_end_the_run() -> None:
    one, other = (pa.table({"event": [0, 1], "subscription": [5, last]}) for last in (6, 7))
    with pytest.raises(SystemExit, match="slow and quick"):
        predicates.same_answers({"quick": (lambda _: one, [0, 1]), "slow": (lambda _: other, [0, 1])})


def test_what_is_wanted_at_most_is_reached_by_less() -> None:
    assert predicates.wanted_row("µs", 20.0, 30, least=False)["reached ×"] == 1.5
    assert predicates.wanted_row("events/s", 20.0, 10)["reached ×"] == 2.0
