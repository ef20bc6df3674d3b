"""How likely a term is to be in a set: the base of all models of sets of terms (Kourdounakis 2011, section 2.2.1).

A workload is three arrays. `shares` has the probability of each term in a single draw, most frequent first, and adds
up to 1. `lengths` has the probability of each number of terms: ``lengths[n]`` of sets with `n`, so ``lengths[0]`` is
0. A set of `n` terms is drawn term by term, and a term that it has already is drawn again (Algorithm 7).

Equation 2.4 says that a term of probability `p` is in a set of `n` with 1 - (1 - p)^n: that is `n` draws, some of them
repeats. A set of two has both of two terms with .9 and .1; by this equation they get .99 and .19, 1.18 terms, not 2:

>>> presence_as_printed(shares_of([9, 1]), 2).round(2).tolist()
[0.99, 0.19]
>>> presence(shares_of([9, 1]), fixed(2)).tolist()
[1.0, 1.0]

`presence` keeps the form and puts in place of `n` the number of draws that gives `n` distinct terms on average
(`draws`). It is exact for one term and for all terms, and adds up to `n` always.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from watchword.arrays import Float64, Int32, Int64

_CLOSE = 1e-10


def shares_of(weights: npt.ArrayLike) -> Float64:
    """Return the weights as probabilities that add up to 1.

    >>> shares_of([3, 1]).tolist()
    [0.75, 0.25]
    """
    weights = np.asarray(weights, np.float64)
    shares: Float64 = weights / weights.sum()
    return shares


def zipf(size: int, exponent: float) -> Float64:
    """Return the shares of `size` terms: the r-th occurs in proportion to ``r ** -exponent``; 0 is uniform."""
    return shares_of(np.arange(1, size + 1, dtype=np.float64) ** -exponent)


def fixed(length: int) -> Float64:
    """Return the lengths of sets that all have `length` terms.

    >>> fixed(2).tolist()
    [0.0, 0.0, 1.0]
    """
    lengths = np.zeros(length + 1)
    lengths[length] = 1.0
    return lengths


def around(mean: float) -> Float64:
    """Return lengths of 1 or more that spread around a mean: 1 and a number after Poisson's law.

    >>> around(2.5)[:5].round(3).tolist()
    [0.0, 0.223, 0.335, 0.251, 0.126]
    """
    numbers = np.arange(1, int(mean + 8 * mean**0.5) + 4)
    logs = np.concatenate([[0.0], np.cumsum(np.log(max(mean - 1, 1e-300) / numbers[:-1]))])
    shares = np.exp(logs - logs.max())
    shares[shares < 1e-6] = 0.0
    return np.concatenate([[0.0], shares_of(np.trim_zeros(shares, "b"))])


def mean_length(lengths: Float64) -> float:
    """Return the average number of terms."""
    return float(lengths @ np.arange(len(lengths)))


def presence(shares: Float64, lengths: Float64) -> Float64:
    """Return, for each term, the probability that a set has it: equation 2.4 over distinct terms and all lengths."""
    values, counts, group = grouped(shares)
    found, sizes = np.zeros(len(values)), np.flatnonzero(lengths)
    for length, tries in zip(sizes.tolist(), _draws(values, counts, sizes), strict=True):
        found += lengths[length] * _present(values, tries)
    return found[group]


def presence_as_printed(shares: Float64, length: float) -> Float64:
    """Return equation 2.4 as printed: `length` draws, repeats and all, of the average length for every set."""
    return _present(shares, length)


def draws(shares: Float64, length: int) -> float:
    """Return how many draws give `length` distinct terms on average; infinity if a set must have every term.

    >>> round(draws(zipf(100, 0.0), 10), 2)
    10.48
    """
    values, counts, _ = grouped(shares)
    return _draws(values, counts, np.array([length]))[0]


def grouped(shares: Float64) -> tuple[Float64, Int64, Int64]:
    """Return shares within a thousandth of each other as one, their mean; how many they are; and the group of each.

    The models depend on the share of a term alone, and most terms of a large vocabulary have nearly equal shares.
    """
    with np.errstate(divide="ignore"):
        steps = np.round(np.maximum(np.log(shares), -700.0) * 1000)
    _, group, counts = np.unique(steps, return_inverse=True, return_counts=True)
    return np.bincount(group, weights=shares) / counts, counts, group


def _draws(values: Float64, counts: Int64, lengths: Int64) -> list[float]:
    """Solve by Newton's method for ascending lengths: the number of distinct terms is concave, so it climbs from below.

    One more distinct term takes at least one more draw, which is where the next length begins.
    """
    drawable, never = int(counts[values > 0].sum()), _log_never(values)
    found, tries, before = [], 0.0, 0
    for length in lengths.tolist():
        if length >= drawable:
            found.append(np.inf)
            continue
        tries += length - before
        before = length
        while (missing := length - float(counts @ _present(values, tries))) > _CLOSE * length:
            tries -= missing / float(counts @ (np.exp(tries * never) * never))
        found.append(tries)
    return found


def _present(values: Float64, tries: float) -> Float64:
    """Return the probability that a term comes up in `tries` draws."""
    return (values > 0).astype(np.float64) if np.isinf(tries) else -np.expm1(tries * _log_never(values))


def _log_never(values: Float64) -> Float64:
    """Return log(1 - p), of a certain term a finite number: its power is 0 all the same."""
    return np.log1p(-np.minimum(values, 1.0 - 1e-16))


def draw_sets(shares: Float64, length: int, count: int, random: np.random.Generator) -> Int32:
    """Return `count` sets of `length` distinct terms, a row each, ascending: Algorithm 7 in numpy, to sample with."""
    summed = np.cumsum(shares)
    summed /= summed[-1]
    sets = np.empty((count, length), np.int32)
    for place in range(length):
        left = np.arange(count)
        while len(left):
            sets[left, place] = np.searchsorted(summed, random.random(len(left)), side="right")
            left = left[(sets[left, :place] == sets[left, place, None]).any(axis=1)]
    sets.sort(axis=1)
    return sets


def behind(values: Float64) -> Float64:
    """Return, for each place, the sum of the values after it.

    >>> behind(np.array([4.0, 2.0, 1.0])).tolist()
    [3.0, 1.0, 0.0]
    """
    return np.concatenate([np.cumsum(values[:0:-1])[::-1], [0.0]])
