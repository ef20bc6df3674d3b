"""The base of `auto`: rows packed into groups by their ones (`kernels.properties.groups` has the layout)."""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, UInt64, int32, int64, prefixed, resized
from watchword.kernels.properties.grouping import divide_nodes, has_row
from watchword.kernels.properties.groups import NODE_WORDS, Groups
from watchword.kernels.properties.masks import to_literals, to_masks
from watchword.kernels.tombstones import Dead
from watchword.properties.bits import words_for
from watchword.sets.numbering import renumber_payloads
from watchword.sets.rows import Rows, joined, one_row

UNDIVIDED = 32
"""The most rows of an undivided node: reading them costs about as much as finding a child."""


class GroupBase:
    """An immutable packed set of rows over `width` properties, by their ones and again by their zeros."""

    def __init__(self, by_ones: Groups, by_zeros: Groups, width: int) -> None:
        self.by_ones, self.by_zeros, self.width = by_ones, by_zeros, width

    @classmethod
    def packed(cls, width: int, parts: list[tuple[Rows, Int32]]) -> GroupBase:
        """Return the packed form of some rows."""
        rows, payloads = joined(parts) if parts else (Rows(np.zeros(1, np.int64), _NOBODY), _NOBODY)
        ones, zeros = masks_of(rows, width)
        return cls(grouped(ones, zeros, payloads, width), grouped(zeros, ones, payloads, width), width)

    def __len__(self) -> int:
        return len(self.by_ones.payloads)

    def has(self, row: Int32, payload: int) -> bool:
        """Return whether this row is here under this payload."""
        if len(row) and int(row.max()) >= 2 * self.width:
            return False
        return bool(has_row(self.by_ones, *masks_of(one_row(row), self.width), payload))

    def rows(self, dead: Dead) -> tuple[Rows, Int32]:
        """Return the rows that are not dead, and their payloads."""
        ones, zeros, payloads = self.by_ones[2:]
        bits = np.unpackbits(dead.slots, bitorder="little")
        is_dead = np.zeros(len(payloads), np.bool_)
        known = payloads < len(bits)
        is_dead[known] = bits[payloads[known]] != 0
        kept = np.flatnonzero(~is_dead)
        return literals_of(ones, zeros, kept), payloads[kept]

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        for groups in (self.by_ones, self.by_zeros):
            renumber_payloads(groups.payloads, payloads)

    def arrays(self) -> Arrays:
        """Return both groupings."""
        return prefixed("ones", self.by_ones._asdict()) | prefixed("zeros", self.by_zeros._asdict())

    @classmethod
    def restored(cls, arrays: Arrays, width: int) -> GroupBase:
        """Return the base of saved `arrays`."""
        by_ones, by_zeros = (
            Groups(*(np.asarray(arrays[f"{half}.{field}"]) for field in Groups._fields)) for half in ("ones", "zeros")
        )
        return cls(by_ones, by_zeros, width)

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return (len(self.by_ones.nodes) + len(self.by_zeros.nodes)) // NODE_WORDS

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return sum(array.nbytes for groups in (self.by_ones, self.by_zeros) for array in groups)


_NOBODY = np.empty(0, np.int32)


def masks_of(rows: Rows, width: int) -> tuple[UInt64, UInt64]:
    """Return rows of literals as masks of ones and of zeros."""
    ones, zeros = (np.zeros((words_for(width), len(rows)), np.uint64) for _ in range(2))
    to_masks(int64(rows.offsets), int32(rows.atoms), ones, zeros, 0)
    return ones, zeros


def literals_of(ones: UInt64, zeros: UInt64, rows: Int64) -> Rows:
    """Return some rows of masks as literals."""
    offsets = np.zeros(len(rows) + 1, np.int64)
    size = to_literals(ones, zeros, rows, offsets, np.empty(0, np.int32))
    atoms = np.empty(size, np.int32)
    to_literals(ones, zeros, rows, offsets, atoms)
    return Rows(offsets, atoms)


def grouped(ones: UInt64, zeros: UInt64, payloads: Int32, width: int) -> Groups:
    """Return rows sorted by their ones, under the nodes of a trie."""
    order = np.lexsort(ones)
    ones, zeros = np.ascontiguousarray(ones[:, order]), np.ascontiguousarray(zeros[:, order])
    return _divide(ones, zeros, int32(payloads[order]), width)


def _divide(ones: UInt64, zeros: UInt64, payloads: Int32, width: int) -> Groups:
    room = 2 * width + len(payloads) // UNDIVIDED
    nodes = np.zeros(NODE_WORDS * room, np.int32)
    nodes[2] = len(payloads)
    limits = np.full(room, width, np.int32)
    groups = Groups(nodes, np.zeros((room, len(ones)), np.uint64), ones, zeros, payloads)
    first, count = divide_nodes(groups, limits, UNDIVIDED, width, 0, 1)
    while first < count:
        room *= 2
        branches = np.zeros((room, len(ones)), np.uint64)
        branches[: len(groups.branches)] = groups.branches
        groups = groups._replace(nodes=resized(groups.nodes, NODE_WORDS * room, 0), branches=branches)
        limits = resized(limits, room)
        first, count = divide_nodes(groups, limits, UNDIVIDED, width, first, count)
    return groups._replace(nodes=groups.nodes[: NODE_WORDS * count].copy(), branches=groups.branches[:count].copy())
