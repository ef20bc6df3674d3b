"""Packing patterns into the immutable base of the automaton, and unpacking them.

How rare a word is: its bits of information, by the frequency of bytes in all words, less the bits that its use in
several patterns takes away. `kernels.automaton` and `kernels.keyed_patterns` have the layout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.buffers import NO_BYTES, Strings, UInt8
from watchword.errors import WatchwordError
from watchword.hits import Hits, Int32, Int64, collect
from watchword.kernels import automaton as kernels
from watchword.kernels import keyed_patterns
from watchword.kernels import pattern_packing as blocks
from watchword.kernels.naive import squeeze
from watchword.patterns.structure import Patterns
from watchword.vocabulary import Vocabulary

DENSE_BYTES, DENSE_SHARE = 4 << 20, 32
"""What rows of moves may take: this much, or this many bytes for each state."""


class Base(NamedTuple):
    """The packed patterns."""

    classes: UInt8
    moves: Int32
    cells: Int32
    endings: Int32
    heads: npt.NDArray[np.uint16]
    arena: Int32
    limits: Int64
    """The most words of a pattern, the most words that end at one place, dense states, classes of bytes, words."""
    firsts: Int32
    """Where the head of each word begins, and where the last ends."""
    blob: UInt8
    ends: Int64
    """The words: each ends in `blob` where `ends` says."""
    counts: Int64
    """Patterns, and states beside the initial one."""

    @property
    def bytes(self) -> int:
        """Return the bytes that it takes."""
        return sum(array.nbytes for array in self)

    def match(self, texts: Strings, dead: UInt8 = NO_BYTES) -> Hits:
        """Find the patterns in each text, but for those that are dead."""

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return keyed_patterns.match(  # type: ignore[no-any-return]
                first, used, texts.data, texts.offsets, *self[:7], dead, ends, payloads
            )

        return collect(texts.count, step)

    def has(self, pattern: Patterns, payload: int) -> bool:
        """Say whether the base has this pattern under this payload."""
        words = np.empty(len(pattern.chars), np.int32)
        dense, width = self.limits[2:4].tolist()
        kernels.find_words(pattern.data, pattern.cuts, *self[:4], dense, width, words)
        if words.min() < 0:
            return False
        numbers = np.searchsorted(self.firsts, words)
        sizes = self.ends[numbers] - np.where(numbers > 0, self.ends[numbers - 1], 0)
        if not np.array_equal(sizes, np.diff(pattern.cuts)):
            return False
        return bool(blocks.has_pattern(self.heads, self.arena, words, pattern.gaps, payload))


def no_patterns() -> tuple[Patterns, Int32]:
    """Return no patterns and their payloads."""
    none = Patterns(
        np.zeros(1, np.int64), np.zeros(1, np.int64), NO_BYTES, np.empty(0, np.int32), np.empty(0, np.int32)
    )
    return none, np.empty(0, np.int32)


def live(patterns: Patterns, payloads: Int32) -> tuple[Patterns, Int32]:
    """Return copies of the rows that have a payload."""
    offsets, cuts, data = patterns.offsets.copy(), patterns.cuts.copy(), patterns.data.copy()
    chars, gaps, payloads = patterns.chars.copy(), patterns.gaps.copy(), payloads.copy()
    rows, words, used = squeeze(offsets, cuts, data, chars, gaps, payloads)
    kept = Patterns(offsets[: rows + 1], cuts[: words + 1], data[:used], chars[:words], gaps[: words + rows])
    return kept, payloads[:rows]


def unpacked(base: Base, dead: UInt8) -> tuple[Patterns, Int32]:
    """Return the patterns of a base that are not dead."""
    none = np.empty(0, np.int32)
    packed = base.firsts, base.heads, base.arena, dead
    rows, words = blocks.unpack(*packed, np.zeros(1, np.int64), none, none, none)
    offsets, payloads = np.zeros(rows + 1, np.int64), np.empty(rows, np.int32)
    numbers, gaps = np.empty(words, np.int32), np.empty(words + rows, np.int32)
    blocks.unpack(*packed, offsets, numbers, gaps, payloads)
    sizes = np.diff(base.ends, prepend=np.int64(0))
    cuts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[numbers], dtype=np.int64)])
    data = np.empty(cuts[-1], np.uint8)
    blocks.spell(base.blob, base.ends, numbers, cuts, data)
    return Patterns(offsets, cuts, data, _characters(cuts, data), gaps), payloads


def _characters(cuts: Int64, data: UInt8) -> Int32:
    """Return the length of each string in characters."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(data & 0xC0 != 0x80, dtype=np.int64)])
    return np.diff(before[cuts]).astype(np.int32)


def joined(parts: list[tuple[Patterns, Int32]]) -> tuple[Patterns, Int32]:
    """Return several sets of patterns as one."""
    filled = [part for part in parts if len(part[0])]
    if len(filled) < 2:
        return filled[0] if filled else no_patterns()
    offsets, cuts = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    words = used = 0
    for patterns, _ in filled:
        offsets.append(patterns.offsets[1:] + words)
        cuts.append(patterns.cuts[1:] + used)
        words += len(patterns.chars)
        used += len(patterns.data)
    data, chars, gaps = (np.concatenate([patterns[k] for patterns, _ in filled]) for k in (2, 3, 4))
    payloads = np.concatenate([payloads for _, payloads in filled])
    return Patterns(np.concatenate(offsets), np.concatenate(cuts), data, chars, gaps), payloads


def pack(patterns: Patterns, payloads: Int32) -> Base:
    """Return the packed form of some patterns."""
    vocabulary = Vocabulary()
    numbers = vocabulary.intern(Strings(patterns.data, patterns.cuts))
    count = len(vocabulary)
    ends = vocabulary.ends[:count].copy()
    blob = vocabulary.blob[: int(ends[-1]) if count else 0].copy()
    keys, probes = np.empty(len(payloads), np.int32), np.empty(len(payloads), np.int32)
    others, begins, firsts = np.empty(count, np.int64), np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    blocks.choose_keys(patterns.offsets, numbers, _bits(blob, ends, numbers), keys, probes)
    blocks.measure(patterns.offsets, patterns.gaps, keys, others, begins, firsts)
    if max(begins[-1], firsts[-1]) > np.iinfo(np.int32).max:
        raise WatchwordError(f"{len(payloads)} patterns are more than one index holds; use several")
    heads, arena = np.empty(firsts[-1], np.uint16), np.empty(begins[-1], np.int32)
    rows = patterns.offsets, numbers, patterns.gaps, patterns.chars, payloads
    blocks.pack(*rows, keys, probes, others, begins, firsts, heads, arena)
    longest = int(np.diff(patterns.offsets).max(initial=0))
    (classes, moves, cells, endings), states, *limits = _automaton(blob, ends)
    ending = endings[::2] >= 0
    endings[::2][ending] = firsts[endings[::2][ending]]
    return Base(
        *(classes, moves, cells, endings, heads, arena),
        limits=np.array([longest, *limits, count], np.int64),
        firsts=firsts.astype(np.int32),
        blob=blob,
        ends=ends,
        counts=np.array([len(payloads), states], np.int64),
    )


def _bits(blob: UInt8, ends: Int64, numbers: Int32) -> npt.NDArray[np.float64]:
    """Return how rare each word is taken to be."""
    if not len(ends):
        return np.empty(0)
    frequency = np.bincount(blob, minlength=256) / len(blob)
    with np.errstate(divide="ignore"):
        information = -np.log2(frequency)
    sums = np.concatenate([np.zeros(1), np.cumsum(information[blob])])
    return np.diff(sums[ends], prepend=0.0) - np.log2(np.bincount(numbers))


def _automaton(blob: UInt8, ends: Int64) -> tuple[tuple[UInt8, Int32, Int32, Int32], int, int, int, int]:
    """Return classes, moves, cells and endings; states, words at most at one place, dense states, classes."""
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
    return (classes, moves, cells, endings), states - 1, most, rows, width


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
