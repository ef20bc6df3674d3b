"""Which items a piece of the archive has, and in which row: 128-bit digests of their ids, sorted, in a mapped file.

Three arrays of the same length `n`, one after the other, so a file has 20 bytes for each item. Two items whose digests
are 30-00 and 10-07 (in halves), in the rows 0 and 1::

    high    10 30      ascending
    low     07 00      ascending where high is equal
    row      1  0

A hundred ids are looked up in a file of 65,536 by binary search in 30 µs, and a page or two of the file is read for
each. Two different ids have one digest with a chance of 2^-128.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt32, UInt64


class Ids(NamedTuple):
    """The digests of a piece's ids, sorted, and their rows."""

    high: UInt64
    low: UInt64
    row: UInt32

    def find(self, digests: UInt64) -> Int64:
        """Return the row of each digest, -1 for one that is not there; `digests` has two halves a row."""
        left = np.searchsorted(self.high, digests[:, 0], "left")
        right = np.searchsorted(self.high, digests[:, 0], "right")
        found = np.full(len(digests), -1, np.int64)
        for at in np.flatnonzero(right > left).tolist():
            same = left[at] + np.flatnonzero(self.low[left[at] : right[at]] == digests[at, 1])
            if len(same):
                found[at] = self.row[same[0]]
        return found

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        return b"".join(np.ascontiguousarray(part).tobytes() for part in self)


def digests_of(ids: Iterable[str]) -> UInt64:
    """Return the digest of each id, two halves a row."""
    data = b"".join(hashlib.blake2b(one.encode("utf-8", "surrogatepass"), digest_size=16).digest() for one in ids)
    return np.frombuffer(data, "<u8").astype(np.uint64).reshape(-1, 2)


def ids_of(digests: UInt64) -> Ids:
    """Return the digests of rows 0, 1, 2 … sorted."""
    order = np.lexsort((digests[:, 1], digests[:, 0]))
    return Ids(digests[order, 0], digests[order, 1], order.astype(np.uint32))


def digests_by_row(parts: Sequence[Ids]) -> UInt64:
    """Return the digests of concatenated pieces, in the order of their rows."""
    made = np.empty((sum(len(part.row) for part in parts), 2), np.uint64)
    first = 0
    for part in parts:
        rows = first + part.row.astype(np.int64)
        made[rows, 0], made[rows, 1] = part.high, part.low
        first += len(part.row)
    return made


def map_ids(file: Path, count: int) -> Ids:
    """Return the digests of a file with `count` of them, by memory map; a `ValueError` if it has another size."""
    data = np.memmap(file, np.uint8, "r") if count else np.empty(0, np.uint8)
    if len(data) != 20 * count:
        raise ValueError(f"{len(data):,} bytes in place of {20 * count:,}")
    high, low, row = np.split(data, [8 * count, 16 * count])
    return Ids(high.view(np.uint64), low.view(np.uint64), row.view(np.uint32))
