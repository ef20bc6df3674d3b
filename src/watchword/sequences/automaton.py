"""Making the Aho-Corasick automaton of some words; `kernels.sequences.automaton` has the layout."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import NO_BYTES, Int32, Int64, UInt8
from watchword.kernels.sequences import automaton as kernels

DENSE_BYTES, DENSE_SHARE = 4 << 20, 32
"""What rows of moves may take: this much, or this many bytes for each state."""


class Automaton(NamedTuple):
    """An automaton of words, as `kernels.sequences.automaton` has it."""

    classes: UInt8
    moves: Int32
    cells: Int32
    endings: Int32
    limits: Int64
    """The most words that end at one place, dense states, classes of bytes."""


_NONE = np.empty(0, np.int32)
NO_AUTOMATON = Automaton(NO_BYTES, _NONE, _NONE, _NONE, np.zeros(3, np.int64))


def automaton(blob: UInt8, ends: Int64, names: Int64) -> Automaton:
    """Return the automaton of distinct words: word `w` is ``blob[ends[w - 1]:ends[w]]``, and known as ``names[w]``."""
    most = len(blob) + 1
    parents, depths, words = (np.empty(most, np.int32) for _ in range(3))
    labels = np.empty(most, np.uint8)
    states = kernels.grow_trie(blob, ends, _ascending(blob, ends), parents, labels, depths, words)
    order, ranks, ranked_parents, ranked_words = (np.empty(states, np.int32) for _ in range(4))
    ranked_labels, children = np.empty(states, np.uint8), np.empty(states + 1, np.int64)
    kernels.by_depth(depths[:states], order, ranks)
    classes, width = _classes(blob)
    ranked = ranked_parents, ranked_labels, ranked_words, children
    kernels.relabel(order, ranks, parents, labels, words, classes, *ranked)
    dense = _dense(children, width)
    rows, numbers = int(np.count_nonzero(dense)), np.empty(states, np.int32)
    capacity = states + (states >> 3) + 4 * width
    while True:
        cells = np.empty(4 * capacity, np.int32)
        used = kernels.place(children, ranked_labels, dense, width, cells, numbers)
        if used >= 0:
            break
        capacity *= 2
    cells = cells[: 4 * (used + width)].copy()
    moves, endings = np.empty(2 * rows * width, np.int32), np.full(2 * (rows + used), -1, np.int32)
    trie = children, ranked_parents, ranked_labels, ranked_words
    most = kernels.connect(*trie, dense, numbers, rows, width, moves, cells, endings)
    ending = endings[::2] >= 0
    endings[::2][ending] = names[endings[::2][ending]]
    return Automaton(classes, moves, cells, endings, np.array([most, rows, width], np.int64))


def _classes(blob: UInt8) -> tuple[UInt8, int]:
    """Return the class of each byte, ascending among those that occur, and how many classes there are."""
    occurs = np.bincount(blob, minlength=256) > 0
    classes = np.where(occurs, np.cumsum(occurs), 0)
    return classes.astype(np.uint8), int(classes.max()) + 1


def _dense(children: Int64, width: int) -> npt.NDArray[np.bool_]:
    """Say which states get a row of moves: those with children, by rank, as long as rows take a fair share."""
    inner = np.diff(children) > 0
    inner[0] = True
    affordable = max(DENSE_BYTES, DENSE_SHARE * len(inner)) // (8 * width)
    dense: npt.NDArray[np.bool_] = inner & (np.cumsum(inner) <= affordable)
    return dense


def _ascending(blob: UInt8, ends: Int64) -> Int64:
    """Return the words in the order of their bytes."""
    offsets = np.concatenate([np.zeros(1, np.int64), ends])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(blob)]
    column = pa.Array.from_buffers(pa.large_binary(), len(ends), buffers)
    return np.asarray(pc.sort_indices(column)).astype(np.int64)
