"""Hashes of byte strings that are the same in every process, on every machine and in every version.

They are stored with sharded indexes (`spark.routing`), so this function must never change: FNV-1a over the bytes, then
the finaliser of MurmurHash3, which makes every bit depend on every other.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel

_BASIS = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)


@kernel
def hash_strings(data, offsets, hashes):
    """Set ``hashes[i]`` to the hash of ``data[offsets[i]:offsets[i + 1]]``."""
    for i in range(len(offsets) - 1):
        value = _BASIS
        for at in range(offsets[i], offsets[i + 1]):
            value = (value ^ np.uint64(data[at])) * _PRIME
        value = (value ^ (value >> _SHIFT)) * _FIRST
        value = (value ^ (value >> _SHIFT)) * _SECOND
        hashes[i] = value ^ (value >> _SHIFT)
