"""What ``auto`` takes over keywords: each subscription once, under its rarest term, grouped by its second rarest.

That is the first two levels of a trie whose order is the rarest term first: a key is a node of the first level, a group
one of the second. So the paths of `models.trie`, sampled over the vocabulary turned round, count them. Of four
terms, a hundred subscriptions of two have the keys 3, 2 and 1, and six groups:

>>> from watchword.papers.models.terms import fixed, zipf
>>> paths = sample_keys(zipf(4, 0.0), fixed(2), count=2000, seed=1)
>>> round(keys(paths, 100), 1), round(groups(paths, 100), 1)
(3.0, 6.0)

No paper has it; the layout is told in `watchword.kernels.sets.packed`.
"""

from __future__ import annotations

from watchword.arrays import Float64
from watchword.papers.models.terms import mean_length
from watchword.papers.models.trie import SAMPLE, Paths, level_nodes, sample, weighted_level


def sample_keys(shares: Float64, lengths: Float64, count: int = SAMPLE, seed: int = 0) -> Paths:
    """Return random subscriptions of a vocabulary, the rarest term first. In them term 0 is the rarest."""
    return sample(shares[::-1].copy(), lengths, count, seed)


def keys(paths: Paths, subscriptions: int) -> float:
    """Return the expected number of distinct rarest terms of subscriptions."""
    return float(level_nodes(paths, subscriptions)[0])


def groups(paths: Paths, subscriptions: int) -> float:
    """Return the expected number of distinct pairs of the two rarest terms of a subscription."""
    levels = level_nodes(paths, subscriptions)
    return float(levels[1]) if len(levels) > 1 else 0.0


def size(paths: Paths, lengths: Float64, subscriptions: int, terms: float) -> float:
    """Return the bytes: two words a key and a group, the rest of each subscription, and three words a known term."""
    rest = subscriptions * (mean_length(lengths) - 1 + float(lengths[1]))
    return 4 * (2 * keys(paths, subscriptions) + 2 * groups(paths, subscriptions) + rest + 3 * terms)


def groups_read(paths: Paths, met: Float64, subscriptions: int) -> float:
    """Return how many groups an item is expected to read, and one for each key: `met` says which terms it has.

    Of a block with very many groups only some are read, so that a skewed workload takes less than this.
    """
    turned = met[::-1].copy()
    read = weighted_level(paths, turned, subscriptions, level=0)
    return read + (weighted_level(paths, turned, subscriptions, level=1) if paths.begins.shape[1] > 1 else 0.0)
