"""Bytes, operations and time of the keyword methods for a planned workload, before there is an index.

>>> workload = Workload(20_000, zipf(5_000, 0.9), around(2.8), around(15))
>>> for row in estimates(workload, sample=2_000):
...     work, time = f"{row.operations:6.0f} {row.operation:18}", f"{row.fastest:5.1f} µs"
...     print(f"{row.method:13} {row.bytes / 1e6:.1f} MB {work} {time}")
auto          0.4 MB    105 groups read          1.1 µs
count         0.6 MB   5868 counter decrements  25.3 µs
compact-count 0.9 MB   5868 counter decrements  44.3 µs
trie          1.0 MB     42 nodes visited       10.0 µs
compact-trie  0.6 MB     42 nodes visited       10.0 µs

Bytes are those of the structure: the terms themselves, the ids and the texts of subscriptions come on top, and are the
same for every method. A compact trie visits no more nodes than a trie, and mostly a few less.

Time is a price for each operation and each subscription that is found: the lower one where caches hold the index,
the higher one where it lies in memory (`PRICES`, measured with 20,000 to 3,000,000 subscriptions on one core).
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Float64, Int32
from watchword.papers.models import count, keyed, trie
from watchword.papers.models.terms import around, mean_length, presence, zipf

__all__ = ["Estimate", "Workload", "around", "estimates", "zipf"]

_BLOCK = 25
_DECREMENTS, _VISITS = "counter decrements", "nodes visited"
_PAIRS = 300_000
"""About how many pairs of terms the sampled items have together."""


PRICES = {"auto": (2, 5), "count": (4, 15), "compact-count": (7, 40), "trie": (20, 200), "compact-trie": (20, 120)}
"""Nanoseconds for an operation or a match. A trie pays for matches in cells that lie apart, `auto` in one piece."""


class Workload(NamedTuple):
    """How many subscriptions, the shares of terms, and the lengths of subscriptions and of items (`models.terms`)."""

    subscriptions: int
    shares: Float64
    lengths: Float64
    item_lengths: Float64


class Estimate(NamedTuple):
    """What a method is expected to take: bytes in all, and for each item operations, `matches` and microseconds."""

    method: str
    bytes: float
    operations: float
    operation: str
    matches: float

    @property
    def fastest(self) -> float:
        """Microseconds for an item where caches hold what it touches."""
        return self._microseconds(0)

    @property
    def slowest(self) -> float:
        """Microseconds for an item where all that it touches lies in memory."""
        return self._microseconds(1)

    def _microseconds(self, which: int) -> float:
        return (self.operations + self.matches) * PRICES[self.method][which] / 1000


def estimates(workload: Workload, sample: int = trie.SAMPLE, seed: int = 0) -> list[Estimate]:
    """Return an estimate for each method that has a model; the same arguments give the same figures."""
    number, shares, lengths, item_lengths = workload
    within, met = presence(shares, lengths), presence(shares, item_lengths)
    decrements = count.decrements(within, met, number)
    by_key = keyed.sample_keys(shares, lengths, sample, seed)
    paths = trie.sample(shares, lengths, sample, seed)
    visits = trie.visits(_items(shares, item_lengths, seed), shares, lengths, number)
    size = keyed.size(by_key, lengths, number, count.terms(within, number))
    matches = trie.matches(paths, met, number)
    return [
        Estimate("auto", size, keyed.groups_read(by_key, met, number), "groups read", matches),
        Estimate("count", count.size(within, number), decrements, _DECREMENTS, matches),
        Estimate("compact-count", count.compact_size(within, number, _BLOCK), decrements, _DECREMENTS, matches),
        Estimate("trie", trie.size(paths, number), visits, _VISITS, matches),
        Estimate("compact-trie", trie.compact_size(paths, number), visits, _VISITS, matches),
    ]


def _items(shares: Float64, lengths: Float64, seed: int) -> Int32:
    """Draw items to follow through a trie: many short ones, or a few long ones."""
    wanted = int(_PAIRS / mean_length(lengths) ** 2)
    return trie.draw_items(shares, lengths, min(max(wanted, 20), 3000), seed)
