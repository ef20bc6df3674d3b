"""The delta of `auto`: rows that came since the base was packed (`kernels.properties.group_delta` has the layout)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from watchword.arrays import Int32, UInt64, int32, int64, power_of_two, resized
from watchword.kernels.properties.group_delta import DeltaLists, link_rows
from watchword.kernels.properties.masks import to_masks
from watchword.properties.bits import words_for
from watchword.properties.group_base import literals_of
from watchword.sets.rows import Rows


class GroupDelta:
    """A mutable set of rows; they are numbered in order of adding, and numbers of removed rows stay unused."""

    def __init__(self, width: int) -> None:
        words = words_for(width)
        heads, sizes = np.full(width + 1, -1, np.int32), np.zeros(width + 1, np.int32)
        nobody = np.empty(0, np.int32)
        self.lists = DeltaLists(
            heads, sizes, nobody, np.zeros((words, 0), np.uint64), np.zeros((words, 0), np.uint64), nobody
        )
        self.came = 0
        self._row_of: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def mark(self) -> int:
        """Return a position that grows with every added row."""
        return self.came

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return self.came * (8 + 16 * len(self.lists.ones)) + self.lists.heads.nbytes if self.came else 0

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows."""
        first, last = self.came, self.came + len(payloads)
        self._reserve(last)
        lists = self.lists
        to_masks(int64(rows.offsets), int32(rows.atoms), lists.ones, lists.zeros, first)
        lists.payloads[first:last] = payloads
        link_rows(lists, first, last)
        self._row_of.update(zip(payloads.tolist(), range(first, last), strict=True))
        self.came = last

    def mark_of(self, payload: int) -> int | None:
        """Return the row of a payload, or None."""
        return self._row_of.get(payload)

    def remove(self, row: Int32, payload: int) -> None:
        """Remove a row; raises `KeyError` if its payload belongs to another row."""
        place = self._row_of[payload]
        held = literals_of(self.lists.ones, self.lists.zeros, np.array([place]))
        if not np.array_equal(held.atoms, row):
            raise KeyError(payload)
        del self._row_of[payload]
        self.lists.payloads[place] = -1

    def rows(self, since: int = 0) -> Callable[[], tuple[Rows, Int32]]:
        """Return a function that returns the rows added since a mark and still present now. Written masks stay."""
        return partial(_live, self.lists.ones, self.lists.zeros, self.lists.payloads[: self.came].copy(), since)

    def _reserve(self, rows: int) -> None:
        """Make room for `rows` rows. Unused rows have payload -1 and no mask."""
        lists = self.lists
        if rows > len(lists.payloads):
            size = power_of_two(max(rows, 64))
            self.lists = lists._replace(
                links=resized(lists.links, size),
                ones=_widen(lists.ones, size),
                zeros=_widen(lists.zeros, size),
                payloads=resized(lists.payloads, size, -1),
            )


def _widen(masks: UInt64, size: int) -> UInt64:
    wide = np.zeros((len(masks), size), np.uint64)
    wide[:, : masks.shape[1]] = masks
    return wide


def _live(ones: UInt64, zeros: UInt64, payloads: Int32, since: int) -> tuple[Rows, Int32]:
    kept = since + np.flatnonzero(payloads[since:] >= 0)
    return literals_of(ones, zeros, kept), payloads[kept]
