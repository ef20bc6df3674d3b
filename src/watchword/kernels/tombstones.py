"""Bitmaps of payloads that were removed from an immutable base.

A payload below `FIRST_CLAUSE` is a slot; from there on it names a clause (`sets.clauses`). Both kinds are numbered from
their own start, so each has a bitmap of its own: bit ``p & 7`` of byte ``p >> 3``. With the payloads 3 and
``FIRST_CLAUSE + 9`` removed, `slots` is ``[0b1000]`` and `clauses` is ``[0, 0b10]``. A bitmap may be shorter than a
payload asks: what lies behind its end is not removed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import NO_BYTES, UInt8
from watchword.kernels.jit import inline, leaf

FIRST_CLAUSE = 1 << 30


class Dead(NamedTuple):
    """The removed payloads."""

    slots: UInt8
    clauses: UInt8


NOBODY = Dead(NO_BYTES, NO_BYTES)


@inline
def is_dead(dead, payload):
    """Say whether a payload was removed."""
    bits = dead.clauses if payload >= FIRST_CLAUSE else dead.slots
    at = payload - FIRST_CLAUSE if payload >= FIRST_CLAUSE else payload
    byte = at >> 3
    return byte < len(bits) and (bits[byte] >> (at & 7)) & 1


@leaf
def drop_dead(dead, payloads, start, fill):
    """Drop the dead from ``payloads[start:fill]``; return the new fill."""
    if len(dead.slots) + len(dead.clauses) == 0:
        return np.int64(fill)
    kept = np.int64(start)
    for k in range(start, fill):
        if not is_dead(dead, payloads[k]):
            payloads[kept] = payloads[k]
            kept += 1
    return kept
