"""Subscriptions and news items as sets of terms: the synthetic workload of web syndication.

Implements Algorithm 7 of Kourdounakis 2011, section 3.3, with the parameters of Table 4.1 and the shapes of
Figure 4.1. Terms are numbers; number 0 is the vocabulary's most frequent term, and number `i` is written
``t{i}``. The vocabulary, the lengths and the sets are kept apart, so that one vocabulary serves subscriptions
and items alike:

>>> vocabulary = Vocabulary.zipf(1000, exponent=0.75)
>>> sets = generate(vocabulary, count=3, lengths=Lengths.subscriptions(), seed=1)
>>> len(sets), sets.to_arrow_table().column_names
(3, ['id', 'subscription'])

Layout of `Sets`: CSR. Set `i` has ``terms[offsets[i]:offsets[i + 1]]``, distinct, in the order drawn. The
same arguments give the same sets. As in the thesis, two sets may be equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.errors import OptionError
from watchword.kernels.sampling import alias_table, draw, draw_sets, text_offsets, write_texts

Distribution = Literal["empirical", "uniform", "anti-correlated"]
Float64 = npt.NDArray[np.float64]

_ITEM_MEDIAN, _ITEM_SIGMA = 40.37, 0.72


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """How often each term occurs, most frequent first; only the proportions matter."""

    frequencies: Float64

    @classmethod
    def zipf(cls, size: int, exponent: float) -> Self:
        """Return `size` terms in which the r-th most frequent occurs in proportion to ``r ** -exponent``."""
        if size < 1 or exponent < 0:
            raise OptionError(f"a vocabulary needs a term and an exponent of 0 or more, not {size} and {exponent}")
        return cls(np.arange(1, size + 1, dtype=np.float64) ** -exponent)

    @classmethod
    def from_counts(cls, counts: npt.ArrayLike) -> Self:
        """Return the vocabulary of observed counts, in any order; a term counted 0 times keeps its place."""
        frequencies = np.sort(np.asarray(counts, np.float64))[::-1].copy()
        if frequencies.ndim != 1 or not np.isfinite(frequencies).all() or not (frequencies >= 0).all():
            raise OptionError("counts must be a flat list of numbers, none negative")
        if not frequencies.any():
            raise OptionError("no term has a positive count")
        return cls(frequencies)

    def __len__(self) -> int:
        return len(self.frequencies)

    def downsample(self, size: int, seed: int) -> Vocabulary:
        """Return `size` terms chosen uniformly, with their frequencies; 0 is the most frequent again (chapter 4)."""
        if not 1 <= size <= len(self):
            raise OptionError(f"cannot choose {size} of {len(self)} terms")
        chosen = np.random.default_rng(seed).choice(len(self), size, replace=False, shuffle=False)
        return Vocabulary.from_counts(self.frequencies[chosen])

    def weights(self, distribution: Distribution) -> Float64:
        """Return in which proportions the terms are drawn under one of the three sampling modes."""
        if distribution == "empirical":
            return self.frequencies
        if distribution == "uniform":
            return np.ones(len(self))
        if distribution == "anti-correlated":
            return self.frequencies[::-1].copy()
        raise OptionError(f"distribution is 'empirical', 'uniform' or 'anti-correlated', not {distribution!r}")


@dataclass(frozen=True, eq=False)
class Lengths:
    """How many terms a set has: ``probabilities[n]`` is the share of sets with `n` terms."""

    probabilities: Float64

    @classmethod
    def fixed(cls, length: int) -> Self:
        """Return the generator that always gives `length`."""
        return cls.from_probabilities({length: 1.0})

    @classmethod
    def from_probabilities(cls, shares: Mapping[int, float]) -> Self:
        """Return the generator that gives each length of 1 or more in proportion to its share."""
        if not shares or min(shares) < 1 or min(shares.values()) < 0 or not 0 < sum(shares.values()) < np.inf:
            raise OptionError("lengths are 1 or more, their shares 0 or more and not all 0")
        probabilities = np.zeros(max(shares) + 1)
        probabilities[list(shares)] = list(shares.values())
        return cls(probabilities / probabilities.sum())

    @classmethod
    def subscriptions(cls) -> Self:
        """Return the lengths of search queries (Figure 4.1c): 1 to 7 terms, 2.8 on average."""
        return cls.from_probabilities({1: 20, 2: 30, 3: 24, 4: 13, 5: 7, 6: 4, 7: 2})

    @classmethod
    def items(cls) -> Self:
        """Return the lengths of RSS items (Figure 4.1b): 3 to 400 terms, 52 on average, with a long tail.

        The figure has no data; its shape is taken to be log-normal.
        """
        lengths = np.arange(3, 401)
        shares = np.exp(-0.5 * (np.log(lengths / _ITEM_MEDIAN) / _ITEM_SIGMA) ** 2) / lengths
        return cls.from_probabilities(dict(zip(lengths.tolist(), shares.tolist(), strict=True)))

    @property
    def mean(self) -> float:
        """The average length."""
        return float(self.probabilities @ np.arange(len(self.probabilities)))

    @property
    def longest(self) -> int:
        """The largest length that can come up."""
        return int(np.flatnonzero(self.probabilities)[-1])


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of term numbers below `vocabulary_size`."""

    offsets: npt.NDArray[np.int64]
    terms: npt.NDArray[np.int32]
    vocabulary_size: int

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def where(self, kept: npt.NDArray[np.bool_]) -> Sets:
        """Return the sets that `kept` marks, in their order."""
        lengths = np.diff(self.offsets)
        offsets = np.concatenate([[0], np.cumsum(lengths[kept])])
        return Sets(offsets, self.terms[np.repeat(kept, lengths)], self.vocabulary_size)

    def to_arrow_table(self) -> pa.Table:
        """Return the sets as subscriptions: `id` (int64, from 0) and `subscription` (`to_arrow_texts`)."""
        ids = pa.array(np.arange(len(self)))
        return pa.table({"id": ids, "subscription": self.to_arrow_texts()})

    def to_arrow_texts(self) -> pa.LargeStringArray:
        """Return each set as a text: its terms joined by a space."""
        return _texts(self.offsets, self.terms)

    def to_arrow_terms(self, *, dictionary: bool = True) -> pa.ListArray:
        """Return each set as a list of terms: coded by a dictionary of the vocabulary, or plain strings."""
        if len(self.terms) > np.iinfo(np.int32).max:
            raise OptionError(f"{len(self.terms)} terms do not fit one Arrow list array: generate fewer sets")
        names = term_names(self.vocabulary_size)
        numbers = pa.array(self.terms)
        values = pa.DictionaryArray.from_arrays(numbers, names) if dictionary else names.take(numbers)
        return pa.ListArray.from_arrays(pa.array(self.offsets.astype(np.int32)), values)


def generate(
    vocabulary: Vocabulary,
    count: int,
    lengths: Lengths,
    distribution: Distribution = "empirical",
    seed: int = 0,
) -> Sets:
    """Return `count` sets of distinct terms: Algorithm 7, a repeated term being drawn again.

    Set `i` depends on the seed and on `i`, not on `count`. A length that the vocabulary cannot fill with
    distinct terms is refused, also if it would come up only rarely.
    """
    weights = vocabulary.weights(distribution)
    drawable = np.count_nonzero(weights)
    if count < 0:
        raise OptionError(f"cannot generate {count} sets")
    if lengths.longest > drawable:
        raise OptionError(f"a set of {lengths.longest} distinct terms cannot be drawn from {drawable} terms")
    start = np.uint64(seed % 2**64)
    cut, alias = alias_table(lengths.probabilities)
    sizes = draw(cut, alias, count, ~start)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])
    terms = np.empty(offsets[-1], np.int32)
    cut, alias = alias_table(weights)
    draw_sets(weights, cut, alias, offsets, start, terms)
    return Sets(offsets, terms, len(vocabulary))


def chance_to_cover(sets: Sets, vocabulary: Vocabulary, length: float) -> Float64:
    """Return, per set, about how likely an item of `length` terms of the vocabulary is to have all of it.

    Terms are taken as drawn independently; an empty set is covered by every item.
    """
    with np.errstate(divide="ignore"):
        in_item = np.log(-np.expm1(length * np.log1p(-vocabulary.frequencies / vocabulary.frequencies.sum())))
    # One element more than there are terms, so that a trailing empty set has a place to start at.
    summed = np.add.reduceat(np.append(in_item[sets.terms], 0.0), sets.offsets[:-1]) if len(sets) else np.empty(0)
    return np.where(np.diff(sets.offsets) > 0, np.exp(summed), 1.0)


def term_names(count: int) -> pa.StringArray:
    """Return ``t0``, ``t1`` and so on."""
    names = _texts(np.arange(count + 1), np.arange(count, dtype=np.int32))
    return names.cast(pa.string())


def _texts(offsets: npt.NDArray[np.int64], terms: npt.NDArray[np.int32]) -> Any:
    starts = text_offsets(offsets, terms)
    data = np.empty(starts[-1], np.uint8)
    write_texts(offsets, terms, starts, data)
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
