"""Which patterns may a text hold, given the keys that it has?

With ``song?blue`` under song and guarded by blue, the text "a song of bluebells" has the key and the guard's
fingerprint: the body of the pattern waits to be looked for. In "a song of joy" no four bytes have the fingerprint of
blue, and the body is never read. A pattern that is nothing but its key has matched already.

Layout: `word_heads` and `key_store`; marks: `fingerprints`. Cost: a step for each fingerprint in the heads of the keys.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import inline, leaf
from watchword.kernels.patterns.keyed.fingerprints import FEW, FINGERPRINT_BITS, STAMP, mark
from watchword.kernels.patterns.keyed.word_heads import (
    COUNT_WORD,
    FINGERPRINTS,
    MANY,
    SINGLES,
    block_of,
    fingerprint_count,
)

ROOM = 4
"""How much longer `waiting` is than the patterns that may wait."""


@leaf
def candidates(data, begin, stop, blocks, marks, keys, count, payloads, fill, waiting):
    """Append the payloads of single words, and let wait the bodies of the patterns that a text may hold.

    The text is ``data[begin:stop]``, and holds the first `count` of `keys`. Returns (fill, waiting, candidates): fill
    is -1 if `payloads` is full; waiting is -1 if `waiting` must have at least candidates + `ROOM` entries. Where all
    patterns are single words, the keys are counted as candidates.
    """
    heads, arena = blocks.heads, blocks.arena
    total = np.int64(0)
    for k in range(count):
        count_word = np.int64(heads[keys[k] + COUNT_WORD])
        if count_word == 0:
            continue
        block = block_of(heads, np.int64(keys[k]))
        total += count_word & MANY if count_word & MANY < MANY else np.int64(arena[block + 1])
        singles = np.int64(arena[block]) if count_word & SINGLES else np.int64(0)
        if fill + singles > len(payloads):
            return np.int64(-1), np.int64(0), total
        for i in range(singles):
            payloads[fill + i] = arena[block + 2 + i]
        fill += singles
    if total == 0:
        return np.int64(fill), total, np.int64(count)
    if total + ROOM > len(waiting):
        return np.int64(fill), np.int64(-1), total
    pending = np.int64(0)
    if total > FEW:
        mark(data, begin, stop, blocks.guard_levels, marks)
        pending = _marked(keys, count, heads, arena, marks, waiting)
    for k in range(count):
        others = np.int64(heads[keys[k] + COUNT_WORD]) & MANY
        if others == MANY or (others and total <= FEW):
            block = block_of(heads, np.int64(keys[k]))
            for i in range(arena[block + 1]):
                waiting[pending] = block + arena[block + 2 + arena[block] + i]
                pending += 1
    return np.int64(fill), pending, total


@inline
def _marked(keys, count, heads, arena, marks, waiting):
    """Let wait the bodies whose guard's fingerprint is marked, of keys that have some; returns how many they are."""
    stamp = marks[STAMP]
    pending = np.int64(0)
    for k in range(count):
        key = np.int64(keys[k])
        others = fingerprint_count(heads, key)
        for i in range(ROOM):  # what lies behind the last fingerprint is looked at, too: no branch to guess wrong
            guard = heads[key + FINGERPRINTS + i] & ((1 << FINGERPRINT_BITS) - 1)
            waiting[pending] = key << 16 | i
            pending += (i < others) & (marks[guard] == stamp)
        for i in range(ROOM, others):
            guard = heads[key + FINGERPRINTS + i]
            waiting[pending] = key << 16 | i
            pending += marks[guard] == stamp
    for i in range(pending):  # from the place among the fingerprints to the body
        block = block_of(heads, waiting[i] >> 16)
        waiting[i] = waiting[i] & 0xFFFF | block << 16
        prefetch(arena, block)
    for i in range(pending):
        block = waiting[i] >> 16
        waiting[i] = block + arena[block + 2 + arena[block] + (waiting[i] & 0xFFFF)]
        prefetch(arena, waiting[i])
    return pending
