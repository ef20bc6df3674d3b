"""Code points out of UTF-8 bytes, and into them: 233 is the two bytes ``c3 a9``."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel

INVALID = -1


@kernel
def decode(data, at, end, surrogates):
    """Return the code point at `at` and its length, or (INVALID, 0)."""
    lead = np.int64(data[at])
    if lead < 0x80:
        return lead, 1
    if lead < 0xC2 or lead > 0xF4:
        return INVALID, 0
    size = 2 if lead < 0xE0 else (3 if lead < 0xF0 else 4)
    if at + size > end:
        return INVALID, 0
    point = lead & (0xFF >> (size + 1))
    for k in range(1, size):
        byte = np.int64(data[at + k])
        if byte & 0xC0 != 0x80:
            return INVALID, 0
        point = (point << 6) | (byte & 0x3F)
    if (size == 3 and point < 0x800) or (size == 4 and (point < 0x10000 or point > 0x10FFFF)):
        return INVALID, 0
    if 0xD800 <= point < 0xE000 and not surrogates:
        return INVALID, 0
    return point, size


@inline
def put(out, fill, point):
    """Write a code point at `fill`; returns the new fill."""
    if point < 0x80:
        out[fill] = point
        return fill + 1
    if point < 0x800:
        out[fill] = 0xC0 | (point >> 6)
        out[fill + 1] = 0x80 | (point & 0x3F)
        return fill + 2
    if point < 0x10000:
        out[fill] = 0xE0 | (point >> 12)
        out[fill + 1] = 0x80 | ((point >> 6) & 0x3F)
        out[fill + 2] = 0x80 | (point & 0x3F)
        return fill + 3
    out[fill] = 0xF0 | (point >> 18)
    out[fill + 1] = 0x80 | ((point >> 12) & 0x3F)
    out[fill + 2] = 0x80 | ((point >> 6) & 0x3F)
    out[fill + 3] = 0x80 | (point & 0x3F)
    return fill + 4
