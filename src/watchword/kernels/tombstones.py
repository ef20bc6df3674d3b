"""Bitmaps of payloads that were removed from an immutable base."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, leaf


@inline
def is_dead(dead, payload):
    """Look `payload` up in a bitmap that may be shorter than asked."""
    byte = payload >> 3
    return byte < len(dead) and (dead[byte] >> (payload & 7)) & 1


@leaf
def drop_dead(dead, payloads, start, fill):
    """Drop the dead from ``payloads[start:fill]``; return the new fill."""
    if len(dead) == 0:
        return np.int64(fill)
    kept = np.int64(start)
    for k in range(start, fill):
        if not is_dead(dead, payloads[k]):
            payloads[kept] = payloads[k]
            kept += 1
    return kept
