"""Rows as two masks, from literals and back: the properties that must be 1, and the properties that must be 0.

With three properties the rows ``10*`` and ``**0`` are::

    ones    1 0       words of 64 properties, ones[word, row]: the rows of a word lie side by side
    zeros   2 4

An event satisfies a row if ``ones & ~event`` and ``zeros & event`` are 0 in every word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import trailing_zeros
from watchword.kernels.jit import kernel

_LAST = np.uint64(1)


@kernel
def to_masks(row_offsets, atoms, ones, zeros, first):
    """Write rows of literals as masks, from row `first` on; the masks must be 0 there."""
    for row in range(len(row_offsets) - 1):
        for k in range(row_offsets[row], row_offsets[row + 1]):
            property = atoms[k] >> 1
            bit = np.uint64(1) << np.uint64(property & 63)
            if atoms[k] & 1:
                ones[property >> 6, first + row] |= bit
            else:
                zeros[property >> 6, first + row] |= bit


@kernel
def to_literals(ones, zeros, rows, offsets, atoms):
    """Write some rows as literals, in the order of the properties, if `atoms` has room; returns their number."""
    fill = np.int64(0)
    write = len(atoms) > 0
    for k in range(len(rows)):
        row = rows[k]
        for word in range(len(ones)):
            asked = ones[word, row] | zeros[word, row]
            while asked != 0:
                bit = trailing_zeros(asked)
                if write:
                    is_one = (ones[word, row] >> np.uint64(bit)) & _LAST
                    atoms[fill] = 2 * (64 * word + bit) + np.int64(is_one)
                fill += 1
                asked &= asked - _LAST
        offsets[k + 1] = fill
    return fill
