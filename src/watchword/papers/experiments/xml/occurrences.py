"""Section 6, in the text: all occurrences of all patterns against the first of each, in time and in space.

A document of the paper's size has too many to keep them all here: they are found, counted and let go, piece by piece.
An occurrence is two numbers, so space is as their count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.paths.moves import ALL
from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import each, every, text
from watchword.papers.experiments.measuring import SHELF, by_turns, same_pairs
from watchword.papers.experiments.rows import where
from watchword.papers.experiments.xml.workload import (
    DATA,
    DOCUMENT,
    SEED,
    at_papers_size,
    document_of,
    elements_of,
    indexes_of,
)
from watchword.paths import PathIndex

SIZES = {"small": (1_000, 3_000), "paper": (10_000, 20_000)}
ELEMENTS = 1_000
COMPARED = 20
PIECE = 1 << 16
"""Moves that are followed at once."""
ONE, EVERY = (np.array([limit], np.int32) for limit in (1, ALL))
METHODS = ("pma2", "yfilter", "lazy-dfa", "auto")


def cells(scale: str) -> list[Cell]:
    """Return the cells: each number of patterns on each DTD."""
    return [
        {"data": data, "patterns": n, "elements": elements_of(data, scale, ELEMENTS)}
        for data in DATA
        for n in SIZES[scale]
    ]


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Find the first occurrence of each pattern, then all, with every method by turns; parsing is part of it."""
    document, rows = document_of(cell, seed), []
    indexes = SHELF.get(("occurrences", *sorted(cell.items()), seed), partial(indexes_of, cell, seed, METHODS))
    same_pairs({name: index.occurrences_table(document, limit=COMPARED) for name, index in indexes.items()})
    limits = {"first": ONE, "all": EVERY}
    ways = {
        f"{name} {what}": (partial(_counted, index, limit), [document])
        for name, index in indexes.items()
        for what, limit in limits.items()
    }
    taken = by_turns(ways, turns=2)
    for name, index in indexes.items():
        counts = {what: _counted(index, limit, [document]) for what, limit in limits.items()}
        times = {f"{what}_ms": 1e3 * taken[f"{name} {what}"].best for what in limits}
        row = cell | {"method": name, "document_mb": len(document) / 1e6} | times | counts
        rows.append(row | {"count_ratio": counts["all"] / counts["first"]})
    return rows


def _counted(index: PathIndex, limits: Int32, documents: Sequence[bytes]) -> int:
    """Return the number of occurrences; `limits` is the most for each path."""
    language = index._plugged
    run, found = language.structure.start(limits, elements=True), 0
    for moves in language.read(documents, 0).pieces:
        for at in range(0, len(moves), PIECE):
            found += len(run.feed(moves[at : at + PIECE]).payloads)
    run.end()
    return found


def with_ratios(rows: list[Row]) -> list[Row]:
    """Return rows with `time_ratio`, all occurrences over the first."""
    return [row | {"time_ratio": row["all_ms"] / row["first_ms"]} for row in rows]


def needs(scale: str) -> int:
    """Return the bytes of the indexes and of all occurrences."""
    return {"small": 10**9, "paper": 4 * 10**9}[scale]


def _follows_the_count(rows: Sequence[Row]) -> Outcome:
    found = sorted((row["count_ratio"], row["time_ratio"], row["data"]) for row in where(rows, method="pma2"))
    if not found:
        raise LookupError("pma2")
    said = "; ".join(f"{data}: {count:.0f} times as many, {time:.1f} times as long" for count, time, data in found)
    ends, less = found[0][1] < found[-1][1], found[-1][1] < found[-1][0]
    why = f"implementation: an occurrence is two numbers written to an array; {found[-1][0]:,.0f} times as many take "
    why += f"{found[-1][1]:.1f} times as long, since parsing weighs more"
    return judged(ends and less, said, weaker=less, otherwise=why)


TIME_RATIOS = each(DATA, lambda data: every("time_ratio", data=data, method="pma2"))
COUNT_RATIOS = each(DATA, lambda data: every("count_ratio", data=data, method="pma2"))
OCCURRENCES = Experiment(
    name="xml/all-occurrences",
    title="All occurrences against the first",
    source=f"{DOCUMENT}, section 6 (text)",
    cells=cells,
    measure=measure,
    plots=(
        Plot("ratio", "Time of all over time of first", "data", "time_ratio", bars=True, y_label="all / first"),
        Plot("all", "All occurrences", "data", "all_ms", bars=True, y_label="ms for the document", log_y=True),
    ),
    printed=(
        {"data": "NASA", "patterns": 20_000, "method": "pma2", "time_ratio": 6.2, "count_ratio": 290.0},
        {"data": "NewsML", "patterns": 20_000, "method": "pma2", "time_ratio": 1.7, "count_ratio": 7.0},
    ),
    paired=("data", "patterns", "method"),
    claims=(
        Claim("dearer", "All occurrences cost a multiple of the first.", "5.7 to 6.2 (NASA), 1.7 (NewsML)",
              at_papers_size(check("{said}", "ratio.least > 1.3", weaker="ratio.most > 1.3", ratio=TIME_RATIOS,
                                   said=text(TIME_RATIOS, "{label}: {figure.least:.1f} to {figure.most:.1f}", "; "),
                                   otherwise="implementation: an occurrence is two numbers written to an array; "
                                   "parsing weighs more, and the factor is {ratio.least:.1f} at least")), times=True),
        Claim("count", "The price follows the number of occurrences.", "mainly their great number",
              at_papers_size(_follows_the_count), times=True),
        Claim("space", "Stored, they take many times the space.", "290 (NASA), 7 (NewsML)",
              at_papers_size(check("{said}", "7 <= ratio.least and ratio.most <= 580", weaker="ratio.least > 1",
                                   ratio=COUNT_RATIOS,
                                   said=text(COUNT_RATIOS, "{label} {figure.least:,.0f} to {figure.most:,.0f} times"),
                                   otherwise="workload: names of a generated document occur in every place that its "
                                   "DTD allows: {ratio.most:,.0f} occurrences for one that is the first"))),
    ),
    needs=needs,
    derive=with_ratios,
    seed=SEED,
)  # fmt: skip
