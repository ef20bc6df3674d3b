"""Tables 4.7 to 4.10, Figures 4.9 to 4.11: lengths of subscriptions and of items, and the size of the vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from watchword.papers.experiments.checks import Check, check
from watchword.papers.experiments.experiment import Cell, Claim, Experiment, Plot, Row
from watchword.papers.experiments.figures import Figures, Reading, among, read, text
from watchword.papers.experiments.measuring import SHELF
from watchword.papers.experiments.thesis.indexes import Matched, built, drawn, figures, matched, shelved, terms_of
from watchword.papers.experiments.thesis.printed import COUNT_COLUMNS, TRIE_COLUMNS
from watchword.papers.experiments.thesis.shapes import at_full_size, linear
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


def _over(axis: str, column: str, method: str) -> Reading:
    return read(column, along=axis, method=method)


# claims

COUNT, TRIE = METHODS[:2]
_by_length, _by_vocabulary, _by_item = (partial(_over, axis) for axis in ("|s|", "|V|", "|I|"))


def _ten_times(axis: str) -> Check:
    factor = _over(axis, "match us", COUNT) / _over(axis, "match us", TRIE)
    said = text(factor, "{label:,}: {figure:.1f}")
    work = _over(axis, "operations", COUNT) / _over(axis, "operations", TRIE)
    return check(
        "{said} times",
        "5 < factor.least and factor.most < 20",
        weaker="factor.least > 1",
        factor=factor,
        said=said,
        work=work,
        otherwise="implementation: the thesis copies ten million counters for each item, and its trie is of Java "
        "objects; here neither is so, and the count index makes {work.least:,.0f} to {work.most:,.0f} times the "
        "operations",
    )


POWER = "they grow as a power of the length, about its 2.5th: subsets of up to a subscription's length, not all"
LONGER_LEAVES = among(_by_length("leaves", TRIE), 6, 9, 12).least / _by_length("leaves", TRIE).most
COMPACT = _by_length("compact_nodes", TRIE) / _by_length("nodes", TRIE)
MEMORY = _by_vocabulary("MB", TRIE) / _by_vocabulary("MB", COUNT)
USED = _by_vocabulary("hash_entries", COUNT).then(
    lambda entries: Figures({size: count / (0.5 * size) for size, count in entries.items()})
)
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
    claims=(
        Claim("blocks-length", "Four times longer subscriptions have three and a half times the blocks of postings.",
              "1.51 to 5.30 million (Table 4.7)",
              check("{blocks.growth:.3g} times the blocks from {blocks.start:,} to {blocks.end:,}",
                    "3 < blocks.growth < 4", weaker="blocks.growth > 2", blocks=_by_length("blocks", COUNT))),
        Claim("slots-length", "Empty slots of a term do not depend on the length of subscriptions.",
              "20.71 to 19.89 (Table 4.7)",
              at_full_size(check("{slots.first:.2f} to {slots.last:.2f}", "wide < 0.1", weaker="wide < 0.35",
                                 slots=_by_length("empty_slots_mean", COUNT),
                                 wide=_by_length("empty_slots_mean", COUNT).spread - 1))),
        Claim("nodes-length", "Nodes of the trie do not depend on the length of subscriptions.",
              "less than 4 % apart (Table 4.8)",
              at_full_size(check("{wide:.1%} apart", "wide < 0.06", weaker="wide < 0.3",
                                 wide=_by_length("nodes", TRIE).spread - 1))),
        Claim("compact-length", "From six terms on nearly all nodes are compact.",
              "27 % at 3, then 86 to 89 % (Table 4.8)",
              at_full_size(check("{said}", "share[3] < 0.5 and longer.least > 0.8", weaker="share[3] < share[6]",
                                 share=COMPACT, longer=among(COMPACT, 6, 9, 12),
                                 said=text(COMPACT, "{label}: {figure:.0%}")))),
        Claim("compact-size", "A compact node grows in proportion to the length of subscriptions.",
              "2.0, 3.9, 6.6, 9.4 atoms (Table 4.8)",
              at_full_size(linear(_by_length("compact_size_mean", TRIE), "atoms of a compact node"))),
        Claim("own-leaf", "From six terms on every subscription has a leaf of its own.",
              "10,000,000 leaves (Table 4.8)",
              at_full_size(check("{leaves[3]:,} to {leaves.most:,} leaves", "longer > 0.999",
                                 leaves=_by_length("leaves", TRIE), longer=LONGER_LEAVES))),
        Claim("trie-length", "The trie is an order of magnitude faster at every length.",
              "about ten times (Figure 4.9b)", at_full_size(_ten_times("|s|")), times=True),
        Claim("memory-12", "At 12 terms the trie takes two thirds more memory.",
              "1,250 against 750 MB (Figure 4.9a)",
              at_full_size(check("{factor:.2f} times", "1.3 < factor < 2", weaker="factor > 1.05",
                                 factor=_by_length("MB", TRIE)[12] / _by_length("MB", COUNT)[12],
                                 otherwise="implementation: a compact node takes a word for each atom here, and no "
                                 "Java object: {factor:.2f} times the memory of the count index"))),
    ),
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
    claims=(
        Claim("utilisation", "The larger the vocabulary, the less of the hash table is used.",
              "100 % to 73 % (Table 4.9)",
              check("{said}", "used.falls and used.last < 0.95", used=USED, said=text(USED, "{figure:.0%}", " to "))),
        Claim("wider", "The larger the vocabulary, the more nodes the trie has.", "2.97 to 7.42 million (Table 4.10)",
              check("{nodes.growth:.3g} times the nodes from {nodes.start:,} to {nodes.end:,}",
                    "nodes.rises and nodes.spread > 1.8", nodes=_by_vocabulary("nodes", TRIE))),
        Claim("leaf-share", "The share of leaves hardly depends on the vocabulary.", "86.0 to 88.8 % (Table 4.10)",
              check("{said}", "wide < 0.04", weaker="wide < 0.12",
                    wide=_by_vocabulary("leaf_share", TRIE).most - _by_vocabulary("leaf_share", TRIE).least,
                    said=text(_by_vocabulary("leaf_share", TRIE), "{figure:.1%}", " to "))),
        Claim("four-times", "The count index takes four times less memory than the trie.",
              "four times (Figure 4.10a)",
              at_full_size(check("{said} times", "factor.least > 3", weaker="factor.least > 1.2", factor=MEMORY,
                                 said=text(MEMORY, "{label:,}: {figure:.2f}"),
                                 otherwise="implementation: nodes share one table of children here, and are Java "
                                 "objects with a hash map there: {factor.most:.2f} times at most; the thesis itself "
                                 "has 2.9 times for the largest vocabulary"))),
        Claim("larger-faster", "Larger vocabularies are matched faster, by the trie even more so.",
              "faster (Figures 4.10b, c)",
              check("{count.spread:,.0f} times fewer decrements, {trie.spread:,.0f} times fewer visits",
                    "count.falls and trie.falls and trie.spread > count.spread", weaker="count.falls and trie.falls",
                    count=_by_vocabulary("operations", COUNT), trie=_by_vocabulary("operations", TRIE),
                    otherwise="workload: both fall, the trie's visits less, as it has {trie.first:,.0f} to lose where "
                    "the count index has {count.first:,.0f}", provided="trie.first < count.first")),
    ),
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
    claims=(
        Claim("count-items", "The time of the count index rises in proportion to the item, but by little.",
              "68 % for ten times longer items (Figure 4.11a)",
              at_full_size(check("{more:+.0%} of time, {work.growth:.1f} times the decrements from 5 to 50 terms",
                                 "6 < work.growth < 12 and more < 1", weaker="6 < work.growth < 12",
                                 more=_by_item("match us", COUNT).growth - 1, work=_by_item("operations", COUNT),
                                 otherwise="implementation: nothing is copied for an item here, so that time goes "
                                 "with the decrements, {work.growth:.1f} times; 55 % of the thesis's time at 50 terms "
                                 "is the copy of ten million counters, whatever the item")),
              times=True),
        Claim("trie-items", "Ten times longer items cost the trie two orders of magnitude more.",
              "exponential, two orders of magnitude (Figure 4.11b)",
              check("{visits.growth:,.0f} times the visits; by {before.growth:.1f} from 10 to 20, {after.growth:.1f} "
                    "from 20 to 50", "50 < visits.growth < 200", weaker="visits.growth > 12",
                    visits=_by_item("operations", TRIE),
                    before=among(_by_item("operations", TRIE), 10, 20),
                    after=among(_by_item("operations", TRIE), 20, 50), why=POWER, otherwise="workload: " + POWER)),
        Claim("trie-at-fifty", "The trie is faster than the count index even for items of 50 terms.",
              "an order of magnitude (4.6)", at_full_size(_ten_times("|I|")), times=True),
    ),
    needs=lambda scale: 5_000_000_000 if scale == "paper" else 200_000_000,
)  # fmt: skip
