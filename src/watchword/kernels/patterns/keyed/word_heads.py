"""What is known of a word at a glance: the heads of `keyed_patterns`.

Every word has a head and is known by where it begins. All heads lie behind each other in one array of uint16:

    block     2   where the word's block begins in the arena, the low half first; 0 if it is no pattern's key
    size      2   its length in bytes
    tail      1   E, the number of its patterns that are more than the word, with `SINGLES` added if others are not, or
                  `MANY` where E is no less
    prints    E   of those patterns, none if they are many
    spelling      the bytes of the word, and one more if their number is odd

Bytes are read through a second view of the same array, `spelled`. Behind the last head lie eight bytes more, so that
eight can be read at once from anywhere in a word.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel, leaf

TAIL, PRINTS = 4, 5
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
def prints_of(heads, word):
    """Return how many prints a head has."""
    count = np.int64(heads[word + TAIL]) & MANY
    return count if count < MANY else np.int64(0)


@inline
def spelling_of(heads, word):
    """Return where the bytes of a word begin in the other view."""
    return 2 * (word + PRINTS + prints_of(heads, word))


@leaf
def head_after(heads, word):
    """Return where the next head begins."""
    return word + PRINTS + prints_of(heads, word) + ((size_of(heads, word) + 1) >> 1)


@kernel
def spell_words(heads, spelled, firsts, blob, ends):
    """List the words in the order of their heads; returns how many, and the bytes of all. Empty outputs only count."""
    count = fill = np.int64(0)
    word = np.int64(0)
    while word + SPARE < len(heads):
        size = size_of(heads, word)
        if len(firsts):
            start = spelling_of(heads, word)
            blob[fill : fill + size] = spelled[start : start + size]
            firsts[count] = word
            ends[count] = fill + size
        fill += size
        count += 1
        word = head_after(heads, word)
    return count, fill
