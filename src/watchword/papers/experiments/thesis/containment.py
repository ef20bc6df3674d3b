"""Section 5.1.3: the partial-order index against the trie, over the share of subscriptions that contain another.

The thesis argues and leaves the measuring to others: a set costs a partial-order index nothing but what its subsets
have not, and no test unless they are found; without containment it is a list of sets, all of them tested.
"""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.rows import curve, value
from watchword.papers.experiments.thesis.indexes import built, drawn, figures, in_order, matched, terms_of
from watchword.papers.models.trie_bounds import bounded_nodes
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import Lengths, generate

METHODS = ("poset", "poset-delta", "trie", "compact-trie", "count", "auto")
SHARES = {"small": (0.0, 0.5, 0.9), "paper": (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)}
SIZES = {"small": (5_000, 4_000, 300), "paper": (100_000, 80_000, 2_000)}


def cells(scale: str) -> list[Cell]:
    """Return a cell for each index at each share."""
    return [{"share": share, "method": method} for share in SHARES[scale] for method in METHODS]


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Build an index of sets, a share of them supersets of other sets, and match items."""
    count, size, few = SIZES[scale]
    terms, share, drawn_from = terms_of(size), cell["share"], (count, size, seed)
    plain = SHELF.get(("containment", *drawn_from), lambda: generate(terms, count, Lengths.fixed(4), "uniform", seed))
    rows = SHELF.get(("containment", share, *drawn_from), lambda: in_order(calibrated.contained(plain, share, seed)))
    index = built(cell["method"], rows, size)
    cost = matched(index, drawn(terms, few, calibrated.item_lengths(), "empirical", seed + 1), turns=2)
    stored = dict(index.stats())
    row = {"terms": len(rows.atoms) / len(rows), "operations": cost.operations, "match us": cost.microseconds}
    kept = {name: stored[name] for name in ("top_nodes", "edges", "atoms_stored", "nodes") if name in stored}
    return [cell | row | {"subscriptions": count, "MB": figures(index)["MB"]} | kept]


def _plain(column: str, method: str) -> Reading:
    """Return a column without containment."""
    return read(column, method=method, share=0.0)


def _delta(column: str) -> Reading:
    return read(column, along="share", method="poset-delta")


def _when(rows: Sequence[Row]) -> Outcome:
    """Where the partial order, in the better of its storages, is ahead of both tries by counts: in work, in memory."""
    better = []
    for share in curve(rows, "share", "operations", method="poset"):
        for column in ("operations", "MB"):
            poset = min(value(rows, column, method=method, share=share) for method in ("poset", "poset-delta"))
            if poset < min(value(rows, column, method=method, share=share) for method in ("trie", "compact-trie")):
                better.append(f"{column} at {share:.0%}")
    why = "paper: it leaves this open; edges take more than the atoms that they save, and the tops are more than the "
    why += "nodes that an item visits"
    if better:
        return judged(True, f"it is ahead of both tries in {', '.join(better)}")
    return judged(False, "it is behind the better trie everywhere", otherwise=why)


ATOMS = _plain("terms", "poset-delta") * _plain("subscriptions", "poset-delta")
SECTION_5_1_3 = Experiment(
    name="thesis/section-5.1.3",
    title="the partial-order index against the trie, over the share of containment",
    source="Kourdounakis 2011, section 5.1.3",
    cells=cells,
    measure=measure,
    plots=(
        Plot("tests", "operations", x="share", y="operations", x_label="share that contain another", log_y=True),
        Plot("time", "matching", x="share", y="match us", x_label="share that contain another", log_y=True,
             y_label="µs an item"),
        Plot("memory", "memory", x="share", y="MB", x_label="share that contain another"),
    ),
    claims=(
        Claim("poset-flat", "Without containment the partial-order index tests every set: it is brute force.",
              "10^6 inclusion tests",
              check("{tests:,.0f} inclusion tests for {count:,} sets", "tested > 0.95",
                    tests=_plain("operations", "poset"), count=_plain("subscriptions", "poset"),
                    tested=_plain("operations", "poset") / _plain("subscriptions", "poset"))),
        Claim("poset-no-gain", "Without containment it saves no memory.", "no gain",
              check("{kept:,} of {atoms:,.0f} atoms are stored", "share > 0.97", atoms=ATOMS,
                    kept=_plain("atoms_stored", "poset-delta"), share=_plain("atoms_stored", "poset-delta") / ATOMS)),
        Claim("poset-gain", "With containment it stores less and less.", "argued, not measured",
              check("{saved.first:.0%} to {saved.last:.0%} of the atoms saved", "saved.rises and saved.last > 0.5",
                    saved=1 - _delta("atoms_stored") / (_delta("terms") * _plain("subscriptions", "poset-delta")))),
        Claim("trie-bound", "The trie visits fewer nodes than the partial order makes tests.", "251,175 against 10^6",
              check("{trie:,.1f} nodes visited against {tests:,.0f} tests; {most:,} are the most",
                    "trie < tests and trie < most", trie=_plain("operations", "trie"),
                    tests=_plain("operations", "poset"), most=Reading(lambda rows: bounded_nodes(50, 4)))),
        Claim("poset-wins", "There are circumstances in which the partial order predominates.",
              "left for future research", _when),
    ),
    needs=lambda scale: 1_000_000_000 if scale == "paper" else 100_000_000,
    notes="Subscriptions of four uniform terms, and a share of them one of the others and a term more; items of the "
    "calibrated lengths. All methods have the same subscriptions.",
)  # fmt: skip
