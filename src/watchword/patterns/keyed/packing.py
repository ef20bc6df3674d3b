"""Packing patterns into an immutable base, matching with it, and unpacking them.

>>> from watchword.strings import from_texts
>>> words = from_texts(["song", "blue", "pie", "tea"])
>>> chars, gaps = np.array([4, 4, 3, 3], np.int32), np.array([0, 2, 0, 0, 1, 0], np.int32)
>>> patterns = Patterns(np.array([0, 2, 4]), words.offsets, words.data, chars, gaps)
>>> base = pack(patterns, np.array([0, 1], np.int32))
>>> print(base.draw())
song gram song
  song?blue guard blue [0]
pie gram pie
  pie*tea guard tea [1]
>>> base.match(from_texts(["apple pie and tea", "a song blue"])).payloads.tolist()
[1, 0]

A pattern is filed under its rarest word, its key, and a key is found in a text by its gram. Beside the key there is a
14-bit fingerprint of the pattern's second-rarest word, its guard: if no word of the text has that fingerprint, the
pattern cannot match and is never read. Otherwise its words are searched for in the text, from left to right.

`key_store`, `word_heads` and `grams` in `kernels.patterns.keyed` have the layout, and `kernels.patterns.keyed` itself
the order in which a text passes through them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from watchword.arrays import NO_BYTES, Arrays, Int32, Int64, UInt8, UInt16, UInt64
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.kernels.handles import Handles
from watchword.kernels.patterns.keyed import by_automaton, gram_choice
from watchword.kernels.patterns.keyed import match as by_key
from watchword.kernels.patterns.keyed import packing as kernels
from watchword.kernels.patterns.keyed.grams import KeyTable
from watchword.kernels.patterns.keyed.hashing import LONGEST
from watchword.kernels.patterns.keyed.key_store import PATTERNS, WORDS, KeyStore
from watchword.kernels.patterns.keyed.packing import Layout, NumberedPatterns
from watchword.kernels.patterns.keyed.word_heads import SPARE, spell_words
from watchword.kernels.sequences.automaton import Automaton
from watchword.kernels.tombstones import NOBODY, Dead
from watchword.patterns.keyed.key_table import (
    information,
    key_frequency,
    key_table,
    learned_table,
    longest_first,
    no_frequency,
    no_keys,
)
from watchword.patterns.outline import key_outline
from watchword.patterns.rows import Patterns
from watchword.sequences.automaton import NO_AUTOMATON, automaton
from watchword.sequences.words import distinct_words
from watchword.strings import Strings, from_pieces

MOST_SKIPPED = 63
"""The most texts that skip the quick search after it could not decide some."""

LEARNED = 1 << 19
"""Bytes of text from which rare bytes are learned."""


class PackedPatterns(NamedTuple):
    """The arrays of a packed base: those of a `KeyTable` and a `KeyStore`, and where each payload is."""

    levels: Int64
    pairs: UInt8
    short_filter: UInt64
    long_filter: UInt64
    table: UInt64
    heads: UInt16
    arena: Int32
    guard_levels: Int64
    limits: Int64
    keys: Int32
    """The head of each payload's key, or -1."""

    @property
    def key_table(self) -> KeyTable:
        """Return the filters and the table that find keys."""
        return KeyTable(self.levels, self.pairs, self.short_filter, self.long_filter, self.table)

    @property
    def key_store(self) -> KeyStore:
        """Return the patterns under their keys."""
        return KeyStore(self.heads, self.heads.view(np.uint8), self.arena, self.guard_levels, self.limits)


Utf8 = bytes
"""A text; the class below has another meaning of `bytes`."""


class PatternBase:
    """Packed patterns, and an automaton of their words, made when a text needs it.

    With `learns` it counts the bytes of the first texts, and chooses the grams by these counts. No answer depends on
    them.
    """

    def __init__(self, packed: PackedPatterns, learns: bool = False) -> None:
        self.packed = packed
        self._table, self._store = packed.key_table, packed.key_store
        self._automaton = NO_AUTOMATON
        self._spare: list[tuple[Handles, Int32]] = []  # for single texts: of the state, and room for what is found
        self._frequency = no_frequency() if learns else None
        self._to_learn = LEARNED

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the base of saved `arrays`."""
        return cls(PackedPatterns(**{field: np.asarray(arrays[field]) for field in PackedPatterns._fields}))

    def arrays(self) -> Arrays:
        """Return the base as flat arrays, with the grams that it has learned, without the counts."""
        return self.packed._asdict()

    def __len__(self) -> int:
        """Return the number of patterns."""
        return int(self.packed.limits[PATTERNS])

    @property
    def words(self) -> int:
        """Return the number of distinct words."""
        return int(self.packed.limits[WORDS])

    @property
    def bytes(self) -> int:
        """Return the bytes of the arrays."""
        return sum(array.nbytes for array in (*self.packed, *self._automaton))

    def match_one(self, text: Utf8, dead: Dead) -> tuple[Int32, int] | None:
        """Return the patterns in one text by the quick search, and the operations spent; None if it cannot decide."""
        if self._frequency is not None:
            self._learn(from_pieces([text]))
        table, store = self._table, self._store  # which stay while they are read, whatever is learned meanwhile
        try:
            handles, payloads = self._spare.pop()
        except IndexError:
            handles, payloads = Handles(*by_key.STATE_KINDS), np.empty(1024, np.int32)
        used, operations, outcome = by_key.match_one(text, handles.of(table, store, dead), payloads)
        found = payloads[:used].copy()
        self._spare.append((handles, payloads))
        return (found, operations) if outcome == by_key.DONE else None

    def match(self, texts: Strings, dead: Dead = NOBODY) -> Hits:
        """Return the patterns in each text, without dead ones.

        A text that the quick search cannot decide is matched by the automaton. After two in a row, 1, 3, 7 … 63 further
        texts skip the quick search.
        """
        self._learn(texts)
        quick = partial(by_key.match, texts.data, texts.offsets, tuple(self._table), tuple(self._store), tuple(dead))
        skipped = 0

        def step(first: int, used: int, offsets: Int64, payloads: Int32) -> tuple[int, int, int]:
            nonlocal skipped
            operations = 0
            while True:
                before = first
                first, used, spent, outcome = quick(first, used, offsets, payloads)
                operations += spent
                if outcome != by_key.UNKNOWN:
                    return first, used, operations
                skipped = min(2 * skipped + 1, MOST_SKIPPED) if first - before <= skipped else 0
                last = min(first + 1 + skipped, texts.count)
                stretch = texts.data, texts.offsets[: last + 1], self._words_automaton(), self._store, dead
                first, used, spent = by_automaton.match(*stretch, first, used, offsets, payloads)
                operations += spent
                if first < last:
                    return first, used, operations

        return collect(texts.count, step)

    def has(self, pattern: Patterns, payload: int) -> bool:
        """Return whether the base has this pattern under this payload."""
        keys = self.packed.keys
        if not 0 <= payload < len(keys) or keys[payload] < 0:
            return False
        row = pattern.word_offsets, pattern.data, pattern.gaps
        return bool(kernels.has_pattern(self._store, keys[payload], *row, payload))

    def rows(self, dead: Dead) -> tuple[Patterns, Int32]:
        """Return the patterns that are not dead, and their payloads."""
        none, border = np.empty(0, np.int32), np.zeros(1, np.int64)
        rows, words, used = kernels.unpack(self._store, dead, border, border, NO_BYTES, none, none, none)
        patterns = Patterns(
            offsets=np.zeros(rows + 1, np.int64),
            word_offsets=np.zeros(words + 1, np.int64),
            data=np.empty(used, np.uint8),
            chars=np.empty(words, np.int32),
            gaps=np.empty(words + rows, np.int32),
        )
        payloads = np.empty(rows, np.int32)
        kernels.unpack(self._store, dead, *patterns, payloads)
        return patterns, payloads

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``, in place; larger ones stay."""
        kernels.renumber(self._store, payloads)
        held = np.flatnonzero(self.packed.keys >= 0)
        known = held[held < len(payloads)]
        changed = held.copy()
        changed[: len(known)] = payloads[known]
        keys = np.full(int(changed.max(initial=-1)) + 1, -1, np.int32)
        keys[changed] = self.packed.keys[held]
        self.packed = self.packed._replace(keys=keys)

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: each key with its gram, and below it its patterns with their guards."""
        return key_outline(self._table, self._store, name)

    def _learn(self, texts: Strings) -> None:
        """Count the bytes of texts, and choose the grams by the counts once `LEARNED` bytes were seen."""
        frequency = self._frequency
        if frequency is None:
            return
        begin, stop = int(texts.offsets[0]), int(texts.offsets[-1])
        size = min(stop - begin, LEARNED)
        gram_choice.count_grams(texts.data, begin, begin + size, *frequency)
        self._to_learn -= size
        if self._to_learn <= 0:
            self._frequency = None
            table = learned_table(self.packed.heads, frequency)
            self.packed = self.packed._replace(**table._asdict())
            self._table = table

    def _words_automaton(self) -> Automaton:
        """Return the automaton of all words, made at its first use."""
        if self._automaton is NO_AUTOMATON:
            self._automaton = automaton(*_named_words(self._store))
        return self._automaton


def pack(patterns: Patterns, payloads: Int32) -> PatternBase:
    """Return the packed form of some patterns."""
    if not len(payloads):
        return PatternBase(_nothing())
    numbers, words = distinct_words(Strings(patterns.data, patterns.word_offsets))
    rows = NumberedPatterns(patterns.offsets, numbers, patterns.chars, patterns.gaps, payloads)
    layout = Layout(
        keys=np.empty(len(payloads), np.int32),
        guards=np.empty(len(payloads), np.int32),
        others=np.empty(words.count, np.int64),
        blocks=np.empty(words.count + 1, np.int64),
        firsts=np.empty(words.count + 1, np.int64),
    )
    kernels.choose_keys(rows, information(words, numbers), layout)
    kernels.measure(rows, words.offsets, layout)
    if max(layout.blocks[-1], layout.firsts[-1]) > np.iinfo(np.int32).max:
        raise WatchwordError(f"{len(payloads)} patterns are more than one index holds; use several")
    heads, arena = np.empty(layout.firsts[-1] + SPARE, np.uint16), np.empty(layout.blocks[-1], np.int32)
    spelled = heads.view(np.uint8)
    kernels.write_heads(words.data, words.offsets, layout, heads, spelled)
    levels = np.zeros(LONGEST + 1, np.int64)
    kernels.write_blocks(rows, layout, heads, spelled, arena, levels)
    keys = np.full(int(payloads.max(initial=-1)) + 1, -1, np.int32)
    keys[payloads] = layout.firsts[layout.keys]
    longest = int(np.diff(patterns.offsets).max(initial=0))
    limits = np.array([longest, words.count, len(payloads)], np.int64)
    frequency, is_choice = key_frequency(heads)
    table = key_table(heads, frequency)
    packed = PackedPatterns(*table, heads, arena, longest_first(levels), limits, keys)
    return PatternBase(packed, learns=is_choice)


def _nothing() -> PackedPatterns:
    """Return the packed form of no patterns, without compiling a kernel."""
    heads, arena, limits = np.zeros(SPARE, np.uint16), np.zeros(2, np.int32), np.zeros(3, np.int64)
    return PackedPatterns(*no_keys(), heads, arena, np.empty(0, np.int64), limits, np.empty(0, np.int32))


def _named_words(store: KeyStore) -> tuple[Strings, Int64]:
    """Return all words, and the starts of their heads."""
    none = np.empty(0, np.int64)
    count, size = spell_words(store.heads, store.spelled, none, NO_BYTES, none)
    firsts, data, offsets = np.empty(count, np.int64), np.empty(size, np.uint8), np.zeros(count + 1, np.int64)
    spell_words(store.heads, store.spelled, firsts, data, offsets)
    return Strings(data, offsets), firsts
