"""The keys of one text: three steps, each of which looks at less and knows more.

`grams` has told at which positions of the text keys may stand, and which slots of the table to search. (1) The slots
whose check agrees are collected. (2) If their keys bring more than a few patterns, a key is dropped if none of the
fingerprints in its slot occurs in the text: then none of its patterns can match. (3) The keys that are left are
compared with the text, byte by byte, and noted once each, in `seen`, an `int_set`.

For the key song, with the pattern ``song?blue``, and the text "a song of joy": the four bytes at position 2 lead to the
slot of song, whose only fingerprint, that of blue, the text has not; song is dropped, and its head is never read. (With
this one pattern the step is skipped: the text would be searched for blue.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8
from watchword.kernels.int_set import set_slot
from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import inline
from watchword.kernels.patterns.keyed.fingerprints import FEW, STAMP, mark
from watchword.kernels.patterns.keyed.grams import (
    CROWDED,
    EMPTY,
    FAR,
    INLINE,
    count_word_in,
    fingerprint_in,
    head_in,
    offset_in,
)
from watchword.kernels.patterns.keyed.word_heads import MANY, size_of, spelling_of, stands_at

_AHEAD = 12


class Scratch(NamedTuple):
    """What one call keeps in mind about its texts.

    Level `k` has ``counts[k]`` positions with their slots and checks, ascending; those of the text at hand begin at
    ``nexts[k]``. `agreeing` are slots, and positions, of a level; `noted` are the keys found, and where they are in the
    set `seen`. `waiting` are the bodies of patterns to look for; `steps` counts the steps that this takes.
    """

    positions: Int32
    slots_and_checks: Int64
    counts: Int64
    nexts: Int64
    agreeing: Int32
    seen: Int32
    noted: Int32
    marks: UInt8
    waiting: Int64
    steps: Int64


@inline
def keys_in_text(data, origin, begin, stop, keys, store, scratch):
    """Note the keys of a text, each once; returns how many, or if there may be more, that number's complement.

    One number, because inlined functions become slow if they return several (`jit.inline`). Positions count from
    `origin`; afterwards `nexts` is where the next text begins.
    """
    levels, table, heads = keys.levels, keys.table, store.heads
    agreeing, seen, noted = scratch.agreeing, scratch.seen, scratch.noted
    is_unsure = False
    fill = np.int64(0)
    for k in range(len(levels)):
        if scratch.nexts[k] >= scratch.counts[k] or origin + scratch.positions[k, scratch.nexts[k]] >= stop:
            continue
        count = _collect(origin, stop, table, k, scratch)
        if count > agreeing.shape[1]:
            is_unsure = True
            continue
        if _patterns_under(table, agreeing, count) > FEW:
            mark(data, begin, stop, store.guard_levels, scratch.marks)
            count = _drop_by_fingerprints(table, agreeing, count, scratch.marks)
        for i in range(count):
            prefetch(heads, min(head_in(table[2 * np.int64(agreeing[0, i])]), len(heads) - 1))
        for i in range(count):
            at, position = np.int64(agreeing[0, i]), origin + agreeing[1, i]
            head = head_in(table[2 * at])
            if head == CROWDED:
                is_unsure |= position >= begin and position + levels[k] <= stop
                continue
            start, size = position - offset_in(table[2 * at + 1]), size_of(heads, head)
            if start < begin or start + size > stop:
                continue
            if not stands_at(data, start, store.spelled, spelling_of(heads, head), min(size, FAR)):
                continue
            is_unsure |= size > FAR
            slot = set_slot(seen, len(seen) - 1, head)
            if seen[slot] != head and fill == noted.shape[1]:
                is_unsure = True
            elif seen[slot] != head:
                seen[slot] = head
                noted[0, fill] = head
                noted[1, fill] = slot
                fill += 1
    return ~fill if is_unsure else fill


@inline
def _collect(origin, stop, table, k, scratch):
    """Write slots and positions of what lies before `stop`; returns how many, or one more than fit."""
    positions, slots_and_checks = scratch.positions[k], scratch.slots_and_checks[k]
    agreeing, count = scratch.agreeing, scratch.counts[k]
    slots = np.uint64(len(table) >> 1)
    one, low = np.uint64(1), np.uint64(0xFFFF)
    fill, room = np.uint64(0), np.uint64(agreeing.shape[1])
    at = scratch.nexts[k]
    while at < count and origin + positions[at] < stop:
        prefetch(table, 2 * (slots_and_checks[min(at + _AHEAD, count - 1)] >> 16))  # of the next text, too
        check, slot = np.uint64(slots_and_checks[at]) & low, np.uint64(slots_and_checks[at]) >> np.uint64(16)
        word = table[slot << one]
        while word != EMPTY:
            if word & low == check:
                agreeing[0, min(fill, room - one)] = slot
                agreeing[1, min(fill, room - one)] = positions[at]
                fill += one
            slot += one
            slot = slot if slot < slots else np.uint64(0)
            word = table[slot << one]
        at += 1
    scratch.nexts[k] = at
    return np.int64(min(fill, room + one))


@inline
def _patterns_under(table, agreeing, count):
    """Return how many patterns are under the keys of the slots, beside those that are nothing but the key."""
    total = np.int64(0)
    for i in range(count):
        total += count_word_in(table[2 * np.int64(agreeing[0, i])]) & MANY
    return total


@inline
def _drop_by_fingerprints(table, agreeing, count, marks):
    """Keep the slots that have a fingerprint of the text, or have not all of their key's; returns how many."""
    stamp = marks[STAMP]
    kept = 0
    for i in range(count):
        at = np.int64(agreeing[0, i])
        count_word, word = count_word_in(table[2 * at]), table[2 * at + 1]
        holds = (count_word > INLINE) | (marks[fingerprint_in(word, 0)] == stamp)
        for k in range(1, INLINE):
            holds |= (count_word > k) & (marks[fingerprint_in(word, k)] == stamp)
        agreeing[0, kept] = at
        agreeing[1, kept] = agreeing[1, i]
        kept += holds
    return kept
