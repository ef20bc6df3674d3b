"""Patterns under their rarest word, their key: where they are stored, and which of them a text may hold.

Most candidates are not even looked at: each has a *probe*, the rarest of its other words (the key, if it has none), and
the *print* of the probe, a hash of its first bytes (`grams.level_of`), stands in the key's head (`heads`).

    arena    int32, the blocks, one for each key.
             block   S  E  payload × S  body × E  bodies
                     S patterns are nothing but the word, and match wherever it occurs. A body is told by its distance.
             body    payload  n  gap word length  gap word length  …  gap
                     n words in the pattern's order, the key among them, with a gap before each and one behind the last;
                     a gap is twice its least length, plus one where a `*` stands in it; lengths are in characters.
             The first block, which words have that are no key, is empty.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, leaf
from watchword.kernels.memory import prefetch
from watchword.kernels.patterns.keyed.grams import PRINT_BITS, mark
from watchword.kernels.patterns.keyed.keys_in_text import FEW
from watchword.kernels.patterns.keyed.word_heads import MANY, PRINTS, SINGLES, TAIL, block_of, prints_of

ROOM = 4
"""How much longer `waiting` is than the patterns that may wait."""


@leaf
def candidates(keys, count, heads, arena, data, begin, stop, probes, marks, stamp, is_marked, payloads, fill, waiting):
    """Append the payloads of single words, and let wait the bodies of the patterns that a text may hold.

    The text is ``data[begin:stop]``, and holds `keys`; `probes` are the levels of prints, which may be marked already.
    Returns the new fill, -1 if there is no room; how many wait, -1 if `waiting` is too short; and how many there were,
    for which, and `ROOM`, it must be long enough.
    """
    total = np.int64(0)
    for k in range(count):
        tail = np.int64(heads[keys[k] + TAIL])
        if tail == 0:
            continue
        block = block_of(heads, np.int64(keys[k]))
        total += tail & MANY if tail & MANY < MANY else np.int64(arena[block + 1])
        singles = np.int64(arena[block]) if tail & SINGLES else np.int64(0)
        if fill + singles > len(payloads):
            return np.int64(-1), np.int64(0), total
        for i in range(singles):
            payloads[fill + i] = arena[block + 2 + i]
        fill += singles
    if total == 0:
        return np.int64(fill), total, np.int64(count)
    if total + ROOM > len(waiting):
        return np.int64(fill), np.int64(-1), total
    pending = np.int64(0)
    if total > FEW:
        if not is_marked:
            mark(data, begin, stop, probes, marks, stamp)
        pending = _marked(keys, count, heads, arena, marks, stamp, waiting)
    for k in range(count):
        others = np.int64(heads[keys[k] + TAIL]) & MANY
        if others == MANY or (others and total <= FEW):
            block = block_of(heads, np.int64(keys[k]))
            for i in range(arena[block + 1]):
                waiting[pending] = block + arena[block + 2 + arena[block] + i]
                pending += 1
    return np.int64(fill), pending, total


@inline
def _marked(keys, count, heads, arena, marks, stamp, waiting):
    """Let wait the bodies whose print is marked, of keys that have prints; returns how many they are."""
    pending = np.int64(0)
    for k in range(count):
        key = np.int64(keys[k])
        others = prints_of(heads, key)
        for i in range(ROOM):  # what lies behind the last print is looked at, too: no branch to guess wrong
            probe = heads[key + PRINTS + i] & ((1 << PRINT_BITS) - 1)
            waiting[pending] = key << 16 | i
            pending += (i < others) & (marks[probe] == stamp)
        for i in range(ROOM, others):
            probe = heads[key + PRINTS + i]
            waiting[pending] = key << 16 | i
            pending += marks[probe] == stamp
    for i in range(pending):  # from the place among the prints to the body
        block = block_of(heads, waiting[i] >> 16)
        waiting[i] = waiting[i] & 0xFFFF | block << 16
        prefetch(arena, block)
    for i in range(pending):
        block = waiting[i] >> 16
        waiting[i] = block + arena[block + 2 + arena[block] + (waiting[i] & 0xFFFF)]
        prefetch(arena, waiting[i])
    return pending
