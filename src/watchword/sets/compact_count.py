"""The compact count index: hash table of fixed capacity C, posting blocks of K rows, two-level counter
(Kourdounakis 2011, section 3.1.2, Tables 3.1 and 3.2).

Layout, invariant and cost of the inverted file: see `kernels.sets.compact_count`; of the counter: see
`watchword.sets.two_level`. A row is known by its number, which leads to its payload.

The capacity is settled by the first load, or by the first row added to an empty index, and stays, as in the
thesis: an index that grows far beyond its first load has long collision lists unless it is given a number of
buckets. `stats` reports what Tables 4.4, 4.7 and 4.9 do. (The average of 19.02 empty slots that Table 4.4
prints for uniform terms is not its own quotient, 11,965,682 / 800,000; here the mean is that quotient.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, resized
from watchword.errors import OptionError
from watchword.index.hits import Hits, collect
from watchword.kernels.sets.compact_count import (
    BLOCKS_LIVE,
    BLOCKS_USED,
    NODES_LIVE,
    NODES_USED,
    POSTINGS,
    by_term,
    compact_insert,
    compact_match,
)
from watchword.kernels.sets.compact_removal import compact_drop, compact_find
from watchword.sets.numbering import LONGEST_ROW, RowNumbers, one_row, row_sizes
from watchword.sets.structure import Rows, Structure
from watchword.sets.two_level import TwoLevelCounter

EMPTY_CAPACITY = 1 << 16
"""Buckets of an index that starts empty and was given a fraction: 256 KB, for a few 100,000 terms."""


class CompactCount(Structure):
    """The count index in few large arrays.

    `capacity` is the number of buckets: a float is a fraction of the distinct terms in the first load, an int
    is the number itself. `block` is K, the number of postings in a block.
    """

    operation: ClassVar[str] = "counter decrements"

    def __init__(self, capacity: float | int = 0.5, block: int = 25) -> None:
        if capacity <= 0:
            raise OptionError(f"capacity is {capacity}; it must be positive")
        if block < 1:
            raise OptionError(f"block is {block}; it must be at least 1")
        self._capacity = capacity
        self._width = block + 1
        self._numbers = RowNumbers()
        self._counter = TwoLevelCounter()
        # One bucket stands for "not settled yet": matching an empty index needs no case of its own.
        self._buckets: Int32 = np.full(1, -1, np.int32)
        self._settled = False
        self._nodes: Int32 = np.empty(0, np.int32)
        self._blocks: Int32 = np.empty(0, np.int32)
        self._state: Int64 = np.array([0, -1, 0, 0, -1, 0, 0], np.int64)

    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once; the first load settles the capacity.

        Postings go in sorted by term where that costs no more than reading them: a term's blocks then lie
        side by side, and walking them walks memory in order.
        """
        if not len(rows):
            return
        sizes = row_sizes(rows)
        if not self._settled:
            self._settle(rows.terms)
        numbers = self._numbers.take(payloads)
        self._counter.put(numbers, sizes)
        vocabulary = int(rows.terms.max()) + 1
        if vocabulary > len(rows.terms):
            self._insert(np.repeat(numbers, sizes), rows.terms)
        else:
            self._insert(*by_term(numbers, rows.offsets, rows.terms, vocabulary))

    def add(self, terms: Int32, payload: int) -> None:
        """Add one row."""
        if not self._settled and len(terms) <= LONGEST_ROW:
            self._settle(None)
        self.load(one_row(terms), np.array([payload], np.int32))

    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row, found through the shortest list of its terms."""
        counter = self._counter
        places = np.empty(len(terms), np.int64)
        tables = (self._buckets, self._nodes, self._blocks, self._width)
        counts = (counter.ground, counter.second, counter.segments)
        row = compact_find(terms, payload, self._numbers.payloads, *tables, *counts, places)
        if row < 0:
            raise KeyError(payload)
        compact_drop(terms, places, *tables, self._state)
        counter.drop(row)
        self._numbers.give(row)
        if not self._state[POSTINGS]:
            self._state[:] = 0, -1, 0, 0, -1, 0, 0

    def match(self, items: Rows) -> Hits:
        """Count down along the postings of each item's terms (Algorithm 4)."""
        counter = self._counter
        segments = counter.live_segments.copy()
        store = (self._buckets, self._nodes, self._blocks, self._width, self._numbers.payloads)
        store_and_counts = (*store, counter.ground, counter.second, segments)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return compact_match(first, used, *items, *store_and_counts, ends, payloads)  # type: ignore[no-any-return]

        return collect(len(items), step, self._numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; postings hold row numbers and stay."""
        self._numbers.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return the figures of Tables 4.4, 4.7 and 4.9, and what their memory comes to."""
        terms, blocks, postings = (int(self._state[i]) for i in (NODES_LIVE, BLOCKS_LIVE, POSTINGS))
        entries = int(np.count_nonzero(self._buckets >= 0))
        empty = blocks * (self._width - 1) - postings
        capacity = len(self._buckets) if self._settled else 0
        size = 4 * capacity + 16 * terms + 4 * self._width * blocks + 4 * self._numbers.live
        return {
            "hash_entries": entries,
            "term_nodes": terms,
            "collision_list_mean": terms / entries if entries else 0.0,
            "blocks": blocks,
            "empty_slots": empty,
            "empty_slots_mean": empty / terms if terms else 0.0,
            "capacity": capacity,
            "postings": postings,
            "counter_segments": len(self._counter.population),
            "bytes": size + self._counter.bytes,
        }

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        nodes = self._nodes[: 4 * self._state[NODES_USED]]
        blocks = self._blocks[: self._width * self._state[BLOCKS_USED]]
        shape = np.array([self._width, self._settled], np.int64)
        own: Arrays = {"buckets": self._buckets, "nodes": nodes, "blocks": blocks}
        own |= {"state": self._state.copy(), "shape": shape}
        return own | self._numbers.arrays() | self._counter.arrays()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes; block size and settled capacity are theirs."""
        made = cls(**options)
        made._width, made._settled = int(arrays["shape"][0]), bool(arrays["shape"][1])
        made._buckets, made._nodes, made._blocks, made._state = (
            np.asarray(arrays[name]) for name in ("buckets", "nodes", "blocks", "state")
        )
        made._numbers = RowNumbers.from_arrays(arrays)
        made._counter = TwoLevelCounter.from_arrays(arrays)
        return made

    def _insert(self, rows: Int32, terms: Int32) -> None:
        """Add postings; the kernel stops when it lacks room for one more."""
        first, width = 0, self._width
        while first < len(rows):
            self._nodes = _roomier(self._nodes, 4, int(self._state[NODES_LIVE]))
            self._blocks = _roomier(self._blocks, width, int(self._state[BLOCKS_LIVE]))
            tables = (self._buckets, self._nodes, self._blocks, width, self._state)
            first = compact_insert(first, rows, terms, *tables)

    def _settle(self, terms: Int32 | None) -> None:
        """Fix the number of buckets for good, knowing the terms of the first load if there is one."""
        buckets = self._capacity
        if isinstance(buckets, float):
            buckets = EMPTY_CAPACITY if terms is None else max(1, round(buckets * _distinct(terms)))
        self._buckets = np.full(buckets, -1, np.int32)
        self._settled = True


def _roomier(array: Int32, width: int, live: int) -> Int32:
    """Return `array`, of elements `width` wide, with room for one more; a whole number of elements."""
    if width * live < len(array):
        return array
    return resized(array, width * max(live + live // 2, 16))


def _distinct(terms: Int32) -> int:
    """Return the number of different terms."""
    seen = np.zeros(int(terms.max()) + 1, np.bool_)
    seen[terms] = True
    return int(np.count_nonzero(seen))
