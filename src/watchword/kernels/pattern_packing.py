"""How patterns come into the layout of `keyed_patterns`, and out of it again.

Words come by their numbers here; ``firsts[w]`` is where the head of word number `w` begins, ascending.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel
from watchword.kernels.keyed_patterns import MANY, SINGLES, block_of, print_of
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


@kernel
def measure(offsets, gaps, keys, others, blocks, firsts):
    """Count each word's patterns that are more than it; set where blocks and heads begin, and where the last end."""
    others[:] = 0
    blocks[:] = 2
    for row in range(len(keys)):
        is_single = _is_single(offsets, gaps, row)
        blocks[keys[row]] += 1 if is_single else 4 + 3 * (offsets[row + 1] - offsets[row])
        others[keys[row]] += not is_single
    total = fill = np.int64(0)
    for word in range(len(blocks)):
        total, blocks[word] = total + blocks[word], total
        firsts[word] = fill
        if word < len(others):
            fill += 3 + (others[word] if others[word] < MANY else 0)


@kernel
def pack(offsets, numbers, gaps, chars, payloads, keys, probes, others, blocks, firsts, heads, arena):
    """Write heads and blocks, their patterns in the order given."""
    arena[:] = 0
    for word in range(len(others)):
        head = firsts[word]
        heads[head] = blocks[word] & 0xFFFF
        heads[head + 1] = blocks[word] >> 16
        heads[head + 2] = min(others[word], MANY)
    for row in range(len(keys)):
        if _is_single(offsets, gaps, row):
            block = blocks[keys[row]]
            heads[firsts[keys[row]] + 2] |= SINGLES
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
            heads[firsts[key] + 3 + before] = print_of(firsts[probes[row]])
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
def _number(firsts, word):
    """Return the number of the word whose head begins there."""
    low, high = np.int64(0), np.int64(len(firsts) - 1)
    while low < high:
        middle = (low + high) >> 1
        if firsts[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def unpack(firsts, heads, arena, dead, offsets, numbers, gaps, payloads):
    """Write the patterns back as they were given to `pack`, without the dead; returns how many and their words.

    With empty outputs it only counts.
    """
    rows = words = 0
    is_written = len(payloads) > 0
    for key in range(len(firsts) - 1):
        block = block_of(heads, firsts[key])
        for i in range(arena[block] + arena[block + 1]):
            at = _body(arena, block, i)
            if is_dead(dead, arena[at]):
                continue
            is_single = i < arena[block]
            count = 1 if is_single else np.int64(arena[at + 1])
            if is_written:
                payloads[rows] = arena[at]
                for k in range(count + 1):
                    gaps[words + rows + k] = 0 if is_single else arena[at + 2 + 3 * k]
                    if k < count:
                        numbers[words + k] = key if is_single else _number(firsts, arena[at + 3 + 3 * k])
                offsets[rows + 1] = words + count
            rows += 1
            words += count
    return rows, words


@kernel
def has_pattern(heads, arena, words, gaps, payload):
    """Say whether the block of one of the pattern's words has this pattern with this payload."""
    for word in words:
        block = block_of(heads, word)
        for i in range(arena[block] + arena[block + 1]):
            at = _body(arena, block, i)
            if arena[at] != payload:
                continue
            if i < arena[block]:
                if len(words) == 1 and gaps[0] == 0 and gaps[1] == 0:
                    return True
                continue
            same = arena[at + 1] == len(words)
            k = 0
            while same and k <= len(words):
                same = arena[at + 2 + 3 * k] == gaps[k] and (k == len(words) or arena[at + 3 + 3 * k] == words[k])
                k += 1
            if same:
                return True
    return False


@kernel
def renumber(firsts, heads, arena, payloads):
    """Replace every payload `p` by ``payloads[p]``."""
    for key in range(len(firsts) - 1):
        block = block_of(heads, firsts[key])
        for i in range(arena[block] + arena[block + 1]):
            at = _body(arena, block, i)
            arena[at] = payloads[arena[at]]


@kernel
def spell(blob, ends, numbers, cuts, data):
    """Write word ``numbers[j]`` as ``data[cuts[j]:cuts[j + 1]]``."""
    for j in range(len(numbers)):
        start = ends[numbers[j]] - (cuts[j + 1] - cuts[j])
        for k in range(cuts[j + 1] - cuts[j]):
            data[cuts[j] + k] = blob[start + k]
