"""Decodes UTF-8 bytes into code points, for the methods that work character by character.

The four bytes ``61 c3 a9 62`` of "aéb" become the three points 97, 233 and 98.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel
from watchword.kernels.text.utf8 import decode


@kernel
def decode_points(data, start, end, points):
    """Write the code points of ``data[start:end]``, valid UTF-8 that may have lone surrogates; returns their number."""
    count = 0
    at = start
    while at < end:
        if data[at] < 0x80:
            points[count] = data[at]
            at += 1
        else:
            point, size = decode(data, at, end, True)
            points[count] = point
            at += max(size, 1)
        count += 1
    return count
