"""What chapter 6 leaves for later: subscriptions that are nearly alike, and term distributions that change in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.rows import curve, falls, ratios, value
from watchword.papers.experiments.thesis.indexes import built, drawn, figures, in_order, made, matched, terms_of
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import Sets, generate
from watchword.sets.order import AtomOrder
from watchword.sets.rows import Rows

METHODS = ("compact-count", "trie", "compact-trie", "auto")
SHARES = {"small": (0.0, 0.5, 0.9), "paper": (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)}
DRIFTS = {"small": (0.0, 0.5, 1.0), "paper": (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)}
SIZES = {"small": (20_000, 8_000, 300), "paper": (1_000_000, 800_000, 1_000)}
LEARNED = "compact-trie, order of the load"
COMPRESSED = "paper: as its own Table 4.5 has it, compressed paths even out most of what an order costs"


def _measure_similarity(cell: Cell, scale: str, seed: int) -> list[Row]:
    count, size, few = SIZES[scale]
    terms, share, drawn_from = terms_of(size), cell["share"], (count, size, seed)
    lengths = calibrated.subscription_lengths()
    plain = SHELF.get(("similarity", *drawn_from), lambda: generate(terms, count, lengths, "empirical", seed))
    rows = SHELF.get(("similarity", share, *drawn_from), lambda: in_order(calibrated.similar(plain, share, seed)))
    index = built(cell["method"], rows, size)
    cost = matched(index, drawn(terms, few, calibrated.item_lengths(), "empirical", seed + 1), turns=2)
    row = {"operations": cost.operations, "match us": cost.microseconds, "found": cost.found}
    return [cell | row | figures(index)]


def _measure_drift(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Half of the subscriptions come before the drift and half after it, and the items after it."""
    count, size, few = SIZES[scale]
    terms = terms_of(size)
    after = calibrated.drifted(terms, cell["drift"], seed)
    lengths = calibrated.subscription_lengths()
    before, later = (generate(terms, count // 2, lengths, "empirical", seed + part) for part in (0, 1))
    items = generate(terms, few, calibrated.item_lengths(), "empirical", seed + 2)
    items, later = _moved(items, after), _moved(later, after)
    learned = cell["method"] == LEARNED
    order = AtomOrder("given", size)
    if learned:
        order = AtomOrder("rank", 0)
        order.learn(np.concatenate([before.terms, later.terms]))
    index = made("compact-trie" if learned else cell["method"], size)
    for first, sets in ((0, before), (count // 2, later)):
        index.add(order.in_order(Rows(sets.offsets, sets.terms)), np.arange(first, first + len(sets), dtype=np.int32))
    index.condense()
    cost = matched(index, order.known_in_order(Rows(items.offsets, items.terms)), turns=2)
    row = {"operations": cost.operations, "match us": cost.microseconds, "found": cost.found}
    return [cell | row | figures(index)]


def _moved(sets: Sets, after: Any) -> Sets:
    return Sets(sets.offsets, after[sets.terms], sets.vocabulary_size)


# claims


def _shares_nodes(rows: Sequence[Row]) -> Outcome:
    nodes = curve(rows, "share", "nodes", method="trie")
    saved = 1 - list(nodes.values())[-1] / nodes[0.0]
    return judged(falls(list(nodes.values())) and saved > 0.15, f"{saved:.0%} fewer nodes at the largest share")


def _gains_on_count(rows: Sequence[Row]) -> Outcome:
    trie, count = (curve(rows, "share", "MB", method=method) for method in ("compact-trie", "compact-count"))
    factors = list(ratios(trie, count).values())
    said = f"{factors[0]:.2f} times the memory of the count index without similarity, {factors[-1]:.2f} with the most"
    return judged(factors[-1] < factors[0], said)


def _work_stays(rows: Sequence[Row]) -> Outcome:
    trie, count = (curve(rows, "share", "operations", method=method) for method in ("compact-trie", "compact-count"))
    fall, other = (list(by.values())[-1] / by[0.0] for by in (trie, count))
    return judged(fall < other, f"{fall:.2f} times the visits, {other:.2f} times the decrements")


def _drift_costs(rows: Sequence[Row]) -> Outcome:
    nodes, visits = (curve(rows, "drift", column, method="compact-trie") for column in ("nodes", "operations"))
    more, work = nodes[1.0] / nodes[0.0] - 1, visits[1.0] / visits[0.0]
    said = f"{more:+.1%} nodes, {work:.2f} times the visits once all terms have changed places"
    return judged(more > 0.05, said, weaker=more > 0, otherwise=COMPRESSED)


def _learning_helps(rows: Sequence[Row]) -> Outcome:
    given, learned = (value(rows, "nodes", method=method, drift=1.0) for method in ("compact-trie", LEARNED))
    return judged(learned < given, f"{learned / given - 1:+.1%} nodes against the order of old", otherwise=COMPRESSED)


def _count_is_robust(rows: Sequence[Row]) -> Outcome:
    size = curve(rows, "drift", "MB", method="compact-count")
    trie = curve(rows, "drift", "MB", method="compact-trie")
    own, other = (by[1.0] / by[0.0] - 1 for by in (size, trie))
    why = "paper: its blocks of 25; more terms occur after a drift, and the only block of a rare one is nearly empty"
    return judged(own < other, f"count {own:+.1%} of memory, trie {other:+.1%}", otherwise=why)


SIMILARITY = Experiment(
    name="thesis/similarity",
    title="subscriptions that are alike but for a term",
    source="Kourdounakis 2011, chapter 6: future work",
    cells=lambda scale: [{"share": share, "method": method} for share in SHARES[scale] for method in METHODS],
    measure=_measure_similarity,
    plots=(
        Plot("memory", "memory", x="share", y="MB", x_label="share that is like another"),
        Plot("operations", "operations", x="share", y="operations", x_label="share that is like another", log_y=True),
        Plot("time", "matching", x="share", y="match us", y_label="µs an item", log_y=True,
             x_label="share that is like another"),
    ),
    claims=(
        Claim("similar-nodes", "The trie stores similar subscriptions in fewer nodes.",
              "expected: shared prefixes are stored once", _shares_nodes, machine_independent=True),
        Claim("similar-memory", "Similarity brings the trie's memory nearer to that of the count index.",
              "to be studied", _gains_on_count, machine_independent=True),
        Claim("similar-work", "Similarity saves the trie more work than the count index.",
              "to be studied", _work_stays, machine_independent=True),
    ),
    needs=lambda scale: 1_500_000_000 if scale == "paper" else 100_000_000,
)  # fmt: skip

DRIFT = Experiment(
    name="thesis/drift",
    title="term distributions that change between subscribing and matching",
    source="Kourdounakis 2011, chapter 6: future work",
    cells=lambda scale: [{"drift": drift, "method": m} for drift in DRIFTS[scale] for m in (*METHODS, LEARNED)],
    measure=_measure_drift,
    plots=(
        Plot("nodes", "nodes", x="drift", y="nodes", x_label="share of terms that changed places"),
        Plot("memory", "memory", x="drift", y="MB", x_label="share of terms that changed places"),
        Plot("operations", "operations", x="drift", y="operations", log_y=True,
             x_label="share of terms that changed places"),
    ),
    claims=(
        Claim("drift-nodes", "A trie whose order is no longer that of the frequencies has more nodes.",
              "best where the order follows the frequencies (6)", _drift_costs, machine_independent=True),
        Claim("drift-learned", "An order learned anew from all subscriptions saves nodes again.",
              "to be studied", _learning_helps, machine_independent=True),
        Claim("drift-count", "The count index suffers less from drift than the trie.",
              "it has no order (5.1.3 of partial orders)", _count_is_robust, machine_independent=True),
    ),
    needs=lambda scale: 1_500_000_000 if scale == "paper" else 100_000_000,
    notes="Half of the subscriptions are from before the drift, half from after it, as the items are. `auto` learns "
    "which terms are rare from subscriptions and items.",
)  # fmt: skip
