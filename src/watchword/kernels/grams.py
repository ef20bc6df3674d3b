"""Where keys stand in texts: a few bytes of each, its gram, are looked for at every place.

A key is known by a *gram* of 8, 4, 3, 2 or 1 bytes, the longest that it has room for, at the place in the key where it
is rarest (`gram_choice`). Lengths are *levels*. A pass over the bytes of several texts takes a load, a multiplication
and one bit for each, however many keys there are, and keeps the few places at which a gram may begin; that of level 4
serves level 8 as well. Each step from there leaves fewer of them.

    bits     uint64, a bitmap of hashes of the first four bytes of grams, or as many as they have
    fine     uint64, a bitmap of other hashes, of whole grams
    table    int32, two for each slot: 24 bits of the hash and the place of the gram in the key; and the key's head,
             `EMPTY`, or `CROWDED`. Searches go from the slot that the hash names to the next empty one
    levels   int64, the lengths in use, the longest first

Where more than `CROWD` keys have one gram, one of its slots says `CROWDED` instead of them. Nothing is known at such a
place; nor where a key of more than `FAR` bytes agrees in so many. So a place costs a bounded time.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.heads import size_of, spelling_of
from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import load_word, prefetch, same_bytes

LONGEST = 8
CROWD, FAR = 8, 64
EMPTY, CROWDED = -1, -2
PRINT_BITS = 14

_ODD, _ODDER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SIXTY_THREE, _ONE = np.uint64(63), np.uint64(1)
_BIT = np.uint64(41)
_AHEAD = 8


@inline
def hash_of(word, level):
    """Return the hash of the first `level` bytes of eight. Its upper half tells shorter grams of a level apart."""
    return (word << np.uint64(64 - 8 * level)) * _ODD


@kernel
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
def print_of(word):
    """Return the print of eight bytes, by the first four; it is not 0."""
    return max(np.int64(1), np.int64(hash_of(word, 4) >> np.uint64(64 - PRINT_BITS)))


@inline
def _bit(bitmap, shift, hashed):
    return (bitmap[hashed >> shift] >> ((hashed >> _BIT) & _SIXTY_THREE)) & _ONE


@inline
def _other(hashed):
    return (hashed ^ (hashed >> np.uint64(32))) * _ODDER


@inline
def check_of(hashed):
    """Return what a slot keeps of a hash."""
    return np.int32(np.uint32(hashed >> np.uint64(32))) & np.int32(~0xFF)


@kernel
def add_gram(bits, fine, table, word, level, offset, head):
    """Enter the gram of a key, the first `level` of eight bytes, into bitmaps and table."""
    hashed = hash_of(word, min(level, 4))
    bits[hashed >> shift_of(len(bits))] |= _ONE << ((hashed >> _BIT) & _SIXTY_THREE)
    hashed = hash_of(word, level)
    other = _other(hashed)
    fine[other >> shift_of(len(fine))] |= _ONE << ((other >> _BIT) & _SIXTY_THREE)
    mask = (len(table) >> 1) - 1
    slot = np.int64(hashed >> shift_of(len(table) >> 1)) & mask
    check = check_of(hashed)
    same = 0
    while table[2 * slot + 1] != EMPTY:
        if table[2 * slot] & ~0xFF == check:
            same += 1
            if same == CROWD:
                table[2 * slot + 1] = CROWDED
                return
        slot = (slot + 1) & mask
    table[2 * slot] = check | offset
    table[2 * slot + 1] = head


@kernel
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


@kernel
def refine(data, begin, level, longer, fine, places, count, kept, others):
    """Keep the places at which a whole gram may begin; returns how many, and how many of a longer level in `others`.

    `kept` may be `places`.
    """
    shift = shift_of(len(fine))
    fill, other = np.uint64(0), np.uint64(0)
    for i in range(np.uint64(count)):
        place = places[i]
        word = gram_at(data, begin + place, level)
        others[other] = place
        other += _bit(fine, shift, _other(hash_of(word, longer)))
        kept[fill] = place
        fill += _bit(fine, shift, _other(hash_of(word, level)))
    return np.int64(fill), np.int64(other)


@kernel
def look_up(data, begin, stop, level, places, count, table, heads, found):
    """Look up the places where there is room for a gram; returns how many heads are written, or one more than fit.

    In the order of places, ``found[0, k]`` is the place, ``found[1, k]`` the head of a key that has this gram, or
    `CROWDED`, and ``found[2, k]`` where that key begins.
    """
    shift, mask = shift_of(len(table) >> 1), np.uint64((len(table) >> 1) - 1)
    fill, room = np.uint64(0), np.uint64(found.shape[1])
    while count and begin + places[count - 1] + level > stop:
        count -= 1
    for i in range(count):
        hashed = hash_of(gram_at(data, begin + places[min(i + _AHEAD, count - 1)], level), level)
        prefetch(table, np.int64((hashed >> shift) << _ONE))
        hashed = hash_of(gram_at(data, begin + places[i], level), level)
        slot = hashed >> shift
        check = check_of(hashed)
        head = table[slot << _ONE | _ONE]
        while head != EMPTY:
            if table[slot << _ONE] & ~0xFF == check:
                if fill == room:
                    return np.int64(fill) + 1
                prefetch(heads, np.int64(max(head, 0)))
                found[0, fill] = places[i]
                found[1, fill] = head
                found[2, fill] = places[i] - (table[slot << _ONE] & 0xFF)
                fill += _ONE
            slot = (slot + _ONE) & mask
            head = table[slot << _ONE | _ONE]
    return np.int64(fill)


@kernel
def confirm(data, begin, stop, count, heads, spelled, found):
    """Keep those found whose key is there in full, not only its gram; returns how many."""
    kept = 0
    for i in range(count):
        head, start = np.int64(found[1, i]), begin + found[2, i]
        if head >= 0:
            size = size_of(heads, head)
            if start < begin or start + size > stop:
                continue
            if not same_bytes(data, start, spelled, spelling_of(heads, head), min(size, FAR)):
                continue
            if size > FAR:
                head = np.int64(CROWDED)
        found[0, kept] = found[0, i]
        found[1, kept] = head
        found[2, kept] = found[2, i]
        kept += 1
    return kept


@kernel
def mark(data, begin, stop, marks, stamp):
    """Set ``marks[p]`` to `stamp` for every print `p` of four bytes of a text."""
    fast = max(begin, min(stop - 4, len(data) - 8) + 1)
    for at in range(begin, fast):
        marks[print_of(load_word(data, at))] = stamp
    for at in range(fast, stop - 3):
        marks[print_of(gram_at(data, at, 4))] = stamp
