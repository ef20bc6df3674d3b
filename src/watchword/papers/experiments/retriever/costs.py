"""What REtriever's engines cost besides matching: building, one subscription more, one less, and memory.

The paper describes INSERT and DELETE and measures neither. An index is built in bulk with the subscriptions of Figure
2; then some more are added one by one, and deleted again in another order.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import pyarrow as pa

from watchword import PatternIndex
from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.figures import Reading, among, each, read, text
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.retriever.engines import ENGINES, PUBLISHED, SEED
from watchword.papers.workloads.retriever import Parameters, generate

SIZES = {"small": (10_000,), "paper": (10_000, 100_000)}
CHANGED = 500
"""How many subscriptions come and go one by one."""


def _cells(scale: str) -> list[Cell]:
    return [{"subscriptions": size, "method": name} for size in SIZES[scale] for name in ENGINES]


def _subscriptions(size: int, seed: int) -> pa.Table:
    parameters = Parameters(size + CHANGED, 0, num_overlap=max(1, size // 50), seed=seed)
    return SHELF.get(("retriever/changes", parameters), lambda: generate(parameters).subscriptions)


def _measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    table = _subscriptions(cell["subscriptions"], seed)
    bulk, more = table.slice(0, cell["subscriptions"]), table.slice(cell["subscriptions"])
    engine = ENGINES[cell["method"]]
    SHELF.get(("compiled", engine.name), lambda: _changes(engine.index(more.slice(0, 50)), more.slice(50, 20), seed))
    start = time.perf_counter()
    index = engine.index(bulk)
    seconds = time.perf_counter() - start
    built = index.stats()
    insert_us, delete_us = _changes(index, more, seed)
    return [
        cell
        | {"build_s": seconds, "insert_us": insert_us, "delete_us": delete_us}
        | {"states": built.details.get("automaton_states"), "nodes": built.nodes, "bytes": built.bytes}
        | {"bytes_per_subscription": built.bytes / cell["subscriptions"], "nodes_afterwards": index.stats().nodes}
    ]


def _changes(index: PatternIndex, more: pa.Table, seed: int) -> tuple[float, float]:
    """Add subscriptions one by one and delete them in another order; returns the microseconds of one."""
    pairs = list(zip(*more.to_pydict().values(), strict=True))
    shuffled = random.Random(seed).sample(pairs, len(pairs))
    insert = _each(pairs, lambda pair: index.__setitem__(*pair))
    return insert, _each(shuffled, lambda pair: index.__delitem__(pair[0]))


def _each(pairs: Sequence[tuple[int, str]], change: Callable[[tuple[int, str]], None]) -> float:
    start = time.perf_counter()
    for pair in pairs:
        change(pair)
    return 1e6 * (time.perf_counter() - start) / len(pairs)


def _largest(column: str, method: str) -> Reading:
    return read(column, along="subscriptions", method=method).last


def _published(column: str) -> Reading:
    return read(column, by=("method", "subscriptions"), method=PUBLISHED)


STATES = each(("nfa", *PUBLISHED), lambda method: _largest("nodes", method))
LEFT = _published("nodes_afterwards") - _published("nodes")
CHANGES = Experiment(
    name="retriever/changes",
    title="Building, inserting, deleting, and memory",
    source="Wang and Jacobsen 2004, sections 2.3, 3.3.1 and 3.3.3, which measure none of it",
    cells=_cells,
    measure=_measure,
    plots=(
        Plot("build", "Seconds to build", "subscriptions", "build_s", bars=True, log_y=True),
        Plot("insert", "µs to insert one", "subscriptions", "insert_us", bars=True, log_y=True),
        Plot("delete", "µs to delete one", "subscriptions", "delete_us", bars=True, log_y=True),
        Plot("memory", "Bytes of a subscription", "subscriptions", "bytes_per_subscription", bars=True),
    ),
    claims=(
        Claim("dfa", "The automaton of words has fewer states than the NFA.",
              "less number of states than the corresponding NFA (section 2.3)",
              check("states: {states}; MB: {memory}", "words.most < states[nfa]", states=STATES,
                    words=among(STATES, *PUBLISHED),
                    memory=each(("nfa", *PUBLISHED, "auto"), lambda method: _largest("bytes", method) / 1e6))),
        Claim("delete", "Deleting leaves no state behind that only the deleted subscriptions needed.",
              "DFA 2 turns back into DFA 1 (section 3.3.3)",
              check("states more than before: {said}", "left.least == 0 and left.most == 0", left=LEFT,
                    said=text(LEFT, "{label[0]} at {label[1]:,} {figure:,}"))),
    ),
    needs=lambda scale: 2 << 30 if scale == "paper" else 1 << 30,
    turns=3,
    best_of=("build_s", "insert_us", "delete_us"),
    notes="Indexes take subscriptions in bulk; an insertion by itself also pays for the index around the method.",
    seed=SEED,
)  # fmt: skip
