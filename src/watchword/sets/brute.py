"""Brute force: test every row, atom by atom, until one is missing (Kourdounakis 2011, section 2.1).

`Brute` tests the atoms in the order of the text (Algorithm 1); `OrderedBrute` is the same code over rows that come
rarest atom first, so that most rows fail at their first test (end of section 2.1). Example 2.2, with the six rows of
Table 2.1, whose atoms are numbered by falling frequency:

>>> from watchword.arrays import offsets_of
>>> table = [[1, 2, 4], [1, 24], [1, 2, 3], [1, 12], [2, 4], [2, 3, 13]]
>>> item = Rows(np.array([0, 3]), np.array([1, 2, 3], np.int32))
>>> for method in (Brute(), OrderedBrute()):
...     rows = [sorted(row, reverse=method.order == "reverse-rank") for row in table]
...     flat = np.array(sum(rows, []), np.int32)
...     method.add(Rows(offsets_of([len(row) for row in rows]), flat), np.arange(1, 7, dtype=np.int32))
...     hits = method.match(item)
...     print(hits.payloads, hits.operations)
[3] 15
[3] 8

(The thesis counts 10 tests without the order; that is a slip, it is 15.)

Layout: the rows of `RowPool`, drawn in `kernels.sets.brute`, and nothing else; the thesis asks for no more space than
the subscriptions themselves. Cost: matching is O(rows x atoms), adding is O(atoms), and removing is a scan too, because
there is no index that could lead to the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int16, Int32, Int64, reserve
from watchword.index.hits import Hits, collect
from watchword.index.structure import Part
from watchword.kernels.free_rows import payload_row
from watchword.kernels.sets import brute as kernels
from watchword.kernels.sets.brute import StoredRows
from watchword.sets.numbering import RowNumbers, row_sizes
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure


class RowPool(Part):
    """Numbered rows with their atoms, concatenated in one array.

    A removed row's atoms stay in the pool as waste until they are more than half of it; then the pool is packed, which
    makes removal O(1) on average. Row numbers stay as they are.
    """

    def __init__(self) -> None:
        self.numbers = RowNumbers()
        self.stored = 0
        self._starts: Int64 = np.empty(0, np.int64)
        self._sizes: Int16 = np.empty(0, np.int16)
        self._pool: Int32 = np.empty(0, np.int32)
        self._end = 0

    def add(self, rows: Rows, payloads: Int32) -> Int32:
        """Add rows; return their numbers."""
        sizes = row_sizes(rows)
        taken = self.numbers.take(payloads)
        end = self._end + len(rows.atoms)
        self._starts = reserve(self._starts, self.numbers.used)
        self._sizes = reserve(self._sizes, self.numbers.used)
        self._pool = reserve(self._pool, end)
        self._starts[taken] = rows.offsets[:-1] + self._end
        self._sizes[taken] = sizes
        self._pool[self._end : end] = rows.atoms
        self._end = end
        self.stored += len(rows.atoms)
        return taken

    def remove(self, row: int) -> None:
        """Forget a row."""
        self.stored -= int(self._sizes[row])
        self._sizes[row] = 0
        self.numbers.give_back(row)
        if 2 * self.stored < self._end:
            rows = self.rows
            packed = np.empty(self.stored + self.stored // 2, np.int32)
            kernels.squeeze(rows.starts, rows.sizes, rows.pool, packed)
            self._pool, self._end = packed, self.stored

    @property
    def rows(self) -> StoredRows:
        """Return the arrays for kernels: all row numbers ever used."""
        used = self.numbers.used
        return StoredRows(self._starts[:used], self._sizes[:used], self.numbers.payloads[:used], self._pool)

    def atoms(self, row: int) -> Int32:
        """Return a row's atoms."""
        return self._pool[self._starts[row] : self._starts[row] + self._sizes[row]]

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        self.numbers.renumber(payloads)

    def arrays(self) -> Arrays:
        """Return the rows, and the figures of their numbers."""
        arrays = self.numbers.arrays() | self.rows._replace(pool=self._pool[: self._end])._asdict()
        arrays["stored"] = np.array([self.stored], np.int64)
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.numbers.restore(arrays)
        self._starts, self._sizes, self._pool = (np.asarray(arrays[name]) for name in ("starts", "sizes", "pool"))
        self._end, self.stored = len(self._pool), int(arrays["stored"][0])

    @property
    def bytes(self) -> int:
        """Return the bytes in use: four for each atom, and the start, size and payload of each row."""
        return 4 * self.stored + (8 + 2) * self.numbers.live + self.numbers.bytes

    @property
    def allocated(self) -> int:
        """Return the bytes of the arrays, with their spare room."""
        return self._starts.nbytes + self._sizes.nbytes + self._pool.nbytes + self.numbers.allocated


class Brute(SetStructure):
    """Every row against every item, atoms in the order of the text."""

    order: ClassVar[str | None] = None
    operation: ClassVar[str] = "membership tests"

    def __init__(self) -> None:
        self._rows = RowPool()

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows: a few array copies."""
        self._rows.add(rows, payloads)

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row, found by a scan of the payloads."""
        row = payload_row(self._rows.rows.payloads, payload)
        if row < 0 or not np.array_equal(np.sort(self._rows.atoms(row)), np.sort(atoms)):
            raise KeyError(payload)
        self._rows.remove(row)

    def match(self, items: Rows) -> Hits:
        """Test every row against each item (Algorithm 1)."""
        step = partial(kernels.match, items.offsets, items.atoms, self._rows.rows)
        return collect(len(items), step, self._rows.numbers.room(len(items)))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        self._rows.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes`` and ``postings``, the number of atoms stored."""
        return {"bytes": self._rows.bytes, "postings": self._rows.stored}

    def arrays(self) -> Arrays:
        """Return the rows."""
        return self._rows.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._rows.restore(arrays)


class OrderedBrute(Brute):
    """Every row against every item, rarest atom first."""

    order: ClassVar[str | None] = "reverse-rank"
