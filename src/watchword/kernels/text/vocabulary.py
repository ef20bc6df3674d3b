"""A hash table from byte strings to numbers, in flat arrays. With "greece" as number 0 and "imf" as number 1:

    blob     uint8, the strings one after another                         greeceimf
    offsets  int64, where they begin, and where the last ends             [0, 6, 9, …]
    table    uint64, two words a bucket: the string's key, and its number plus one (0: empty bucket)
             Linear probing; the number of buckets is a power of two; at most half of them are taken.

A string of up to seven bytes *is* its key (the bytes, and the length in the top byte), so that one bucket
decides, with one cache miss and nothing to compare. A longer string's key is a 56-bit hash under a top byte
that no short string has, and a hit is confirmed byte by byte: never a false positive.

Input strings come as Arrow has them: ``data[offsets[i]:offsets[i + 1]]``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt8, UInt64
from watchword.kernels.growing import copy_into
from watchword.kernels.handles import arrays_at
from watchword.kernels.intrinsics import load_word, prefetch, same_bytes
from watchword.kernels.jit import inline, kernel

_LONG = np.uint64(0xFF << 56)
_LOW56 = np.uint64((1 << 56) - 1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0xC2B2AE3D27D4EB4F)
_GROUP = 16

SHORT = 16
"""The bytes of the longest string whose key `key_of_words` makes."""

TOGETHER = 64
"""The number of strings looked up at a time."""


class StringTable(NamedTuple):
    """The arrays of a vocabulary."""

    table: UInt64
    blob: UInt8
    offsets: Int64


STRING_KINDS = (np.uint64, np.uint8, np.int64)


@kernel
def strings_at(handles, first):
    """Return the table behind the handles from number `first` on."""
    return StringTable(*arrays_at(handles, first, STRING_KINDS))


@kernel
def mix(key):
    """Spread a 64-bit key over all bits."""
    key = (key ^ (key >> np.uint64(32))) * _GOLDEN
    return key ^ (key >> np.uint64(29))


@inline
def _piece(data, start, size):
    """Return ``data[start:start + size]``, at most eight bytes, as a number."""
    if start + 8 <= len(data):
        word = load_word(data, start)
        return word if size == 8 else word & ((np.uint64(1) << np.uint64(8 * size)) - np.uint64(1))
    word = np.uint64(0)
    for k in range(size):
        word |= np.uint64(data[start + k]) << np.uint64(8 * k)
    return word


@kernel
def string_key(data, start, end):
    """Return the key of ``data[start:end]``."""
    size = end - start
    if size < 8:
        return _piece(data, start, size) | (np.uint64(size) << np.uint64(56))
    value = np.uint64(size)
    while start < end - 8:  # not a range with a step: its length would cost a division
        value = _stirred(value ^ load_word(data, start))
        start += 8
    return (_stirred(value ^ load_word(data, end - 8)) & _LOW56) | _LONG


@inline
def _stirred(value):
    """Return a word mixed so that every bit affects the high bits, and these the low bits."""
    value *= _PRIME
    return value ^ (value >> np.uint64(32))


@inline
def key_of_words(first, last, size):
    """As `string_key`, for 1 to `SHORT` bytes: `first` are the first eight bytes, or all if fewer, `last` the last
    eight.

    Both kinds of key are made and one is taken, so that no branch depends on the length of a word.
    """
    space = np.uint64(64 - 8 * size) & np.uint64(63)
    own = ((first << space) >> space) | (np.uint64(size) << np.uint64(56))
    value = np.uint64(size)
    both = _stirred(value ^ first)
    value = _stirred((both if size > 8 else value) ^ last)
    return own if size < 8 else (value & _LOW56) | _LONG


@inline
def is_own_key(key):
    """Return whether a key is the string itself."""
    return key < _LONG


@kernel
def home_bucket(key, table):
    """Return the home bucket of `key`, as an index into `table`."""
    return np.int64(mix(key) & np.uint64((len(table) >> 1) - 1)) << 1


@inline
def _same(data, start, end, known, number):
    """Return whether a string of at least eight bytes is the one with this number."""
    first = known.offsets[number]
    size = end - start
    if known.offsets[number + 1] - first != size:
        return False
    if size > SHORT:
        return same_bytes(data, start, known.blob, first, size)
    differ = load_word(data, start) ^ load_word(known.blob, first)
    differ |= load_word(data, end - 8) ^ load_word(known.blob, first + size - 8)
    return differ == 0


@inline
def find_at(key, at, data, start, end, known):
    """Return the number of ``data[start:end]``, whose key and home bucket are given, or -1."""
    table = known.table
    while table[at + 1] != 0:
        if table[at] == key:
            number = np.int64(table[at + 1]) - 1
            if is_own_key(key) or _same(data, start, end, known, number):
                return number
        at += 2
        if at == len(table):
            at = 0
    return np.int64(-1)


class Asked(NamedTuple):
    """Buffers for strings that are looked up together: their keys and home buckets, and two lists of them."""

    keys: UInt64
    buckets: Int64
    found: Int64
    unsure: Int64


@kernel
def nothing_asked():
    """Return empty buffers for `TOGETHER` strings."""
    return Asked(
        np.empty(TOGETHER, np.uint64),
        np.empty(TOGETHER, np.int64),
        np.empty(TOGETHER + 1, np.int64),
        np.empty(TOGETHER + 1, np.int64),
    )


@kernel
def look_up(asked, count, data, borders, step, known, numbers):
    """Write the numbers of strings whose keys and buckets are in `asked`; -1 for unknown strings.

    String `k` lies in `data` from ``borders[step * k]`` to the border after that. The first pass looks
    into the home bucket of each string, without branches. The undecided strings are listed and done one by one:
    strings found by a hash, whose bytes are compared once they are in the cache, and strings whose home bucket
    belongs to another string. Of the terms of posts against 22,343 words, 8 % are compared and 14 % looked for further.

    Tried: one list for both (a tenth slower), two buckets in the first look (a sixth).
    """
    keys, buckets, found, unsure = asked
    table, offsets, blob = known.table, known.offsets, known.blob
    mask = len(table) - 1
    founds = unsures = 0
    for k in range(count):
        key, at = keys[k], buckets[k]
        there, number = table[at], table[at + 1]
        hit = np.uint64(there == key)
        numbers[k] = np.int64(number & (np.uint64(0) - hit)) - 1
        found[founds], unsure[unsures] = k, k
        founds += np.int64(hit) & np.int64(not is_own_key(key))
        unsures += np.int64(hit | np.uint64(number == 0)) ^ 1  # by the number: the empty string has the key 0, too
    for i in range(unsures):
        k = unsure[i]
        key, at = keys[k], (buckets[k] + 2) & mask
        while table[at] != key and table[at + 1] != 0:
            at = (at + 2) & mask
        numbers[k] = np.int64(table[at + 1]) - 1
        found[founds] = k
        founds += np.int64(table[at + 1] != 0) & np.int64(not is_own_key(key))
    for i in range(founds):
        prefetch(offsets, np.int64(numbers[found[i]]))
    for i in range(founds):
        prefetch(blob, offsets[numbers[found[i]]])
    for i in range(founds):
        k = found[i]
        start, end = borders[step * k], borders[step * k + 1]
        if not _same(data, start, end, known, numbers[k]):  # two strings with one hash
            numbers[k] = find_at(keys[k], buckets[k], data, start, end, known)


@kernel
def find_many(data, offsets, known, numbers):
    """Set `numbers[i]` to the number of string `i`, -1 where it is unknown.

    Works in small groups: computes all keys and prefetches their buckets, then looks them up.
    """
    asked = nothing_asked()
    for first in range(0, len(offsets) - 1, TOGETHER):
        count = min(len(offsets) - 1 - first, TOGETHER)
        for k in range(count):
            key = string_key(data, offsets[first + k], offsets[first + k + 1])
            asked.keys[k], asked.buckets[k] = key, home_bucket(key, known.table)
            prefetch(known.table, asked.buckets[k])
        look_up(asked, count, data, offsets[first:], 1, known, numbers[first:])


@kernel
def intern_many(data, offsets, first, size, known, numbers):
    """As `find_many` from string `first` on; unknown strings get the next numbers.

    `size` strings are known before. Stops where the table would become more than half full or the blob or
    its offsets would overflow; returns the first string not done and the new size.
    """
    table, blob = known.table, known.blob
    fill = known.offsets[size]
    count = len(offsets) - 1
    keys = np.empty(_GROUP, np.uint64)
    buckets = np.empty(_GROUP, np.int64)
    for begin in range(first, count, _GROUP):
        last = min(begin + _GROUP, count)
        for i in range(begin, last):
            keys[i - begin] = string_key(data, offsets[i], offsets[i + 1])
            buckets[i - begin] = home_bucket(keys[i - begin], table)
            prefetch(table, buckets[i - begin])
        for i in range(begin, last):
            start, end = offsets[i], offsets[i + 1]
            key, at = keys[i - begin], buckets[i - begin]
            number = np.int64(-1)
            while table[at + 1] != 0:
                if table[at] == key:
                    number = np.int64(table[at + 1]) - 1
                    if is_own_key(key) or _same(data, start, end, known, number):
                        break
                    number = np.int64(-1)
                at += 2
                if at == len(table):
                    at = 0
            if number < 0:
                if 4 * (size + 1) > len(table) or size + 1 == len(known.offsets) or fill + end - start > len(blob):
                    return i, size
                copy_into(blob, fill, data, start, end)
                fill += end - start
                table[at] = key
                size += 1
                known.offsets[size] = fill
                table[at + 1] = np.uint64(size)
                number = size - 1
            numbers[i] = number
    return count, size


@kernel
def fill_table(known, size):
    """Put the first `size` strings into an empty table."""
    table = known.table
    for number in range(size):
        key = string_key(known.blob, known.offsets[number], known.offsets[number + 1])
        at = home_bucket(key, table)
        while table[at + 1] != 0:
            at += 2
            if at == len(table):
                at = 0
        table[at] = key
        table[at + 1] = np.uint64(number + 1)
