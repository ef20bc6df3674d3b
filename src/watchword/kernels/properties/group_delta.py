"""The delta of `auto`: rows added after the base was packed, in linked lists by one of the properties they want to be
1.

Over three properties the rows ``1*0`` as 7, ``*01`` as 8 and ``00*`` as 9, added in this order::

    heads      0 -1  1  2        the newest row of the keys 0, 1 and 2, and last of the rows that want no 1
    links     -1 -1 -1           the next older row of the same key
    ones       1  4  0           `masks`: ones[word, row]
    zeros      4  2  3
    payloads   7  8  9           -1 once a row was removed
    sizes      1  0  1  1        how long each list is

A row's key is the one of its ones with the shortest list. An event reads the lists of its ones, and the last list.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, UInt64
from watchword.kernels.intrinsics import trailing_zeros
from watchword.kernels.jit import kernel, leaf

_ONE = np.uint64(1)


class DeltaLists(NamedTuple):
    """The lists of rows."""

    heads: Int32
    sizes: Int32
    links: Int32
    ones: UInt64
    zeros: UInt64
    payloads: Int32


@leaf
def _key(delta, row):
    """Return the key of a row: its one with the shortest list, or the number of properties if it wants no 1."""
    nobody = len(delta.heads) - 1
    key = nobody
    for word in range(len(delta.ones)):
        left = delta.ones[word, row]
        while left != 0:
            property = 64 * word + trailing_zeros(left)
            if key == nobody or delta.sizes[property] < delta.sizes[key]:
                key = property
            left &= left - _ONE
    return key


@kernel
def link_rows(delta, first, last):
    """Insert rows `first` to `last`, whose masks and payloads are written, into the lists."""
    for row in range(first, last):
        key = _key(delta, row)
        delta.links[row] = delta.heads[key]
        delta.heads[key] = row
        delta.sizes[key] += 1


@leaf
def _read_list(delta, key, bits, payloads, fill):
    """Append the payloads of a list's rows that an event satisfies; returns the new fill, or -1, and the rows read."""
    read = 0
    row = np.int64(delta.heads[key])
    while row >= 0:
        read += 1
        failed = np.uint64(delta.payloads[row] < 0)
        for word in range(len(bits)):
            failed |= (delta.ones[word, row] & ~bits[word]) | (delta.zeros[word, row] & bits[word])
        if failed == 0:
            if fill == len(payloads):
                return np.int64(-1), read
            payloads[fill] = delta.payloads[row]
            fill += 1
        row = np.int64(delta.links[row])
    return np.int64(fill), read


@leaf
def match_delta(delta, bits, payloads, fill):
    """Append the payloads of the rows that an event satisfies; returns the new fill, or -1, and the rows read."""
    if len(delta.payloads) == 0:
        return np.int64(fill), 0
    fill, read = _read_list(delta, len(delta.heads) - 1, bits, payloads, fill)
    for word in range(len(bits)):
        left = bits[word]
        while left != 0 and fill >= 0:
            fill, more = _read_list(delta, 64 * word + trailing_zeros(left), bits, payloads, fill)
            read += more
            left &= left - _ONE
    return fill, read
