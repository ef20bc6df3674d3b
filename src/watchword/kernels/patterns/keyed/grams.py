"""Where keys stand in texts: a few bytes of each, its gram, are looked for at every position.

A key is known by a *gram* of 8, 4, 3, 2 or 1 bytes, the longest that it has room for, where in the key it is rarest
(`gram_choice`). Lengths are *levels* (`hashing`). Four of its bytes are its *window*: all of a gram of level 4, the
third to the sixth of one of level 8, "uebe" of "blueberr". A pass over the bytes of several texts takes a load, a
multiplication and one bit for each, however many keys there are, and keeps the few positions at which a window may
begin; that of level 4 serves level 8 as well. Each step from there leaves fewer of them:

    scan       positions at which four bytes are the window of some gram, by `short_filter`
    refine     at which all bytes are a gram, by `long_filter`; level 8 and level 4 part here
    locate     which slot of the table would have the gram, for all that are left, before any is looked at

Where few places of texts have the *pairs* that end windows, "be" of the one above (`pair_choice`), `scan_pairs` takes
the place of `scan`: one look at a byte of a table, for every position, and at the filter for those that are left.

    levels        int64, the lengths in use, the longest first
    pairs         uint8, for each pair of bytes whether a window of level 4 or 8 ends with it; empty if not in use
    short_filter  uint64, a bitmap of hashes of the windows of grams, or of shorter grams as they are
    long_filter   uint64, a bitmap of other hashes, of whole grams
    table         uint64, two for each slot, `EMPTY` where it has no key. The first has, from the low end, 16 bits of
                  the hash (the check), the key's head (32), or `CROWDED`, and the head's count word (16); the second
                  the offset of the gram in the key (8) and the first four of the head's fingerprints (14 each).
                  Searches go from the slot that the hash names to the next empty one

With the keys song (head at 0, its only guard has the fingerprint 2397) and pie (head at 15, fingerprint 10848), both at
offset 0, the levels are 4 and 3, and two of five slots are taken:

    slot 1    check 0xd86f, head 0, count word 1     offset 0, fingerprint 2397
    slot 3    check 0x3000, head 15, count word 1    offset 0, fingerprint 10848

If more than `CROWD` keys share a gram, one of its slots says `CROWDED` instead of them, and a text that has the gram
asks for the automaton; so does a text in which a key longer than `FAR` bytes agrees in its first `FAR`. That bounds the
time per position.

What was there before: an Aho-Corasick automaton of all words walked every text. It takes a step for each byte, too, but
a step waits for the one before it and for memory, and a hundred thousand keys are megabytes of states; a bitmap of
grams stays in the cache, and its looks do not depend on each other.

What was tried for EasyList over posts, where `scan` takes 0.9 ns a byte, `scan_pairs` 0.34 and 1.4 more for each pair
that a text has, 47 in 320 bytes. Sixteen windows looked up by one gathering load took 1.1 ns a byte. Only counted, not
built: windows at every second position, after which two places are to be refined for each; and single rare bytes, found
sixty-four at a time in 0.2 ns a byte, but some keys have none, and with one for every key a text has 84 of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt8, UInt64
from watchword.kernels.intrinsics import load_word
from watchword.kernels.jit import inline, leaf
from watchword.kernels.patterns.keyed.fingerprints import FINGERPRINT_BITS
from watchword.kernels.patterns.keyed.hashing import BEFORE, PAIR, WINDOW, gram_at, hash_of, window_in
from watchword.kernels.patterns.keyed.word_heads import COUNT_WORD, FINGERPRINTS, fingerprint_count

CROWD, FAR = 32, 64
EMPTY, CROWDED = np.uint64(0xFFFFFFFFFFFFFFFF), 0xFFFFFFFE
INLINE = 4
"""How many fingerprints a slot of the table has."""

_ODDER = np.uint64(0xD6E8FEB86659FD93)
_SIXTY_THREE, _ONE = np.uint64(63), np.uint64(1)
_BIT, _CHECK = np.uint64(41), np.uint64(32)


class KeyTable(NamedTuple):
    """How keys are found in texts."""

    levels: Int64
    pairs: UInt8
    short_filter: UInt64
    long_filter: UInt64
    table: UInt64


@inline
def _shift_of(size):
    """Return how far a hash is shifted to be an index of an array as long as a power of two."""
    shift = np.uint64(64)
    while size > 1:
        size >>= 1
        shift -= np.uint64(1)
    return shift


@inline
def _bit(bitmap, shift, hashed):
    return (bitmap[hashed >> shift] >> ((hashed >> _BIT) & _SIXTY_THREE)) & _ONE


@inline
def _other(hashed):
    return (hashed ^ (hashed >> np.uint64(32))) * _ODDER


@inline
def slot_and_check(hashed, slots):
    """Return which of so many slots a hash names, and what a slot keeps of the hash in the lower 16 bits."""
    slot = ((hashed >> _CHECK) * slots) >> np.uint64(32)
    return np.int64(slot << np.uint64(16) | (hashed >> _CHECK) & np.uint64(0xFFFF))


@inline
def head_in(slot):
    """Return the head that the first part of a slot names, or `CROWDED`."""
    return np.int64((slot >> np.uint64(16)) & np.uint64(0xFFFFFFFF))


@inline
def count_word_in(slot):
    """Return the count word in the first part of a slot."""
    return np.int64(slot >> np.uint64(48))


@inline
def offset_in(slot):
    """Return where in the key the gram begins, from the second part of a slot."""
    return np.int64(slot & np.uint64(0xFF))


@inline
def fingerprint_in(slot, k):
    """Return fingerprint `k` in the second part of a slot."""
    return np.int64((slot >> np.uint64(8 + FINGERPRINT_BITS * k)) & np.uint64((1 << FINGERPRINT_BITS) - 1))


@leaf
def add_gram(keys, word, level, offset, heads, head):
    """Enter the gram of a key, the first `level` of eight bytes, into filters and table."""
    short_filter, long_filter, table = keys.short_filter, keys.long_filter, keys.table
    hashed = hash_of(window_in(word, level), min(level, WINDOW))
    short_filter[hashed >> _shift_of(len(short_filter))] |= _ONE << ((hashed >> _BIT) & _SIXTY_THREE)
    hashed = hash_of(word, level)
    other = _other(hashed)
    long_filter[other >> _shift_of(len(long_filter))] |= _ONE << ((other >> _BIT) & _SIXTY_THREE)
    slots = len(table) >> 1
    named = slot_and_check(hashed, np.uint64(slots))
    at, check = named >> 16, np.uint64(named & 0xFFFF)
    same = 0
    while table[2 * at] != EMPTY:
        if table[2 * at] & np.uint64(0xFFFF) == check:
            same += 1
            if same == CROWD:
                table[2 * at] = check | np.uint64(CROWDED) << np.uint64(16)
                return
        at = at + 1 if at + 1 < slots else 0
    count_word = np.uint64(heads[head + COUNT_WORD])
    table[2 * at] = check | np.uint64(head) << np.uint64(16) | count_word << np.uint64(48)
    table[2 * at + 1] = np.uint64(offset)
    for k in range(min(fingerprint_count(heads, head), INLINE)):
        fingerprint = np.uint64(heads[head + FINGERPRINTS + k])
        table[2 * at + 1] |= fingerprint << np.uint64(8 + FINGERPRINT_BITS * k)


@leaf
def scan(data, begin, stop, level, short_filter, positions):
    """Write the positions from `begin` on, counted from there, at which a gram may begin; returns how many.

    The level is 4 at most. Positions are unsigned: numba looks for negative indices otherwise.
    """
    shift = _shift_of(len(short_filter))
    fill = np.uint64(0)
    fast = max(np.int64(0), min(stop - level, len(data) - 8) + 1 - begin)
    for at in range(np.uint64(fast)):
        hashed = hash_of(load_word(data, begin + np.int64(at)), level)
        positions[fill] = at
        fill += _bit(short_filter, shift, hashed)
    for at in range(fast, stop - level + 1 - begin):
        hashed = hash_of(gram_at(data, begin + at, level), level)
        positions[fill] = at
        fill += _bit(short_filter, shift, hashed)
    return np.int64(fill)


@leaf
def scan_pairs(data, begin, stop, pairs, short_filter, positions):
    """As `scan` at level 4, where `pairs` tell of most windows by two bytes that no gram has them."""
    byte, low = np.uint64(8), np.uint64(0xFFFF)
    one, last = np.uint64(1), np.uint64(8 * PAIR)
    fill = np.uint64(0)
    fast = max(np.int64(0), min(stop - WINDOW, len(data) - 8) + 1 - begin) & ~3
    for at in range(np.uint64(0), np.uint64(fast), np.uint64(4)):  # four windows of one load
        word = load_word(data, begin + np.int64(at)) >> last
        positions[fill] = at
        fill += np.uint64(pairs[word & low])
        positions[fill] = at + one
        fill += np.uint64(pairs[(word >> byte) & low])
        positions[fill] = at + np.uint64(2)
        fill += np.uint64(pairs[(word >> np.uint64(16)) & low])
        positions[fill] = at + np.uint64(3)
        fill += np.uint64(pairs[(word >> np.uint64(24)) & low])
    for at in range(fast, stop - WINDOW + 1 - begin):
        word = gram_at(data, begin + at, WINDOW) >> last
        positions[fill] = at
        fill += np.uint64(pairs[word & low])
    shift = _shift_of(len(short_filter))
    kept = np.uint64(0)
    for i in range(fill):
        position = positions[i]
        positions[kept] = position
        kept += _bit(short_filter, shift, hash_of(gram_at(data, begin + position, WINDOW), WINDOW))
    return np.int64(kept)


@leaf
def refine(data, begin, longer, long_filter, positions, count, others):
    """Keep the windows that may be grams, and write to `others` where grams of a longer level may begin.

    Returns how many there are of either.
    """
    shift = _shift_of(len(long_filter))
    fill, other = np.uint64(0), np.uint64(0)
    for i in range(np.uint64(count)):
        position = positions[i]
        first = position - BEFORE
        word = gram_at(data, begin + max(first, 0), min(longer, len(data) - begin - max(first, 0)))
        others[other] = first
        other += _bit(long_filter, shift, _other(hash_of(word, longer))) & np.uint64(first >= 0)
        word = gram_at(data, begin + position, WINDOW)
        positions[fill] = position
        fill += _bit(long_filter, shift, _other(hash_of(word, WINDOW)))
    return np.int64(fill), np.int64(other)


@leaf
def locate(data, begin, stop, level, positions, count, table, slots_and_checks):
    """Write slot and check for the positions where there is room for a gram; returns how many they are."""
    slots = np.uint64(len(table) >> 1)
    while count and begin + positions[count - 1] + level > stop:
        count -= 1
    for i in range(count):
        hashed = hash_of(gram_at(data, begin + positions[i], level), level)
        slots_and_checks[i] = slot_and_check(hashed, slots)
    return count
