"""How many nodes a trie has, and how many an item visits (Kourdounakis 2011, section 2.3, equations 2.10 to 2.21).

`trie_bounds` has the worst case, and the equations as printed; here are the expected values. A path exists if some
subscription begins with it. If a single one does so with probability `q`, the path exists with 1 - (1 - q)^|S|, and the
expected number of nodes is the sum over all paths. They are too many to enumerate, but a random subscription begins
with a path exactly with probability `q`; so the mean, over random subscriptions, of (1 - (1 - q)^|S|) / q over their
own beginnings is that sum (`sample`, `nodes`). The other figures are means over the same sample:

- a node that holds no subscription and has one child is merged in the compact trie (`compact_nodes`);
- a leaf is a path with which no longer subscription begins (`leaves`).

Of three terms, each as likely, ten subscriptions of two: the paths are 0, 0 1, 0 2, 1 and 1 2, all but surely there;
the node of 1 is merged with its only child.

>>> from watchword.papers.models.terms import fixed, zipf
>>> paths = sample(zipf(3, 0.0), fixed(2), count=2000, seed=1)
>>> round(nodes(paths, 10), 1), round(compact_nodes(paths, 10), 1)
(4.9, 3.9)

Terms are ranked by their place in `shares`, the order in which the trie has them along a path.
"""

from __future__ import annotations

from math import perm
from typing import NamedTuple

import numpy as np

from watchword.arrays import Float64, Int32, Int64
from watchword.papers.models.terms import behind, draw_sets

SAMPLE = 20_000
"""How many subscriptions are drawn, for about one per cent."""

_LEAST = 1e-3
"""Subscriptions expected on a path below which `visits` follows it no further."""

_MOST = 400_000
"""Paths of a level that `visits` follows."""


class Paths(NamedTuple):
    """Beginnings of random subscriptions: a row for each subscription, a column for each level.

    ``begins[i, k]`` is the probability that a subscription begins with the first k + 1 terms of row `i`, 0 behind its
    end; ``equals[i]`` that it has all terms of the row and no other; ``last[i]`` is the column of its last term.
    """

    terms: Int32
    begins: Float64
    equals: Float64
    last: Int64


class Beginnings:
    """The probability that a subscription begins with a path: its terms are there, and all others behind the last.

    With `n` terms, `k` of them on the path, there are n! / (n - k)! ways to have drawn the path's, each with the
    product of their shares; the rest are distinct terms of the tail: (n - k)! times an elementary symmetric
    polynomial of the tail's shares, by Newton's identities. A repeated term is drawn again, which makes the
    terms drawn instead likelier: by 1 / (1 - the shares drawn before), each taken as the mean share of all drawn terms.
    """

    def __init__(self, shares: Float64, lengths: Float64) -> None:
        self.shares = shares
        self._sizes = np.flatnonzero(lengths)
        self._lengths = lengths
        powers = range(1, max(2, int(self._sizes[-1])) + 1)
        self._tails = np.stack([behind(shares**power) for power in powers])

    @property
    def longest(self) -> int:
        """Return the largest number of terms."""
        return int(self._sizes[-1])

    def begin(self, product: Float64, total: Float64, last: Int32, count: int) -> Float64:
        """Return the probabilities of paths of `count` terms: the product and sum of their shares, their last terms."""
        tails = self._tails[:, last]
        ways = _symmetric(tails, self.longest - count)
        mean = tails[1] / np.maximum(tails[0], 1e-300)
        found = np.zeros(len(product))
        for size in self._sizes[self._sizes >= count].tolist():
            rest = size - count
            drawn = perm(size, count) * product * ways[rest] * _again((total + rest * mean) / size, size)
            found += self._lengths[size] * drawn
        return np.minimum(found, 1.0)

    def equal(self, product: Float64, total: Float64, count: int) -> Float64:
        """Return the probabilities of subscriptions that are just these terms."""
        found: Float64 = self._lengths[count] * perm(count, count) * product * _again(total / count, count)
        return found


def _symmetric(powers: Float64, most: int) -> list[Float64]:
    """Return r! e_r for r up to `most`: the probability that r draws are distinct terms of the tail."""
    found = [np.ones(powers.shape[1])]
    for r in range(1, most + 1):
        terms = [(-1) ** (i - 1) * perm(r - 1, i - 1) * found[r - i] * powers[i - 1] for i in range(1, r + 1)]
        found.append(np.maximum(np.sum(terms, axis=0), 0.0))
    return found


def _again(mean: Float64, size: int) -> Float64:
    """Return by how much likelier distinct draws are if repeats are drawn again, for terms of this mean share."""
    left = np.ones(len(mean))
    for drawn in range(1, size):
        left *= np.maximum(1.0 - drawn * mean, 1e-3)
    return 1.0 / left


def sample(shares: Float64, lengths: Float64, count: int = SAMPLE, seed: int = 0) -> Paths:
    """Return the beginnings of `count` random subscriptions."""
    random = np.random.default_rng(seed)
    beginnings = Beginnings(shares, lengths)
    sizes = random.choice(len(lengths), count, p=lengths / lengths.sum())
    terms = np.full((count, beginnings.longest), -1, np.int32)
    begins, equals = np.zeros(terms.shape), np.zeros(count)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        sets = draw_sets(shares, size, len(rows), random)
        terms[rows, :size] = sets
        products: Float64 = np.cumprod(shares[sets], axis=1, dtype=np.float64)
        totals: Float64 = np.cumsum(shares[sets], axis=1, dtype=np.float64)
        for k in range(size):
            begins[rows, k] = beginnings.begin(products[:, k], totals[:, k], sets[:, k], k + 1)
        equals[rows] = beginnings.equal(products[:, -1], totals[:, -1], size)
    return Paths(terms, np.minimum.accumulate(begins, axis=1), equals, sizes - 1)


def nodes(paths: Paths, subscriptions: int) -> float:
    """Return the expected nodes of the simple trie, without the root."""
    return float(_per_path(_exists(paths.begins, subscriptions), paths.begins).sum(axis=1).mean())


def level_nodes(paths: Paths, subscriptions: int) -> Float64:
    """Return the expected nodes of each level: Lemma 3, corrected and summed over terms."""
    found: Float64 = _per_path(_exists(paths.begins, subscriptions), paths.begins).mean(axis=0)
    return found


def weighted_level(paths: Paths, weights: Float64, subscriptions: int, level: int) -> float:
    """Return the expected nodes of a level, each with the weight of its path's first term."""
    begins = paths.begins[:, level]
    return float((_per_path(_exists(begins, subscriptions), begins) * weights[paths.terms[:, 0]]).mean())


def leaves(paths: Paths, subscriptions: int) -> float:
    """Return the expected leaves, of either trie: paths that are a whole subscription, with no longer one below."""
    ends = np.take_along_axis(paths.begins, paths.last[:, None], axis=1)[:, 0]
    equals = np.minimum(paths.equals, ends)
    return float(_per_path(_only(ends, equals, subscriptions), equals).mean())


def compact_nodes(paths: Paths, subscriptions: int) -> float:
    """Return the expected nodes of the compact trie: those of the simple one, less chains without payload."""
    parents, children = paths.begins[:, :-1], paths.begins[:, 1:]
    merged = _per_path(_only(parents, children, subscriptions), children)
    return nodes(paths, subscriptions) - float(merged.sum(axis=1).mean())


def distinct(paths: Paths, subscriptions: int) -> float:
    """Return how many different subscriptions there are expected to be: the nodes that hold one."""
    return float(_per_path(_exists(paths.equals, subscriptions), paths.equals).mean())


def single(paths: Paths, subscriptions: int) -> float:
    """Return how many subscriptions are expected to be like no other."""
    alone = np.exp((subscriptions - 1) * np.log1p(-np.minimum(paths.equals, 1.0 - 1e-16)))
    return float(subscriptions * alone.mean())


def matches(paths: Paths, met: Float64, subscriptions: int) -> float:
    """Return how many subscriptions an item is expected to match, `met` being the chances of terms to be in it.

    Terms count as independent of each other; long items, which have more of everything, are a little above that.
    """
    chances = np.where(paths.terms >= 0, met[np.maximum(paths.terms, 0)], 1.0)
    return subscriptions * float(chances.prod(axis=1).mean())


def size(paths: Paths, subscriptions: int) -> float:
    """Return the bytes of the method ``trie``: 28 a node, with its entry among the children, and 8 a subscription."""
    return 28 * nodes(paths, subscriptions) + 8 * subscriptions


def compact_size(paths: Paths, subscriptions: int) -> float:
    """Return the bytes of the method ``compact-trie``, with blocks of two.

    A node has 16 bytes of addresses and a word of header, an inner one three words about its children. Labels have a
    word for each node of the simple trie, for together they are its nodes. Payloads: a word for a single one, else two
    and blocks of three words for every two.
    """
    compact, alone = compact_nodes(paths, subscriptions), single(paths, subscriptions)
    shared = distinct(paths, subscriptions) - alone
    inner = compact - leaves(paths, subscriptions)
    payloads = alone + 2 * shared + 3 * ((subscriptions - alone) / 2 + shared / 4)
    return 20 * compact + 12 * inner + 4 * nodes(paths, subscriptions) + 4 * payloads


def visits(items: Int32, shares: Float64, lengths: Float64, subscriptions: int, seed: int = 0) -> float:
    """Return how many nodes of the simple trie an item visits on average.

    `items` has one in each row, -1 behind its end. The paths within an item are followed level by level, each
    weighted by its chance to exist, and no further than where a thousandth of a subscription is expected. Where they
    become too many, some of them stand for all.
    """
    random = np.random.default_rng(seed)
    beginnings = Beginnings(shares, lengths)
    rows, places = np.nonzero(items >= 0)
    share = shares[items[rows, places]]
    front = Front(rows, places, share, share)
    visited, weight = 0.0, 1.0
    for level in range(1, beginnings.longest + 1):
        begins = beginnings.begin(front.product, front.total, items[front.rows, front.places], level)
        visited += weight * float(_exists(begins, subscriptions).sum())
        kept = np.flatnonzero(begins * subscriptions > _LEAST)
        left = (items >= 0).sum(axis=1)[front.rows[kept]] - 1 - front.places[kept]
        followed = min(len(kept), int(len(kept) * _MOST / max(int(left.sum()), 1)) + 1)
        if followed < len(kept):
            weight *= len(kept) / followed
            kept = np.sort(random.choice(kept, followed, replace=False))
        front = Front(front.rows[kept], front.places[kept], front.product[kept], front.total[kept])
        front = _longer(items, shares, front)
    return visited / len(items)


class Front(NamedTuple):
    """Paths that are followed: the item (`rows`), the last place in it, the product and the sum of the shares."""

    rows: Int64
    places: Int64
    product: Float64
    total: Float64


def _longer(items: Int32, shares: Float64, front: Front) -> Front:
    """Return all paths that go on from these by one later term of their item."""
    left = (items >= 0).sum(axis=1)[front.rows] - 1 - front.places
    of = np.repeat(np.arange(len(left)), left)
    starts = np.cumsum(left) - left
    rows, places = front.rows[of], front.places[of] + 1 + np.arange(len(of)) - starts[of]
    share = shares[items[rows, places]]
    return Front(rows, places, front.product[of] * share, front.total[of] + share)


def draw_items(shares: Float64, lengths: Float64, count: int, seed: int = 0) -> Int32:
    """Return random items for `visits`: a row each, its terms ascending, -1 behind its end."""
    random = np.random.default_rng(seed)
    sizes = random.choice(len(lengths), count, p=lengths / lengths.sum())
    items = np.full((count, len(lengths) - 1), -1, np.int32)
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        items[rows, :size] = draw_sets(shares, size, len(rows), random)
    return items


def _exists(chance: Float64, subscriptions: int) -> Float64:
    """Return the probability that one of the subscriptions at least has what each has with this chance."""
    found: Float64 = -np.expm1(subscriptions * np.log1p(-np.minimum(chance, 1.0 - 1e-16)))
    return found


def _only(whole: Float64, part: Float64, subscriptions: int) -> Float64:
    """Return the probability that some subscription falls into `whole`, and all that do into `part` of it."""
    outside = np.maximum(whole - part, 0.0)
    none_outside: Float64 = np.exp(subscriptions * np.log1p(-np.minimum(outside, 1.0 - 1e-16)))
    inside = (whole - outside) / np.maximum(1.0 - outside, 1e-16)  # of 0 in 0, where all fall outside, 0
    return none_outside * _exists(inside, subscriptions)


def _per_path(values: Float64, chance: Float64) -> Float64:
    return np.divide(values, chance, out=np.zeros_like(values), where=chance > 0)
