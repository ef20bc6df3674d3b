"""What the thesis finds in Tables 4.4 to 4.6 and Figures 4.7, 4.8 and 4.12, each finding as a check."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from watchword.papers.experiments.checks import check
from watchword.papers.experiments.experiment import Claim, Outcome, Row, judged
from watchword.papers.experiments.figures import Figures, Reading, among, each, read
from watchword.papers.experiments.thesis.indexes import DISTRIBUTIONS
from watchword.papers.experiments.thesis.printed import GROWTH, PAIRS, PRINTED_4_6, TABLES
from watchword.papers.experiments.thesis.shapes import NOTHING_IS_COPIED, at_full_size, bend, linear

COUNT, TRIE = "compact-count", "compact-trie"


def _of(method: str, column: str) -> Reading:
    """Return a figure of Table 4.4 or 4.5, by distribution."""
    return each(DISTRIBUTIONS, lambda of: read(column, table=TABLES[method], distribution=of))


def _operations(method: str) -> Reading:
    """Return the operations of Table 4.6, by the distributions of subscriptions and of items."""
    pairs = {f"{of}, {items}": (of, items) for of, others in PAIRS.items() for items in others}
    of_pair = partial(read, "operations", table="4.6", method=method)
    return each(pairs, lambda pair: of_pair(distribution=pairs[pair][0], items=pairs[pair][1]))


def _growing(method: str, column: str, distribution: str = "empirical") -> Reading:
    return read(column, along="subscriptions", table=GROWTH, method=method, distribution=distribution)


def _more(method: str, column: str, distribution: str) -> Reading:
    """Return by which share a figure of a distribution exceeds that of empirical terms."""
    of = partial(read, column, table=TABLES[method])
    return of(distribution=distribution) / of(distribution="empirical") - 1


def _apart(column: str) -> Reading:
    """Return by which share of the larger one figures of empirical and anti-correlated terms differ."""
    both = among(_of(COUNT, column), "empirical", "anti-correlated")
    return 1 - both.least / both.most


def _uniform_is_faster(rows: Sequence[Row]) -> Outcome:
    even, skewed = (_growing(COUNT, "match us", of).last(rows) for of in ("uniform", "empirical"))
    gain = 1 - even / skewed
    why = "implementation: the thesis copies ten million counters for each item, whatever its terms; here nothing is "
    why += f"copied, and uniform terms take {even:,.1f} µs where empirical ones take {skewed:,.1f}"
    return judged(0.2 < gain < 0.5, f"{gain:.1%} less time than empirical", weaker=gain > 0, otherwise=why)


def _least_of_half(method: str, second: bool) -> Reading:
    """Return the least time of an insertion in the first half of the steps, or in the second."""

    def found(times: Figures) -> float:
        middle = len(times) // 2
        values = list(times.values())
        return float(min(values[middle:] if second else values[:middle]))

    return _growing(method, "insertion us").then(found)


def _insertion_is_constant(method: str) -> Claim:
    early, late = (_least_of_half(method, second) for second in (False, True))
    text = f"The time to add a subscription to {method} does not depend on how many there are."
    return Claim(f"insertion-{method}", text, "constant (Figures 4.7b, 4.8b, 4.12b)",
                 check("{early:.2f} µs in the first half, {late:.2f} µs in the second", "factor < 1.3",
                       weaker="factor < 3", early=early, late=late, factor=late / early,
                       otherwise="hardware: a larger index misses the caches more often: {factor:.2f} times",
                       provided="factor > 1"), times=True)  # fmt: skip


def _linear_memory(method: str) -> Claim:
    text = f"The memory of {method} grows in proportion to the subscriptions."
    paper = "linear to 10 million (Figure 4.12a)"
    return Claim(f"memory-{method}", text, paper, linear(_growing(method, "MB"), "megabytes"))


def _over_printed() -> Reading:
    """Return our operations divided by the printed ones, for each method and case of Table 4.6."""
    printed = {
        method: Figures({f"{of}, {items}": found[at] for of, items, *found in PRINTED_4_6})
        for at, method in enumerate((COUNT, TRIE))
    }
    return each(printed, lambda method: _operations(method) / Reading(lambda rows: printed[method]))


LAST_US = each((COUNT, TRIE, "auto"), lambda method: _growing(method, "match us").last)
CLAIMS = (
    Claim("same-count", "Under empirical and anti-correlated terms the count index has the same shape.",
          "292,457 and 292,480 entries (Table 4.4)",
          check("they differ by {apart.most:.2%} at most", "apart.most < 0.02",
                apart=each(("hash_entries", "term_nodes", "blocks"), _apart))),
    Claim("postings", "How many postings there are does not depend on the distribution of terms.", "independent (4.6)",
          check("postings differ by {wide:.2%}", "wide < 0.01",
                wide=_of(COUNT, "postings").spread - 1)),
    Claim("uniform-fills", "Uniform terms fill the hash table, with lists of two; the others do not.",
          "100 % against 73 % (Table 4.4)",
          check("{used[uniform]:.0%} of the buckets, lists of {lists[uniform]:.2f}; empirical {used[empirical]:.0%}",
                "used[uniform] == 1 and 1.99 < lists[uniform] < 2.01 and used[empirical] < 0.95",
                used=_of(COUNT, "hash_entries") / read("capacity", table="4.4", distribution="uniform"),
                lists=_of(COUNT, "collision_list_mean"))),
    Claim("uniform-memory", "Uniform terms cost the count index more memory, for last blocks that are partly empty.",
          "20 % more memory, 14.7 % more blocks",
          at_full_size(check("{more:+.0%} of memory, {blocks:+.0%} of blocks", "0.1 < more < 0.35",
                             weaker="more > 0.03",
                             more=_more(COUNT, "MB", "uniform"), blocks=_more(COUNT, "blocks", "uniform")))),
    Claim("uniform-time", "Matching is fastest for the count index where terms are uniform.",
          "33 % faster (Figure 4.7c)", _uniform_is_faster, times=True),
    _insertion_is_constant(COUNT),
    _insertion_is_constant(TRIE),
    Claim("nodes-vary", "The nodes of the compact trie hardly depend on the distribution.",
          "less than 17 % apart (Table 4.5)",
          at_full_size(check("{nodes:,.0f}: {wide:.0%} apart", "wide < 0.17", weaker="wide < 0.3",
                             nodes=_of(TRIE, "nodes"), wide=_of(TRIE, "nodes").spread - 1,
                             otherwise="workload: the most frequent terms of the fitted vocabulary are a little more "
                             "frequent than the thesis's: {nodes[empirical]:,.0f} nodes for its 7,419,246",
                             provided="nodes[empirical] < 7419246"))),
    Claim("leaves", "Nine nodes of the compact trie in ten are leaves.", "88.8 to 91.8 % (Table 4.5)",
          at_full_size(check("{share:.1%}", "share.least > 0.85", weaker="share.least > 0.7",
                             share=_of(TRIE, "leaf_share")))),
    Claim("compression", "Paths are compressed most where beginnings are shared least.",
          "36.5 % compact nodes against 48.5 and 51.3 %",
          check("compact nodes: {share:.1%}",
                "share[empirical] < share[uniform] and share[empirical] < share[anti-correlated]",
                share=_of(TRIE, "compact_nodes") / _of(TRIE, "nodes"))),
    Claim("trie-memory", "The trie needs a little more memory if its order is not that of the frequencies.",
          "anti-correlated +4 %, uniform +16 % (Figure 4.8a)",
          at_full_size(check("anti-correlated {anti:+.0%}, uniform {even:+.0%}", "0 < anti < even < 0.35",
                             weaker="anti > 0 and even > 0", anti=_more(TRIE, "MB", "anti-correlated"),
                             even=_more(TRIE, "MB", "uniform")))),
    Claim("trie-empirical", "The trie is ten times slower under empirical terms than under the others.",
          "ten times (Figure 4.8c)",
          at_full_size(check("empirical {own[empirical, empirical]:,.1f} visits, anti-correlated "
                             "{own[anti-correlated, anti-correlated]:,.1f} visits, uniform "
                             "{own[uniform, uniform]:,.1f} visits",
                             "below[uniform, uniform] > 8 and below[anti-correlated, anti-correlated] > 8",
                             weaker="below[uniform, uniform] > 4", own=_operations(TRIE),
                             below=_operations(TRIE)["empirical, empirical"] / _operations(TRIE),
                             otherwise="paper: its own Table 4.6 has 261, 212 and 18: ten times and more for uniform, "
                             "not for anti-correlated; here {below[uniform, uniform]:.1f} and "
                             "{below[anti-correlated, anti-correlated]:.1f} times"))),
    Claim("head-to-head", "Items and subscriptions with the same skew cost the inverted file hundreds of times more.",
          "396.7 times (Table 4.6)",
          at_full_size(check("{factor:,.0f} times", "200 < factor < 800", weaker="factor > 10",
                             factor=_operations(COUNT)["empirical, empirical"]
                             / _operations(COUNT)["empirical, uniform"],
                             otherwise="workload: the head of the fitted vocabulary decides: {factor:,.0f} times"))),
    Claim("trie-less", "The trie needs fewer operations than the inverted file in every case.",
          "30 to 993 times fewer (Table 4.6)",
          check("{fewer.least:,.0f} to {fewer.most:,.0f} times fewer", "fewer.least > 1",
                fewer=_operations(COUNT) / _operations(TRIE))),
    Claim("table-4.6", "Operations of an item are those of Table 4.6.", "14 figures",
          at_full_size(check("{factor.least:.2f} to {factor.most:.2f} times the printed figures",
                             "0.5 < factor.least and factor.most < 2", weaker="0.1 < factor.least and factor.most < 10",
                             factor=_over_printed(),
                             otherwise="workload: visits grow with the spread of item lengths, which the thesis does "
                             "not print: {factor.least:.2f} times at the least"))),
    _linear_memory(COUNT),
    _linear_memory(TRIE),
    Claim("memory-ratio", "The trie takes about three times the memory of the count index.",
          "625 MB against 215 MB (Figure 4.12a)",
          at_full_size(check("{trie.last:,.0f} MB against {count.last:,.0f} MB: {factor:.2f}", "2 < factor < 4",
                             weaker="factor > 1.05", trie=_growing(TRIE, "MB"), count=_growing(COUNT, "MB"),
                             factor=_growing(TRIE, "MB").last / _growing(COUNT, "MB").last,
                             otherwise="implementation: all nodes share one table of children here, where the thesis "
                             "has a hash map in each: {factor:.2f} times"))),
    Claim("count-linear", "The work of the count index grows in proportion to the subscriptions.",
          "linear (Figure 4.12c)", linear(_growing(COUNT, "operations"), "decrements")),
    Claim("trie-sublinear", "The work of the trie grows more slowly than the subscriptions.",
          "stabilises (Figure 4.12d)",
          check("{visits.growth:.1f} times the visits for {visits.stretch:.0f} times the subscriptions", "pace < 0.7",
                visits=_growing(TRIE, "operations"),
                pace=_growing(TRIE, "operations").growth / _growing(TRIE, "operations").stretch)),
    Claim("count-time", "The time of the count index grows in proportion to the subscriptions.",
          "linear (Figure 4.12c)", linear(_growing(COUNT, "match us"), "microseconds"), times=True),
    Claim("trie-time", "The time of the trie stabilises as subscriptions grow.", "stabilises (Figure 4.12d)",
          check("{times.growth:.1f} times the time for {times.stretch:.0f} times the subscriptions; it rises "
                "{bend:.2f} times as fast in the second half", "bend < 0.5", weaker="bend < 1",
                times=_growing(TRIE, "match us"), bend=bend(_growing(TRIE, "match us")),
                otherwise="hardware: visits grow more slowly, but a larger trie misses the caches more often; the time "
                "rises {bend:.2f} times as fast in the second half"), times=True),
    Claim("insertion-less", "Adding to the count index takes slightly less time than adding to the trie.",
          "slightly less (Figure 4.12b)",
          check("{factor:.2f} times", "0.5 <= factor < 1", weaker="factor < 1",
                factor=_growing(COUNT, "insertion us").least / _growing(TRIE, "insertion us").least,
                otherwise="implementation: postings of a batch lie side by side here, and take {factor:.2f} times as "
                "long as the trie's nodes"), times=True),
    Claim("throughput", "The trie matches an order of magnitude more items in a second than the count index.",
          "500 against 34 items/s",
          at_full_size(check("{rates:,.0f} items/s: {factor:.0f} times", "8 < factor < 30", weaker="factor > 2",
                             rates=1e6 / LAST_US, otherwise=NOTHING_IS_COPIED + ": {factor:.1f} times",
                             factor=_growing(COUNT, "match us").last / _growing(TRIE, "match us").last)), times=True),
)  # fmt: skip
