"""From texts to term numbers in one pass over the bytes: cut, fold, look up.

An ASCII term is looked up where it stands. All terms of a row (or `_WAITING` of them) get their keys first, with their
buckets on the way into the cache, then their numbers; those that are their own keys apart from those whose bytes have
to be compared, so that what is done next never depends on how long a word is. "Crisis: bailouts in Greece" makes, with
the numbers of `vocabulary`::

    own keys   "crisis" at 0, "in" at 2, "greece" at 3      numbers -1, -1, 0
    hashed     "bailouts" at 1, which has eight letters     number -1

A run with other characters is folded and looked up at once.

Tried: eight bytes at a time instead of 64 (a third slower); one list for both kinds of key, the bytes compared in a
second pass (twice as slow).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt64
from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import load_word, prefetch, same_bytes
from watchword.kernels.text.characters import unicode_at
from watchword.kernels.text.scan import BEFORE, BEHIND, GROWTH, find_runs, fold_run, is_ascii, longest_row
from watchword.kernels.text.vocabulary import (
    SHORT,
    find_at,
    home_bucket,
    is_own_key,
    key_of_words,
    string_key,
    strings_at,
)

_WAITING = 256


class _Waiting(NamedTuple):
    """Terms that wait to be looked up: their keys, home buckets, positions in the output and, for hashed keys, where
    they begin and end in the row."""

    keys: UInt64
    buckets: Int64
    positions: Int64
    begins: Int64
    stops: Int64


@kernel
def read_texts(data, offsets, surrogates, state):
    """Return the terms of rows of text by their numbers, -1 for unknown ones, in CSR form.

    `state` are the handles of `Unicode` and of a `StringTable`. For invalid UTF-8 the offsets are one number, ``-1 -
    row``.
    """
    numbers = np.empty(most_terms(len(data)), np.int32)
    row_offsets = np.zeros(len(offsets), np.int64)
    count = read_into(data, offsets, surrogates, state, numbers, row_offsets)
    if count < 0:
        return np.array([count]), numbers[:0]
    return row_offsets, numbers[:count]


@kernel
def most_terms(size):
    """Return how many terms a text of so many bytes has at most."""
    return 3 * size // 2 + 1


@kernel
def read_into(data, offsets, surrogates, state, numbers, row_offsets):
    """As `read_texts`, into given arrays; returns the number of terms, or ``-1 - row``."""
    unicode, known = unicode_at(state, 0), strings_at(state, 4)
    table = known.table
    longest = longest_row(offsets)
    lower = np.empty(BEFORE + longest + BEHIND, np.uint8)
    edges = np.empty(longest + 2, np.int64)
    out = np.empty(32 * GROWTH, np.uint8)
    cuts = np.empty(64, np.int64)
    own, hashed = _nothing_waits(), _nothing_waits()
    row_offsets[0] = count = 0
    for row in range(len(offsets) - 1):
        owns = others = 0
        runs, mixed = find_runs(data, offsets[row], offsets[row + 1], lower, edges)
        for run in range(runs):
            at, stop = edges[2 * run], edges[2 * run + 1]
            if not mixed or is_ascii(lower, at, stop):
                if stop - at <= SHORT:
                    key = key_of_words(load_word(lower, at), load_word(lower, stop - 8), stop - at)
                else:
                    key = string_key(lower, at, stop)
                bucket = home_bucket(key, table)
                prefetch(table, bucket)
                own.keys[owns], own.buckets[owns], own.positions[owns] = key, bucket, count
                hashed.keys[others], hashed.buckets[others], hashed.positions[others] = key, bucket, count
                hashed.begins[others], hashed.stops[others] = at, stop
                owns += is_own_key(key)
                others += not is_own_key(key)
                count += 1
                if owns + others == _WAITING:
                    _look_up(own, owns, hashed, others, lower, known, numbers)
                    owns = others = 0
                continue
            at, stop = at - BEFORE + offsets[row], stop - BEFORE + offsets[row]
            if GROWTH * (stop - at) + 8 > len(out):
                out = np.empty(2 * GROWTH * (stop - at) + 8, np.uint8)
                cuts = np.empty(4 * (stop - at), np.int64)
            cuts[0] = 0
            _, terms = fold_run(data, at, stop, surrogates, unicode, out, 0, cuts, 0)
            if terms < 0:
                return -1 - row
            for k in range(terms):
                key = string_key(out, cuts[k], cuts[k + 1])
                numbers[count] = find_at(key, home_bucket(key, table), out, cuts[k], cuts[k + 1], known)
                count += 1
        _look_up(own, owns, hashed, others, lower, known, numbers)
        row_offsets[row + 1] = count
    return count


@kernel
def _nothing_waits():
    return _Waiting(
        np.empty(_WAITING + 1, np.uint64),
        np.empty(_WAITING + 1, np.int64),
        np.empty(_WAITING + 1, np.int64),
        np.empty(_WAITING + 1, np.int64),
        np.empty(_WAITING + 1, np.int64),
    )


@kernel
def _look_up(own, owns, hashed, others, lower, known, numbers):
    """Look up what waits, and write its numbers. An empty bucket has the key 0, and stands for the number -1."""
    table = known.table
    mask = len(table) - 1
    for k in range(owns):
        key, at = own.keys[k], own.buckets[k]
        while table[at] != key and table[at] != 0:
            at = (at + 2) & mask
        numbers[own.positions[k]] = np.int64(table[at + 1]) - 1
    for k in range(others):
        key, at = hashed.keys[k], hashed.buckets[k]
        begin, size = hashed.begins[k], hashed.stops[k] - hashed.begins[k]
        while table[at] != 0:
            if table[at] == key and _same(lower, begin, size, known, np.int64(table[at + 1]) - 1):
                break
            at = (at + 2) & mask
        numbers[hashed.positions[k]] = np.int64(table[at + 1]) - 1


@inline
def _same(lower, begin, size, known, number):
    """Say whether a string of at least eight bytes is the one with this number."""
    first = known.offsets[number]
    if known.offsets[number + 1] - first != size:
        return False
    if size > SHORT:
        return same_bytes(lower, begin, known.blob, first, size)
    differ = load_word(lower, begin) ^ load_word(known.blob, first)
    differ |= load_word(lower, begin + size - 8) ^ load_word(known.blob, first + size - 8)
    return differ == 0
