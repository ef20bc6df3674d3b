"""``watchword experiments``: the tables and figures of the papers, measured on this machine."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from watchword.cli.reporting import fail, note, reports_errors, say, spinner

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from watchword.papers.experiments.running import Progress

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Measure the tables and figures of the papers again, and say which of their claims hold here.",
)


class Scale(StrEnum):
    """How large an experiment is."""

    small = "small"
    paper = "paper"


ResultsOption = Annotated[Path, typer.Option(metavar="DIR", help="Where runs are kept.")]
RESULTS = Path("results")


@app.command("list")
@reports_errors
def list_experiments() -> None:
    """List the experiments: name, title, where it is from, how many claims it checks.

    [bold]Example[/bold]

      watchword experiments list
    """
    from watchword.cli.printing import print_table
    from watchword.papers.experiments.registry import every_experiment

    rows = [(each.name, each.title, each.source, str(len(each.claims))) for each in every_experiment()]
    print_table(("experiment", "title", "source", "claims"), rows, numbers=("claims",))


@app.command()
@reports_errors
def run(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Experiments, papers (all of theirs), or [bold]all[/bold].")
    ],
    scale: Annotated[Scale, typer.Option(help="small: a minute each at most; paper: the sizes of the papers.")] = (
        Scale.small
    ),
    results: ResultsOption = RESULTS,
    seed: Annotated[int | None, typer.Option(help="Draw other data than the experiment's own seed does.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Measure anew what is there already.")] = False,
) -> None:
    """Run experiments and say which claims hold.

    Rows (CSV and Parquet), plots (SVG) and the machine are kept in DIR/SCALE/NAME. A run that was interrupted goes on
    where it stopped. Times belong to an idle machine: run nothing beside it.

    [bold]Examples[/bold]

      watchword experiments run predicates/figure-5

      watchword experiments run all --scale paper
    """
    from watchword.cli.printing import print_table
    from watchword.papers.experiments.registry import chosen
    from watchword.papers.experiments.report import outcomes
    from watchword.papers.experiments.running import run_all

    with _going_on(), _progress() as progress:
        start = time.monotonic()
        for done in run_all(chosen(names), scale.value, results, seed=seed, again=again, progress=progress):
            seconds, start = time.monotonic() - start, time.monotonic()
            say(f"{done.experiment.name}: {len(done.rows()):,} rows in {done.folder} ({seconds:,.0f} s)")
            judged = outcomes(done)
            if judged:
                shown = [(o.verdict, claim.text, claim.paper, o.measured) for claim, o in judged]
                print_table(("verdict", "claim", "paper", "measured"), shown)


@app.command()
@reports_errors
def report(
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="The page to write; if it ends in .md, the claims alone as Markdown.")
    ] = Path("report.html"),
    scale: Annotated[
        Scale | None, typer.Option(help="Which runs; without it the largest complete one of each.")
    ] = None,
    results: ResultsOption = RESULTS,
) -> None:
    """Put all runs on one page of HTML: plots, tables, and a verdict on each claim.

    [bold]Examples[/bold]

      watchword experiments report --output report.html

      watchword experiments report --output claims.md
    """
    if not any((results / each.value).is_dir() for each in ([scale] if scale else Scale)):
        fail(
            f"{results}: no runs are kept here; `watchword experiments run all` makes some, --results names the folder"
        )
    from watchword.papers.experiments.claims_page import markdown
    from watchword.papers.experiments.registry import every_experiment
    from watchword.papers.experiments.report import page

    write = markdown if output.suffix == ".md" else page
    with spinner("reading the runs"):
        text = write(every_experiment(), scale.value if scale else None, results)
    output.write_text(text, encoding="utf-8")
    note(f"{output}: {len(text) / 1e6:.1f} MB")


@contextmanager
def _going_on() -> Iterator[None]:
    """After Ctrl-C, print that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        note("interrupted; the same command goes on at the next cell")
        raise


@contextmanager
def _progress() -> Iterator[Progress]:
    """Return a progress bar if standard error is a terminal, else a line for each experiment."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TimeElapsedColumn

    with Bar(*Bar.get_default_columns(), TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        yield _Bars(bar)


class _Lines:
    """Prints a line when an experiment begins."""

    def begin(self, name: str, done: int, cells: int) -> None:
        note(f"{name}: {done} of {cells} cells are there" if done else f"{name}: {cells} cells")

    def cell(self, cell: dict[str, Any]) -> None:
        pass

    def end(self) -> None:
        pass


class _Bars:
    """Shows a bar for the current experiment, and its cell."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._name = ""
        self._begun = False
        self._task = bar.add_task("", total=None)

    def begin(self, name: str, done: int, cells: int) -> None:
        self._name, self._begun = name, False
        self._bar.reset(self._task, total=cells, completed=done, description=name)

    def cell(self, cell: dict[str, Any]) -> None:
        values = ", ".join(f"{name} {value}" for name, value in cell.items())
        self._bar.update(self._task, advance=int(self._begun), description=f"{self._name} ({values})")
        self._begun = True

    def end(self) -> None:
        self._bar.update(self._task, advance=int(self._begun))
