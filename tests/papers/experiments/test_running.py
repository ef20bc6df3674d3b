"""Runs: resumed, refused, begun again, and what they leave behind."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from tests.papers.experiments import toy
from watchword.errors import ExperimentError
from watchword.files import locked
from watchword.papers.experiments import plotting, results
from watchword.papers.experiments.running import check_memory, run_all, run_one

pytestmark = pytest.mark.usefixtures("toys")


def lengths() -> list[int]:
    return [cell["length"] for cell in toy.measured]


@pytest.mark.slow
def test_a_run_leaves_rows_plots_and_the_machine(tmp_path: Path) -> None:
    run = run_one(toy.LETTERS, "small", tmp_path)
    folder = tmp_path / "small" / "toy" / "letters"
    assert run.folder == folder and run.left() == []
    assert pq.read_table(folder / "rows.parquet").to_pylist() == run.rows()
    assert pc.read_csv(folder / "rows.csv")["letters"].to_pylist() == [1, 2, 2, 4, 3, 6]
    known = json.loads((folder / "machine.json").read_text(encoding="utf-8"))
    assert {"cpu", "cores", "memory_gb", "python", "numpy", "numba", "pyarrow", "watchword"} <= known.keys()
    for name in ("letters", "bars"):
        assert b"<svg" in (folder / f"{name}.svg").read_bytes()


def test_an_interrupted_run_goes_on_at_the_next_cell(tmp_path: Path) -> None:
    toy.interrupt_at.append(3)
    with pytest.raises(KeyboardInterrupt):
        run_one(toy.PLAIN, "small", tmp_path)
    assert lengths() == [1, 2]
    with (tmp_path / "small" / "toy" / "letters" / "cells.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"turn": 0, "cell": {"length": 3}, "ro')  # what a crash leaves of a line
    toy.interrupt_at.clear()
    run = run_one(toy.PLAIN, "small", tmp_path)
    assert lengths() == [1, 2, 3] and [row["length"] for row in run.rows()] == [1, 1, 2, 2, 3, 3]
    assert run_one(toy.PLAIN, "small", tmp_path).rows() == run.rows()
    assert lengths() == [1, 2, 3], "a complete run measures nothing"


def test_cells_take_turns_and_the_best_time_counts(tmp_path: Path) -> None:
    toy.clock += [5.0, 6.0, 7.0, 4.0, 8.0, 9.0, 6.0, 2.0, 8.0]
    run = run_one(toy.TURNS, "small", tmp_path)
    assert lengths() == [1, 2, 3] * 3
    assert [row["us"] for row in run.rows() if row["method"] == "auto"] == [4.0, 2.0, 7.0]


def test_a_folder_of_another_seed_or_version_is_refused_until_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_one(toy.PLAIN, "small", tmp_path, seed=1)
    with pytest.raises(ExperimentError, match=r"another seed \(1, this is 2\).*--again"):
        run_one(toy.PLAIN, "small", tmp_path, seed=2)
    monkeypatch.setattr(results, "__version__", "99.0")
    with pytest.raises(ExperimentError, match=r"another version \(.*99\.0.*--again"):
        run_one(toy.PLAIN, "small", tmp_path, seed=1)
    assert lengths() == [1, 2, 3], "nothing was measured, nothing is lost"
    run_one(toy.PLAIN, "small", tmp_path, seed=2, again=True)
    assert lengths() == [1, 2, 3] * 2
    assert results.found(toy.PLAIN, "small", tmp_path).seed == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "line"),
    [("not JSON\n", 1), ("[1]\n", 1), ('{"seed": 1}\n', 1), ("", 5), ('{"cell": {}}\n', 5)],
)
def test_a_folder_with_something_else_in_it_is_refused_until_asked_again(tmp_path: Path, text: str, line: int) -> None:
    run = run_one(toy.PLAIN, "small", tmp_path)
    file = run.folder / "cells.jsonl"
    file.write_text(text if line == 1 else file.read_text(encoding="utf-8") + (text or "\n"), encoding="utf-8")
    for read in (results.found, lambda *arguments: run_one(*arguments)):
        with pytest.raises(
            ExperimentError, match=rf"toy/letters: line {line} of .*cells.jsonl is not of a run; --again"
        ):
            read(toy.PLAIN, "small", tmp_path)
    assert run_one(toy.PLAIN, "small", tmp_path, again=True).left() == []


def test_again_removes_runs_only(tmp_path: Path) -> None:
    strange = tmp_path / "small" / "toy" / "letters"
    strange.mkdir(parents=True)
    (strange / "mine.txt").write_text("kept", encoding="utf-8")
    run_one(toy.PLAIN, "small", tmp_path, again=True)
    assert (strange / "mine.txt").exists()


def test_another_machine_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_one(toy.PLAIN, "small", tmp_path)
    monkeypatch.setattr(results, "cpu_model", lambda: "abacus")
    with pytest.raises(ExperimentError, match=r"another machine .*abacus"):
        run_one(toy.PLAIN, "small", tmp_path)


def test_too_little_memory_is_said_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match=r"toy/letters: needs .* GB .* are free; take --scale small"):
        list(run_all([toy.TURNS, toy.PLAIN], "paper", tmp_path))
    assert toy.measured == [] and list(tmp_path.iterdir()) == []
    check_memory(toy.PLAIN, "paper", free=1 << 70)


def test_without_matplotlib_nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotting, "find_spec", lambda name: None)
    with pytest.raises(ExperimentError, match="pip install 'watchword\\[experiments\\]'"):
        list(run_all([toy.PLAIN], "small", tmp_path))
    assert toy.measured == []


def test_a_folder_that_another_process_writes_is_left_to_it(tmp_path: Path) -> None:
    (tmp_path / "small" / "toy").mkdir(parents=True)
    with (
        locked(tmp_path / "small" / "toy" / ".letters.lock"),
        pytest.raises(ExperimentError, match=r"letters is being written by process \d+"),
    ):
        run_one(toy.PLAIN, "small", tmp_path)


def test_values_of_several_kinds_in_a_column_are_kept_as_texts() -> None:
    table = results.as_table([{"c": 10, "on": True}, {"c": None, "on": None}, {"c": "none", "extra": 1.5}])
    assert table.to_pydict() == {"c": ["10", None, "none"], "on": [True, None, None], "extra": [None, None, 1.5]}
