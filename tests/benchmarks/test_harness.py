"""The arithmetic of the benchmarks. No timing is asserted: clocks are replaced or ignored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from benchmarks import harness
from benchmarks.harness import Report, in_fresh_process, with_ratios

MEGABYTE = 1 << 20


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
