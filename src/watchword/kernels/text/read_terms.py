"""From texts to term numbers in one pass over the bytes: cut, fold, look up."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.memory import prefetch
from watchword.kernels.text.characters import unicode_at
from watchword.kernels.text.scan import GROWTH, SLACK, classify, find_runs, fold_run, is_plain, longest_row
from watchword.kernels.text.vocabulary import find_at, home_bucket, short_key, string_key, strings_at

_WAITING = 16


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
    """As `read_texts`, into given arrays; returns the number of terms, or ``-1 - row``.

    An ASCII term is looked up where it stands, and waits in a small group until its bucket is in the cache; a run with
    other characters is folded and looked up at once.
    """
    unicode, known = unicode_at(state, 0), strings_at(state, 4)
    table = known.table
    kinds = np.empty(len(data) + SLACK, np.uint8)
    lower = np.empty(len(data) + SLACK, np.uint8)
    classify(data, kinds, lower)
    edges = np.empty(longest_row(offsets) + 2, np.int64)
    out = np.empty(32 * GROWTH, np.uint8)
    cuts = np.empty(64, np.int64)
    keys = np.empty(_WAITING, np.uint64)
    buckets = np.empty(_WAITING, np.int64)
    begins = np.empty(_WAITING, np.int64)
    stops = np.empty(_WAITING, np.int64)
    positions = np.empty(_WAITING, np.int64)
    row_offsets[0] = waiting = count = 0
    for row in range(len(offsets) - 1):
        for run in range(find_runs(kinds, offsets[row], offsets[row + 1], edges)):
            at, stop = edges[2 * run], edges[2 * run + 1]
            if is_plain(lower, at, stop):
                key = short_key(lower, at, stop - at) if stop - at < 8 else string_key(lower, at, stop)
                keys[waiting], begins[waiting], stops[waiting], positions[waiting] = key, at, stop, count
                buckets[waiting] = home_bucket(key, table)
                prefetch(table, buckets[waiting])
                waiting += 1
                count += 1
                if waiting == _WAITING:
                    _look_up(waiting, keys, buckets, begins, stops, positions, lower, known, numbers)
                    waiting = 0
                continue
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
        row_offsets[row + 1] = count
    _look_up(waiting, keys, buckets, begins, stops, positions, lower, known, numbers)
    return count


@kernel
def _look_up(count, keys, buckets, begins, stops, positions, lower, known, numbers):
    for k in range(count):
        numbers[positions[k]] = find_at(keys[k], buckets[k], lower, begins[k], stops[k], known)
