"""Turns texts into term numbers in one pass over the bytes: cut, fold, look up.

A row of text becomes a row of lower-case bytes, and borders with the start and end of each term. A run with characters
that are not ASCII is folded, and its terms are appended to the row. Then the keys of the terms are computed, their
buckets are prefetched, and they are looked up, `TOGETHER` at a time. "Crisis: bailouts in Greece" makes,
with the numbers of `vocabulary`::

    borders    0 6   8 16   17 19   20 26
    keys       "crisis", a hash, "in", "greece"
    numbers    -1, -1, -1, 0

Tried: eight bytes at a time instead of 64 (a third slower).
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.growing import copy_into, with_room
from watchword.kernels.intrinsics import load_word, prefetch
from watchword.kernels.jit import kernel
from watchword.kernels.text.characters import unicode_at
from watchword.kernels.text.scan import BEFORE, BEHIND, GROWTH, find_runs, fold_run, is_ascii, longest_row
from watchword.kernels.text.vocabulary import (
    SHORT,
    TOGETHER,
    home_bucket,
    key_of_words,
    look_up,
    nothing_asked,
    string_key,
    strings_at,
)


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
    """Return the most terms that a text of `size` bytes can have."""
    return 3 * size // 2 + 1


@kernel
def read_into(data, offsets, surrogates, state, numbers, row_offsets):
    """As `read_texts`, into given arrays; returns the number of terms, or ``-1 - row``."""
    unicode, known = unicode_at(state, 0), strings_at(state, 4)
    longest = longest_row(offsets)
    lower = np.empty(BEFORE + longest + BEHIND + 32 * GROWTH, np.uint8)
    edges = np.empty(longest + 2, np.int64)
    borders = np.empty(2 * most_terms(longest), np.int64)
    cuts = np.empty(64, np.int64)
    asked = nothing_asked()
    row_offsets[0] = count = 0
    for row in range(len(offsets) - 1):
        runs, mixed = find_runs(data, offsets[row], offsets[row + 1], lower, edges)
        if not mixed:
            _find_terms(lower, edges, runs, known, asked, numbers[count:])
            count += runs
        else:
            text = data[offsets[row] : offsets[row + 1]]
            lower, terms = _fold_runs(text, surrogates, unicode, lower, edges, runs, borders, cuts)
            if terms < 0:
                return -1 - row
            _find_terms(lower, borders, terms, known, asked, numbers[count:])
            count += terms
        row_offsets[row + 1] = count
    return count


@kernel
def read_unknown(data, offsets, surrogates, state):
    """As `read_texts`, and return the terms that are unknown: their bytes, and where each ends.

    For invalid UTF-8 the offsets are one number, ``-1 - row``.
    """
    unicode, known = unicode_at(state, 0), strings_at(state, 4)
    numbers = np.empty(most_terms(len(data)), np.int32)
    row_offsets = np.zeros(len(offsets), np.int64)
    longest = longest_row(offsets)
    lower = np.empty(BEFORE + longest + BEHIND + 32 * GROWTH, np.uint8)
    edges = np.empty(longest + 2, np.int64)
    borders = np.empty(2 * most_terms(longest), np.int64)
    cuts = np.empty(64, np.int64)
    asked = nothing_asked()
    words, ends = np.empty(len(data) // 4 + 64, np.uint8), np.zeros(64, np.int64)
    count = unknown = fill = np.int64(0)
    for row in range(len(offsets) - 1):
        terms, mixed = find_runs(data, offsets[row], offsets[row + 1], lower, edges)
        if mixed:
            text = data[offsets[row] : offsets[row + 1]]
            lower, terms = _fold_runs(text, surrogates, unicode, lower, edges, terms, borders, cuts)
            if terms < 0:
                return np.array([-1 - row]), numbers[:0], words[:0], ends[:1]
        spans = borders if mixed else edges
        _find_terms(lower, spans, terms, known, asked, numbers[count:])
        words = with_room(words, fill, fill + len(lower))
        ends = with_room(ends, unknown + 1, unknown + terms + 1)
        for k in range(terms):
            start, stop = spans[2 * k], spans[2 * k + 1]
            if numbers[count + k] < 0:
                copy_into(words, fill, lower, start, stop)
                fill += stop - start
                unknown += 1
                ends[unknown] = fill
        count += terms
        row_offsets[row + 1] = count
    return row_offsets, numbers[:count], words, ends[: unknown + 1]


@kernel
def _fold_runs(text, surrogates, unicode, lower, edges, runs, borders, cuts):
    """Write the borders of the terms of a row, and append the folded terms to the row in `lower`.

    Returns `lower`, or a longer copy, and the number of terms, -1 for invalid UTF-8.
    """
    fill = BEFORE + len(text) + BEHIND
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
def _find_terms(lower, borders, terms, known, asked, numbers):
    """Write the numbers of terms; eight bytes before and after each must be readable."""
    for first in range(0, terms, TOGETHER):
        count = min(terms - first, TOGETHER)
        for k in range(count):
            at, stop = borders[2 * (first + k)], borders[2 * (first + k) + 1]
            if stop - at <= SHORT:
                key = key_of_words(load_word(lower, at), load_word(lower, stop - 8), stop - at)
            else:
                key = string_key(lower, at, stop)
            asked.keys[k], asked.buckets[k] = key, home_bucket(key, known.table)
            prefetch(known.table, asked.buckets[k])
        look_up(asked, count, lower, borders[2 * first :], 2, known, numbers[first:])
