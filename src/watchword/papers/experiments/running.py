"""Running experiments: memory is looked at first, then each is measured cell by cell, then written and drawn.

An interruption loses the cell being measured; the same command goes on after the last whole one.
See `results` for the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from watchword.errors import ExperimentError
from watchword.files import locked
from watchword.papers.experiments import plotting, results
from watchword.papers.experiments.experiment import Cell, Experiment
from watchword.papers.experiments.machine import free_memory
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.results import Run


class Progress(Protocol):
    """Who is told how far a run is."""

    def begin(self, name: str, done: int, cells: int) -> None:
        """Report that an experiment begins or goes on, with `done` of its `cells` measured."""

    def cell(self, cell: Cell) -> None:
        """Be told that a cell is about to be measured."""

    def end(self) -> None:
        """Be told that the experiment is done."""


class Silence:
    """Progress that prints nothing."""

    def begin(self, name: str, done: int, cells: int) -> None:
        """Say nothing."""

    def cell(self, cell: Cell) -> None:
        """Say nothing."""

    def end(self) -> None:
        """Say nothing."""


def run_all(
    experiments: Sequence[Experiment],
    scale: str,
    folder: Path,
    *,
    seed: int | None = None,
    again: bool = False,
    progress: Progress | None = None,
) -> Iterable[Run]:
    """Run experiments one after the other; yields each when it is complete. Those of a paper share what they shelve.

    Nothing is begun if one of them needs more memory than there is, or if there is nothing to draw with.
    """
    for experiment in experiments:
        check_memory(experiment, scale, free_memory())
    plotting.check_installed(experiments[0].name if experiments else "")
    try:
        for at, experiment in enumerate(experiments):
            if at and experiment.paper != experiments[at - 1].paper:
                SHELF.clear()
            yield run_one(experiment, scale, folder, seed=seed, again=again, progress=progress)
    finally:
        SHELF.clear()


def run_one(
    experiment: Experiment,
    scale: str,
    folder: Path,
    *,
    seed: int | None = None,
    again: bool = False,
    progress: Progress | None = None,
) -> Run:
    """Measure the cells that are left of an experiment, then write its rows and plots."""
    told = progress or Silence()
    place = results.folder_of(folder, scale, experiment)
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        with locked(place.with_name(f".{place.name}.lock"), patience=0.0):
            run = results.opened(experiment, scale, experiment.seed if seed is None else seed, folder, again=again)
            _measure(run, told)
            results.write_rows(run)
            plotting.draw_all(run)
    except TimeoutError as error:
        raise ExperimentError(f"{place} is being written by {error}", name=experiment.name) from None
    return run


def check_memory(experiment: Experiment, scale: str, free: int) -> None:
    """Refuse an experiment that needs more memory than is free."""
    needed = experiment.needs(scale)
    if needed > free:
        remedy = "take --scale small" if scale != "small" else "free some"
        raise ExperimentError(
            f"needs {needed / 1e9:.1f} GB of memory at --scale {scale}, and {free / 1e9:.1f} GB are free; {remedy}",
            name=experiment.name,
        )


def _measure(run: Run, told: Progress) -> None:
    left = run.left()
    total = len(run.experiment.cells(run.scale)) * run.experiment.turns
    told.begin(run.experiment.name, total - len(left), total)
    for cell, turn in left:
        told.cell(cell)
        run.add(cell, turn, run.experiment.measure(dict(cell), run.scale, run.seed))
    told.end()
