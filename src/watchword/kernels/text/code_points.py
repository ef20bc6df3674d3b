"""From UTF-8 bytes to code points: patterns and texts are matched character by character."""

from __future__ import annotations

from watchword.kernels.jit import kernel
from watchword.kernels.text.scan import decode


@kernel
def decode_points(data, start, end, points):
    """Write the code points of ``data[start:end]``, valid UTF-8 but for lone surrogates; returns their number."""
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
