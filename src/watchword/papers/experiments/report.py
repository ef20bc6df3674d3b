"""One page of HTML with everything that was run: claims and verdicts, plots, tables, the machine; nothing beside it.

Of each experiment the page shows the rows as they lie in its folder, so that it can be made while others still run.
Verdicts are computed from the rows each time, and never stored.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from watchword.papers.experiments import plotting, results
from watchword.papers.experiments.experiment import (
    SCALES,
    VERDICTS,
    Claim,
    Experiment,
    Outcome,
    Plot,
    Row,
    Verdict,
    not_shown,
)
from watchword.papers.experiments.results import MACHINE, Run
from watchword.papers.experiments.rows import figure, where

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; }
th, td { border: 1px solid #ddd; padding: 3px 8px; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.rows { max-height: 30em; overflow: auto; }
.holds { background: #d9f2d9; } .weaker { background: #fff3cd; } .not { background: #f8d7da; }
.open { background: #eee; }
img { max-width: 46%; } .small { color: #666; font-size: 13px; }
"""
HEAD = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Watchword: experiments</title><style>{STYLE}</style></head>
<body>
"""
CLASSES: dict[Verdict, str] = dict(zip(VERDICTS, ("holds", "weaker", "not", "open"), strict=True))
Judged = list[tuple[Claim, Outcome]]


def page(experiments: Iterable[Experiment], scale: str | None, folder: Path) -> str:
    """Return the report on the experiments that have a run in this folder (`found_runs`)."""
    runs = found_runs(experiments, scale, folder)
    judged = {run.experiment.name: outcomes(run) for run in runs}
    parts = [
        "<h1>The papers, measured again</h1>",
        _machines(runs),
        _contents(runs),
        _summary(judged),
        *(_section(run, judged[run.experiment.name]) for run in runs),
    ]
    return HEAD + "\n".join(parts) + "</body></html>\n"


def found_runs(experiments: Iterable[Experiment], scale: str | None, folder: Path) -> list[Run]:
    """Return the runs that this folder has of these experiments.

    Without a scale, of each experiment the largest run that is complete, or else the largest there is.
    """
    scales = SCALES[::-1] if scale is None else (scale,)
    chosen = []
    for each in experiments:
        runs = [run for name in scales if (run := results.found(each, name, folder)) is not None]
        chosen += sorted(runs, key=lambda run: bool(run.left()))[:1]
    return chosen


def outcomes(run: Run) -> Judged:
    """Return the claims of an experiment with what became of them; of a run that is not complete, nothing is said."""
    if left := len(run.left()):
        return [(claim, not_shown(f"{left} cells are not measured yet")) for claim in run.experiment.claims]
    rows = run.rows()
    return [(claim, claim.judge(rows)) for claim in run.experiment.claims]


def paired(rows: Sequence[Row], printed: Sequence[Row], columns: Sequence[str]) -> list[Row]:
    """Return rows with the printed figures beside them where both agree in some columns; printed ones alone behind.

    >>> paired([{"n": 1, "us": 5}, {"n": 2, "us": 6}], [{"n": 2, "us": 9}, {"n": 3, "us": 12}], ["n"])
    [{'n': 1, 'us': 5}, {'n': 2, 'us': 6, 'us (printed)': 9}, {'n': 3, 'us (printed)': 12}]
    """
    found, used = [], []
    for row in rows:
        same = where(printed, **{name: row.get(name) for name in columns}) if columns else []
        used += same
        found.append(row | (_marked(same[0], columns) if same else {}))
    alone = [{n: row[n] for n in columns if n in row} | _marked(row, columns) for row in printed if row not in used]
    return found + alone


def _marked(row: Row, columns: Sequence[str]) -> Row:
    return {f"{name} (printed)": value for name, value in row.items() if name not in columns}


def _machines(runs: Sequence[Run]) -> str:
    """Return on what the runs were made; a line for each machine."""
    files = (run.folder / MACHINE for run in runs)
    known = dict.fromkeys(file.read_text(encoding="utf-8") for file in files if file.exists())
    lines = [", ".join(f"{name} {value}" for name, value in json.loads(text).items()) for text in known]
    return "".join(f"<p class='small'>{escape(line)}</p>" for line in lines)


def _contents(runs: Sequence[Run]) -> str:
    lines = (
        f"<li><a href='#{escape(run.experiment.name)}'>{escape(_heading(run.experiment))}</a></li>" for run in runs
    )
    return f"<h2>Contents</h2><ul>{''.join(lines)}</ul>"


def _heading(experiment: Experiment) -> str:
    return f"{experiment.name}: {experiment.title}"


def _summary(judged: Mapping[str, Judged]) -> str:
    """Return how many claims hold, and the table of all."""
    every = [(name, claim, outcome) for name, found in judged.items() for claim, outcome in found]
    rows = "".join(
        _claim_row(claim, outcome, f"<td><a href='#{name}'>{name}</a></td>") for name, claim, outcome in every
    )
    said = tally(outcome for _, _, outcome in every)
    return f"<h2>Claims</h2><p>{said}</p>{_claim_table(rows, '<th>experiment</th>')}"


def tally(outcomes: Iterable[Outcome]) -> str:
    """Return how many claims hold, in words.

    >>> tally([not_shown("too few"), not_shown("too few")]), tally([])
    ('2 claims: 2 not shown at this scale.', '0 claims: none.')
    """
    verdicts = [outcome.verdict for outcome in outcomes]
    said = ", ".join(f"{count} {verdict}" for verdict in VERDICTS if (count := verdicts.count(verdict)))
    return f"{len(verdicts)} claims: {said or 'none'}."


def _claim_table(rows: str, first: str = "") -> str:
    heads = "".join(f"<th>{name}</th>" for name in ("claim", "paper", "measured", "verdict", "why"))
    return f"<table><tr>{first}{heads}</tr>{rows}</table>"


def _claim_row(claim: Claim, outcome: Outcome, first: str = "") -> str:
    basis = "times" if claim.times else "counts"
    cells = (claim.text, claim.paper, outcome.measured)
    shown = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
    verdict = f"<td class='{CLASSES[outcome.verdict]}'>{outcome.verdict} <span class='small'>({basis})</span></td>"
    return f"<tr>{first}{shown}{verdict}<td>{escape(outcome.why)}</td></tr>"


def _section(run: Run, judged: Judged) -> str:
    """Return what the page has of one experiment."""
    experiment, left = run.experiment, run.left()
    parts = [
        f"<h2 id='{escape(experiment.name)}'>{escape(_heading(experiment))}</h2>",
        f"<p class='small'>{escape(experiment.source)}; scale {escape(run.scale)}, seed {run.seed}</p>",
        f"<p>{escape(experiment.notes)}</p>" if experiment.notes else "",
        f"<p><strong>{len(left)} cells are not measured yet.</strong></p>" if left else "",
        *(_image(run, plot) for plot in experiment.plots),
        _claim_table("".join(_claim_row(*each) for each in judged)) if judged else "",
        _table(paired(run.rows(), experiment.printed, experiment.paired)),
    ]
    return "\n".join(part for part in parts if part)


def _image(run: Run, plot: Plot) -> str:
    file = plotting.file_of(run, plot)
    svg = file.read_bytes() if file.exists() else plotting.drawn(plot, run.rows(), run.experiment.printed)
    data = base64.b64encode(svg).decode("ascii")
    return f"<img alt='{escape(plot.title, quote=True)}' src='data:image/svg+xml;base64,{data}'>"


def _table(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    heads = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = "".join("<tr>" + "".join(_cell(row.get(name)) for name in names) + "</tr>" for row in rows)
    return f"<div class='rows'><table><tr>{heads}</tr>{lines}</table></div>"


def _cell(value: object) -> str:
    kind = " class='number'" if isinstance(value, int | float) else ""
    return f"<td{kind}>{escape(figure(value))}</td>"
