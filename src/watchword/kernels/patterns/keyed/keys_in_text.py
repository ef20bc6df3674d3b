"""The keys of one text among the spots of `grams`: three steps, each of which looks at less and knows more.

Slots whose hash agrees are collected. Where they bring more patterns than a few, those keys are out whose patterns are
all told to be elsewhere by the prints in the slot. The keys that are left are compared with the text, byte by byte, and
noted once each, in `seen`, a `termset`.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.int_set import set_slot
from watchword.kernels.jit import inline
from watchword.kernels.memory import prefetch, same_bytes
from watchword.kernels.patterns.keyed.grams import (
    CROWDED,
    EMPTY,
    FAR,
    INLINE,
    head_in,
    mark,
    offset_in,
    print_in,
    tail_in,
)
from watchword.kernels.patterns.keyed.word_heads import MANY, size_of, spelling_of

UNSURE, MARKED = 1, 2
_AHEAD = 12
FEW = 6
"""Patterns that are looked for without regard to their prints."""


@inline
def keys_of_text(data, origin, begin, stop, keyed, places, spots, counts, nexts, marks, stamp, hits, seen, noted):
    """Note the keys of a text, each once, with its place in the set; returns four times their number, plus flags.

    Level `k` has ``counts[k]`` places and spots; ``nexts[k]`` is the first of this text, and afterwards of the next.
    The flags are `UNSURE` if there may be more keys, and `MARKED` if the text's prints are.
    """
    levels, _, _, table, heads, spelled, _, probes = keyed
    flags = fill = np.int64(0)
    for k in range(len(levels)):
        if nexts[k] >= counts[k] or origin + places[k, nexts[k]] >= stop:
            continue
        count = _collect(origin, stop, table, places[k], spots[k], counts[k], nexts, k, hits)
        if count > hits.shape[1]:
            flags |= UNSURE
            continue
        if _patterns_under(table, hits, count) > FEW:
            if flags & MARKED == 0:
                mark(data, begin, stop, probes, marks, stamp)
                flags |= MARKED
            count = _drop_by_prints(table, hits, count, marks, stamp)
        for i in range(count):
            prefetch(heads, min(head_in(table[2 * np.int64(hits[0, i])]), len(heads) - 1))
        for i in range(count):
            at, place = np.int64(hits[0, i]), origin + hits[1, i]
            head = head_in(table[2 * at])
            if head == CROWDED:
                flags |= place >= begin and place + levels[k] <= stop
                continue
            start, size = place - offset_in(table[2 * at + 1]), size_of(heads, head)
            if start < begin or start + size > stop:
                continue
            if not same_bytes(data, start, spelled, spelling_of(heads, head), min(size, FAR)):
                continue
            flags |= size > FAR
            slot = set_slot(seen, len(seen) - 1, head)
            if seen[slot] != head:
                seen[slot] = head
                noted[0, fill] = head
                noted[1, fill] = slot
                fill += 1
    return 4 * fill + flags


@inline
def _collect(origin, stop, table, places, spots, count, nexts, k, hits):
    """Write slots and places of what lies before `stop`; returns how many, or one more than fit."""
    slots = np.uint64(len(table) >> 1)
    one, low = np.uint64(1), np.uint64(0xFFFF)
    fill, room = np.uint64(0), np.uint64(hits.shape[1])
    at = nexts[k]
    while at < count and origin + places[at] < stop:
        prefetch(table, 2 * (spots[min(at + _AHEAD, count - 1)] >> 16))  # of the next text, too
        check, slot = np.uint64(spots[at]) & low, np.uint64(spots[at]) >> np.uint64(16)
        word = table[slot << one]
        while word != EMPTY:
            if word & low == check:
                hits[0, min(fill, room - one)] = slot
                hits[1, min(fill, room - one)] = places[at]
                fill += one
            slot += one
            slot = slot if slot < slots else np.uint64(0)
            word = table[slot << one]
        at += 1
    nexts[k] = at
    return np.int64(min(fill, room + one))


@inline
def _patterns_under(table, hits, count):
    """Return how many patterns are under the keys of the slots, beside those that are nothing but the key."""
    total = np.int64(0)
    for i in range(count):
        total += tail_in(table[2 * np.int64(hits[0, i])]) & MANY
    return total


@inline
def _drop_by_prints(table, hits, count, marks, stamp):
    """Keep the slots of which a print is among the marks, and those that have not all prints; returns how many."""
    kept = 0
    for i in range(count):
        at = np.int64(hits[0, i])
        tail, word = tail_in(table[2 * at]), table[2 * at + 1]
        holds = (tail > INLINE) | (marks[print_in(word, 0)] == stamp)
        for k in range(1, INLINE):
            holds |= (tail > k) & (marks[print_in(word, k)] == stamp)
        hits[0, kept] = at
        hits[1, kept] = hits[1, i]
        kept += holds
    return kept
