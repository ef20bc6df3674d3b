"""Bytes and operations of the keyword methods for numbers that somebody has in mind, before there is an index.

>>> workload = Workload(20_000, zipf(5_000, 0.9), around(2.8), around(15))
>>> for row in estimates(workload, sample=2_000):
...     print(f"{row.method:13} {row.bytes / 1e6:.1f} MB {row.operations:6.0f} {row.operation}")
auto          0.4 MB    105 groups read
count         0.6 MB   5868 counter decrements
compact-count 0.9 MB   5868 counter decrements
trie          1.0 MB     42 nodes visited
compact-trie  0.6 MB     42 nodes visited

Bytes are those of the structure: the terms themselves, the ids and the texts of subscriptions come on top, and are the
same for every method. A compact trie visits no more nodes than a trie, and mostly a few less.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Float64, Int32
from watchword.models import count, keyed, trie
from watchword.models.terms import around, mean_length, presence, zipf

__all__ = ["Estimate", "Workload", "around", "estimates", "zipf"]

_BLOCK = 25
_PAIRS = 300_000
"""About how many pairs of terms the sampled items have together."""


class Workload(NamedTuple):
    """How many subscriptions, the shares of terms, and the lengths of subscriptions and of items (`models.terms`)."""

    subscriptions: int
    shares: Float64
    lengths: Float64
    item_lengths: Float64


class Estimate(NamedTuple):
    """What a method is expected to take: bytes in all, and operations for each item."""

    method: str
    bytes: float
    operations: float
    operation: str


def estimates(workload: Workload, sample: int = trie.SAMPLE, seed: int = 0) -> list[Estimate]:
    """Return an estimate for each method that has a model; the same arguments give the same figures."""
    number, shares, lengths, item_lengths = workload
    within, met = presence(shares, lengths), presence(shares, item_lengths)
    decrements = count.decrements(within, met, number)
    by_key = keyed.sample_keys(shares, lengths, sample, seed)
    paths = trie.sample(shares, lengths, sample, seed)
    visits = trie.visits(_items(shares, item_lengths, seed), shares, lengths, number)
    size = keyed.size(by_key, lengths, number, count.terms(within, number))
    return [
        Estimate("auto", size, keyed.groups_read(by_key, met, number), "groups read"),
        Estimate("count", count.size(within, number), decrements, "counter decrements"),
        Estimate("compact-count", count.compact_size(within, number, _BLOCK), decrements, "counter decrements"),
        Estimate("trie", trie.size(paths, number), visits, "nodes visited"),
        Estimate("compact-trie", trie.compact_size(paths, number), visits, "nodes visited"),
    ]


def _items(shares: Float64, lengths: Float64, seed: int) -> Int32:
    """Draw items to follow through a trie: many short ones, or a few long ones."""
    wanted = int(_PAIRS / mean_length(lengths) ** 2)
    return trie.draw_items(shares, lengths, min(max(wanted, 20), 3000), seed)
