"""Texts with a byte before and behind each: ``ab`` and an empty text, bordered by 255, are ``255 a b 255 255 255``."""

from __future__ import annotations

import numpy as np

from watchword.kernels.growing import copy_into
from watchword.kernels.jit import kernel


@kernel
def put_borders(data, offsets, border, out, borders):
    """Write the texts ``data[offsets[i]:offsets[i + 1]]`` with their borders, and where each begins."""
    fill = np.int64(0)
    for row in range(len(offsets) - 1):
        borders[row] = fill
        size = offsets[row + 1] - offsets[row]
        out[fill] = border
        copy_into(out, fill + 1, data, offsets[row], offsets[row + 1])
        out[fill + 1 + size] = border
        fill += size + 2
    borders[len(offsets) - 1] = fill
