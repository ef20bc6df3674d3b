"""Rows of all experiments at small scale, recorded once, and what became of each claim on them and on variants of them.

`recorded.json` has for each experiment the columns that its claims read, the rows, and the outcomes of each claim:

    {"pma": {"0": ["holds", "3.1 to 8.2 times slower"], "17": ["does not hold", "0.2 to 0.9 times slower"]}}

Variant 0 is the rows as they were measured. In the others figures are multiplied by random factors, one for each method
and one for each row. An experiment has the variants that show its claims with as many verdicts as possible.

``python -m tests.papers.experiments.recorded results`` records the runs of a folder anew: after a change of a claim the
difference of the file is the difference of its verdicts.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from watchword.papers.experiments import results
from watchword.papers.experiments.experiment import Claim, Experiment, Row
from watchword.papers.experiments.registry import every_experiment

FILE = Path(__file__).with_name("recorded.json")
TRIED, SHOWN = 800, 12
FULL = 10_000_000
"""Subscriptions from which on the claims on the thesis's tables are shown."""
AXES = {"subscriptions", "|I|", "|s|", "|V|", "rank", "share", "drift", "C %", "K", "c", "k", "S", "NP", "patterns"}
AXES |= {"parameter", "letters", "stars", "overlap_percent", "publications", "min_word_len", "min_split_score"}
SERIES = ("method", "distribution", "kind", "data", "index")


class Watched(dict[str, Any]):
    """A row that notes which of its columns are read."""

    read: ClassVar[set[str]] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.read.add(name)
        return super().get(name, default)


def varied(name: str, rows: Sequence[Row], variant: int) -> list[Row]:
    """Return a variant of rows: the same on every machine."""
    if variant == 0:
        return list(rows)
    drawn = random.Random(f"{name} {variant}")
    between, within = drawn.choice((0.0, 0.02, 0.1, 0.4, 1.0, 3.0)), drawn.choice((0.0, 0.01, 0.05, 0.2, 0.7))
    larger = drawn.choice((1, FULL)) if name.startswith("thesis/tables") or name == "thesis/figure-4.11" else 1
    fixed = AXES - {"K"} if name == "xml/bounds" else AXES | ({"matches"} if "properties/figure" in name else set())
    factors: dict[tuple[object, ...], float] = {}
    found = []
    for row in rows:
        changed = dict(row)
        for column, value in row.items():
            if column == "subscriptions" and value is not None:
                changed[column] = value * larger
            elif isinstance(value, int | float) and not isinstance(value, bool) and column not in fixed:
                key = (column, *(row.get(each) for each in SERIES))
                factor = factors.setdefault(key, drawn.lognormvariate(0, between)) * drawn.lognormvariate(0, within)
                changed[column] = 1 + round(value * factor) if isinstance(value, int) else value * factor
        found.append(changed)
    return found


def recorded() -> dict[str, dict[str, Any]]:
    """Return what is recorded of each experiment: ``rows``, and ``outcomes`` by claim and variant."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    for each in found.values():
        columns = each.pop("columns")
        each["rows"] = [
            {name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in each["rows"]
        ]
    return dict(found)


def outcome(claim: Claim, name: str, rows: Sequence[Row], variant: int) -> list[str]:
    """Return the verdict on a claim and what was measured."""
    judged = claim.judge(varied(name, rows, variant))
    return [judged.verdict, judged.measured]


def record(experiment: Experiment, rows: list[Row]) -> dict[str, Any]:
    """Return what the file has of an experiment."""
    Watched.read.clear()
    for claim in experiment.claims:
        claim.judge([Watched(row) for row in rows])
    columns = sorted(Watched.read & {name for row in rows for name in row})
    kept = [{name: short(row[name]) for name in columns if row.get(name) is not None} for row in rows]
    tried = [
        {claim.id: outcome(claim, experiment.name, kept, variant) for claim in experiment.claims}
        for variant in range(TRIED)
    ]
    outcomes: dict[str, dict[str, list[str]]] = {claim.id: {} for claim in experiment.claims}
    for variant in telling(tried):
        for claim, found in tried[variant].items():
            outcomes[claim][str(variant)] = found
    listed = [[row.get(name) for name in columns] for row in kept]
    return {"columns": columns, "rows": [row for row in listed if set(row) != {None}], "outcomes": outcomes}


def telling(tried: Sequence[dict[str, list[str]]]) -> list[int]:
    """Return the variants, few, that show each claim with as many verdicts as all of them do."""
    chosen, seen = [0], {(claim, found[0]) for claim, found in tried[0].items()}
    while len(chosen) < SHOWN:
        new = [len({(claim, found[0]) for claim, found in each.items()} - seen) for each in tried]
        best = max(range(len(tried)), key=new.__getitem__)
        if not new[best]:
            break
        chosen.append(best)
        seen |= {(claim, found[0]) for claim, found in tried[best].items()}
    return sorted(chosen)


def short(value: Any) -> Any:
    """Return a number with six digits."""
    return float(f"{value:.6g}") if isinstance(value, float) else value


def main(folder: str) -> None:
    found = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    for experiment in every_experiment():
        run = results.found(experiment, "small", Path(folder))
        if run is not None and not run.left() and experiment.claims:
            found[experiment.name] = record(experiment, run.rows())
    lines = (f"{json.dumps(name)}: {json.dumps(each, ensure_ascii=False)}" for name, each in found.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
