"""How patterns come into the layout of `key_store` and `word_heads`, and out of it again.

While packing, words come by their numbers: word `w` is ``data[word_offsets[w]:word_offsets[w + 1]]``. In this order:

    choose_keys    each pattern's key and guard
    measure        where blocks and heads begin
    write_heads    heads, but for their fingerprints
    write_blocks   blocks, and fingerprints

``song?blue`` and ``pie*tea`` have the words song, blue, pie and tea, numbered 0 to 3. With more information in song
than in blue, whose e stands in three words, the key of the first pattern is 0 and its guard 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.growing import copy_into
from watchword.kernels.intrinsics import load_word, same_bytes
from watchword.kernels.jit import inline, kernel
from watchword.kernels.patterns.keyed.fingerprints import fingerprint_of
from watchword.kernels.patterns.keyed.hashing import level_of
from watchword.kernels.patterns.keyed.key_store import body_of
from watchword.kernels.patterns.keyed.word_heads import (
    COUNT_WORD,
    FINGERPRINTS,
    MANY,
    SINGLES,
    SPARE,
    block_of,
    head_after,
    size_of,
    spelling_of,
)
from watchword.kernels.tombstones import is_dead


class NumberedPatterns(NamedTuple):
    """Patterns as in `watchword.patterns.rows`, but for their words, which are numbers; and their payloads."""

    offsets: Int64
    words: Int32
    chars: Int32
    gaps: Int32
    payloads: Int32


class Layout(NamedTuple):
    """The key and the guard of each pattern; and for each word, how many patterns under it are more than the word, and
    where its block and its head begin. The last two have one entry more, where the last one ends."""

    keys: Int32
    guards: Int32
    others: Int64
    blocks: Int64
    firsts: Int64


@kernel
def choose_keys(patterns, information, layout):
    """Set each pattern's key to the word with the most information, and its guard to the next, or the key again."""
    offsets, words = patterns.offsets, patterns.words
    for row in range(len(offsets) - 1):
        key = words[offsets[row]]
        for j in range(offsets[row] + 1, offsets[row + 1]):
            if information[words[j]] > information[key]:
                key = words[j]
        guard = key
        for j in range(offsets[row], offsets[row + 1]):
            if words[j] != key and (guard == key or information[words[j]] > information[guard]):
                guard = words[j]
        layout.keys[row], layout.guards[row] = key, guard


@inline
def _is_single(offsets, gaps, row):
    first = offsets[row]
    return offsets[row + 1] - first == 1 and gaps[first + row] == 0 and gaps[first + row + 1] == 0


@kernel
def measure(patterns, word_offsets, layout):
    """For each key, count the patterns that have other words or gaps besides it; set where blocks and heads begin."""
    offsets, gaps = patterns.offsets, patterns.gaps
    keys, others, blocks, firsts = layout.keys, layout.others, layout.blocks, layout.firsts
    others[:] = 0
    blocks[:] = 0
    for row in range(len(keys)):
        is_single = _is_single(offsets, gaps, row)
        blocks[keys[row]] += 1 if is_single else 4 + 3 * (offsets[row + 1] - offsets[row])
        others[keys[row]] += not is_single
    total, fill = np.int64(2), np.int64(0)
    for word in range(len(others)):
        if blocks[word]:
            total, blocks[word] = total + 2 + blocks[word], total
        firsts[word] = fill
        fingerprints = others[word] if others[word] < MANY else 0
        fill += FINGERPRINTS + fingerprints + ((word_offsets[word + 1] - word_offsets[word] + 1) >> 1)
    blocks[len(others)], firsts[len(others)] = total, fill


@kernel
def write_heads(data, word_offsets, layout, heads, spelled):
    """Write heads, all but their fingerprints."""
    heads[:] = 0
    for word in range(len(layout.others)):
        head, block = layout.firsts[word], layout.blocks[word]
        start = word_offsets[word]
        size = word_offsets[word + 1] - start
        heads[head] = block & 0xFFFF
        heads[head + 1] = block >> 16
        heads[head + 2] = size & 0xFFFF
        heads[head + 3] = size >> 16
        heads[head + COUNT_WORD] = min(layout.others[word], MANY)
        at = spelling_of(heads, head)
        copy_into(spelled, at, data, start, start + size)


@kernel
def write_blocks(patterns, layout, heads, spelled, arena, levels):
    """Write blocks, their patterns in the order given, and fingerprints; counts the guards of each level."""
    offsets, gaps, payloads = patterns.offsets, patterns.gaps, patterns.payloads
    keys, others, blocks, firsts = layout.keys, layout.others, layout.blocks, layout.firsts
    arena[:] = 0
    for row in range(len(keys)):
        if _is_single(offsets, gaps, row):
            block = blocks[keys[row]]
            heads[firsts[keys[row]] + COUNT_WORD] |= SINGLES
            arena[block + 2 + arena[block]] = payloads[row]
            arena[block] += 1
    fills = np.empty(len(others), np.int64)
    for word in range(len(others)):
        fills[word] = 2 + arena[blocks[word]] + others[word]
    for row in range(len(keys)):
        if _is_single(offsets, gaps, row):
            continue
        key = keys[row]
        block = blocks[key]
        before = arena[block + 1]
        arena[block + 1] += 1
        if others[key] < MANY:
            guard = firsts[layout.guards[row]]
            level = level_of(size_of(heads, guard))
            levels[level] += 1
            fingerprint = fingerprint_of(load_word(spelled, spelling_of(heads, guard)), level)
            heads[firsts[key] + FINGERPRINTS + before] = fingerprint
        arena[block + 2 + arena[block] + before] = fills[key]
        body = block + fills[key]
        words = offsets[row + 1] - offsets[row]
        arena[body] = payloads[row]
        arena[body + 1] = words
        for k in range(words + 1):
            arena[body + 2 + 3 * k] = gaps[offsets[row] + row + k]
            if k < words:
                arena[body + 3 + 3 * k] = firsts[patterns.words[offsets[row] + k]]
                arena[body + 4 + 3 * k] = patterns.chars[offsets[row] + k]
        fills[key] += 3 + 3 * words


@kernel
def unpack(store, dead, offsets, word_offsets, data, chars, gaps, payloads):
    """Write the patterns back as they were given, without the dead; returns how many, their words and bytes.

    With empty outputs it only counts.
    """
    heads, spelled, arena = store.heads, store.spelled, store.arena
    rows = words = used = np.int64(0)
    is_written = len(payloads) > 0
    key = np.int64(0)
    while key + SPARE < len(heads):
        block = block_of(heads, key)
        for i in range(arena[block] + arena[block + 1]):
            at = body_of(arena, block, i)
            if is_dead(dead, arena[at]):
                continue
            is_single = i < arena[block]
            count = 1 if is_single else np.int64(arena[at + 1])
            for k in range(count):
                word = key if is_single else np.int64(arena[at + 3 + 3 * k])
                size = size_of(heads, word)
                if is_written:
                    start = spelling_of(heads, word)
                    copy_into(data, used, spelled, start, start + size)
                    word_offsets[words + k + 1] = used + size
                    chars[words + k] = _characters(data, used, used + size)
                    gaps[words + rows + k] = 0 if is_single else arena[at + 2 + 3 * k]
                used += size
            if is_written:
                payloads[rows] = arena[at]
                gaps[words + rows + count] = 0 if is_single else arena[at + 2 + 3 * count]
                offsets[rows + 1] = words + count
            rows += 1
            words += count
        key = head_after(heads, key)
    return rows, words, used


@kernel
def _characters(data, begin, stop):
    count = 0
    for at in range(begin, stop):
        count += (data[at] & 0xC0) != 0x80
    return count


@inline
def _is_word(store, word, data, begin, stop):
    size = size_of(store.heads, word)
    return size == stop - begin and same_bytes(store.spelled, spelling_of(store.heads, word), data, begin, size)


@kernel
def has_pattern(store, key, word_offsets, data, gaps, payload):
    """Say whether the block of a key has this pattern with this payload."""
    arena = store.arena
    block = block_of(store.heads, key)
    words = len(word_offsets) - 1
    for i in range(arena[block] + arena[block + 1]):
        at = body_of(arena, block, i)
        if arena[at] != payload:
            continue
        if i < arena[block]:
            same = words == 1 and gaps[0] == 0 and gaps[1] == 0
            return same and _is_word(store, key, data, word_offsets[0], word_offsets[1])
        if arena[at + 1] != words or arena[at + 2] != gaps[0]:
            return False
        for k in range(words):
            if arena[at + 5 + 3 * k] != gaps[k + 1]:
                return False
            word = np.int64(arena[at + 3 + 3 * k])
            if not _is_word(store, word, data, word_offsets[k], word_offsets[k + 1]):
                return False
        return True
    return False


@kernel
def renumber(store, payloads):
    """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""
    heads, arena = store.heads, store.arena
    key = np.int64(0)
    while key + SPARE < len(heads):
        block = block_of(heads, key)
        for i in range(arena[block] + arena[block + 1]):
            at = body_of(arena, block, i)
            if arena[at] < len(payloads):
                arena[at] = payloads[arena[at]]
        key = head_after(heads, key)
