"""Events as rows of bits, the form that phase one gives and phase two reads.

Of three properties the events ``110`` and ``001``:

>>> bits = Bits.of(np.array([[1, 1, 0], [0, 0, 1]], np.uint8))
>>> bits.words.tolist()
[[3], [4]]
>>> bits.literals().atoms.tolist()
[1, 3, 4, 0, 2, 5]
>>> bits.ones().atoms.tolist()
[0, 1, 2]

Layout: ``words[event, p >> 6]``, bit ``p & 63``, is property `p`; the unused bits of the last word are 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import UInt8, UInt64, offsets_of
from watchword.sets.rows import Rows


def words_for(width: int) -> int:
    """Return the number of words for the bits of `width` properties; 2 for 100."""
    return (width + 63) // 64


class Bits(NamedTuple):
    """The bits of events over `width` properties."""

    words: UInt64
    width: int

    @classmethod
    def of(cls, matrix: UInt8) -> Bits:
        """Return a matrix of 0 and 1, a row for each event."""
        count, width = matrix.shape
        packed = np.zeros((count, 8 * words_for(width)), np.uint8)
        packed[:, : (width + 7) // 8] = np.packbits(matrix, axis=1, bitorder="little")
        return cls(packed.view("<u8").astype(np.uint64, copy=False), width)

    def __len__(self) -> int:
        return len(self.words)

    def matrix(self) -> UInt8:
        """Return a row of 0 and 1 for each event."""
        octets = self.words.astype("<u8", copy=False).view(np.uint8)
        return np.unpackbits(octets, axis=1, bitorder="little", count=self.width)

    def literals(self) -> Rows:
        """Return the literal of every property: ``2 * p + 1`` where it is 1 in an event, ``2 * p`` where it is 0."""
        atoms = 2 * np.arange(self.width, dtype=np.int32) + self.matrix()
        return Rows(np.arange(len(self) + 1, dtype=np.int64) * self.width, atoms.ravel().astype(np.int32, copy=False))

    def ones(self) -> Rows:
        """Return the properties that are 1 in each event."""
        events, properties = np.nonzero(self.matrix())
        counts = np.bincount(events, minlength=len(self))
        return Rows(offsets_of(counts), properties.astype(np.int32))
