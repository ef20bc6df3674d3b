"""What the thesis finds in Tables 4.7 to 4.10 and Figures 4.9 to 4.11, each finding as a check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from watchword.papers.experiments.checks import Check, check
from watchword.papers.experiments.experiment import Claim, Outcome, Row
from watchword.papers.experiments.figures import Figures, Reading, among, read, text
from watchword.papers.experiments.thesis.shapes import at_full_size, bend, linear

COUNT, TRIE = "compact-count", "compact-trie"


def _over(axis: str, column: str, method: str) -> Reading:
    return read(column, along=axis, method=method)


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


def _from_six(column: str, method: str) -> Reading:
    return among(_by_length(column, method), 6, 9, 12)


def _times_the_memory(factor: Reading, low: float, high: float) -> Callable[[Sequence[Row]], Outcome]:
    """Return the check that memory is a multiple between two, which is the paper's with some room."""
    return at_full_size(
        check(
            "{factor:.2f} times the memory",
            f"{low} < factor < {high}",
            weaker="factor > 1.05",
            factor=factor,
            otherwise="implementation: entries and nodes are numbers in arrays here, and Java objects there: "
            "{factor:.2f} times",
        )
    )


POWER = "they grow as a power of the length, about its 2.5th: subsets of up to a subscription's length, not all"
LONGER_LEAVES = among(_by_length("leaves", TRIE), 6, 9, 12).least / _by_length("leaves", TRIE).most
COMPACT = _by_length("compact_nodes", TRIE) / _by_length("nodes", TRIE)
MEMORY = _by_vocabulary("MB", TRIE) / _by_vocabulary("MB", COUNT)


def _widened(column: str, method: str) -> Reading:
    """Return a column over the largest vocabulary as a multiple of it over the next, eight times smaller."""
    return _by_vocabulary(column, method).then(lambda found: list(found.values())[-1] / list(found.values())[-2])


USED = _by_vocabulary("hash_entries", COUNT).then(
    lambda entries: Figures({size: count / (0.5 * size) for size, count in entries.items()})
)
LENGTH_CLAIMS = (
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
    Claim("count-grows-length", "Four times longer subscriptions take the count index 2.5 times the memory.",
          "300 to 750 MB (Figure 4.9a)",
          _times_the_memory(_by_length("MB", COUNT)[12] / _by_length("MB", COUNT)[3], 2.0, 3.2)),
    Claim("trie-grows-length", "Four times longer subscriptions take the trie half as much memory again.",
          "+56 %, 800 to 1,250 MB (Figure 4.9a)",
          _times_the_memory(_by_length("MB", TRIE)[12] / _by_length("MB", TRIE)[3], 1.3, 1.9)),
    Claim("trie-linear-length", "From six terms on the trie's memory grows in proportion to the length.",
          "linear above six (Figure 4.9a)", at_full_size(linear(_from_six("MB", TRIE), "megabytes"))),
    Claim("count-time-length", "The time of the count index grows in proportion to the length of subscriptions.",
          "linear, as 2.9 says (Figure 4.9b)", at_full_size(linear(_by_length("match us", COUNT), "microseconds")),
          times=True),
    Claim("trie-time-length", "From six terms on the trie's time grows in proportion to the length.",
          "linear above six (Figure 4.9b)",
          at_full_size(check("{times.first:,.1f} to {times.last:,.1f} µs, {times.growth:.2f} times",
                             "times.rises and 0.75 < bend < 1.33", weaker="times.last > times.first",
                             times=_from_six("match us", TRIE), bend=bend(_from_six("match us", TRIE)),
                             otherwise="implementation: a compact node is left at the first term that an item "
                             "lacks, so that longer ones cost {times.growth:.2f} times")), times=True),
    Claim("memory-12", "At 12 terms the trie takes two thirds more memory.",
          "1,250 against 750 MB (Figure 4.9a)",
          at_full_size(check("{factor:.2f} times", "1.3 < factor < 2", weaker="factor > 1.05",
                             factor=_by_length("MB", TRIE)[12] / _by_length("MB", COUNT)[12],
                             otherwise="implementation: a compact node takes a word for each atom here, and no "
                             "Java object: {factor:.2f} times the memory of the count index"))),
)  # fmt: skip

VOCABULARY_CLAIMS = (
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
    Claim("count-grows-vocabulary", "Eight times the vocabulary takes the count index half as much memory again.",
          "+75 MB, 50 % (section 4.3, Figure 4.10a)",
          _times_the_memory(_widened("MB", COUNT), 1.25, 1.8)),
    Claim("trie-grows-vocabulary", "Eight times the vocabulary takes the trie nearly twice the memory.",
          "+350 MB, 93 % (section 4.3, Figure 4.10a)",
          _times_the_memory(_widened("MB", TRIE), 1.5, 2.5)),
    Claim("vocabulary-time", "Larger vocabularies take both indexes less time.", "faster (Figures 4.10b, c)",
          check("count {count.first:,.1f} to {count.last:,.1f} µs, trie {trie.first:,.1f} to {trie.last:,.1f} µs",
                "count.falls and trie.falls", weaker="count.last < count.first or trie.last < trie.first",
                count=_by_vocabulary("match us", COUNT), trie=_by_vocabulary("match us", TRIE),
                otherwise="hardware: a larger trie misses the caches more often: {trie.growth:.2f} times the time "
                "over the largest vocabulary", provided="trie.last > trie.least"), times=True),
    Claim("larger-faster", "Larger vocabularies are matched faster, by the trie even more so.",
          "faster (Figures 4.10b, c)",
          check("{count.spread:,.0f} times fewer decrements, {trie.spread:,.0f} times fewer visits",
                "count.falls and trie.falls and trie.spread > count.spread", weaker="count.falls and trie.falls",
                count=_by_vocabulary("operations", COUNT), trie=_by_vocabulary("operations", TRIE),
                otherwise="workload: both fall, the trie's visits less, as it has {trie.first:,.0f} to lose where "
                "the count index has {count.first:,.0f}", provided="trie.first < count.first")),
)  # fmt: skip

ITEM_CLAIMS = (
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
)  # fmt: skip
