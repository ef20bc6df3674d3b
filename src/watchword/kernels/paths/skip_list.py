"""An ordered set of keys, three numbers each, in one flat array: a skip list.

With the keys (1, 7, 0), (2, 5, 0) and (2, 6, 0), of which the second has two levels, the words are::

    address   0 head                    16            21                  27
    words     . . . 12 | 16 21 -1 …  |  1 7 0 1 | 21  2 5 0 2 | 27 -1     2 6 0 1 | -1
                         next, by level

To find (2, 6, 0), the upper level leads from the head to 21, the lower one from there to 27.

Layout: a record is its key, the number of its levels, and for each level the address of the next record that has it, or
-1. The head, at address 0, has `LEVELS` levels and no key. Records are those of an `arena`, so what is dropped is used
again; ``state`` has the arena's figures and those named below.

Invariant: on each level the records that have it follow each other by ascending keys. How many levels a key has is
chosen by its hash, each level a quarter as often as the one before, so that a key that comes back finds a record of its
length free.

Cost: finding a key takes steps in the logarithm of their number, as in a balanced tree; putting or dropping one, in the
logarithm of its distance from the last one put or dropped; the next key is one step away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.arena import WORDS_LIVE, give_back, take
from watchword.kernels.jit import kernel, leaf

LEVELS = 12
RECORD_WORDS = 4 + LEVELS
"""The words of the longest record, and of the head."""

NEXT = 4
_LEVELS = 3
KEYS, HEIGHT = WORDS_LIVE + 1, WORDS_LIVE + 2
"""How many keys there are, and how many levels are in use."""


class OrderedKeys(NamedTuple):
    """A skip list; `before` has on each level in use the last record below the key that was put or dropped last."""

    words: Int32
    bins: Int32
    state: Int64
    before: Int64


def new_keys(room: int) -> OrderedKeys:
    """Return an empty list with room for so many keys."""
    words = np.empty(RECORD_WORDS * (room + 1), np.int32)
    words[:NEXT], words[NEXT:RECORD_WORDS] = LEVELS, -1
    state = np.array([RECORD_WORDS, RECORD_WORDS, 0, 1], np.int64)
    return OrderedKeys(words, np.full(RECORD_WORDS + 1, -1, np.int32), state, np.zeros(LEVELS, np.int64))


def copied(keys: OrderedKeys) -> OrderedKeys:
    """Return a copy that shares no memory."""
    return OrderedKeys(keys.words.copy(), keys.bins.copy(), keys.state.copy(), keys.before.copy())


@leaf
def first_from(keys, one, two, three):
    """Return the address of the first record whose key is not below this one, or -1."""
    words = keys.words
    address = np.int64(0)
    for level in range(keys.state[HEIGHT] - 1, -1, -1):
        after = np.int64(words[address + NEXT + level])
        while after >= 0 and _below(words, after, one, two, three):
            address = after
            after = np.int64(words[address + NEXT + level])
    return np.int64(words[address + NEXT])


@leaf
def put(keys, one, two, three):
    """Put a key; False if it was there. The caller has seen to the room: `RECORD_WORDS` behind the arena's end."""
    words, state, before = keys.words, keys.state, keys.before
    found = _seek(words, state, before, one, two, three)
    if found >= 0 and _equal(words, found, one, two, three):
        return False
    levels = _levels(one, two, three)
    while state[HEIGHT] < levels:
        before[state[HEIGHT]] = 0
        state[HEIGHT] += 1
    address = np.int64(take(words, keys.bins, state, np.int64(NEXT + levels)))
    words[address], words[address + 1], words[address + 2], words[address + _LEVELS] = one, two, three, levels
    for level in range(levels):
        words[address + NEXT + level] = words[before[level] + NEXT + level]
        words[before[level] + NEXT + level] = address
    state[KEYS] += 1
    return True


@leaf
def drop(keys, one, two, three):
    """Drop a key; False if it was not there."""
    words, state, before = keys.words, keys.state, keys.before
    address = _seek(words, state, before, one, two, three)
    if address < 0 or not _equal(words, address, one, two, three):
        return False
    levels = np.int64(words[address + _LEVELS])
    for level in range(levels):
        words[before[level] + NEXT + level] = words[address + NEXT + level]
    give_back(words, keys.bins, state, address, np.int64(NEXT + levels))
    state[KEYS] -= 1
    return True


@kernel
def put_all(keys, ones, twos, threes):
    """Put many keys, for which there is room."""
    for k in range(len(ones)):
        put(keys, ones[k], twos[k], threes[k])


@leaf
def _seek(words, state, before, one, two, three):
    """As `first_from`; writes the last record below the key on each level in use.

    It begins where the last search ended, and climbs only as far as it must: keys that come in order, whichever way,
    are near each other. What stands in `before` are records that are there, since only what is behind them was dropped.
    """
    level = np.int64(0)
    while level < state[HEIGHT]:
        address = before[level]
        after = np.int64(words[address + NEXT + level])
        if (address == 0 or _below(words, address, one, two, three)) and not (
            after >= 0 and _below(words, after, one, two, three)
        ):
            break
        level += 1
    address = before[level] if level < state[HEIGHT] else np.int64(0)
    for lower in range(level - 1, -1, -1):
        after = np.int64(words[address + NEXT + lower])
        while after >= 0 and _below(words, after, one, two, three):
            address = after
            after = np.int64(words[address + NEXT + lower])
        before[lower] = address
    return np.int64(words[before[0] + NEXT])


@leaf
def _below(words, address, one, two, three):
    if words[address] != one:
        return words[address] < one
    if words[address + 1] != two:
        return words[address + 1] < two
    return words[address + 2] < three


@leaf
def _equal(words, address, one, two, three):
    return words[address] == one and words[address + 1] == two and words[address + 2] == three


# Unsigned: for numba, a signed product never overflows, and what does is undefined.
_ONES, _TWOS = np.uint64(0x4F1BBCDCBFA53E0B), np.uint64(0x1E3779B97F4A7C15)
_THREES, _LAST = np.uint64(0x27D4EB2F165667C5), np.uint64(0x1B873593CC9E2D51)


@leaf
def _levels(one, two, three):
    """Return how many levels a key has."""
    mixed = np.uint64(one) * _ONES ^ np.uint64(two) * _TWOS ^ np.uint64(three) * _THREES
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _LAST
    bits = np.int64((mixed ^ (mixed >> np.uint64(32))) >> np.uint64(1))
    levels = np.int64(1)
    while levels < LEVELS and bits & 3 == 0:
        levels += 1
        bits >>= 2
    return levels
