"""The folder of a run: ``results/small/predicates/figure-5``.

While it runs, `cells.jsonl` grows by a line for each cell. The first line says whose rows they are:

    {"experiment": "predicates/figure-5", "scale": "small", "version": "0.1.0", "seed": 2000, "cpu": "…"}
    {"turn": 0, "cell": {"S": 15000}, "rows": [{"S": 15000, "method": "auto", "us": 2.1}, …]}

A run that was interrupted goes on after the last whole line; what a crash left of a line is cut off. A folder that
another version, seed or machine began is refused: its rows would be compared with what they cannot be compared with.
At the end there are `rows.csv`, `rows.parquet`, `machine.json` and an SVG for each plot.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from watchword import __version__
from watchword.errors import ExperimentError
from watchword.files import write_json
from watchword.papers.experiments.experiment import Cell, Experiment, Row
from watchword.papers.experiments.machine import cpu_model, machine

CELLS = "cells.jsonl"
MACHINE = "machine.json"
_SAME = {"version": "version", "seed": "seed", "cpu": "machine"}


@dataclass
class Run:
    """The cells of an experiment that are measured already, in a folder of their own."""

    experiment: Experiment
    scale: str
    seed: int
    folder: Path
    done: dict[tuple[str, int], list[Row]] = field(default_factory=dict)

    def left(self) -> list[tuple[Cell, int]]:
        """Return the cells to measure, with the turn: all cells once, then again, as often as there are turns."""
        cells, turns = self.experiment.cells(self.scale), range(self.experiment.turns)
        return [(cell, turn) for turn in turns for cell in cells if (key_of(cell), turn) not in self.done]

    def add(self, cell: Cell, turn: int, rows: Sequence[Row]) -> None:
        """Keep the rows of a cell, on the disk first."""
        line = json.dumps({"turn": turn, "cell": cell, "rows": list(rows)}, default=_plain)
        with (self.folder / CELLS).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
        self.done[key_of(cell), turn] = json.loads(line)["rows"]

    def rows(self) -> list[Row]:
        """Return the rows of all cells that were measured, in the order of the cells: of times the best turn."""
        found: list[Row] = []
        for cell in self.experiment.cells(self.scale):
            turns = [
                self.done[key] for turn in range(self.experiment.turns) if (key := (key_of(cell), turn)) in self.done
            ]
            found += best_rows(turns, self.experiment.best_of)
        return self.experiment.derive(found)


def folder_of(results: Path, scale: str, experiment: Experiment) -> Path:
    """Return where a run has its folder."""
    return results / scale / experiment.name


def opened(experiment: Experiment, scale: str, seed: int, results: Path, *, again: bool = False) -> Run:
    """Begin a run, or go on with one; with `again`, its folder is removed first."""
    run = Run(experiment, scale, seed, folder_of(results, scale, experiment))
    if again and (run.folder / CELLS).exists():
        shutil.rmtree(run.folder)
    run.folder.mkdir(parents=True, exist_ok=True)
    file = run.folder / CELLS
    begun = _header(run)
    lines = _whole_lines(file)
    if not lines:
        file.write_text(json.dumps(begun) + "\n", encoding="utf-8")
        write_json(run.folder / MACHINE, machine() | {"watchword": __version__})
    else:
        _check_same(lines[0], begun, run)
        _take(run, lines[1:])
    return run


def found(experiment: Experiment, scale: str, results: Path) -> Run | None:
    """Return the run of an experiment as it lies in its folder, of whatever seed and machine, or None.

    One of another version is refused: the checks of this one would judge rows that they were not written for.
    """
    run = Run(experiment, scale, experiment.seed, folder_of(results, scale, experiment))
    lines = _whole_lines(run.folder / CELLS, cut=False)
    if not lines:
        return None
    _check_same(lines[0], _header(run), run, ("version",))
    run.seed = int(lines[0]["seed"])
    _take(run, lines[1:])
    return run


def best_rows(turns: Sequence[Sequence[Row]], best_of: Iterable[str]) -> list[Row]:
    """Return the rows of the first turn, with the least value of some columns over all turns.

    >>> best_rows([[{"n": 1, "us": 3.0}], [{"n": 1, "us": 2.0}]], ["us"])
    [{'n': 1, 'us': 2.0}]
    """
    columns = list(best_of)
    merged = []
    for same in zip(*turns, strict=True):
        least = {name: min(row[name] for row in same) for name in columns if same[0].get(name) is not None}
        merged.append(same[0] | least)
    return merged


def write_rows(run: Run) -> None:
    """Write the rows as CSV and Parquet."""
    table = as_table(run.rows())
    pa.csv.write_csv(table, run.folder / "rows.csv")
    pa.parquet.write_table(table, run.folder / "rows.parquet")


def as_table(rows: Sequence[Row]) -> pa.Table:
    """Return rows as a table; a column with values of several kinds has them as texts.

    >>> as_table([{"c": 10, "t": 1}, {"c": "none", "t": 2.5}]).to_pydict()
    {'c': ['10', 'none'], 't': [1.0, 2.5]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _column([row.get(name) for row in rows]) for name in names})


def key_of(cell: Cell) -> str:
    """Return a cell as a text that is the same for the same cell."""
    return json.dumps(cell, sort_keys=True, default=_plain)


def _column(values: list[Any]) -> pa.Array:
    known = [value for value in values if value is not None]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in known):
        whole = all(isinstance(value, int) for value in known)
        return pa.array(values, pa.int64() if whole else pa.float64())
    if all(isinstance(value, bool) for value in known):
        return pa.array(values, pa.bool_())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item()


def _header(run: Run) -> dict[str, Any]:
    return {
        "experiment": run.experiment.name,
        "scale": run.scale,
        "version": __version__,
        "seed": run.seed,
        "cpu": cpu_model(),
    }


def _check_same(begun: dict[str, Any], ours: dict[str, Any], run: Run, names: Iterable[str] = tuple(_SAME)) -> None:
    """Refuse a folder whose rows cannot stand beside those of this run."""
    for name in names:
        if begun.get(name) != ours[name]:
            raise ExperimentError(
                f"{run.folder} was begun by another {_SAME[name]} ({begun.get(name)}, this is {ours[name]}); "
                "--again measures anew in its place, --results names another folder",
                name=run.experiment.name,
            )


def _whole_lines(file: Path, *, cut: bool = True) -> list[dict[str, Any]]:
    """Return the JSON objects of all whole lines; `cut` removes a last line without its line end from the file."""
    if not file.exists():
        return []
    text = file.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if cut and len(whole) < len(text):
        with file.open("r+b") as output:
            output.truncate(len(whole))
    return [_read(line, file, number) for number, line in enumerate(whole.splitlines(), 1)]


def _read(line: bytes, file: Path, number: int) -> dict[str, Any]:
    """Return what a line says; the first has a header's names, the others a cell's."""
    wanted = {"experiment", "seed"} if number == 1 else {"turn", "cell", "rows"}
    try:
        said = json.loads(line)
    except ValueError:
        said = None
    if not isinstance(said, dict) or not wanted <= said.keys():
        raise ExperimentError(
            f"line {number} of {file} is not of a run; --again measures anew in its place, "
            "--results names another folder",
            name="/".join(file.parts[-3:-1]),
        )
    return said


def _take(run: Run, lines: Iterable[dict[str, Any]]) -> None:
    for line in lines:
        run.done[key_of(line["cell"]), line["turn"]] = line["rows"]
