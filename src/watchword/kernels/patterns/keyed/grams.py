"""Where keys stand in texts: a few bytes of each, its gram, are looked for at every place.

A key is known by a *gram* of 8, 4, 3, 2 or 1 bytes, the longest that it has room for, at the place in the key where it
is rarest (`gram_choice`). Lengths are *levels*. A pass over the bytes of several texts takes a load, a multiplication
and one bit for each, however many keys there are, and keeps the few places at which a gram may begin; that of level 4
serves level 8 as well. Each step from there leaves fewer of them.

    bits     uint64, a bitmap of hashes of the first four bytes of grams, or as many as they have
    fine     uint64, a bitmap of other hashes, of whole grams
    table    uint64, two for each slot, `EMPTY` where it has no key. The first has, from the low end, 16 bits of the
             hash, the key's head (32), or `CROWDED`, and the head's tail (16); the second the place of the gram in the
             key (8) and the first four of the head's prints (14 each). Searches go from the slot that the hash names
             to the next empty one
    levels   int64, the lengths in use, the longest first

Where more than `CROWD` keys have one gram, one of its slots says `CROWDED` instead of them. Nothing is known at such a
place; nor where a key of more than `FAR` bytes agrees in so many. So a place costs a bounded time.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, leaf
from watchword.kernels.memory import load_word
from watchword.kernels.patterns.keyed.word_heads import PRINTS, TAIL, prints_of

LONGEST = 8
CROWD, FAR = 32, 64
EMPTY, CROWDED = np.uint64(0xFFFFFFFFFFFFFFFF), 0xFFFFFFFE
INLINE = 4
PRINT_BITS = 14

_ODD, _ODDER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SIXTY_THREE, _ONE = np.uint64(63), np.uint64(1)
_BIT, _CHECK = np.uint64(41), np.uint64(32)


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
def shift_of(size):
    """Return how far a hash is shifted to be an index of an array as long as a power of two."""
    shift = np.uint64(64)
    while size > 1:
        size >>= 1
        shift -= np.uint64(1)
    return shift


@inline
def level_of(size):
    """Return how many bytes stand for a word of so many."""
    return np.int64(8) if size >= 8 else min(size, np.int64(4))


@inline
def print_of(word, level):
    """Return the print of the first `level` of eight bytes."""
    return np.int64(hash_of(word, level) >> np.uint64(64 - PRINT_BITS))


@inline
def _bit(bitmap, shift, hashed):
    return (bitmap[hashed >> shift] >> ((hashed >> _BIT) & _SIXTY_THREE)) & _ONE


@inline
def _other(hashed):
    return (hashed ^ (hashed >> np.uint64(32))) * _ODDER


@inline
def spot_of(hashed, slots):
    """Return which of so many slots a hash names, and what a slot keeps of the hash in the lower 16 bits."""
    slot = ((hashed >> _CHECK) * slots) >> np.uint64(32)
    return np.int64(slot << np.uint64(16) | (hashed >> _CHECK) & np.uint64(0xFFFF))


@inline
def head_in(slot):
    """Return the head that the first part of a slot names, or `CROWDED`."""
    return np.int64((slot >> np.uint64(16)) & np.uint64(0xFFFFFFFF))


@inline
def tail_in(slot):
    """Return the tail in the first part of a slot."""
    return np.int64(slot >> np.uint64(48))


@inline
def offset_in(slot):
    """Return where in the key the gram begins, from the second part of a slot."""
    return np.int64(slot & np.uint64(0xFF))


@inline
def print_in(slot, k):
    """Return print `k` in the second part of a slot."""
    return np.int64((slot >> np.uint64(8 + PRINT_BITS * k)) & np.uint64((1 << PRINT_BITS) - 1))


@leaf
def add_gram(bits, fine, table, word, level, offset, heads, head):
    """Enter the gram of a key, the first `level` of eight bytes, into bitmaps and table."""
    hashed = hash_of(word, min(level, 4))
    bits[hashed >> shift_of(len(bits))] |= _ONE << ((hashed >> _BIT) & _SIXTY_THREE)
    hashed = hash_of(word, level)
    other = _other(hashed)
    fine[other >> shift_of(len(fine))] |= _ONE << ((other >> _BIT) & _SIXTY_THREE)
    slots = len(table) >> 1
    spot = spot_of(hashed, np.uint64(slots))
    at, check = spot >> 16, np.uint64(spot & 0xFFFF)
    same = 0
    while table[2 * at] != EMPTY:
        if table[2 * at] & np.uint64(0xFFFF) == check:
            same += 1
            if same == CROWD:
                table[2 * at] = check | np.uint64(CROWDED) << np.uint64(16)
                return
        at = at + 1 if at + 1 < slots else 0
    table[2 * at] = check | np.uint64(head) << np.uint64(16) | np.uint64(heads[head + TAIL]) << np.uint64(48)
    table[2 * at + 1] = np.uint64(offset)
    for k in range(min(prints_of(heads, head), INLINE)):
        table[2 * at + 1] |= np.uint64(heads[head + PRINTS + k]) << np.uint64(8 + PRINT_BITS * k)


@leaf
def scan(data, begin, stop, level, bits, places):
    """Write the places from `begin` on, counted from there, at which a gram may begin; returns how many.

    The level is 4 at most. Places are unsigned: numba looks for negative indices otherwise.
    """
    shift = shift_of(len(bits))
    fill = np.uint64(0)
    fast = max(np.int64(0), min(stop - level, len(data) - 8) + 1 - begin)
    for at in range(np.uint64(fast)):
        hashed = hash_of(load_word(data, begin + np.int64(at)), level)
        places[fill] = at
        fill += _bit(bits, shift, hashed)
    for at in range(fast, stop - level + 1 - begin):
        hashed = hash_of(gram_at(data, begin + at, level), level)
        places[fill] = at
        fill += _bit(bits, shift, hashed)
    return np.int64(fill)


@leaf
def refine(data, begin, level, longer, fine, places, count, others):
    """Keep the places at which a whole gram may begin, and write those of a longer level to `others`.

    Returns how many there are of either.
    """
    shift = shift_of(len(fine))
    fill, other = np.uint64(0), np.uint64(0)
    for i in range(np.uint64(count)):
        place = places[i]
        word = gram_at(data, begin + place, level)
        others[other] = place
        other += _bit(fine, shift, _other(hash_of(word, longer)))
        places[fill] = place
        fill += _bit(fine, shift, _other(hash_of(word, level)))
    return np.int64(fill), np.int64(other)


@leaf
def locate(data, begin, stop, level, places, count, table, spots):
    """Write the spots of the places where there is room for a gram; returns how many they are."""
    slots = np.uint64(len(table) >> 1)
    while count and begin + places[count - 1] + level > stop:
        count -= 1
    for i in range(count):
        spots[i] = spot_of(hash_of(gram_at(data, begin + places[i], level), level), slots)
    return count


@leaf
def mark(data, begin, stop, levels, marks, stamp):
    """Set ``marks[p]`` to `stamp` for every print `p` of a text, at the levels given."""
    for level in levels:
        fast = max(begin, min(stop - level, len(data) - 8) + 1)
        for at in range(begin, fast):
            marks[print_of(load_word(data, at), level)] = stamp
        for at in range(fast, stop - level + 1):
            marks[print_of(gram_at(data, at, level), level)] = stamp
