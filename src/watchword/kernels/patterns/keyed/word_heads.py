"""Word heads: a short record in front of each word's bytes, so that one cache line decides whether the word matters.

Every word has a head and is known by where it begins. All heads lie behind each other in one array of uint16:

    block         2   where the word's block begins in the arena, the low half first; 0 if it is no pattern's key
    size          2   its length in bytes, the low half first
    count word    1   E, the number of its patterns that are more than the word, with `SINGLES` added if others are not,
                      or `MANY` where E is no less
    fingerprints  E   of the guards of those patterns, none if they are many
    spelling          the bytes of the word, and one more if their number is odd

With the patterns ``song?blue`` (key song, guard blue) and ``pie*tea`` (key pie, guard tea) the heads are

    at 0    song     2 0   4 0   1   2397    "so" "ng"      the block at 2; one pattern; the fingerprint of blue
    at 8    blue     0 0   4 0   0           "bl" "ue"      no key
    at 15   pie     14 0   3 0   1   10848   "pi" "e"       the fingerprint of tea
    at 23   tea      0 0   3 0   0           "te" "a"

Bytes are read through a second view of the same array, `spelled`. Behind the last head lie eight bytes more, so that
eight can be read at once from anywhere in a word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.growing import copy_into
from watchword.kernels.intrinsics import load_word, same_bytes
from watchword.kernels.jit import inline, kernel, leaf

COUNT_WORD, FINGERPRINTS = 4, 5
SINGLES, MANY = 0x8000, 0x7FFF
SPARE = 4


@inline
def block_of(heads, word):
    """Return where the block of a word begins."""
    return np.int64(heads[word]) | np.int64(heads[word + 1]) << 16


@inline
def size_of(heads, word):
    """Return the length of a word in bytes."""
    return np.int64(heads[word + 2]) | np.int64(heads[word + 3]) << 16


@inline
def fingerprint_count(heads, word):
    """Return how many fingerprints a head has."""
    count = np.int64(heads[word + COUNT_WORD]) & MANY
    return count if count < MANY else np.int64(0)


@inline
def spelling_of(heads, word):
    """Return where the bytes of a word begin in the other view."""
    return 2 * (word + FINGERPRINTS + fingerprint_count(heads, word))


@inline
def stands_at(data, at, spelled, spelling, size):
    """Say whether a word of so many bytes, all inside of `data`, stands there. Eight are compared at once: most words
    end or differ within them, and a call of memcmp takes longer."""
    if at + 8 > len(data):
        return same_bytes(data, at, spelled, spelling, size)
    differing = load_word(data, at) ^ load_word(spelled, spelling)
    if size <= 8:
        return differing << np.uint64(64 - 8 * size) == 0
    return differing == 0 and same_bytes(data, at + 8, spelled, spelling + 8, size - 8)


@leaf
def head_after(heads, word):
    """Return where the next head begins."""
    return word + FINGERPRINTS + fingerprint_count(heads, word) + ((size_of(heads, word) + 1) >> 1)


@kernel
def spell_words(heads, spelled, firsts, data, offsets):
    """List the words in the order of their heads: where each head begins, and the bytes of all, cut by `offsets`.

    Returns how many words there are, and how many bytes. If `firsts` is empty it only counts.
    """
    count = fill = np.int64(0)
    word = np.int64(0)
    while word + SPARE < len(heads):
        size = size_of(heads, word)
        if len(firsts):
            start = spelling_of(heads, word)
            copy_into(data, fill, spelled, start, start + size)
            firsts[count] = word
            offsets[count + 1] = fill + size
        fill += size
        count += 1
        word = head_after(heads, word)
    return count, fill
