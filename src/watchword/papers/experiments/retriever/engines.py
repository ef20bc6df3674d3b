"""The engines that REtriever's figures compare, and how they are measured on one workload.

The paper's `yfilter` is `nfa` here. Its three ways to split are there twice: with ``records``, which is the MATCH that
was published (corrected), and with ``beginnings``, which is what this package does instead. `naive` and `auto` frame
them. All find the same, which is checked before anything is measured.

Work is counted once, on an index that has seen nothing else, in the method's own unit:

    visits      states visited by windows, or reached by the NFA
    steps       besides: steps of recombination, or looping states tried by the NFA at each character
    operations  both together; for `naive` the positions and patterns tried, for `auto` the candidates tried

Times are those of `match_many` for a publication, the best of many short turns in which all engines take part: on a
busy machine a short turn has a chance to pass undisturbed. How many publications a turn has is decided by the counts,
so that it is the same in every run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from watchword import PatternIndex
from watchword.papers.experiments.experiment import Cell, Row
from watchword.papers.experiments.measuring import SHELF, by_turns, same_pairs
from watchword.papers.workloads.retriever import Parameters, generate

SEED = 2004
PUBLICATIONS = 100
"""As many as the paper has (Table 5)."""
TURNS = 10
MOST_TEXTS, LEAST_TEXTS, TURN_OPERATIONS = 1_000, 5, 200_000
"""A turn matches publications with about 200,000 operations in all, a few milliseconds, but 5 to 1,000 publications."""


@dataclass(frozen=True)
class Engine:
    """A method with its options; `shares` says whether subscriptions share work."""

    name: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    shares: bool = True

    @property
    def splits(self) -> bool:
        """Whether it cuts phrases into words."""
        return self.method.startswith("retriever-")

    def index(self, subscriptions: pa.Table | None = None, **options: Any) -> PatternIndex:
        """Return an index of this engine."""
        return PatternIndex(subscriptions, method=self.method, **{**self.options, **options})


def _retriever(splitting: str, recombination: str) -> Engine:
    return Engine(f"{splitting}, {recombination}", f"retriever-{splitting}", {"recombination": recombination})


SPLITTINGS = ("none", "single", "multi")
PUBLISHED = tuple(f"{splitting}, records" for splitting in SPLITTINGS)
ENGINES = {
    engine.name: engine
    for engine in (
        Engine("naive", "naive", shares=False),
        Engine("nfa", "nfa"),
        *(_retriever(splitting, "records") for splitting in SPLITTINGS),
        *(_retriever(splitting, "beginnings") for splitting in SPLITTINGS),
        Engine("auto", "auto"),
    )
}


class Bench:
    """Engines with the subscriptions of a workload, and what they did with its publications."""

    def __init__(self, parameters: Parameters, engines: Sequence[Engine], **options: Any) -> None:
        drawn = generate(parameters)
        self.texts = drawn.publications
        self.letters = pc.mean(pc.utf8_length(drawn.publications)).as_py()
        self.indexes = {engine.name: engine.index(drawn.subscriptions, **_own(engine, options)) for engine in engines}
        pairs = same_pairs({name: index.match_many(self.texts) for name, index in self.indexes.items()})
        self.counts = {name: {"pairs": pairs} | self._counted(name, index) for name, index in self.indexes.items()}

    def _counted(self, name: str, index: PatternIndex) -> Row:
        """Return the size of an index and its work for a publication; it has matched them once and nothing else."""
        stats = index.stats()
        details = stats.details
        return {
            "operations": stats.operations_per_match,
            "operations_per_letter": stats.operations_per_match / self.letters,
            "visits": details.get("visits_per_match", details.get("reached_per_match")),
            "steps": details.get("recombination_per_match", details.get("looping_per_match")),
            "states": details.get("automaton_states", stats.nodes if name == "nfa" else None),
            "nodes": stats.nodes,
            "words_per_subscription": details.get("words_per_subscription"),
            "bytes": stats.bytes,
        }

    def timed(self) -> dict[str, float]:
        """Return the microseconds that each engine takes for a publication, all of them by turns."""
        texts = pa.concat_arrays([self.texts] * -(-MOST_TEXTS // len(self.texts)))
        ways = {name: (index.match_many, texts[: self._batch(name)]) for name, index in self.indexes.items()}
        taken = by_turns(ways, TURNS)
        return {name: measured.microseconds for name, measured in taken.items()}

    def _batch(self, name: str) -> int:
        wanted = int(TURN_OPERATIONS / max(1.0, self.counts[name]["operations"]))
        return min(MOST_TEXTS, max(LEAST_TEXTS, wanted))

    def rows(self, cell: Cell) -> list[Row]:
        """Return a row for each engine."""
        us = self.timed()
        return [
            cell
            | {"method": name, "shares": ENGINES[name].shares, "us": us[name], "us_per_letter": us[name] / self.letters}
            | {"text_letters": self.letters}
            | counted
            for name, counted in self.counts.items()
        ]


def _own(engine: Engine, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the options that an engine has: none but the ways to split can be told how to."""
    return options if engine.splits else {}


def bench(parameters: Parameters, names: Sequence[str] = (*ENGINES,), **options: Any) -> Bench:
    """Return a bench, kept on the shelf for the next turn."""
    key = "retriever", parameters, tuple(names), tuple(sorted(options.items()))
    return SHELF.get(key, lambda: Bench(parameters, [ENGINES[name] for name in names], **options))
