"""The claims alone, as a page of Markdown: what each paper says, our measurement, the verdict, and why.

`docs/claims.md` is made by it, from the runs of ``--scale paper``. What a row of it looks like:

>>> from watchword.papers.experiments.experiment import judged
>>> claim = Claim("half", "It takes half the time.", "650 | 325 ms", lambda rows: judged(True, ""))
>>> print(line(claim, judged(False, "1.4 times", weaker=True, why="hardware: a larger cache")))
| It takes half the time. | 650 \\| 325 ms | 1.4 times | holds weaker | hardware: a larger cache |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from watchword.papers.experiments.experiment import Claim, Experiment, Outcome
from watchword.papers.experiments.report import found_runs, outcomes, tally
from watchword.papers.experiments.results import MACHINE, Run
from watchword.visible import counted

COLUMNS = ("claim", "paper", "measured", "verdict", "why")
INTRODUCTION = """\
Each finding of a paper in our words, what the paper prints, what was measured, and the verdict. Verdicts rest on
counts, which are the same on every machine, unless they say *(times)*. Where a claim does not hold, or not wholly,
the last column begins with what it is put down to: the *paper*, our *implementation*, the *hardware*, or the
*workload*, where the paper does not print its own and one had to be chosen. `watchword experiments report --output
claims.md` makes this page."""


def markdown(experiments: Iterable[Experiment], scale: str | None, folder: Path) -> str:
    """Return the page on the experiments that have a run in this folder: a section for each, in the papers' order."""
    runs = found_runs(experiments, scale, folder)
    judged = [(run, outcomes(run)) for run in runs]
    parts = [
        "# The papers' claims, checked",
        INTRODUCTION,
        *sorted({_machine(run) for run in runs}),
        tally(outcome for _, found in judged for _, outcome in found),
    ]
    for paper, of_paper in groupby(judged, key=lambda each: each[0].experiment.paper):
        parts.append(f"## {paper}")
        parts += [_section(run, found) for run, found in of_paper if found]
    return "\n\n".join(parts) + "\n"


def line(claim: Claim, outcome: Outcome) -> str:
    """Return the row of a claim; verdicts that rest on times say so."""
    verdict = f"{outcome.verdict} (times)" if claim.times else outcome.verdict
    return _row((claim.text, claim.paper, outcome.measured, verdict, outcome.why or "–"))


def _section(run: Run, found: Sequence[tuple[Claim, Outcome]]) -> str:
    experiment = run.experiment
    head = [
        f"### {experiment.name}",
        "",
        f"{experiment.source}; scale {run.scale}.",
        "",
        _row(COLUMNS),
        _row(["---"] * len(COLUMNS)),
    ]
    return "\n".join([*head, *(line(claim, outcome) for claim, outcome in found)])


def _machine(run: Run) -> str:
    """Return on what a run was made, without the name of the processor."""
    file = run.folder / MACHINE
    if not file.exists():
        return "Machine: unknown."
    known = json.loads(file.read_text(encoding="utf-8"))
    return f"Machine: {counted(known['cores'], 'core')}, {known['memory_gb'] * 1e9 / (1 << 30):.0f} GiB."


def _row(cells: Iterable[str]) -> str:
    escaped = (" ".join(cell.replace("|", "\\|").split()) for cell in cells)
    return f"| {' | '.join(escaped)} |"
