"""What the thesis finds in Tables 4.4 to 4.6 and Figures 4.7, 4.8 and 4.12, each finding as a check."""

from __future__ import annotations

from collections.abc import Sequence

from watchword.papers.experiments.experiment import Claim, Outcome, Row, judged
from watchword.papers.experiments.rows import curve, value
from watchword.papers.experiments.thesis.indexes import DISTRIBUTIONS
from watchword.papers.experiments.thesis.printed import GROWTH, PAIRS, PRINTED_4_6, TABLES
from watchword.papers.experiments.thesis.shapes import NOTHING_IS_COPIED, apart, at_full_size, linear, spread


def _of(rows: Sequence[Row], method: str, column: str) -> dict[str, float]:
    """Return a figure of Table 4.4 or 4.5 by distribution."""
    return {of: value(rows, column, table=TABLES[method], distribution=of) for of in DISTRIBUTIONS}


def _operations(rows: Sequence[Row], method: str) -> dict[tuple[str, str], float]:
    pairs = [(of, items) for of, others in PAIRS.items() for items in others]
    return {
        (of, items): value(rows, "operations", table="4.6", method=method, distribution=of, items=items)
        for of, items in pairs
    }


def _growth(rows: Sequence[Row], method: str, column: str, distribution: str = "empirical") -> dict[int, float]:
    return curve(rows, "subscriptions", column, table=GROWTH, method=method, distribution=distribution)


def _same_shape(rows: Sequence[Row]) -> Outcome:
    pairs = [(_of(rows, "compact-count", column), column) for column in ("hash_entries", "term_nodes", "blocks")]
    worst = max(apart(by["empirical"], by["anti-correlated"]) for by, _ in pairs)
    return judged(worst < 0.02, f"they differ by {worst:.2%} at most")


def _uniform_fills(rows: Sequence[Row]) -> Outcome:
    entries, mean = _of(rows, "compact-count", "hash_entries"), _of(rows, "compact-count", "collision_list_mean")
    capacity = value(rows, "capacity", table="4.4", distribution="uniform")
    used = entries["empirical"] / capacity
    said = f"{entries['uniform'] / capacity:.0%} of the buckets, lists of {mean['uniform']:.2f}; empirical {used:.0%}"
    return judged(entries["uniform"] == capacity and abs(mean["uniform"] - 2) < 0.01 and used < 0.95, said)


def _uniform_memory(rows: Sequence[Row]) -> Outcome:
    size, blocks = _of(rows, "compact-count", "MB"), _of(rows, "compact-count", "blocks")
    more, extra = size["uniform"] / size["empirical"] - 1, blocks["uniform"] / blocks["empirical"] - 1
    return judged(0.1 < more < 0.35, f"{more:+.0%} of memory, {extra:+.0%} of blocks", weaker=more > 0.03)


def _uniform_is_faster(rows: Sequence[Row]) -> Outcome:
    last = {of: list(_growth(rows, "compact-count", "match us", of).values())[-1] for of in DISTRIBUTIONS}
    gain = 1 - last["uniform"] / last["empirical"]
    why = "the thesis copies ten million counters for each item, whatever its terms; here nothing is copied for an item"
    return judged(gain > 0.2, f"{gain:.1%} less time than empirical", why=why if gain > 0.6 else "")


def _insertion_is_constant(method: str) -> Claim:
    def check(rows: Sequence[Row]) -> Outcome:
        times = list(_growth(rows, method, "insertion us").values())
        early, late = min(times[: len(times) // 2]), min(times[len(times) // 2 :])
        said = f"{early:.2f} µs in the first half, {late:.2f} µs in the second"
        why = "hardware: a larger index misses the caches more often"
        return judged(late / early < 1.3, said, weaker=late / early < 3, otherwise=why)

    text = f"The time to add a subscription to {method} does not depend on how many there are."
    return Claim(f"insertion-{method}", text, "constant (Figures 4.7b, 4.8b, 4.12b)", check)


def _nodes_vary_little(rows: Sequence[Row]) -> Outcome:
    nodes = _of(rows, "compact-trie", "nodes")
    least = min(nodes.values())
    wide = max(nodes.values()) / least - 1
    said = ", ".join(f"{of} {count:,.0f}" for of, count in nodes.items())
    why = "workload: the most frequent terms of the fitted vocabulary are a little more frequent than the thesis's"
    return judged(wide < 0.17, f"{said}: {wide:.0%} apart", weaker=wide < 0.3, otherwise=why)


def _mostly_leaves(rows: Sequence[Row]) -> Outcome:
    shares = _of(rows, "compact-trie", "leaf_share")
    said = ", ".join(f"{of} {share:.1%}" for of, share in shares.items())
    return judged(min(shares.values()) > 0.85, said, weaker=min(shares.values()) > 0.7)


def _compression_evens_out(rows: Sequence[Row]) -> Outcome:
    share = {of: count / _of(rows, "compact-trie", "nodes")[of] for of, count in _compact(rows).items()}
    said = ", ".join(f"{of} {part:.1%}" for of, part in share.items())
    return judged(share["empirical"] < min(share["uniform"], share["anti-correlated"]), f"compact nodes: {said}")


def _compact(rows: Sequence[Row]) -> dict[str, float]:
    return _of(rows, "compact-trie", "compact_nodes")


def _trie_memory(rows: Sequence[Row]) -> Outcome:
    size = _of(rows, "compact-trie", "MB")
    anti, even = (size[of] / size["empirical"] - 1 for of in ("anti-correlated", "uniform"))
    said = f"anti-correlated {anti:+.0%}, uniform {even:+.0%}"
    return judged(0 < anti < even < 0.35, said, weaker=min(anti, even) > 0)


def _tenfold(rows: Sequence[Row]) -> Outcome:
    by = _operations(rows, "compact-trie")
    own = {of: by[of, of] for of in DISTRIBUTIONS}
    factor = own["empirical"] / own["uniform"]
    said = ", ".join(f"{of} {visits:,.1f} visits" for of, visits in own.items())
    why = "paper: its own Table 4.6 has 261, 212 and 18: ten times and more for uniform, not for anti-correlated"
    return judged(factor > 8 and own["empirical"] / own["anti-correlated"] > 8, said, weaker=factor > 4, otherwise=why)


def _head_to_head(rows: Sequence[Row]) -> Outcome:
    by = _operations(rows, "compact-count")
    factor = by["empirical", "empirical"] / by["empirical", "uniform"]
    why = "workload: fewer terms, and so fewer rare ones, than the thesis has"
    return judged(200 < factor < 800, f"{factor:,.0f} times", weaker=factor > 10, otherwise=why)


def _trie_always_less(rows: Sequence[Row]) -> Outcome:
    count, trie = _operations(rows, "compact-count"), _operations(rows, "compact-trie")
    factors = {pair: count[pair] / trie[pair] for pair in count}
    return judged(
        min(factors.values()) > 1, f"{min(factors.values()):,.0f} to {max(factors.values()):,.0f} times fewer"
    )


def _order_of_magnitude(rows: Sequence[Row]) -> Outcome:
    factors = []
    for distribution, items, *operations in PRINTED_4_6:
        for method, printed in zip(("compact-count", "compact-trie"), operations, strict=True):
            factors.append(_operations(rows, method)[distribution, items] / printed)
    said = f"{min(factors):.2f} to {max(factors):.2f} times the printed figures"
    why = "workload: visits grow with the spread of item lengths, which the thesis does not print"
    return judged(
        min(factors) > 0.5 and max(factors) < 2, said, weaker=min(factors) > 0.1 and max(factors) < 10, otherwise=why
    )


def _linear_memory(method: str) -> Claim:
    def check(rows: Sequence[Row]) -> Outcome:
        return linear(_growth(rows, method, "MB"), "megabytes")

    text = f"The memory of {method} grows in proportion to the subscriptions."
    return Claim(f"memory-{method}", text, "linear to 10 million (Figure 4.12a)", check, machine_independent=True)


def _memory_ratio(rows: Sequence[Row]) -> Outcome:
    trie, count = (list(_growth(rows, method, "MB").values())[-1] for method in ("compact-trie", "compact-count"))
    factor = trie / count
    why = "implementation: all nodes share one table of children here, where the thesis has a hash map in each"
    return judged(
        2 < factor < 4, f"{trie:,.0f} MB against {count:,.0f} MB: {factor:.2f}", weaker=factor > 1.05, otherwise=why
    )


def _count_is_linear(rows: Sequence[Row]) -> Outcome:
    return linear(_growth(rows, "compact-count", "operations"), "decrements")


def _trie_is_sublinear(rows: Sequence[Row]) -> Outcome:
    visits = _growth(rows, "compact-trie", "operations")
    (low, first), *_, (high, last) = visits.items()
    growth, size = last / first, high / low
    return judged(growth < 0.7 * size, f"{growth:.1f} times the visits for {size:.0f} times the subscriptions")


def _faster(rows: Sequence[Row]) -> Outcome:
    last = {m: list(_growth(rows, m, "match us").values())[-1] for m in ("compact-count", "compact-trie", "auto")}
    factor = last["compact-count"] / last["compact-trie"]
    rates = ", ".join(f"{method} {1e6 / time:,.0f}" for method, time in last.items())
    said = f"{rates} items/s: {factor:.0f} times"
    return judged(factor > 10, said, weaker=factor > 2, otherwise=NOTHING_IS_COPIED)


def _degenerate(rows: Sequence[Row]) -> Outcome:
    wide = spread(list(_of(rows, "compact-count", "postings").values()))
    return judged(wide < 0.01, f"postings differ by {wide:.2%}")


CLAIMS = (
    Claim("same-count", "Under empirical and anti-correlated terms the count index has the same shape.",
          "292,457 and 292,480 entries (Table 4.4)", _same_shape, machine_independent=True),
    Claim("postings", "How many postings there are does not depend on the distribution of terms.",
          "independent (4.6)", _degenerate, machine_independent=True),
    Claim("uniform-fills", "Uniform terms fill the hash table, with lists of two; the others do not.",
          "100 % against 73 % (Table 4.4)", _uniform_fills, machine_independent=True),
    Claim("uniform-memory", "Uniform terms cost the count index more memory, for last blocks that are partly empty.",
          "20 % more memory, 14.7 % more blocks", at_full_size(_uniform_memory), machine_independent=True),
    Claim("uniform-time", "Matching is fastest for the count index where terms are uniform.",
          "33 % faster (Figure 4.7c)", _uniform_is_faster),
    _insertion_is_constant("compact-count"),
    _insertion_is_constant("compact-trie"),
    Claim("nodes-vary", "The nodes of the compact trie hardly depend on the distribution.",
          "less than 17 % apart (Table 4.5)", at_full_size(_nodes_vary_little), machine_independent=True),
    Claim("leaves", "Nine nodes of the compact trie in ten are leaves.",
          "88.8 to 91.8 % (Table 4.5)", at_full_size(_mostly_leaves), machine_independent=True),
    Claim("compression", "Paths are compressed most where beginnings are shared least.",
          "36.5 % compact nodes against 48.5 and 51.3 %", _compression_evens_out, machine_independent=True),
    Claim("trie-memory", "The trie needs a little more memory if its order is not that of the frequencies.",
          "anti-correlated +4 %, uniform +16 % (Figure 4.8a)", at_full_size(_trie_memory), machine_independent=True),
    Claim("trie-empirical", "The trie is ten times slower under empirical terms than under the others.",
          "ten times (Figure 4.8c)", at_full_size(_tenfold), machine_independent=True),
    Claim("head-to-head", "Items and subscriptions with the same skew cost the inverted file hundreds of times more.",
          "396.7 times (Table 4.6)", at_full_size(_head_to_head), machine_independent=True),
    Claim("trie-less", "The trie needs fewer operations than the inverted file in every case.",
          "30 to 993 times fewer (Table 4.6)", _trie_always_less, machine_independent=True),
    Claim("table-4.6", "Operations of an item are those of Table 4.6.",
          "14 figures", at_full_size(_order_of_magnitude), machine_independent=True),
    _linear_memory("compact-count"),
    _linear_memory("compact-trie"),
    Claim("memory-ratio", "The trie takes about three times the memory of the count index.",
          "625 MB against 215 MB (Figure 4.12a)", at_full_size(_memory_ratio), machine_independent=True),
    Claim("count-linear", "The work of the count index grows in proportion to the subscriptions.",
          "linear (Figure 4.12c)", _count_is_linear, machine_independent=True),
    Claim("trie-sublinear", "The work of the trie grows more slowly than the subscriptions.",
          "stabilises (Figure 4.12d)", _trie_is_sublinear, machine_independent=True),
    Claim("throughput", "The trie matches an order of magnitude more items in a second than the count index.",
          "500 against 34 items/s", at_full_size(_faster)),
)  # fmt: skip
