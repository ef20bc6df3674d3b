"""Up to eight bytes as one number, and its hash: how keys and guards are known.

Bytes are read eight at a time, the first in the lowest bits, and a *level* says how many of them count: 8, 4, 3, 2 or
1. "blueberry" has level 8 and is known by "blueberr", "blue" has level 4, "pie" level 3; a word of five to seven bytes
is known by four of them.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import load_word
from watchword.kernels.jit import inline, leaf

LONGEST = 8
WINDOW, BEFORE, PAIR = 4, 2, 2
"""A gram of eight bytes has its window of four behind two others; a window has its pair of bytes behind two others."""

_ODD = np.uint64(0x9E3779B97F4A7C15)


@inline
def hash_of(word, level):
    """Return the hash of the first `level` bytes of eight. Its upper half tells shorter grams of a level apart."""
    return (word << np.uint64(64 - 8 * level)) * _ODD


@leaf
def gram_at(data, at, level):
    """Return eight bytes of which the first `level` are those of `data`, which may end behind them."""
    if at + 8 <= len(data):
        return load_word(data, at)
    word = np.uint64(0)
    for k in range(level):
        word |= np.uint64(data[at + k]) << np.uint64(8 * k)
    return word


@inline
def window_in(word, level):
    """Return the window of a gram of eight bytes, and a shorter one as it is."""
    return word >> np.uint64(8 * BEFORE) if level == LONGEST else word


@inline
def pair_in(word, level):
    """Return the pair of bytes in the window of a gram of four or eight bytes."""
    return np.int64((window_in(word, level) >> np.uint64(8 * PAIR)) & np.uint64(0xFFFF))


@inline
def level_of(size):
    """Return how many bytes stand for a word of so many."""
    return np.int64(8) if size >= 8 else min(size, np.int64(4))
