"""Tables 4.7 to 4.10, Figures 4.9 to 4.11: lengths of subscriptions and of items, and the size of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from watchword.papers.experiments.experiment import Cell, Experiment, Plot, Row
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.thesis.indexes import Matched, built, drawn, figures, matched, shelved, terms_of
from watchword.papers.experiments.thesis.printed import COUNT_COLUMNS, TRIE_COLUMNS
from watchword.papers.experiments.thesis.size_claims import ITEM_CLAIMS, LENGTH_CLAIMS, VOCABULARY_CLAIMS
from watchword.papers.workloads import calibrated
from watchword.papers.workloads.syndication import Lengths

METHODS = ("compact-count", "compact-trie", "auto")
LENGTHS = (3, 6, 9, 12)
ITEM_LENGTHS = (5, 10, 20, 50)
SUBSCRIPTIONS = {"small": 50_000, "paper": 10_000_000}
TERMS = {"small": 4_000, "paper": 800_000}
VOCABULARIES = {"small": (500, 5_000, 40_000), "paper": (10_000, 100_000, 800_000)}
ITEMS = {"small": 200, "paper": 100}

_PRINTED_4_7 = (
    (307_370, 371_651, 1.209, 1_507_916, 7_697_900, 20.71, 300),
    (363_287, 496_922, 1.368, 2_806_711, 10_169_275, 20.46, None),
    (383_922, 575_226, 1.498, 4_064_412, 11_610_300, 20.18, None),
    (392_692, 629_374, 1.603, 5_300_799, 12_519_975, 19.89, 750),
)
_PRINTED_4_8 = (
    (11_247_416, 9_972_546, 3.691, 0.1133, 3_073_859, 2.001, 800),
    (11_247_290, 10_000_000, 4.081, 0.1109, 10_000_398, 3.917, None),
    (11_507_983, 10_000_000, 4.387, 0.1310, 10_001_269, 6.611, None),
    (11_652_566, 10_000_000, 4.641, 0.1418, 10_002_386, 9.356, 1250),
)
_PRINTED_4_9 = (
    (5_000, 10_000, 2.00, 1_026_909, 109_187, 10.92, None),
    (49_904, 90_248, 1.808, 1_091_189, 1_716_793, 19.02, None),
    (292_457, 345_299, 1.18, 1_308_676, 7_155_958, 20.72, 215),
)
_PRINTED_4_10 = (
    (2_970_398, 2_553_389, 4.788, 0.1404, 645_138, 2.457, None),
    (5_399_669, 4_754_301, 3.979, 0.1195, 1_653_656, 2.601, None),
    (7_419_246, 6_587_124, 3.465, 0.1122, 2_707_485, 2.687, 625),
)


def _printed(column: str, values: Sequence[Any], count: Sequence[Any], trie: Sequence[Any]) -> tuple[Row, ...]:
    """Return two tables as rows, one of each index."""
    rows = []
    for method, names, table in (("compact-count", COUNT_COLUMNS, count), ("compact-trie", TRIE_COLUMNS, trie)):
        for place, line in zip(values, table, strict=True):
            rows.append({column: place, "method": method} | dict(zip(names, line, strict=True)))
    return tuple(rows)


def _cells(column: str, values: Sequence[Any]) -> list[Cell]:
    return [{column: at, "method": method} for at in values for method in METHODS]


def _measure_length(cell: Cell, scale: str, seed: int) -> list[Row]:
    size, count = TERMS[scale], SUBSCRIPTIONS[scale]
    rows = shelved(size, count, Lengths.fixed(cell["|s|"]), "empirical", seed)
    index = built(cell["method"], rows, size)
    items = drawn(terms_of(size), _affordable(cell, scale), calibrated.item_lengths(), "empirical", seed + 1)
    cost = matched(index, items, turns=2)
    return [cell | _row(count, cost) | figures(index)]


def _measure_vocabulary(cell: Cell, scale: str, seed: int) -> list[Row]:
    size, count = cell["|V|"], SUBSCRIPTIONS[scale]
    rows = shelved(size, count, calibrated.subscription_lengths(), "empirical", seed)
    index = built(cell["method"], rows, size)
    items = drawn(terms_of(size), _affordable(cell, scale), calibrated.item_lengths(), "uniform", seed + 1)
    cost = matched(index, items, turns=2)
    return [cell | _row(count, cost) | figures(index)]


def _measure_items(cell: Cell, scale: str, seed: int) -> list[Row]:
    size, count = TERMS[scale], SUBSCRIPTIONS[scale]
    rows = shelved(size, count, calibrated.subscription_lengths(), "empirical", seed)
    index = SHELF.get(("figure-4.11", cell["method"], size, count, seed), lambda: built(cell["method"], rows, size))
    found = []
    for length in ITEM_LENGTHS:
        items = drawn(terms_of(size), _affordable(cell, scale), Lengths.fixed(length), "empirical", seed + 1)
        cost = matched(index, items, turns=2)
        found.append(cell | {"|I|": length} | _row(count, cost))
    return found


def _row(count: int, cost: Matched) -> Row:
    return {"subscriptions": count, "operations": cost.operations, "match us": cost.microseconds}


def _affordable(cell: Cell, scale: str) -> int:
    """Return how many items a cell matches: the count index takes long for each."""
    return ITEMS[scale] * (1 if cell["method"] == "compact-count" else 5)


TABLES_4_7_AND_4_8 = Experiment(
    name="thesis/tables-4.7-4.8",
    title="length of subscriptions: Tables 4.7, 4.8, Figure 4.9",
    source="Kourdounakis 2011, section 4.2",
    cells=lambda scale: _cells("|s|", LENGTHS),
    measure=_measure_length,
    plots=(
        Plot("figure-4.9a", "Figure 4.9a: memory", x="|s|", y="MB"),
        Plot("figure-4.9b", "Figure 4.9b: matching", x="|s|", y="match us", y_label="µs an item", log_y=True),
    ),
    printed=_printed("|s|", LENGTHS, _PRINTED_4_7, _PRINTED_4_8),
    paired=("|s|", "method"),
    claims=LENGTH_CLAIMS,
    needs=lambda scale: 12_000_000_000 if scale == "paper" else 300_000_000,
    notes="Table 4.7's postings at six terms add up to 59,998,500, and Table 4.8's share at nine is 86.91, not 85.91.",
)  # fmt: skip

TABLES_4_9_AND_4_10 = Experiment(
    name="thesis/tables-4.9-4.10",
    title="size of the vocabulary: Tables 4.9, 4.10, Figure 4.10",
    source="Kourdounakis 2011, section 4.3",
    cells=lambda scale: _cells("|V|", VOCABULARIES[scale]),
    measure=_measure_vocabulary,
    plots=(
        Plot("figure-4.10a", "Figure 4.10a: memory", x="|V|", y="MB", log_x=True),
        Plot("figure-4.10bc", "Figures 4.10b and c: matching, uniform items", x="|V|", y="match us",
             y_label="µs an item", log_x=True, log_y=True),
    ),
    printed=_printed("|V|", VOCABULARIES["paper"], _PRINTED_4_9, _PRINTED_4_10),
    paired=("|V|", "method"),
    claims=VOCABULARY_CLAIMS,
    needs=lambda scale: 6_000_000_000 if scale == "paper" else 300_000_000,
    notes="The calibrated vocabulary does not meet the trie of 10,000 terms (see thesis/tables-4.2-4.3).",
)  # fmt: skip

FIGURE_4_11 = Experiment(
    name="thesis/figure-4.11",
    title="length of items: Figure 4.11",
    source="Kourdounakis 2011, section 4.4",
    cells=lambda scale: [{"method": method} for method in METHODS],
    measure=_measure_items,
    plots=(
        Plot("figure-4.11", "Figure 4.11: matching", x="|I|", y="match us", y_label="µs an item", log_y=True),
        Plot("figure-4.11-work", "operations", x="|I|", y="operations", log_y=True),
    ),
    claims=ITEM_CLAIMS,
    needs=lambda scale: 5_000_000_000 if scale == "paper" else 200_000_000,
)  # fmt: skip
