"""Section 5.1.3: the partial-order index against the trie, over the share of containment and the length of chains.

The thesis argues and leaves the measuring to others: a set costs a partial-order index nothing but what its subsets
have not, and no test unless they are found; without containment it is a list of sets, all of them tested. Its Figure
5.3 has the case that favours the partial order: a chain of sets, each within the next, whose most frequent term comes
last in the order. Both are measured: a share of sets with a term more (of uniform terms), and chains of a length, in
either order of terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Outcome, Plot, Row, judged
from watchword.papers.experiments.figures import Reading, read
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.rows import by, curve, value
from watchword.papers.experiments.thesis.indexes import built, drawn, figures, in_order, matched, terms_of
from watchword.papers.models.trie_bounds import bounded_nodes
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import Lengths, Vocabulary, generate
from watchword.sets.rows import Rows

METHODS = ("poset", "poset-delta", "trie", "compact-trie", "count", "auto")
SHARES = {"small": (0.0, 0.5, 0.9), "paper": (0.0, 0.25, 0.5, 0.75, 0.9, 0.99)}
SIZES = {"small": (5_000, 4_000, 300), "paper": (100_000, 80_000, 2_000)}
CHAINS = {"small": (2, 10, 50), "paper": (2, 5, 10, 25, 50)}
CHAINED = {"small": 5_000, "paper": 50_000}
"""Subscriptions in chains: at the paper's scale 1,000 chains of 50."""
SHARE, AGAINST, BY = "share", "against frequencies", "by frequencies"
"""The parts of the experiment: sets that contain others, and chains in an order against frequencies, and by them."""


def cells(scale: str) -> list[Cell]:
    """Return a cell for each index at each share, and at each length of chains."""
    shares = [{"part": SHARE, "share": share} for share in SHARES[scale]]
    lengths = [{"part": order, "length": length} for order in (AGAINST, BY) for length in CHAINS[scale]]
    return [cell | {"method": method} for cell in (*shares, *lengths) for method in METHODS]


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Build an index of sets, and match items."""
    rows, items, size = _containing(cell, scale, seed) if cell["part"] == SHARE else _chained(cell, scale, seed)
    index = built(cell["method"], rows, size)
    cost = matched(index, items, turns=2)
    stored = dict(index.stats())
    row = {"terms": len(rows.atoms) / len(rows), "operations": cost.operations, "match us": cost.microseconds}
    kept = {name: stored[name] for name in ("top_nodes", "edges", "atoms_stored", "nodes") if name in stored}
    return [cell | row | {"subscriptions": len(rows), "MB": figures(index)["MB"]} | kept]


def _containing(cell: Cell, scale: str, seed: int) -> tuple[Rows, Rows, int]:
    """Return sets, a share of them supersets of other sets, with items and the size of the vocabulary."""
    count, size, few = SIZES[scale]
    terms, share, drawn_from = terms_of(size), cell["share"], (count, size, seed)
    plain = SHELF.get(("containment", *drawn_from), lambda: generate(terms, count, Lengths.fixed(4), "uniform", seed))
    rows = SHELF.get(("containment", share, *drawn_from), lambda: in_order(calibrated.contained(plain, share, seed)))
    return rows, drawn(terms, few, calibrated.item_lengths(), "empirical", seed + 1), size


def _chained(cell: Cell, scale: str, seed: int) -> tuple[Rows, Rows, int]:
    """Return chains, items of uniform terms, and the size of the vocabulary."""
    count, few, length = CHAINED[scale], SIZES[scale][2], cell["length"]
    sets = calibrated.chains(count // length, length, by_frequency=cell["part"] == BY)
    uniform = Vocabulary(np.ones(count))
    return in_order(sets), drawn(uniform, few, calibrated.item_lengths(), "uniform", seed + 1), count


def _plain(column: str, method: str) -> Reading:
    """Return a column without containment."""
    return read(column, method=method, share=0.0)


def _delta(column: str) -> Reading:
    return read(column, along="share", part=SHARE, method="poset-delta")


def _megabytes(part: str, method: str) -> Reading:
    return read("MB", along="length", part=part, method=method)


def _ahead(rows: Sequence[Row], column: str, part: str, axis: str) -> dict[Any, tuple[float, float]]:
    """Return where the partial order, in the better of its storages, is below the better trie: both figures."""
    found = {}
    for at in curve(rows, axis, column, part=part, method="poset"):
        of = by(rows, "method", column, part=part, **{axis: at})
        poset, trie = min(of["poset"], of["poset-delta"]), min(of["trie"], of["compact-trie"])
        if poset < trie:
            found[at] = (poset, trie)
    return found


def _when(rows: Sequence[Row]) -> Outcome:
    """The partial order predominates somewhere; weaker if it does in memory only, or in work only."""
    places = [(SHARE, "share"), (AGAINST, "length"), (BY, "length")]
    ahead = {(column, *at): _ahead(rows, column, *at) for column in ("MB", "operations") for at in places}
    said = "; ".join(
        f"{column}, {part}: {axis} {at} ({own:,.3g} against {other:,.3g})"
        for (column, part, axis), found in ahead.items()
        for at, (own, other) in found.items()
    )
    both = all(any(found for (of, *_), found in ahead.items() if of == column) for column in ("MB", "operations"))
    tests = value(rows, "operations", part=SHARE, method="poset-delta", share=0.0)
    visits = value(rows, "operations", part=SHARE, method="compact-trie", share=0.0)
    why = f"paper: it leaves this open; without containment {tests:,.0f} sets are tested where the trie visits "
    why += f"{visits:,.1f} nodes"
    where_ahead = f"ahead of both tries in {said}" if said else "behind the better trie everywhere"
    return judged(both, where_ahead, weaker=bool(said), otherwise=why)


CONTAINING = "share that contain another"
ATOMS = _plain("terms", "poset-delta") * _plain("subscriptions", "poset-delta")
SECTION_5_1_3 = Experiment(
    name="thesis/section-5.1.3",
    title="the partial-order index against the trie, over containment and chains",
    source="Kourdounakis 2011, section 5.1.3",
    cells=cells,
    measure=measure,
    plots=(
        Plot("tests", "operations", x="share", y="operations", x_label=CONTAINING, log_y=True, where={"part": SHARE}),
        Plot("time", "matching", x="share", y="match us", x_label=CONTAINING, log_y=True, y_label="µs an item",
             where={"part": SHARE}),
        Plot("memory", "memory", x="share", y="MB", x_label=CONTAINING, where={"part": SHARE}),
        *(Plot(f"chains-{order.split()[0]}", f"chains, {order}: memory", x="length", y="MB", log_y=True,
               x_label="sets of a chain", where={"part": order}) for order in (AGAINST, BY)),
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
        Claim("poset-chains", "Long chains in an order against frequencies favour the partial order in memory.",
              "favours POI memory wise (Figure 5.3)",
              check("chains of {own.end}: {own.last:.3g} MB, the compact trie {compact.last:.3g}, the trie "
                    "{trie.last:.3g}", "own.last < compact.last and own.last < trie.last",
                    weaker="own.last < trie.last",
                    own=_megabytes(AGAINST, "poset-delta"), compact=_megabytes(AGAINST, "compact-trie"),
                    trie=_megabytes(AGAINST, "trie"),
                    otherwise="implementation: paths of one child are one node in the compact trie, which takes "
                    "{compact.last:.3g} MB")),
        Claim("poset-order", "In an order by frequencies the two behave alike.", "similarly (Figure 5.3, right)",
              check("the compact trie's memory over the partial order's: {factor:.2f}",
                    "0.5 < factor.least and factor.most < 2", weaker="0.2 < factor.least and factor.most < 5",
                    factor=_megabytes(BY, "compact-trie") / _megabytes(BY, "poset-delta"),
                    otherwise="implementation: a set and its edges take more here than a node, by {factor.least:.2f} "
                    "to {factor.most:.2f}")),
        Claim("poset-wins", "There are circumstances in which the partial order predominates.",
              "left for future research", _when),
    ),
    needs=lambda scale: 1_000_000_000 if scale == "paper" else 100_000_000,
    notes="Subscriptions of four uniform terms, and a share of them one of the others and a term more; or chains, each "
    "over terms of its own. Items of the calibrated lengths. All methods have the same subscriptions.",
)  # fmt: skip
