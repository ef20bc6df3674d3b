"""Row numbers: what the flat methods put into postings instead of payloads.

Layout: ``payloads[row]``, int32. Rows below `used` have been given out at some time; those given back form a
chain through `payloads` itself (see `kernels.sets.brute`) and are given out again first.

Invariant: ``used - live`` rows are on the chain that starts at `free`, and exactly these have a negative
payload. Cost: O(1) a row.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from watchword.arrays import Arrays, Int32, reserve
from watchword.errors import SubscriptionError
from watchword.kernels.sets.brute import take_free
from watchword.sets.structure import Rows

LONGEST_ROW = np.iinfo(np.int16).max
"""Sizes are int16: no subscription of the thesis comes near, and counters take half the memory."""

_ROOM = 1 << 20


class RowNumbers:
    """Which row numbers are taken, and the payload of each."""

    def __init__(self) -> None:
        self.payloads: Int32 = np.empty(0, np.int32)
        self.used = 0
        self.live = 0
        self.free = -1

    def take(self, payloads: Int32) -> Int32:
        """Give each payload a row number."""
        numbers = np.empty(len(payloads), np.int32)
        reused = min(len(payloads), self.used - self.live)
        self.free = take_free(self.payloads, self.free, numbers[:reused])
        end = self.used + len(payloads) - reused
        numbers[reused:] = np.arange(self.used, end, dtype=np.int32)
        self.payloads = reserve(self.payloads, end)
        self.payloads[numbers] = payloads
        self.used = end
        self.live += len(payloads)
        return numbers

    def give(self, row: int) -> None:
        """Take a row number back."""
        self.payloads[row] = -2 - self.free
        self.free = row
        self.live -= 1
        if not self.live:
            self.used, self.free = 0, -1

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``."""
        held = self.payloads[: self.used]
        known = (held >= 0) & (held < len(payloads))
        held[known] = payloads[held[known]]

    def room(self, items: int) -> int:
        """Return how many hits per item to make room for before matching a batch.

        An item that does not fit is matched again, which costs more than memory that is never touched.
        """
        return max(16, min(self.live, _ROOM // max(1, items)))

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        state = np.array([self.live, self.free], np.int64)
        return {"payloads": self.payloads[: self.used], "rows": state}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the numbers that `arrays` describes."""
        numbers = cls()
        numbers.payloads = np.asarray(arrays["payloads"])
        numbers.used = len(numbers.payloads)
        numbers.live, numbers.free = (int(value) for value in arrays["rows"])
        return numbers


def row_sizes(rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Return the number of terms of each row; refuse a row that is too long to be counted."""
    sizes = np.diff(rows.offsets)
    if len(sizes) and sizes.max() > LONGEST_ROW:
        row = int(sizes.argmax())
        raise SubscriptionError(f"a conjunction of {sizes[row]} terms; at most {LONGEST_ROW}", row=row)
    return sizes.astype(np.int16)


def one_row(terms: Int32) -> Rows:
    """Return `terms` as a batch of one row."""
    return Rows(np.array([0, len(terms)], np.int64), terms)
