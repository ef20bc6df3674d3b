"""The index to use: an Aho-Corasick automaton of all words, patterns under their rarest word.

The *base* is immutable and packed (`kernels.automaton`, `kernels.keyed_patterns` have layout, invariant and cost).
Patterns that come singly go into the *delta*, a `Retriever`, which takes changes in place; patterns of the base that
go get a tombstone. When the delta or the tombstones have grown to a fair share of the base, both are packed into a new
base, in a thread where it takes long, while matching and changing go on.

How rare a word is: its bits of information, by the frequency of bytes in all words, less the bits that its use in
several patterns takes away.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from watchword.buffers import NO_BYTES, Strings, UInt8
from watchword.errors import WatchwordError
from watchword.hits import Hits, Int32, Int64, collect, merged
from watchword.kernels import automaton as kernels
from watchword.kernels import keyed_patterns
from watchword.kernels import pattern_packing as blocks
from watchword.kernels.arrays import reserve
from watchword.kernels.naive import squeeze
from watchword.patterns.retriever import Retriever
from watchword.patterns.store import PatternStore
from watchword.patterns.structure import Arrays, Patterns, Structure
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


class Automaton(Structure):
    """Patterns under their rarest word, found by one pass of an automaton."""

    operation: ClassVar[str] = "candidates"

    delta_rows = 4096
    """How many patterns the delta takes, beside a quarter of the base."""

    background_rows = 50_000
    """From this many patterns on, packing happens in a thread."""

    def __init__(self) -> None:
        self._packing: _Packing | None = None
        self._dead: UInt8 = NO_BYTES
        self._buried = 0
        self._install(_pack(_nothing(), np.empty(0, np.int32)))

    def __len__(self) -> int:
        return int(self._base.counts[0]) - self._buried + len(self._added)

    # changes

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add a few patterns to the delta; many, and all before them, are packed at once."""
        self._poll()
        if len(patterns) > self._room():
            self._poll(wait=True)
            kept = _unpacked(self._base, self._dead), _live(self._added.patterns(), self._added.payloads)
            self._install(_pack(*_joined([*kept, (patterns, payloads)])))
            return
        self._add_to_delta(patterns, payloads)
        if self._room() <= 0:
            self._start()

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern from the delta, or give it a tombstone."""
        self._poll()
        row = self._row_of.get(payload)
        if row is not None:
            self._added.remove(row, pattern)
            self._delta.remove(pattern, payload)
            del self._row_of[payload]
        elif self._in_base(pattern, payload):
            self._bury(payload)
        else:
            raise KeyError(payload)
        if self._packing is not None and (row is None or row < self._packing.rows):
            self._packing.removed.append(payload)
        if self._buried > self.delta_rows + int(self._base.counts[0]) // 2:
            self._start()

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place once everything is packed."""
        self.merge()
        blocks.renumber(self._base.firsts, self._base.heads, self._base.arena, payloads)

    def merge(self) -> None:
        """Pack everything into the base now."""
        self._poll(wait=True)
        if self._added.rows or self._buried:
            self._start(wait=True)

    # matching

    def match(self, texts: Strings) -> Hits:
        """Find the words of each text, the patterns under them, and what fits together."""
        base, dead = self._base, self._dead

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            return keyed_patterns.match(  # type: ignore[no-any-return]
                first, used, texts.data, texts.offsets, *base[:7], dead, ends, payloads
            )

        hits = collect(texts.count, step)
        return merged(hits, self._delta.match(texts)) if self._row_of else hits

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        """Return states as ``nodes``, patterns as ``postings``, distinct words of the base as ``words``."""
        delta = self._delta.stats() if self._row_of else {"bytes": 0, "nodes": 0}
        return {
            "nodes": int(self._base.counts[1]) + delta["nodes"],
            "postings": len(self),
            "words": len(self._base.ends),
            "dense_states": int(self._base.limits[2]),
            "delta": len(self._added),
            "tombstones": self._buried,
            "bytes": sum(array.nbytes for array in self._base) + delta["bytes"],
        }

    def arrays(self) -> Arrays:
        """Return the base, once everything is packed into it."""
        self.merge()
        return self._base._asdict()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._base = Base(**arrays)
        return made

    # private parts, in the order in which a pattern passes through them

    def _room(self) -> int:
        """Return how many more patterns the delta takes before it is packed; removed ones count until then."""
        return self.delta_rows + int(self._base.counts[0]) // 4 - self._added.rows

    def _add_to_delta(self, patterns: Patterns, payloads: Int32) -> None:
        first = self._added.rows
        self._added.add(patterns, payloads)
        self._delta.add(patterns, payloads)
        self._row_of.update(zip(payloads.tolist(), range(first, self._added.rows), strict=True))

    def _in_base(self, pattern: Patterns, payload: int) -> bool:
        if payload < 0 or (payload >> 3 < len(self._dead) and self._dead[payload >> 3] >> (payload & 7) & 1):
            return False
        base, words = self._base, np.empty(len(pattern.chars), np.int32)
        dense, width = base.limits[2:4].tolist()
        kernels.find_words(pattern.data, pattern.cuts, *base[:4], dense, width, words)
        if words.min() < 0:
            return False
        numbers = np.searchsorted(base.firsts, words)
        sizes = base.ends[numbers] - np.where(numbers > 0, base.ends[numbers - 1], 0)
        if not np.array_equal(sizes, np.diff(pattern.cuts)):
            return False
        return bool(blocks.has_pattern(base.heads, base.arena, words, pattern.gaps, payload))

    def _bury(self, payload: int) -> None:
        """Set the tombstone of a pattern of the base, which has none."""
        self._dead = reserve(self._dead, (payload >> 3) + 1, 0)
        self._dead[payload >> 3] |= 1 << (payload & 7)
        self._buried += 1

    def _start(self, wait: bool = False) -> None:
        """Begin to pack base and delta anew."""
        if self._packing is None:
            self._packing = _Packing(self._base, self._dead.copy(), self._added)
        if wait or len(self) < self.background_rows or self._room() < -(int(self._base.counts[0]) // 4):
            self._poll(wait=True)

    def _poll(self, wait: bool = False) -> None:
        """Take over a base that has been packed meanwhile."""
        packing = self._packing
        if packing is None or not (wait or packing.done.is_set()):
            return
        packing.done.wait()
        self._packing = None  # also after an error: base and delta are as they were
        base = packing.result()
        patterns, payloads = self._added.patterns(), self._added.payloads.copy()
        payloads[: packing.rows] = -1
        later = _live(patterns, payloads)
        self._install(base)
        for payload in packing.removed:
            self._bury(payload)
        self._add_to_delta(*later)

    def _install(self, base: Base) -> None:
        self._base = base
        self._dead = NO_BYTES
        self._buried = 0
        self._delta, self._added = Retriever(), PatternStore()
        self._row_of: dict[int, int] = {}


class _Packing:
    """One packing under way: what it was given stays as it was, whatever changes meanwhile.

    `rows` is how much of the delta it packs; `removed` collects the payloads that were taken away since and lie in
    what is being packed.
    """

    def __init__(self, base: Base, dead: UInt8, added: PatternStore) -> None:
        self.rows = added.rows
        self.removed: list[int] = []
        self.done = threading.Event()
        self._base: Base | None = None
        self._error: BaseException | None = None
        given = added.patterns(), added.payloads.copy()

        def run() -> None:
            try:
                self._base = _pack(*_joined([_unpacked(base, dead), _live(*given)]))
            except BaseException as error:
                self._error = error
            finally:
                self.done.set()

        threading.Thread(target=run, name="watchword-packing", daemon=True).start()

    def result(self) -> Base:
        """Return the new base, once `done` is set."""
        if self._error is not None:
            raise self._error
        assert self._base is not None
        return self._base


def _nothing() -> Patterns:
    return Patterns(
        np.zeros(1, np.int64), np.zeros(1, np.int64), NO_BYTES, np.empty(0, np.int32), np.empty(0, np.int32)
    )


def _live(patterns: Patterns, payloads: Int32) -> tuple[Patterns, Int32]:
    """Return copies of the rows that have a payload."""
    offsets, cuts, data = patterns.offsets.copy(), patterns.cuts.copy(), patterns.data.copy()
    chars, gaps, payloads = patterns.chars.copy(), patterns.gaps.copy(), payloads.copy()
    rows, words, used = squeeze(offsets, cuts, data, chars, gaps, payloads)
    kept = Patterns(offsets[: rows + 1], cuts[: words + 1], data[:used], chars[:words], gaps[: words + rows])
    return kept, payloads[:rows]


def _unpacked(base: Base, dead: UInt8) -> tuple[Patterns, Int32]:
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


def _joined(parts: list[tuple[Patterns, Int32]]) -> tuple[Patterns, Int32]:
    """Return several sets of patterns as one."""
    filled = [part for part in parts if len(part[0])]
    if len(filled) < 2:
        return filled[0] if filled else (_nothing(), np.empty(0, np.int32))
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


def _pack(patterns: Patterns, payloads: Int32) -> Base:
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
