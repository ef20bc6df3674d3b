"""What the count index takes, in space and in decrements (Kourdounakis 2011, section 2.2, equations 2.1 to 2.9).

Four terms in proportion 4 : 2 : 1 : 1, a hundred subscriptions of two terms, items of two terms. Every pair of a term
and a subscription that has it is a posting, and an item decrements a counter for every posting of its terms:

>>> from watchword.papers.models.terms import fixed, presence, shares_of
>>> shares = shares_of([4, 2, 1, 1])
>>> within = presence(shares, fixed(2))
>>> postings(within, 100).round(1).tolist(), round(decrements(within, within, 100), 1)
([84.8, 54.3, 30.5, 30.5], 119.9)

Inputs: `within` and `met` are the probabilities that a subscription and an item have each term
(`models.terms.presence`); `subscriptions` is |S|. A function named ``…_as_printed`` is the thesis's own, for
comparison; its docstring names the error.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Float64, Int64
from watchword.papers.models.terms import grouped, presence_as_printed

_MANY = 200.0
"""Expected postings of a list from which its last block counts as half full."""


class Widths(NamedTuple):
    """Bytes of an entry of the vocabulary, w(v), of a posting, w(p), and of the counter, w(c) (Table 2.2)."""

    vocabulary: float
    posting: float
    counter: float


COUNT = Widths(vocabulary=8, posting=8, counter=6)
"""Of the method ``count``: two numbers a list, two a posting; a count of 16 bits and the payload's number a row."""


def occurrence(within: Float64, subscriptions: int) -> Float64:
    """Return, for each term, the probability that some subscription has it: 2.5, corrected."""
    found: Float64 = -np.expm1(subscriptions * np.log1p(-np.minimum(within, 1.0 - 1e-16)))
    return found


def occurrence_as_printed(shares: Float64, length: float, subscriptions: int) -> Float64:
    """Return equation 2.5 as printed, which takes the probability *not* to have a term for that to have it.

    A term drawn once in a million, with 1,000 subscriptions of two terms, is in one of them with probability .002; as
    printed it is certain to be, and a term that half the draws give is less so than the rare one:

    >>> rare, common = np.array([1e-6]), np.array([0.5])
    >>> float(occurrence_as_printed(rare, 2, 1000)[0]), float(occurrence_as_printed(common, 2, 3)[0])
    (1.0, 0.578125)
    >>> [round(float(occurrence(presence_as_printed(p, 2), n)[0]), 4) for p, n in ((rare, 1000), (common, 3))]
    [0.002, 0.9844]
    """
    return 1.0 - presence_as_printed(shares, length) ** subscriptions


def terms(within: Float64, subscriptions: int) -> float:
    """Return how many terms the vocabulary of the subscriptions is expected to have (2.6): one list each."""
    return float(occurrence(within, subscriptions).sum())


def occurring_as_printed(shares: Float64, length: float, subscriptions: int) -> float:
    """Return the sum of equation 2.6 as printed, which has 2.5 in it: nearly all terms, however few subscriptions."""
    return float(occurrence_as_printed(shares, length, subscriptions).sum())


def postings(within: Float64, subscriptions: int) -> Float64:
    """Return the expected length of each term's list (2.7, a binomial's mean), in all |S| times the mean length."""
    return subscriptions * within


def size(within: Float64, subscriptions: int, widths: Widths = COUNT) -> float:
    """Return the bytes of the index: vocabulary, postings and counter (2.2, 2.3, and 2.8 corrected)."""
    lists = terms(within, subscriptions) * widths.vocabulary
    return lists + float(postings(within, subscriptions).sum()) * widths.posting + subscriptions * widths.counter


def compact_size(within: Float64, subscriptions: int, block: int = 25, capacity: float = 0.5) -> float:
    """Return the bytes of the method ``compact-count``: buckets, nodes of terms, blocks, payloads and the counter.

    The counter comes in segments of 50,000 rows, two bytes each.
    """
    lists = terms(within, subscriptions)
    held = blocks(postings(within, subscriptions), block)
    return (
        (4 * capacity + 16) * lists + 4 * (block + 1) * held + 4 * subscriptions + 100_004 * -(-subscriptions // 50_000)
    )


def size_as_printed(shares: Float64, length: float, subscriptions: int, widths: Widths = COUNT) -> float:
    """Return equation 2.8 as printed: 2.5 for the vocabulary, and a counter priced as a posting, w(p) for w(c)."""
    lists = occurring_as_printed(shares, length, subscriptions) * widths.vocabulary
    return lists + subscriptions * widths.posting * (1 + float(presence_as_printed(shares, length).sum()))


def decrements(within: Float64, met: Float64, subscriptions: int) -> float:
    """Return how many counters an item is expected to decrement: |S| times the sum of P(t in s) P(t in I).

    This is 2.9 with every term of the vocabulary weighted by its chance to be in the item.
    """
    return subscriptions * float(within @ met)


def matching_as_printed(shares: Float64, length: float, subscriptions: int, item: Int64) -> float:
    """Return the decrements of equation 2.9 as printed, for an item of these terms.

    It sums over the terms of one given item but with one index for all of them, Pr(t_i), and from 0 to |I|, a term too
    many; read as meant it holds for this item, and says nothing of items at large. Read literally, with the first
    term's probability for each of |I| + 1 summands, two items that have the same first term cost the same:

    >>> shares = np.array([0.5, 0.25, 0.125, 0.125])
    >>> [matching_as_printed(shares, 2, 100, np.array(item)) for item in ([0, 1], [0, 3])]
    [225.0, 225.0]
    """
    first = presence_as_printed(shares[item[:1]], length)
    return float(subscriptions * (len(item) + 1) * first[0])


class Worst(NamedTuple):
    """A row of Table 2.3: what a method takes at worst, to add a subscription, to keep all, and to match an item."""

    construction: float
    memory: float
    matching: float


def worst_brute(length: float, subscriptions: int) -> Worst:
    """Return Table 2.3's row of brute force: |s|, |S| |s| and |s| |S|.

    >>> worst_brute(4, 1_000)
    Worst(construction=4, memory=4000, matching=4000)
    """
    return Worst(length, subscriptions * length, length * subscriptions)


def worst_count(length: float, subscriptions: int, vocabulary: int) -> Worst:
    """Return Table 2.3's row of counting: |s|, |S| (1 + |s|) + |V| and |s| |S|.

    Matching has no |I| in it, though section 4.4 cites it for a time that is linear in |I|: it is the bound of an item
    that has every term. One of two terms decrements no more than their postings (`decrements`):

    >>> worst_count(4, 1_000, 200)
    Worst(construction=4, memory=5200, matching=4000)
    """
    return Worst(length, subscriptions * (1 + length) + vocabulary, length * subscriptions)


def hash_entries(occurring: Float64, capacity: int) -> float:
    """Return how many of `capacity` buckets are expected to be in use, if term `t` goes to ``t % capacity``."""
    none = np.ones(capacity)
    for first in range(0, len(occurring), capacity):
        part = occurring[first : first + capacity]
        none[: len(part)] *= 1.0 - part
    return float(capacity - none.sum())


def blocks(expected: Float64, block: int) -> float:
    """Return how many blocks of `block` postings lists of these expected lengths take (section 3.1.2, K).

    Lengths follow Poisson's law. A list has a block more for every `block` postings that it exceeds; the last block of
    a long one is half full on average.

    >>> [round(blocks(np.array([length]), 25), 4) for length in (0.1, 25.0, 1000.0)]
    [0.0952, 1.4471, 40.48]
    """
    values, counts, _ = grouped(expected)
    long = values >= _MANY
    total = float(counts[long] @ (values[long] / block + (block - 1) / (2 * block)))
    few, times = values[~long], counts[~long]
    chance, beyond = np.exp(-few), -np.expm1(-few)  # of exactly k postings, and of more
    for k in range(int(_MANY + 12 * _MANY**0.5)):
        if k % block == 0:
            total += float(times @ beyond)
        chance *= few / (k + 1)
        beyond -= chance
    return total
