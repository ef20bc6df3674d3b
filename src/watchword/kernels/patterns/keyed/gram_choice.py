"""Which bytes of a key stand for it: the choice of grams, by how often four bytes occur.

``frequency[h]`` is how often four bytes with the hash `h` of `FREQUENCY_BITS` occur: in the keys at first, and in texts
once some have been seen. A key's gram is the one that begins with the rarest four bytes, among the first `_OFFSETS`;
but no gram is given to many keys if another will do. The key "theatre", of level 4, may be known by "thea", "heat",
"eatr" or "atre": if these begin 60, 80, 5 and 5 times in the texts, its gram is "eatr", at offset 2.

Cost: a look at every gram that a key might have. Taking the first bytes would cost nothing, but then keys that begin
with "the" or "http" would be looked up wherever a text has these.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import load_word
from watchword.kernels.jit import kernel
from watchword.kernels.patterns.keyed.grams import CROWD, add_gram
from watchword.kernels.patterns.keyed.hashing import WINDOW, gram_at, hash_of, level_of, pair_in, window_in
from watchword.kernels.patterns.keyed.word_heads import SPARE, block_of, head_after, size_of, spelling_of

FREQUENCY_BITS = 16
_SHIFT = np.uint64(64 - FREQUENCY_BITS)
OFFSETS = 256
_AVOID, _UNPAIRED = 1 << 50, 1 << 40


@kernel
def count_keys(heads):
    """Return how many words are keys."""
    count = 0
    word = np.int64(0)
    while word + SPARE < len(heads):
        count += block_of(heads, word) > 0
        word = head_after(heads, word)
    return count


@kernel
def count_grams(data, begin, stop, frequency, pair_frequency):
    """Count the four bytes at every position of a text, and the two last of them."""
    for at in range(begin, stop - 3):
        word = gram_at(data, at, WINDOW)
        frequency[hash_of(word, WINDOW) >> _SHIFT] += 1
        pair_frequency[pair_in(word, WINDOW)] += 1


@kernel
def count_in_keys(heads, spelled, frequency):
    """Count the first four bytes of every gram that a key might have; returns whether there is any choice."""
    is_choice = False
    word = np.int64(0)
    while word + SPARE < len(heads):
        if block_of(heads, word):
            start, size = spelling_of(heads, word), size_of(heads, word)
            level = level_of(size)
            choices = min(size - level + 1, OFFSETS)
            is_choice |= choices > 1
            for k in range(choices):
                window = window_in(load_word(spelled, start + k), level)
                frequency[hash_of(window, min(size, WINDOW)) >> _SHIFT] += 1
        word = head_after(heads, word)
    return is_choice


@kernel
def choose_grams(heads, spelled, frequency, wanted, keys, levels):
    """Choose the gram of every key and enter it into filters and table of `keys`; counts the keys of each level.

    If `keys` has room for pairs, grams have those that are `wanted`, unless they would be crowded.
    """
    chosen = np.zeros(1 << FREQUENCY_BITS, np.int64)
    word = np.int64(0)
    while word + SPARE < len(heads):
        if block_of(heads, word):
            start, size = spelling_of(heads, word), size_of(heads, word)
            level = level_of(size)
            is_paired = len(keys.pairs) > 0 and level >= WINDOW
            least = offset = np.int64(-1)
            for k in range(min(size - level + 1, OFFSETS)):
                gram = load_word(spelled, start + k)
                taken = chosen[hash_of(gram, level) >> _SHIFT]
                cost = 4 * frequency[hash_of(window_in(gram, level), min(size, WINDOW)) >> _SHIFT] + taken
                cost += _AVOID if taken >= CROWD >> 1 else 0
                if is_paired and not wanted[pair_in(gram, level)]:
                    cost += _UNPAIRED
                if offset < 0 or cost < least:
                    least, offset = cost, np.int64(k)
            gram = load_word(spelled, start + offset)
            chosen[hash_of(gram, level) >> _SHIFT] += 1
            if is_paired:
                keys.pairs[pair_in(gram, level)] = 1
            add_gram(keys, gram, level, offset, heads, word)
            levels[level] += 1
        word = head_after(heads, word)
