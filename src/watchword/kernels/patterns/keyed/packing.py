"""How patterns come into the layout of `candidates`, `heads` and `grams`, and out of it again.

While packing, words come by their numbers: word `w` is ``blob[ends[w - 1]:ends[w]]``, from 0 for the first, and its
head begins at ``firsts[w]``, ascending.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import load_word, same_bytes
from watchword.kernels.patterns.keyed.grams import level_of, print_of
from watchword.kernels.patterns.keyed.word_heads import (
    MANY,
    PRINTS,
    SINGLES,
    SPARE,
    TAIL,
    block_of,
    head_after,
    size_of,
    spelling_of,
)
from watchword.kernels.tombstones import is_dead


@kernel
def choose_keys(offsets, numbers, bits, keys, probes):
    """Set each pattern's key to the word with the most bits, and its probe to the next, or the key again."""
    for row in range(len(offsets) - 1):
        key = numbers[offsets[row]]
        for j in range(offsets[row] + 1, offsets[row + 1]):
            if bits[numbers[j]] > bits[key]:
                key = numbers[j]
        probe = key
        for j in range(offsets[row], offsets[row + 1]):
            if numbers[j] != key and (probe == key or bits[numbers[j]] > bits[probe]):
                probe = numbers[j]
        keys[row], probes[row] = key, probe


@inline
def _is_single(offsets, gaps, row):
    first = offsets[row]
    return offsets[row + 1] - first == 1 and gaps[first + row] == 0 and gaps[first + row + 1] == 0


@inline
def _start(ends, word):
    return ends[word - 1] if word else np.int64(0)


@kernel
def measure(offsets, gaps, keys, ends, others, blocks, firsts):
    """Count each word's patterns that are more than it; set where blocks and heads begin, and where the last end."""
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
        fill += PRINTS + (others[word] if others[word] < MANY else 0) + ((ends[word] - _start(ends, word) + 1) >> 1)
    blocks[len(others)], firsts[len(others)] = total, fill


@kernel
def write_heads(blob, ends, others, blocks, firsts, heads, spelled):
    """Write heads, all but their prints."""
    heads[:] = 0
    for word in range(len(others)):
        head = firsts[word]
        start = _start(ends, word)
        size = ends[word] - start
        heads[head] = blocks[word] & 0xFFFF
        heads[head + 1] = blocks[word] >> 16
        heads[head + 2] = size & 0xFFFF
        heads[head + 3] = size >> 16
        heads[head + TAIL] = min(others[word], MANY)
        at = spelling_of(heads, head)
        spelled[at : at + size] = blob[start : start + size]


@kernel
def write_blocks(
    offsets, numbers, gaps, chars, payloads, keys, probes, others, blocks, firsts, heads, spelled, arena, levels
):
    """Write blocks, their patterns in the order given, and prints; counts the prints of each level."""
    arena[:] = 0
    for row in range(len(keys)):
        if _is_single(offsets, gaps, row):
            block = blocks[keys[row]]
            heads[firsts[keys[row]] + TAIL] |= SINGLES
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
            probe = firsts[probes[row]]
            level = level_of(size_of(heads, probe))
            levels[level] += 1
            heads[firsts[key] + PRINTS + before] = print_of(load_word(spelled, spelling_of(heads, probe)), level)
        arena[block + 2 + arena[block] + before] = fills[key]
        body = block + fills[key]
        words = offsets[row + 1] - offsets[row]
        arena[body] = payloads[row]
        arena[body + 1] = words
        for k in range(words + 1):
            arena[body + 2 + 3 * k] = gaps[offsets[row] + row + k]
            if k < words:
                arena[body + 3 + 3 * k] = firsts[numbers[offsets[row] + k]]
                arena[body + 4 + 3 * k] = chars[offsets[row] + k]
        fills[key] += 3 + 3 * words


@inline
def _body(arena, block, i):
    """Return where pattern `i` of a block begins: the payload. Singles come first, and are nothing else."""
    return block + 2 + i if i < arena[block] else block + np.int64(arena[block + 2 + i])


@kernel
def unpack(heads, spelled, arena, dead, offsets, cuts, data, chars, gaps, payloads):
    """Write the patterns back as they were given, without the dead; returns how many, their words and bytes.

    With empty outputs it only counts.
    """
    rows = words = used = np.int64(0)
    is_written = len(payloads) > 0
    key = np.int64(0)
    while key + SPARE < len(heads):
        block = block_of(heads, key)
        for i in range(arena[block] + arena[block + 1]):
            at = _body(arena, block, i)
            if is_dead(dead, arena[at]):
                continue
            is_single = i < arena[block]
            count = 1 if is_single else np.int64(arena[at + 1])
            for k in range(count):
                word = key if is_single else np.int64(arena[at + 3 + 3 * k])
                size = size_of(heads, word)
                if is_written:
                    start = spelling_of(heads, word)
                    data[used : used + size] = spelled[start : start + size]
                    cuts[words + k + 1] = used + size
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
def _is_word(heads, spelled, word, data, begin, stop):
    size = size_of(heads, word)
    return size == stop - begin and same_bytes(spelled, spelling_of(heads, word), data, begin, size)


@kernel
def has_pattern(heads, spelled, arena, key, cuts, data, gaps, payload):
    """Say whether the block of a key has this pattern with this payload."""
    block = block_of(heads, key)
    words = len(cuts) - 1
    for i in range(arena[block] + arena[block + 1]):
        at = _body(arena, block, i)
        if arena[at] != payload:
            continue
        if i < arena[block]:
            same = words == 1 and gaps[0] == 0 and gaps[1] == 0
            return same and _is_word(heads, spelled, key, data, cuts[0], cuts[1])
        if arena[at + 1] != words or arena[at + 2] != gaps[0]:
            return False
        for k in range(words):
            if arena[at + 5 + 3 * k] != gaps[k + 1]:
                return False
            if not _is_word(heads, spelled, np.int64(arena[at + 3 + 3 * k]), data, cuts[k], cuts[k + 1]):
                return False
        return True
    return False


@kernel
def renumber(heads, arena, payloads):
    """Replace every payload `p` by ``payloads[p]``."""
    key = np.int64(0)
    while key + SPARE < len(heads):
        block = block_of(heads, key)
        for i in range(arena[block] + arena[block + 1]):
            at = _body(arena, block, i)
            arena[at] = payloads[arena[at]]
        key = head_after(heads, key)
