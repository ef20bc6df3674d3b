"""Subscriptions and events over binary properties: the synthetic workload of RAPIDMatch.

Implements section 6 of Kale, Hazan, Cao and Singh 2005, with the light query model of section 4 (Definition 3). Both
subscriptions and events are matrices of characters, a row for each and a column for each property, so that a row is the
text that an index reads:

>>> chances = Chances.around(5, seed=1)
>>> subscriptions(2, chances, seed=1).shape
(2, 5)
>>> as_texts(light_events(3, 5, alpha=2.0, seed=1)).to_pylist()
['01000', '10100', '00010']

Where the paper is silent or garbled: a predicate is 0, 1 or * with probabilities "randomly drawn around" .05, .05 and
.9; here those of 0 and 1 are drawn uniformly between half and one and a half of that, once for every property. The
number of ones of a light event follows Zipf's law from 1 up to all properties, which at alpha = 2 gives "about 3" of
100 on average. "Exponential" events have each property 1 with probability `p`, independently.

The same arguments give the same rows; more rows of the same seed begin alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa

from watchword.arrays import Float64, Int64, UInt8
from watchword.errors import OptionError

_CHUNK = 4096
_ZERO, _ONE, _STAR = (np.uint8(ord(character)) for character in "01*")


@dataclass(frozen=True, eq=False)
class Chances:
    """How likely the predicate on each property is to be 0, and to be 1; otherwise it is a star."""

    zero: Float64
    one: Float64

    @classmethod
    def around(cls, properties: int, zero: float = 0.05, one: float = 0.05, spread: float = 0.5, seed: int = 0) -> Self:
        """Return chances drawn around these, each by up to `spread` of itself more or less."""
        if properties < 1 or min(zero, one) < 0 or not 0 <= spread <= 1 or (zero + one) * (1 + spread) > 1:
            raise OptionError(f"no chances around {zero} and {one}, by {spread}, of {properties} properties")
        factors = 1 + spread * np.random.default_rng(seed).uniform(-1, 1, (2, properties))
        return cls(zero * factors[0], one * factors[1])

    def __len__(self) -> int:
        return len(self.zero)


def subscriptions(count: int, chances: Chances, seed: int = 0) -> UInt8:
    """Return ternary strings, one predicate drawn for each property."""
    random = np.random.default_rng(seed)
    rows = np.full((_checked(count), len(chances)), _STAR, np.uint8)
    for first in range(0, count, _CHUNK):
        drawn = random.random((_CHUNK, len(chances)))[: count - first]
        part = rows[first : first + _CHUNK]
        part[drawn < chances.zero + chances.one] = _ONE
        part[drawn < chances.zero] = _ZERO
    return rows


def light_events(count: int, properties: int, alpha: float, seed: int = 0) -> UInt8:
    """Return bit strings of the light query model: `t` ones with a chance in proportion to ``t ** -alpha``."""
    random = np.random.default_rng(seed)
    shares = np.cumsum(np.arange(1, properties + 1, dtype=np.float64) ** -alpha)
    rows = np.full((_checked(count), properties), _ZERO, np.uint8)
    for first in range(0, count, _CHUNK):
        drawn = random.random((_CHUNK, properties + 1))[: count - first]
        ones = 1 + np.searchsorted(shares, drawn[:, 0] * shares[-1], side="right")
        rows[first : first + _CHUNK][_smallest(drawn[:, 1:], ones)] = _ONE
    return rows


def exponential_events(count: int, properties: int, p: float, seed: int = 0) -> UInt8:
    """Return bit strings in which each property is 1 with probability `p`."""
    if not 0 <= p <= 1:
        raise OptionError(f"p is a probability, not {p}")
    random = np.random.default_rng(seed)
    rows = np.full((_checked(count), properties), _ZERO, np.uint8)
    for first in range(0, count, _CHUNK):
        drawn = random.random((_CHUNK, properties))[: count - first]
        rows[first : first + _CHUNK][drawn < p] = _ONE
    return rows


def property_names(count: int) -> list[str]:
    """Return ``p0``, ``p1`` and so on."""
    return [f"p{number}" for number in range(count)]


def as_texts(rows: UInt8) -> pa.LargeStringArray:
    """Return the rows as a column of texts."""
    count, width = rows.shape
    offsets = np.arange(count + 1, dtype=np.int64) * width
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(rows))]
    return pa.Array.from_buffers(pa.large_string(), count, buffers)


def as_table(rows: UInt8) -> pa.Table:
    """Return the rows as subscriptions: `id` (int64, from 0) and `subscription`."""
    return pa.table({"id": pa.array(np.arange(len(rows))), "subscription": as_texts(rows)})


def _smallest(drawn: Float64, counts: Int64) -> tuple[Int64, Int64]:
    """Return the places of the least numbers of each row, `counts` in each: all sets of that size are as likely."""
    order = np.argsort(drawn, axis=1)
    rows, ranks = np.nonzero(np.arange(drawn.shape[1]) < counts[:, None])
    return rows, order[rows, ranks]


def _checked(count: int) -> int:
    if count < 0:
        raise OptionError(f"cannot generate {count} rows")
    return count
