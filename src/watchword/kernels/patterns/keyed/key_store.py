"""Patterns under their rarest word, their key: where they are stored.

Besides the key, a pattern has a *guard*, the rarest of its other words (the key, if it has none). The fingerprint of
the guard stands in the key's head (`word_heads`), so that most patterns of a key need not be read: if no word of the
text has that fingerprint, the pattern cannot match.

    arena    int32, the blocks, one for each key.
             block   S  E  payload × S  body × E  bodies
                     S patterns are nothing but the word, and match wherever it occurs; E are more. ``body × E`` are
                     offsets of the bodies, counted from the start of the block.
             body    payload  n  gap word length  gap word length  …  gap
                     n words in the pattern's order, the key among them, with a gap before each and one behind the last;
                     a gap is twice its least length, plus one where a `*` stands in it; lengths are in characters.
             The first block, which words have that are no key, is empty.

With ``song?blue`` (payload 0, key song, guard blue) and ``pie*tea`` (payload 1, key pie, guard tea), whose words have
their heads at 0, 8, 15 and 23, the arena is

    at 0    0 0                            the empty block
    at 2    0 1   3                        the block of song: one body, which begins 3 behind
    at 5    0 2   0  0 4   2  8 4   0      payload 0, two words: song, four characters; one character (?); blue; nothing
    at 14   0 1   3                        the block of pie
    at 17   1 2   0 15 3   1 23 3   0      payload 1: pie, a star, tea

Invariant: a pattern lies in one block, that of its key, and its guard's fingerprint has the same place in the key's
head as its body has in the block. Cost: a text reads the heads of the keys that it has, and the bodies that their
guards let through.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8, UInt16
from watchword.kernels.jit import inline

MOST_WORDS, WORDS, PATTERNS = range(3)


class KeyStore(NamedTuple):
    """Keys and their patterns, never changed.

    `spelled` is `heads` byte by byte. `guard_levels` are the levels that guards have, the longest first. `limits` are
    the most words of a pattern, how many words there are, and how many patterns.
    """

    heads: UInt16
    spelled: UInt8
    arena: Int32
    guard_levels: Int64
    limits: Int64


class KeyBlocks(NamedTuple):
    """The part of a `KeyStore` that says which patterns a key has. Arrays that a function does not need cost it time
    all the same, since Numba hands on every word of each."""

    heads: UInt16
    arena: Int32
    guard_levels: Int64


@inline
def body_of(arena, block, i):
    """Return where pattern `i` of a block begins: its payload. Singles come first, and are nothing else."""
    return block + 2 + i if i < arena[block] else block + np.int64(arena[block + 2 + i])
