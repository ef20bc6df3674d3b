"""What an experiment is: cells to measure, plots in the paper's axes, and claims that the measured rows are held to.

An experiment is data and two functions. This one asks how many nodes a trie of a few words has:

>>> def measure(cell, scale, seed):
...     words = ["pie", "pier", "tea"][: cell["words"]]
...     return [cell | {"nodes": len({word[:end] for word in words for end in range(len(word) + 1)})}]
>>> from watchword.papers.experiments.checks import check
>>> from watchword.papers.experiments.figures import read
>>> shared = check("{nodes.last} nodes", "nodes.last < 11", nodes=read("nodes", along="words"))
>>> trie = Experiment(
...     name="example/trie",
...     title="Nodes against words",
...     source="an example, table 1",
...     cells=lambda scale: [{"words": 1}, {"words": 3}],
...     measure=measure,
...     claims=(Claim("shared", "Words share their beginnings.", "fewer nodes than letters", shared),),
... )
>>> rows = [row for cell in trie.cells("small") for row in trie.measure(cell, "small", trie.seed)]
>>> rows[-1], trie.claims[0].judge(rows).verdict
({'words': 3, 'nodes': 8}, 'holds')

A *cell* is one measurement, at which an interrupted run also resumes: a dict of the plain values that vary, such as
``{"subscriptions": 10_000, "method": "trie"}``. A *row* is a cell with its measured values. A cell may give several
rows, for example one for each method, if they are to take turns within it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Cell = dict[str, Any]
Row = dict[str, Any]
Verdict = Literal["holds", "holds weaker", "does not hold", "not shown at this scale"]

SCALES = ("small", "paper")
"""Small is a minute for an experiment at most, paper has the sizes of the papers."""
VERDICTS: tuple[Verdict, ...] = ("holds", "holds weaker", "does not hold", "not shown at this scale")
UNEXPLAINED = "not explained: compare these rows with those of docs/claims.md"
"""What stands beside a claim that does not hold and has not been looked into, or whose usual reason is none here."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a claim: the verdict, the measurement in words, and a reason where it is needed.

    The reason for which a claim does not hold begins with who is to blame: ``paper:``, ``implementation:`` (ours),
    ``hardware:`` or ``workload:`` (a choice that the paper does not print).
    """

    verdict: Verdict
    measured: str
    why: str = ""


def judged(holds: bool, measured: str, *, weaker: bool = False, why: str = "", otherwise: str = "") -> Outcome:
    """Return the outcome of a claim that holds, or holds in part (`weaker`), or does not.

    `why` explains the measurement, whatever the verdict; `otherwise` why the claim does not hold, or not wholly.

    >>> judged(False, "1.4 times", weaker=True, otherwise="hardware: the cache is larger")
    Outcome(verdict='holds weaker', measured='1.4 times', why='hardware: the cache is larger')
    """
    verdict: Verdict = "holds" if holds else "holds weaker" if weaker else "does not hold"
    return Outcome(verdict, measured, why if holds else otherwise or why)


def not_shown(why: str, measured: str = "–") -> Outcome:
    """Return the outcome of a claim on which these rows can say nothing, as they are too few or too small."""
    return Outcome("not shown at this scale", measured, why)


@dataclass(frozen=True)
class Claim:
    """A finding of a paper: in our words (`text`), in the paper's figures (`paper`), and as a check of rows.

    Most checks are made by `checks.check`. `times` is whether the verdict rests on times, which belong to a machine;
    counts are the same everywhere.
    """

    id: str
    text: str
    paper: str
    check: Callable[[Sequence[Row]], Outcome]
    times: bool = False

    def judge(self, rows: Sequence[Row]) -> Outcome:
        """Return the outcome; no rows, or rows that lack what the check needs, show nothing."""
        if not rows:
            return not_shown("nothing was measured")
        try:
            outcome = self.check(rows)
        except LookupError as error:
            return not_shown(f"no rows for it: {error}")
        explained = outcome.why or outcome.verdict != "does not hold"
        return outcome if explained else replace(outcome, why=UNEXPLAINED)


@dataclass(frozen=True)
class Plot:
    """A drawing of rows: `y` over `x`, a line (or group of bars) for each value of the column `series`.

    Only rows that have the values of `where`. The columns `also`, such as what a model predicts, are further series.
    Printed rows with the same columns are drawn beside, dashed. `name` is the file's name without its ending.
    """

    name: str
    title: str
    x: str
    y: str
    series: str = "method"
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    log_y: bool = False
    bars: bool = False
    where: Mapping[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()


def no_memory_to_speak_of(scale: str) -> int:
    """Return the bytes of an experiment that any machine can run."""
    return 0


def as_they_are(rows: list[Row]) -> list[Row]:
    """Return rows from which nothing follows."""
    return rows


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    `source` names the document, the table or figure and its section. `printed` are the figures that the document
    prints, as rows; they are shown beside ours where both agree in the columns `paired`. `needs` gives the bytes of
    memory that a scale takes.

    If `turns` is above 1, the run measures every cell `turns` times, and keeps the least value of the columns
    `best_of`: the cells of a figure that measures time then meet the same disturbances. All other columns are those of
    the first turn. `derive` is given all rows and returns them with columns that follow from several rows, such as
    ratios of times.
    """

    name: str
    title: str
    source: str
    cells: Callable[[str], list[Cell]]
    measure: Callable[[Cell, str, int], list[Row]]
    plots: tuple[Plot, ...] = ()
    printed: tuple[Row, ...] = ()
    paired: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    needs: Callable[[str], int] = no_memory_to_speak_of
    turns: int = 1
    best_of: tuple[str, ...] = ()
    derive: Callable[[list[Row]], list[Row]] = as_they_are
    notes: str = ""
    seed: int = 2011

    @property
    def paper(self) -> str:
        """The part of the name before the first stroke: ``thesis`` of ``thesis/table-4.6``."""
        return self.name.partition("/")[0]
