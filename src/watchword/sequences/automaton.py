"""Making the Aho-Corasick automaton of some words; `kernels.sequences.automaton` has the layout.

A word is reported by a name, any number that its owner likes: `patterns.packing` names words by where their heads
begin, `patterns.stream` by their numbers.

>>> from watchword.strings import from_texts
>>> made = automaton(from_texts(["he", "she", "hers"]), np.array([70, 71, 72]))
>>> made.limits.tolist()  # two words end at one position of "ushers"; six states are dense; four bytes, and all others
[2, 6, 5]
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import NO_BYTES, Bools, Int32, Int64, UInt8
from watchword.kernels.sequences import automaton as kernels
from watchword.kernels.sequences.automaton import Automaton, RankedTrie
from watchword.strings import Strings

DENSE_BYTES, DENSE_SHARE = 4 << 20, 32
"""What rows of moves may take: this much, or this many bytes for each state."""

_NONE: Int32 = np.empty(0, np.int32)
NO_AUTOMATON = Automaton(NO_BYTES, _NONE, _NONE, _NONE, np.zeros(3, np.int64))


def automaton(words: Strings, names: Int64) -> Automaton:
    """Return the automaton of distinct words, none of them empty; word `w` is known as ``names[w]``."""
    trie = _ranked_trie(words)
    states = len(trie.words)
    classes, width = _classes(words.data)
    trie.labels[:] = classes[trie.labels]
    dense = _dense(trie.children, width)
    rows, numbers = int(np.count_nonzero(dense)), np.empty(states, np.int32)
    capacity = states + (states >> 3) + 4 * width
    while True:
        cells = np.empty(4 * capacity, np.int32)
        used = kernels.place(trie, dense, width, cells, numbers)
        if used >= 0:
            break
        capacity *= 2
    cells = cells[: 4 * (used + width)].copy()
    moves, endings = np.empty(2 * rows * width, np.int32), np.full(2 * (rows + used), -1, np.int32)
    most = kernels.connect(trie, dense, numbers, rows, width, moves, cells, endings)
    ending = endings[::2] >= 0
    endings[::2][ending] = names[endings[::2][ending]]
    return Automaton(classes, moves, cells, endings, np.array([most, rows, width], np.int64))


def _ranked_trie(words: Strings) -> RankedTrie:
    """Return the trie of the words, its states in the order of depth; labels are bytes still."""
    most = len(words.data) + 1
    parents, depths, ended = (np.empty(most, np.int32) for _ in range(3))
    labels = np.empty(most, np.uint8)
    states = kernels.grow_trie(words.data, words.offsets, _ascending(words), parents, labels, depths, ended)
    order, ranks = np.empty(states, np.int32), np.empty(states, np.int32)
    kernels.by_depth(depths[:states], order, ranks)
    trie = RankedTrie(
        children=np.empty(states + 1, np.int64),
        parents=np.empty(states, np.int32),
        labels=np.empty(states, np.uint8),
        words=np.empty(states, np.int32),
    )
    kernels.relabel(order, ranks, parents, labels, ended, trie)
    return trie


def _classes(data: UInt8) -> tuple[UInt8, int]:
    """Return the class of each byte, numbered in the order of bytes that occur, and the number of classes."""
    occurs = np.bincount(data, minlength=256) > 0
    classes = np.where(occurs, np.cumsum(occurs), 0)
    return classes.astype(np.uint8), int(classes.max()) + 1


def _dense(children: Int64, width: int) -> Bools:
    """Say which states get a row of moves: those with children, by rank, as long as rows take a fair share."""
    inner = np.diff(children) > 0
    inner[0] = True
    affordable = max(DENSE_BYTES, DENSE_SHARE * len(inner)) // (8 * width)
    dense: Bools = inner & (np.cumsum(inner) <= affordable)
    return dense


def _ascending(words: Strings) -> Int64:
    """Return the words in the order of their bytes."""
    buffers = [None, pa.py_buffer(words.offsets), pa.py_buffer(words.data)]
    column = pa.Array.from_buffers(pa.large_binary(), words.count, buffers)
    return np.asarray(pc.sort_indices(column)).astype(np.int64)
