"""Matching patterns that are stored under their rarest word, their key (`key_store`).

Short texts are taken together. `grams` finds where keys may be in them, `keys_in_text` which there are. A key brings
its patterns: those that are nothing else match; the others are out if the text has not the fingerprint of their guard
(`candidates`), and are searched for, word by word, if it has (`by_search`).

The patterns ``song?blue`` (key song, guard blue) and ``pie*tea`` (key pie, guard tea), and the text "apple pie and
tea": the gram of song stands nowhere, that of pie at position 6, where the whole key stands; its one pattern is
searched for, pie from 0 on, tea from 9 on, and found.

This is fast on ordinary texts but has no worst-case bound, so steps are counted. Where a gram is crowded, and where
searching takes more than `_STEPS` steps for each byte of a text, the outcome is `UNKNOWN`; the caller then has the text
matched by an algorithm that is linear (`by_automaton`).
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.handles import arrays_at, bytes_at
from watchword.kernels.int_set import set_capacity
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.patterns.keyed.by_search import UNDECIDED, YES, holds
from watchword.kernels.patterns.keyed.candidates import ROOM, candidates
from watchword.kernels.patterns.keyed.fingerprints import begin_text, new_marks
from watchword.kernels.patterns.keyed.grams import KeyTable, locate, refine, scan, scan_pairs
from watchword.kernels.patterns.keyed.hashing import WINDOW
from watchword.kernels.patterns.keyed.key_store import WORDS, KeyBlocks, KeyStore
from watchword.kernels.patterns.keyed.keys_in_text import Scratch, keys_in_text
from watchword.kernels.tombstones import Dead, drop_dead

DONE, NO_ROOM, UNKNOWN = 0, -1, -2

_BYTES = 1 << 12  # of short texts taken together
_FEW_KEYS = 64  # a text with more distinct keys than that and its bytes is for the automaton
_STEPS = 32
_AGREEING = 1 << 16


@kernel
def match(data, text_offsets, keys, store, dead, first, used, offsets, payloads):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks. Operations: candidates of the keys found.

    `keys`, `store` and `dead` are a `KeyTable`, a `KeyStore` and a `Dead` as plain tuples: to tell the type of a named
    one takes Numba most of a microsecond, and one short text is matched in ten. Also returns the outcome: `DONE`,
    `NO_ROOM`, or that it is `UNKNOWN` what the first text not done matches.
    """
    keys, store, dead = KeyTable(*keys), KeyStore(*store), Dead(*dead)
    levels = keys.levels
    longest = np.int64(0)
    for text in range(first, len(text_offsets) - 1):
        longest = max(longest, text_offsets[text + 1] - text_offsets[text])
    room = max(longest, min(_BYTES, text_offsets[-1] - text_offsets[first])) + 1
    positions, slots = np.empty((len(levels) + 1, room), np.int32), np.empty((len(levels), room), np.int64)
    counts, nexts = np.zeros(len(levels), np.int64), np.zeros(len(levels), np.int64)
    agreeing = np.empty((2, min(16 * longest, longest + _AGREEING) + 64), np.int32)
    most = min(store.limits[WORDS], longest + _FEW_KEYS)
    seen, noted = np.full(set_capacity(most), -1, np.int32), np.empty((2, most), np.int32)
    marks, waiting, steps = new_marks(), np.empty(64, np.int64), np.zeros(1, np.int64)
    operations = 0
    while True:
        scratch = Scratch(positions, slots, counts, nexts, agreeing, seen, noted, marks, waiting, steps)
        first, used, work, outcome = _match_texts(
            data, text_offsets, keys, store, dead, scratch, first, used, offsets, payloads
        )
        operations += work
        if outcome <= 0:
            return first, used, operations, outcome
        waiting = np.empty(2 * outcome, np.int64)


STATE_KINDS = (
    *(np.int64, np.uint8, np.uint64, np.uint64, np.uint64),  # of a `KeyTable`
    *(np.uint16, np.uint8, np.int32, np.int64, np.int64),  # of a `KeyStore`
    *(np.uint8, np.uint8),  # of `Dead`
)


@kernel
def match_one(text, state, payloads):
    """Match one text, which is Python's bytes; `state` are the handles of a `KeyTable`, a `KeyStore` and a `Dead`.

    Returns how many payloads there are, the operations and the outcome.
    """
    arrays = arrays_at(state, 0, STATE_KINDS)
    borders, found = np.zeros(2, np.int64), np.zeros(2, np.int64)
    borders[1] = len(text)
    data = bytes_at(text, np.uint8)
    _, used, operations, outcome = match(data, borders, arrays[:5], arrays[5:10], arrays[10:], 0, 0, found, payloads)
    return used, operations, outcome


@leaf
def _match_texts(data, text_offsets, keys, store, dead, scratch, first, used, offsets, payloads):
    """As `match`, with given scratch. The outcome is positive if `waiting` is too short: how long it must be."""
    nexts, seen, noted = scratch.nexts, scratch.seen, scratch.noted
    blocks = KeyBlocks(store.heads, store.arena, store.guard_levels)
    has_dead = len(dead.slots) + len(dead.clauses) > 0
    operations = 0
    outcome = np.int64(DONE)
    text = last = np.int64(first)
    origin = text_offsets[first]
    while text < len(text_offsets) - 1:
        if text == last:
            origin = text_offsets[text]
            last += 1
            while last < len(text_offsets) - 1 and text_offsets[last + 1] - origin <= _BYTES:
                last += 1
            _find_grams(data, origin, text_offsets[last], keys, scratch)
            nexts[:] = 0
        begin, stop, fill = text_offsets[text], text_offsets[text + 1], np.int64(used)
        begin_text(scratch.marks)
        count = keys_in_text(data, origin, begin, stop, keys, store, scratch)
        if count < 0:
            outcome = np.int64(UNKNOWN)
            count = ~count
        for k in range(count):
            seen[noted[1, k]] = -1
        if count and outcome == DONE:
            fill, pending, work = candidates(
                data, begin, stop, blocks, scratch.marks, noted[0], count, payloads, used, scratch.waiting
            )
            operations += work
            if pending < 0:
                outcome = work + ROOM
            elif pending and fill >= 0:
                fill = _search_for(data, begin, stop, store, scratch, pending, payloads, fill)
            if fill < 0:
                outcome = fill
        if outcome != DONE:
            break
        used = drop_dead(dead, payloads, used, fill) if has_dead else fill
        offsets[text + 1] = used
        text += 1
    return text, used, operations, outcome


@leaf
def _find_grams(data, begin, stop, keys, scratch):
    """Write where keys may be in a stretch of texts: for level `k`, ``counts[k]`` positions, slots and checks."""
    levels, table = keys.levels, keys.table
    positions, counts = scratch.positions, scratch.counts
    count = np.int64(0)
    for k in range(len(levels)):
        level = levels[k]
        if level > WINDOW:  # the next row is for windows, which are grams of level 4
            below = positions[k + 1]
            count = _windows(data, begin, stop, keys, below)
            count, counts[k] = refine(data, begin, level, keys.long_filter, below, count, positions[k])
        elif level < WINDOW:
            count = scan(data, begin, stop, level, keys.short_filter, positions[k])
        elif k == 0:
            count = _windows(data, begin, stop, keys, positions[k])
        if level <= WINDOW:
            counts[k] = count
        counts[k] = locate(data, begin, stop, level, positions[k], counts[k], table, scratch.slots_and_checks[k])


@inline
def _windows(data, begin, stop, keys, positions):
    if len(keys.pairs):
        return scan_pairs(data, begin, stop, keys.pairs, keys.short_filter, positions)
    return scan(data, begin, stop, np.int64(WINDOW), keys.short_filter, positions)


@inline
def _search_for(data, begin, stop, store, scratch, pending, payloads, fill):
    """Append the payloads of the waiting patterns that a text holds; returns the new fill, `NO_ROOM` or `UNKNOWN`."""
    waiting, steps = scratch.waiting, scratch.steps
    steps[0] = 0
    limit = _STEPS * (stop - begin) + 1024
    if fill + pending > len(payloads):
        return np.int64(NO_ROOM)
    for i in range(pending):
        answer = holds(data, begin, stop, store, waiting[i], steps, limit)
        if answer == UNDECIDED:
            return np.int64(UNKNOWN)
        payloads[fill] = store.arena[waiting[i]]
        fill += answer == YES
    return fill
