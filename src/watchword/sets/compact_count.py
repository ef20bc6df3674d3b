"""The compact count index: hash table of fixed capacity C, posting blocks of K rows, two-level counter
(Kourdounakis 2011, section 3.1.2, Tables 3.1 and 3.2).

It answers as `count` does. Table 2.1 has seven atoms, 1, 2, 3, 4, 12, 13 and 24, in half as many buckets, and two
blocks for each of the two lists that have more than K = 3 postings:

>>> atoms = np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12, 2, 4, 2, 3, 13], np.int32)
>>> rows = Rows(np.array([0, 3, 5, 8, 10, 12, 15]), atoms)
>>> method = CompactCount(capacity=0.5, block=3)
>>> method.add(rows, np.arange(1, 7, dtype=np.int32))
>>> [int(method.stats()[figure]) for figure in ("capacity", "term_nodes", "postings", "blocks", "empty_slots")]
[4, 7, 15, 9, 12]
>>> method.match(Rows(np.array([0, 3]), np.array([1, 24, 12], np.int32))).payloads.tolist()
[2, 4]

Layout, invariant and cost of the inverted file: see `kernels.sets.compact_count`; of the counter: see
`watchword.sets.two_level`. A row is known by its number, which leads to its payload.

The capacity is a part of the universal vocabulary in the thesis, of 800,000 terms where a third of them ever occurs; so
it is here where that size is given. Where not, it is settled by the first rows added, or by a single row added to an
empty index. It stays: an index that grows far beyond its first rows then has long collision lists.
`stats` reports what Tables 4.4, 4.7 and 4.9 do. (The average of 19.02 empty slots that Table 4.4 prints for uniform
terms is not its own quotient, 11,965,682 / 800,000; here the mean is that quotient.)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, resized
from watchword.errors import OptionError
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import compact_count as kernels
from watchword.kernels.sets.compact_count import (
    ATOM,
    BLOCKS_LIVE,
    BLOCKS_USED,
    NEXT,
    NODES_LIVE,
    NODES_USED,
    POSTINGS,
    SIZE,
    CompactIndex,
    PostingBlocks,
)
from watchword.kernels.sets.compact_removal import remove_row
from watchword.sets.numbering import LONGEST_ROW, RowNumbers, row_sizes
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure
from watchword.sets.two_level import TwoLevelCounter

EMPTY_CAPACITY = 1 << 16
"""Buckets of an index that starts empty and was given a fraction: 256 KB, for a few 100,000 atoms."""

_NEW = (0, -1, 0, 0, -1, 0, 0)


class CompactCount(SetStructure):
    """The count index in few large arrays.

    `capacity` is the number of buckets: an int is the number itself, a float a fraction of `vocabulary`, how many atoms
    there can be, or if that is 0, of the distinct atoms in the first rows added. `block` is K, the number of postings
    in a block.
    """

    operation: ClassVar[str] = "counter decrements"

    def __init__(self, capacity: float | int = 0.5, block: int = 25, vocabulary: int = 0) -> None:
        if capacity <= 0:
            raise OptionError(f"capacity is {capacity}; it must be positive")
        if block < 1:
            raise OptionError(f"block is {block}; it must be at least 1")
        if vocabulary and isinstance(capacity, float):
            capacity = max(1, round(capacity * vocabulary))
        self._capacity = capacity
        self._numbers = RowNumbers()
        self._counter = TwoLevelCounter()
        # One bucket stands for "not settled yet": matching an empty index needs no case of its own.
        empty = np.empty(0, np.int32)
        self._lists = PostingBlocks(np.full(1, -1, np.int32), empty, empty, block + 1, np.array(_NEW, np.int64))
        self._settled = False

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows; the first ones fix the capacity.

        Postings go in sorted by atom where that costs no more than reading them: an atom's blocks then lie side by
        side, and walking them walks memory in order.
        """
        if not len(rows):
            return
        sizes = row_sizes(rows)
        offsets, atoms = rows
        if not self._settled:
            self._settle(atoms)
        numbers = self._numbers.take(payloads)
        self._counter.put(numbers, sizes)
        atoms_end = int(atoms.max()) + 1
        if atoms_end > len(atoms):
            self._insert(np.repeat(numbers, sizes), atoms)
        else:
            self._insert(*kernels.sort_by_atom(numbers, offsets, atoms, atoms_end))

    def add_one(self, atoms: Int32, payload: int) -> None:
        """Add one row; an index that starts with it has room for more than its atoms."""
        if not self._settled and len(atoms) <= LONGEST_ROW:
            self._settle(None)
        super().add_one(atoms, payload)

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row, found through the shortest list of its atoms."""
        row = remove_row(CompactIndex(*self._lists, *self._counter.counter, self._numbers.payloads), atoms, payload)
        if row < 0:
            raise KeyError(payload)
        self._counter.drop(row)
        self._numbers.give_back(row)
        if not self._lists.state[POSTINGS]:
            self._lists.state[:] = _NEW

    def match(self, items: Rows) -> Hits:
        """Count down along the postings of each item's atoms (Algorithm 4)."""
        ground, second, segments = self._counter.counter
        index = CompactIndex(*self._lists, ground, second, segments.copy(), self._numbers.payloads)
        step = partial(kernels.match, items.offsets, items.atoms, index)
        return collect(len(items), step, self._numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; postings hold row numbers and stay."""
        self._numbers.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return the figures of Tables 4.4, 4.7 and 4.9, and the bytes of each part.

        Bytes by part, as equation 2.2 has them: ``lists_bytes`` (its vocabulary: buckets and nodes of terms),
        ``postings_bytes`` (blocks), and ``counter_bytes`` with the payloads. ``allocated_bytes`` has spare room in it.
        """
        buckets, width = self._lists.buckets, self._lists.width
        atoms, blocks, postings = (int(self._lists.state[i]) for i in (NODES_LIVE, BLOCKS_LIVE, POSTINGS))
        entries = int(np.count_nonzero(buckets >= 0))
        empty = blocks * (width - 1) - postings
        capacity = len(buckets) if self._settled else 0
        parts = {"lists_bytes": 4 * capacity + 16 * atoms, "postings_bytes": 4 * width * blocks}
        parts["counter_bytes"] = self._numbers.bytes + self._counter.bytes
        held = buckets.nbytes + self._lists.nodes.nbytes + self._lists.blocks.nbytes
        return parts | {
            "hash_entries": entries,
            "term_nodes": atoms,
            "collision_list_mean": atoms / entries if entries else 0.0,
            "blocks": blocks,
            "empty_slots": empty,
            "empty_slots_mean": empty / atoms if atoms else 0.0,
            "capacity": capacity,
            "postings": postings,
            "counter_segments": len(self._counter.population),
            "bytes": sum(parts.values()),
            "allocated_bytes": held + self._numbers.allocated + self._counter.allocated,
        }

    def per_atom(self) -> Int64:
        """Return the length of each atom's list."""
        nodes = self._lists.nodes[: 4 * self._lists.state[NODES_USED]].reshape(-1, 4)
        reached = np.zeros(len(nodes), np.bool_)
        at = self._lists.buckets[self._lists.buckets >= 0]
        while len(at):
            reached[at] = True
            at = nodes[at, NEXT]
            at = at[at >= 0]
        live = nodes[reached]
        lengths = np.zeros(int(live[:, ATOM].max(initial=-1)) + 1, np.int64)
        lengths[live[:, ATOM]] = live[:, SIZE]
        return lengths

    def arrays(self) -> Arrays:
        """Return the inverted file, the row numbers and the counter."""
        buckets, nodes, blocks, width, state = self._lists
        own: Arrays = {"buckets": buckets, "nodes": nodes[: 4 * state[NODES_USED]]}
        own |= {"blocks": blocks[: width * state[BLOCKS_USED]], "state": state.copy()}
        own["shape"] = np.array([width, self._settled], np.int64)
        return own | self._numbers.arrays() | self._counter.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned; block size and settled capacity are theirs."""
        buckets, nodes, blocks, state = (np.asarray(arrays[name]) for name in ("buckets", "nodes", "blocks", "state"))
        self._lists = PostingBlocks(buckets, nodes, blocks, int(arrays["shape"][0]), state)
        self._settled = bool(arrays["shape"][1])
        self._numbers.restore(arrays)
        self._counter.restore(arrays)

    def _insert(self, rows: Int32, atoms: Int32) -> None:
        """Add postings; the kernel stops when it lacks room for one more."""
        first = 0
        while first < len(rows):
            nodes = _roomier(self._lists.nodes, 4, int(self._lists.state[NODES_LIVE]))
            blocks = _roomier(self._lists.blocks, self._lists.width, int(self._lists.state[BLOCKS_LIVE]))
            if nodes is not self._lists.nodes or blocks is not self._lists.blocks:
                self._lists = self._lists._replace(nodes=nodes, blocks=blocks)
            first = kernels.insert_postings(self._lists, rows, atoms, first)

    def _settle(self, atoms: Int32 | None) -> None:
        """Set the final number of buckets, from the atoms of the first rows, or None if the first row comes alone."""
        buckets = self._capacity
        if isinstance(buckets, float):
            buckets = EMPTY_CAPACITY if atoms is None else max(1, round(buckets * _count_distinct(atoms)))
        self._lists = self._lists._replace(buckets=np.full(buckets, -1, np.int32))
        self._settled = True


def _roomier(array: Int32, width: int, live: int) -> Int32:
    """Return `array`, of elements `width` wide, with room for one more; a whole number of elements."""
    if width * live < len(array):
        return array
    return resized(array, width * max(live + live // 2, 16))


def _count_distinct(atoms: Int32) -> int:
    """Return the number of different atoms."""
    seen = np.zeros(int(atoms.max()) + 1, np.bool_)
    seen[atoms] = True
    return int(np.count_nonzero(seen))
