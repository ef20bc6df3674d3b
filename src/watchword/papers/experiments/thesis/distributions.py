"""Tables 4.4, 4.5 and 4.6, Figures 4.7, 4.8 and 4.12: which terms are frequent, and how the indexes grow.

One experiment, as they are of the same indexes: each is built in equal steps up to ten million subscriptions, measured
at every step (the figures), described at the end (Tables 4.4 and 4.5), and matched with items of other distributions
(Table 4.6).
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.papers.experiments.experiment import Cell, Experiment, Plot, Row
from watchword.papers.experiments.thesis.distribution_claims import CLAIMS
from watchword.papers.experiments.thesis.indexes import (
    DISTRIBUTIONS,
    drawn,
    figures,
    grown,
    made,
    matched,
    shelved,
    terms_of,
)
from watchword.papers.experiments.thesis.printed import GROWTH, PAIRS, TABLES, tables_4_4_to_4_6
from watchword.papers.workloads import calibrated

METHODS = ("compact-count", "compact-trie", "trie", "auto")


class Size(NamedTuple):
    """How much is measured at a scale.

    The steps are those of Figure 4.12, of the two indexes under empirical terms; others have a quarter. `items` are
    matched at each step, `counted` for Table 4.6: by the count index, which takes long, and by others more.
    """

    subscriptions: int
    vocabulary: int
    steps: int
    items: int
    counted: int


SIZES = {"small": Size(100_000, 8_000, 8, 100, 300), "paper": Size(10_000_000, 800_000, 20, 100, 1_000)}


def cells(scale: str) -> list[Cell]:
    """Return a cell for each index."""
    return [{"distribution": of, "method": method} for of in DISTRIBUTIONS for method in METHODS]


def measure(cell: Cell, scale: str, seed: int) -> list[Row]:
    """Build an index step by step, and match items at each."""
    size, distribution, method = SIZES[scale], cell["distribution"], cell["method"]
    lengths, items = calibrated.subscription_lengths(), calibrated.item_lengths()
    rows = shelved(size.vocabulary, size.subscriptions, lengths, distribution, seed)
    terms = terms_of(size.vocabulary)
    more = 1 if method == "compact-count" else 5
    few = drawn(terms, more * size.items, items, distribution, seed + 1)
    structure, found = made(method, size.vocabulary), []
    steps = size.steps if distribution == "empirical" and method in TABLES else size.steps // 4
    for count, insertion in grown(structure, rows, steps):
        cost, row = matched(structure, few, turns=2), {"table": GROWTH, "subscriptions": count}
        row |= {"MB": figures(structure)["MB"], "insertion us": insertion}
        found.append(cell | row | {"match us": cost.microseconds, "operations": cost.operations})
    described = {"table": TABLES.get(method, "as Tables 4.4, 4.5"), "subscriptions": size.subscriptions}
    found.append(cell | described | figures(structure))
    for other in PAIRS[distribution]:
        cost = matched(structure, drawn(terms, more * size.counted, items, other, seed + 2))
        row = {"table": "4.6", "items": other, "operations": cost.operations, "match us": cost.microseconds}
        found.append(cell | row | {"found": cost.found})
    return found


def _plots() -> tuple[Plot, ...]:
    plots = []
    for figure, method in (("4.7", "compact-count"), ("4.8", "compact-trie")):
        for letter, column, label in (("a", "MB", "MB"), ("b", "insertion us", "µs"), ("c", "match us", "µs")):
            title = f"Figure {figure}{letter}: {method}, {column}"
            where = {"table": GROWTH, "method": method}
            name = f"figure-{figure}{letter}"
            plots.append(
                Plot(name, title, y=column, y_label=label, series="distribution", where=where, x="subscriptions")
            )
    where = {"table": GROWTH, "distribution": "empirical"}
    for letter, column, label in (("a", "MB", "MB"), ("b", "insertion us", "µs"), ("cd", "match us", "µs an item")):
        title = f"Figure 4.12{letter}: {column}"
        plots.append(
            Plot(
                f"figure-4.12{letter}",
                title,
                y=column,
                y_label=label,
                log_y=letter == "cd",
                where=where,
                x="subscriptions",
            )
        )
    return tuple(plots)


TABLES_4_4_TO_4_6 = Experiment(
    name="thesis/tables-4.4-4.6",
    title="distribution of terms, and growth: Tables 4.4-4.6, Figures 4.7, 4.8, 4.12",
    source="Kourdounakis 2011, sections 4.1.2 and 4.5",
    cells=cells,
    measure=measure,
    plots=_plots(),
    printed=tables_4_4_to_4_6(),
    paired=("table", "method", "distribution", "items"),
    claims=CLAIMS,
    needs=lambda scale: 6_000_000_000 if scale == "paper" else 300_000_000,
    notes="Table 4.4 prints 19.02 empty slots on average for uniform terms; its own quotient is 14.96. Megabytes are "
    "read off the text about Figures 4.7 and 4.8. Table 4.6 has the compact trie; the simple one stands beside it.",
)
