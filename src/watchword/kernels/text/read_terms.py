"""From texts to term numbers in one pass over the bytes: cut, fold, look up.

A row of text becomes a row of lower-case bytes, and borders that say where its terms begin and end there. A run with
characters that are not ASCII is folded, and what it becomes is put behind the row. Then the terms are looked up, up to
`_TOGETHER` at a time, in steps that have no branch depending on a term: their keys, with the buckets on the way into
the cache; one look into the home bucket of each. What is not decided then is listed, and done one by one: terms that
were found by the hash of their bytes, which are compared, and terms whose bucket another one has. "Crisis: bailouts in
Greece" makes, with the numbers of `vocabulary`::

    borders    0 6   8 16   17 19   20 26
    keys       "crisis", a hash, "in", "greece"
    numbers    -1, -1, -1, 0            to compare: none; to look further: "in", if its bucket is not empty

Of the terms of posts against 22,343 words, 8 % are compared and 14 % looked for further. Tried: one list for what is
compared and looked for (a tenth slower); two buckets looked into at first (a sixth slower); eight bytes at a time
instead of 64 (a third slower).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt64
from watchword.kernels.growing import with_room
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

_TOGETHER = 64


class _Room(NamedTuple):
    """Room for terms that are looked up together: their keys and home buckets, and two lists of them."""

    keys: UInt64
    buckets: Int64
    found: Int64
    unsure: Int64


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
    longest = longest_row(offsets)
    lower = np.empty(BEFORE + longest + BEHIND + 32 * GROWTH, np.uint8)
    edges = np.empty(longest + 2, np.int64)
    borders = np.empty(2 * most_terms(longest), np.int64)
    room = _Room(
        np.empty(_TOGETHER, np.uint64),
        np.empty(_TOGETHER, np.int64),
        np.empty(2 * _TOGETHER + 1, np.int64),
        np.empty(_TOGETHER + 1, np.int64),
    )
    row_offsets[0] = count = 0
    for row in range(len(offsets) - 1):
        runs, mixed = find_runs(data, offsets[row], offsets[row + 1], lower, edges)
        if not mixed:
            _look_up(lower, edges, runs, known, room, numbers, count)
            count += runs
        else:
            text = data[offsets[row] : offsets[row + 1]]
            lower, terms = _fold_runs(text, surrogates, unicode, lower, edges, runs, borders)
            if terms < 0:
                return -1 - row
            _look_up(lower, borders, terms, known, room, numbers, count)
            count += terms
        row_offsets[row + 1] = count
    return count


@kernel
def _fold_runs(text, surrogates, unicode, lower, edges, runs, borders):
    """Write the borders of the terms of a row, and behind the row in `lower` the terms that have to be folded.

    Returns `lower`, or a longer copy, and the number of terms, -1 for invalid UTF-8.
    """
    fill = BEFORE + len(text) + BEHIND
    cuts = np.empty(64, np.int64)
    terms = 0
    for run in range(runs):
        at, stop = edges[2 * run], edges[2 * run + 1]
        if is_ascii(lower, at, stop):
            borders[2 * terms], borders[2 * terms + 1] = at, stop
            terms += 1
            continue
        at, stop = at - BEFORE, stop - BEFORE
        if 4 * (stop - at) > len(cuts):
            cuts = np.empty(8 * (stop - at), np.int64)
        lower = with_room(lower, fill, fill + GROWTH * (stop - at) + 8)
        cuts[0] = fill
        fill, found = fold_run(text, at, stop, surrogates, unicode, lower, fill, cuts, 0)
        if found < 0:
            return lower, found
        for k in range(found):
            borders[2 * terms], borders[2 * terms + 1] = cuts[k], cuts[k + 1]
            terms += 1
    return lower, terms


@kernel
def _look_up(lower, borders, terms, known, room, numbers, count):
    """Write the numbers of terms from ``numbers[count]`` on. An empty bucket has the key 0, and stands for -1."""
    table = known.table
    mask = len(table) - 1
    keys, buckets, found, unsure = room
    for first in range(0, terms, _TOGETHER):
        together = min(terms - first, _TOGETHER)
        for k in range(together):
            at, stop = borders[2 * (first + k)], borders[2 * (first + k) + 1]
            if stop - at <= SHORT:
                keys[k] = key_of_words(load_word(lower, at), load_word(lower, stop - 8), stop - at)
            else:
                keys[k] = string_key(lower, at, stop)
            buckets[k] = home_bucket(keys[k], table)
            prefetch(table, buckets[k])
        founds = unsures = 0
        for k in range(together):
            key, at = keys[k], buckets[k]
            there, number = table[at], table[at + 1]
            hit = np.uint64(there == key)
            numbers[count + k] = np.int64(number & (np.uint64(0) - hit)) - 1
            found[founds], unsure[unsures] = k, k
            founds += np.int64(hit) & np.int64(not is_own_key(key))
            unsures += np.int64(hit | np.uint64(there == 0)) ^ 1
        for k in unsure[:unsures]:
            key, at = keys[k], (buckets[k] + 2) & mask
            while table[at] != key and table[at] != 0:
                at = (at + 2) & mask
            numbers[count + k] = np.int64(table[at + 1]) - 1
            found[founds] = k
            founds += np.int64(table[at] != 0) & np.int64(not is_own_key(key))
        for k in found[:founds]:
            at, stop = borders[2 * (first + k)], borders[2 * (first + k) + 1]
            if not _same(lower, at, stop - at, known, numbers[count + k]):  # two strings with one hash
                numbers[count + k] = find_at(keys[k], buckets[k], lower, at, stop, known)
        count += together


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
