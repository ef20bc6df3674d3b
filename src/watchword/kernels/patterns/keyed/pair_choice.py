"""Which pairs of bytes grams should have: few, rare in texts, and one in a gram of every key.

A pass over a text is shorter where two bytes tell that no gram is there (`grams.scan_pairs`). So pairs are chosen one
after the other, each the one that most keys without a pair have for each time that texts have it, until every key has
one. Among the addresses ``ads.example.com``, ``track.example.net`` and ``banner.test.org`` the pair "e." may stand for
two and "t." for the third; texts of plain words hardly have either.

Cost: a step for each place of each key at which a gram may be, and one for each pair chosen and each pair that keys
have. Choosing for every key by itself is quicker, and took two to three times as many pairs of texts along.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import load_word
from watchword.kernels.jit import inline, kernel
from watchword.kernels.patterns.keyed.gram_choice import OFFSETS, count_keys
from watchword.kernels.patterns.keyed.hashing import WINDOW, level_of, pair_in
from watchword.kernels.patterns.keyed.word_heads import SPARE, block_of, head_after, size_of, spelling_of

PAIRS = 1 << 16

MOST = 4096
"""Pairs that are chosen at most: with more of them the choice would take seconds, and few places be passed over."""


@inline
def _places(heads, word):
    """Return how many places a gram with a pair may have in a word; 0 for one that is no key, or too short."""
    size = size_of(heads, word)
    return min(size - level_of(size) + 1, OFFSETS) if block_of(heads, word) and size >= WINDOW else np.int64(0)


@inline
def _pair(heads, spelled, word, k):
    """Return the pair that the gram at place `k` of a word has."""
    return pair_in(load_word(spelled, spelling_of(heads, word) + k), level_of(size_of(heads, word)))


@kernel
def choose_pairs(heads, spelled, frequency, limit, wanted):
    """Mark the pairs that grams should have; returns whether they are no more than `MOST`, and texts have them no more
    than `limit` times.

    ``frequency[pair]`` is how often texts have it.
    """
    firsts = np.empty(count_keys(heads), np.int64)
    keys = np.int64(0)
    ends = np.zeros(PAIRS + 1, np.int64)
    word = np.int64(0)
    while word + SPARE < len(heads):
        places = _places(heads, word)
        if places:
            firsts[keys] = word
            keys += 1
        for k in range(places):
            ends[_pair(heads, spelled, word, k) + 1] += 1
        word = head_after(heads, word)
    gains = ends[1:].copy()  # how many places of keys without a pair have it
    ends = np.cumsum(ends)[:-1]
    having = np.empty(gains.sum(), np.int32)  # the keys that have pair p are having[ends[p - 1]:ends[p]]
    for key in range(keys):
        for k in range(_places(heads, firsts[key])):
            pair = _pair(heads, spelled, firsts[key], k)
            having[ends[pair]] = key
            ends[pair] += 1
    possible = np.flatnonzero(gains)
    is_done = np.zeros(keys, np.bool_)
    left, total = keys, np.int64(0)
    for _ in range(MOST):
        if left == 0:
            return True
        best = possible[0]
        for pair in possible:
            if gains[pair] * (frequency[best] + 1) > gains[best] * (frequency[pair] + 1):
                best = pair
        wanted[best] = 1
        total += frequency[best]
        if total > limit:
            return False
        for at in range(ends[best - 1] if best else 0, ends[best]):
            key = having[at]
            if not is_done[key]:
                is_done[key] = True
                left -= 1
                for k in range(_places(heads, firsts[key])):
                    gains[_pair(heads, spelled, firsts[key], k)] -= 1
    return left == 0
