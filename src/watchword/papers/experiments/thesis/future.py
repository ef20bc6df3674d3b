"""What chapter 6 leaves for later: subscriptions that are nearly alike, and term distributions that change in time."""

from __future__ import annotations

from typing import Any

import numpy as np

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.measuring import SHELF
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


def _similar(column: str, method: str) -> Reading:
    return read(column, along="share", method=method)


def _drifted(column: str, method: str) -> Reading:
    """Return a column once all terms have changed places, as a multiple of it before."""
    along = read(column, along="drift", method=method)
    return along[1.0] / along[0.0]


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
              "expected: shared prefixes are stored once",
              check("{saved.last:.0%} fewer nodes at the largest share", "nodes.falls and saved.last > 0.15",
                    nodes=_similar("nodes", "trie"),
                    saved=1 - _similar("nodes", "trie") / _similar("nodes", "trie")[0.0])),
        Claim("similar-memory", "Similarity brings the trie's memory nearer to that of the count index.",
              "to be studied",
              check("{factor.first:.2f} times the memory of the count index without similarity, {factor.last:.2f} with "
                    "the most", "factor.last < factor.first",
                    factor=_similar("MB", "compact-trie") / _similar("MB", "compact-count"))),
        Claim("similar-work", "Similarity saves the trie more work than the count index.", "to be studied",
              check("{trie.growth:.2f} times the visits, {count.growth:.2f} times the decrements",
                    "trie.growth < count.growth", trie=_similar("operations", "compact-trie"),
                    count=_similar("operations", "compact-count"))),
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
              "best where the order follows the frequencies (6)",
              check("{more:+.1%} nodes, {work:.2f} times the visits once all terms have changed places", "more > 0.05",
                    weaker="more > 0", more=_drifted("nodes", "compact-trie") - 1,
                    work=_drifted("operations", "compact-trie"), otherwise=COMPRESSED + ": {more:+.1%} nodes",
                    provided="-0.05 < more < 0.05")),
        Claim("drift-learned", "An order learned anew from all subscriptions saves nodes again.", "to be studied",
              check("{more:+.1%} nodes against the order of old", "more < 0", provided="more < 0.05",
                    otherwise=COMPRESSED + ": {more:+.1%} nodes",
                    more=read("nodes", method=LEARNED, drift=1.0)
                    / read("nodes", method="compact-trie", drift=1.0) - 1)),
        Claim("drift-count", "The count index suffers less from drift than the trie.",
              "it has no order (5.1.3 of partial orders)",
              check("count {count:+.1%} of memory, trie {trie:+.1%}", "count < trie",
                    count=_drifted("MB", "compact-count") - 1, trie=_drifted("MB", "compact-trie") - 1,
                    terms=_drifted("term_nodes", "compact-count"),
                    otherwise="paper: its blocks of 25; {terms:.2f} times the terms occur after a drift, and the only "
                    "block of a rare one is nearly empty", provided="terms > 1")),
    ),
    needs=lambda scale: 1_500_000_000 if scale == "paper" else 100_000_000,
    notes="Half of the subscriptions are from before the drift, half from after it, as the items are. `auto` learns "
    "which terms are rare from subscriptions and items.",
)  # fmt: skip
