"""Row numbers: what the flat methods put into their lists instead of payloads.

A number is given out for a payload, and given out again after the row was removed:

>>> numbers = RowNumbers()
>>> numbers.take(np.array([70, 71, 72], np.int32)).tolist()
[0, 1, 2]
>>> numbers.give_back(1)
>>> numbers.take(np.array([73, 74], np.int32)).tolist()
[1, 3]
>>> numbers.payloads[: numbers.used].tolist()
[70, 73, 72, 74]

Layout: ``payloads[row]``, int32. Rows below `used` have been given out at some time; those given back form a chain
through `payloads` itself (see `kernels.free_rows`) and are given out again first. Payloads would do instead of row
numbers, but they may lie anywhere below 2^31, and a counter for each of them must not.

Invariant: ``used - live`` rows are on the chain that starts at `free`, and exactly these have a negative payload.
Cost: O(1) a row.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int16, Int32, reserve
from watchword.errors import SubscriptionError
from watchword.index.structure import Part
from watchword.kernels.free_rows import take_free
from watchword.sets.rows import Rows

LONGEST_ROW = np.iinfo(np.int16).max
"""Sizes are int16: no subscription of the thesis comes near, and counters take half the memory."""

_ROOM = 1 << 20


class RowNumbers(Part):
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
        if reused:
            self.free = take_free(self.payloads, self.free, numbers[:reused])
        end = self.used + len(payloads) - reused
        numbers[reused:] = np.arange(self.used, end, dtype=np.int32)
        self.payloads = reserve(self.payloads, end)
        self.payloads[numbers] = payloads
        self.used = end
        self.live += len(payloads)
        return numbers

    def give_back(self, row: int) -> None:
        """Free a row number."""
        self.payloads[row] = -2 - self.free
        self.free = row
        self.live -= 1
        if not self.live:
            self.used, self.free = 0, -1

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""
        renumber_payloads(self.payloads[: self.used], payloads)

    def room(self, items: int) -> int:
        """Return how many hits per item to make room for before matching a batch.

        An item that does not fit is matched again, which costs more than memory that is never touched.
        """
        return max(16, min(self.live, _ROOM // max(1, items)))

    def arrays(self) -> Arrays:
        """Return the payloads, and the figures of the chain."""
        return {"payloads": self.payloads[: self.used], "rows": np.array([self.live, self.free], np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.payloads = np.asarray(arrays["payloads"])
        self.used = len(self.payloads)
        self.live, self.free = (int(value) for value in arrays["rows"])

    @property
    def bytes(self) -> int:
        """Return four bytes for each row."""
        return 4 * self.live

    @property
    def allocated(self) -> int:
        """Return the bytes of the array, spare room and all."""
        return self.payloads.nbytes


def renumber_payloads(held: Int32, payloads: Int32) -> None:
    """Replace every ``0 <= p < len(payloads)`` in `held` by ``payloads[p]``, in place.

    Negative numbers are free rows; what free cells hold does not matter.
    """
    known = (held >= 0) & (held < len(payloads))
    held[known] = payloads[held[known]]


def row_sizes(rows: Rows) -> Int16:
    """Return the number of atoms of each row; refuse a row that is too long to be counted."""
    sizes = rows.offsets[1:] - rows.offsets[:-1]
    if len(sizes) and sizes.max() > LONGEST_ROW:
        row = int(sizes.argmax())
        raise SubscriptionError(f"a conjunction of {sizes[row]} terms; at most {LONGEST_ROW}", row=row)
    return sizes.astype(np.int16)
