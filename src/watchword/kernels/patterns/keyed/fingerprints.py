"""Which guards may a text have? Fingerprints of all its bytes, marked in a table that is emptied in one step.

A *fingerprint* is the upper 14 bits of the hash of a word's first bytes (`hashing`): 2397 for "blue", whatever follows
the four. A text has a fingerprint if it stands for the bytes at some position of it; if not, no word with this
fingerprint is in the text. The converse does not hold, since fingerprints are few.

    marks    uint8, one for each fingerprint: the stamp of the last text that had it; behind them, the stamp of the text
             at hand, and whether its fingerprints are marked yet

Marking a text costs a store for each of its bytes and each level that guards have. It is put off until more than `FEW`
patterns ask for it: fewer are looked for in less time.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import load_word
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.patterns.keyed.hashing import gram_at, hash_of

FINGERPRINT_BITS = 14
STAMP, IS_MARKED = 1 << FINGERPRINT_BITS, (1 << FINGERPRINT_BITS) + 1
FEW = 6
"""So many patterns are looked for without regard to their guards."""


@kernel
def new_marks():
    """Return marks of no text."""
    return np.zeros((1 << FINGERPRINT_BITS) + 2, np.uint8)


@inline
def fingerprint_of(word, level):
    """Return the fingerprint of the first `level` of eight bytes."""
    return np.int64(hash_of(word, level) >> np.uint64(64 - FINGERPRINT_BITS))


@inline
def begin_text(marks):
    """Forget the last text."""
    if marks[STAMP] == 255:
        marks[:] = 0
    marks[STAMP] += 1
    marks[IS_MARKED] = 0


@inline
def mark(data, begin, stop, levels, marks):
    """Mark the fingerprints of the text ``data[begin:stop]``, of the levels given, unless that was done."""
    if not marks[IS_MARKED]:
        _mark(data, begin, stop, levels, marks)
        marks[IS_MARKED] = 1


@leaf
def _mark(data, begin, stop, levels, marks):
    stamp = marks[STAMP]
    for level in levels:
        fast = max(begin, min(stop - level, len(data) - 8) + 1)
        for at in range(begin, fast):
            marks[fingerprint_of(load_word(data, at), level)] = stamp
        for at in range(fast, stop - level + 1):
            marks[fingerprint_of(gram_at(data, at, level), level)] = stamp
