"""Section 6, in the text: all occurrences of all patterns against the first of each, in time and in space."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import each, every, read, text
from watchword.papers.experiments.measuring import SHELF, by_turns, same_pairs
from watchword.papers.experiments.rows import where
from watchword.papers.experiments.xml.workload import DATA, DOCUMENT, SEED, document_of, indexes_of
from watchword.paths import PathIndex

SIZES = {"small": (1_000, 3_000), "paper": (10_000, 20_000)}
ELEMENTS = {"small": 1_000, "paper": 3_000}
COMPARED = 20
CHEAP = "implementation: an occurrence is two numbers written to an array; parsing and setting up weigh more"
METHODS = ("pma2", "yfilter", "lazy-dfa", "auto")


def cells(scale: str) -> list[Cell]:
    """Return the cells: each number of patterns on each DTD."""
    return [{"data": data, "patterns": n, "elements": ELEMENTS[scale]} for data in DATA for n in SIZES[scale]]


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Find the first occurrence of each pattern, then all, with every method by turns."""
    document, rows = document_of(cell, seed), []
    indexes = SHELF.get(("occurrences", *sorted(cell.items()), seed), partial(indexes_of, cell, seed, METHODS))
    same_pairs({name: index.occurrences_table(document, limit=COMPARED) for name, index in indexes.items()})
    ways = {
        f"{name} {limit}": (partial(_found, index, limit), [document])
        for name, index in indexes.items()
        for limit in (1, None)
    }
    taken = by_turns(ways, turns=3)
    first, every = (_found(indexes["auto"], limit, [document]) for limit in (1, None))
    for name in indexes:
        times = {f"{what}_ms": 1e3 * taken[f"{name} {limit}"].best for what, limit in (("first", 1), ("all", None))}
        counts = {"first": first.num_rows, "all": every.num_rows, "count_ratio": every.num_rows / first.num_rows}
        rows.append(cell | {"method": name} | times | counts | {"space_ratio": every.nbytes / first.nbytes})
    return rows


def _found(index: PathIndex, limit: int | None, documents: Sequence[bytes]) -> pa.Table:
    return index.occurrences_table(documents[0], limit=limit)


def with_ratios(rows: list[Row]) -> list[Row]:
    """Return rows with `time_ratio`, all occurrences over the first."""
    return [row | {"time_ratio": row["all_ms"] / row["first_ms"]} for row in rows]


def needs(scale: str) -> int:
    """Return the bytes of the indexes and of all occurrences."""
    return {"small": 10**9, "paper": 4 * 10**9}[scale]


def _follows_the_count(rows: Sequence[Row]) -> Outcome:
    found = sorted((row["count_ratio"], row["time_ratio"], row["data"]) for row in where(rows, method="pma2"))
    said = "; ".join(f"{data}: {count:.0f} times as many, {time:.1f} times as long" for count, time, data in found)
    ends = found[0][1] < found[-1][1]
    return judged(ends and found[-1][1] < found[-1][0], said, weaker=found[-1][1] < found[-1][0], otherwise=CHEAP)


TIME_RATIOS = each(DATA, lambda data: every("time_ratio", data=data, method="pma2"))
SPACE_RATIOS = each(DATA, lambda data: read("space_ratio", along="patterns", data=data, method="pma2").last)
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
        {"data": "NASA", "patterns": 20_000, "method": "pma2", "time_ratio": 6.2, "space_ratio": 290.0},
        {"data": "NewsML", "patterns": 20_000, "method": "pma2", "time_ratio": 1.7, "space_ratio": 7.0},
    ),
    paired=("data", "patterns", "method"),
    claims=(
        Claim("dearer", "All occurrences cost a multiple of the first.", "5.7 to 6.2 (NASA), 1.7 (NewsML)",
              check("{said}", "ratio.least > 1.3", weaker="ratio.most > 1.3", otherwise=CHEAP, ratio=TIME_RATIOS,
                    said=text(TIME_RATIOS, "{label}: {figure.least:.1f} to {figure.most:.1f}", "; ")), times=True),
        Claim("count", "The price follows the number of occurrences.", "mainly their great number", _follows_the_count,
              times=True),
        Claim("space", "Stored, they take many times the space.", "290 (NASA), 7 (NewsML)",
              check("{said}", "ratio.least > 7", weaker="ratio.least > 1", ratio=SPACE_RATIOS,
                    said=text(SPACE_RATIOS, "{label} {figure:.0f} times"),
                    otherwise="workload: generated documents repeat themselves less than the paper's")),
    ),
    needs=needs,
    turns=2,
    best_of=("first_ms", "all_ms"),
    derive=with_ratios,
    seed=SEED,
)  # fmt: skip
