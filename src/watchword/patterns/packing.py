"""Packing patterns into an immutable base, matching with it, and unpacking them.

How rare a word is: its bits of information, by the frequency of bytes in all words, less the bits that its use in
several patterns takes away. `word_heads`, `candidates` and `grams` have the layout.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.arrays import NO_BYTES, Int32, Int64, UInt8, power_of_two
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.kernels.patterns.keyed import gram_choice
from watchword.kernels.patterns.keyed import match as keyed_patterns
from watchword.kernels.patterns.keyed import packing as blocks
from watchword.kernels.patterns.keyed.by_automaton import match_places
from watchword.kernels.patterns.keyed.grams import EMPTY, LONGEST
from watchword.kernels.patterns.keyed.word_heads import SPARE, spell_words
from watchword.kernels.patterns.naive import squeeze
from watchword.patterns.structure import Patterns
from watchword.sequences.automaton import NO_AUTOMATON, Automaton, automaton
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

GRAM_BITS, FINE_BITS, MOST_BITS = 32, 16, 1 << 21
"""Bits of the two bitmaps of grams: for each key, and in all, where hashes of four bytes have no more to tell."""

SPARE_SLOTS = 120
"""Slots of the table of grams that stay empty, for each hundred that do not."""

MOST_SKIPPED = 63
"""Texts at most that are not tried as they are spelled, after some that were in vain."""

LEARNED = 1 << 17
"""Bytes of text from which is learned what is rare."""

SHORT_BITS = 1e6
"""How many bits less a word has of fewer than four bytes: it is a key only where there is no other."""

_Done = tuple[int, int, int]


class Packed(NamedTuple):
    """Patterns in flat arrays."""

    levels: Int64
    bits: npt.NDArray[np.uint64]
    fine: npt.NDArray[np.uint64]
    table: npt.NDArray[np.uint64]
    heads: npt.NDArray[np.uint16]
    arena: Int32
    probes: Int64
    """The levels of prints."""
    keys: Int32
    """The key of each payload, -1 where there is none."""
    limits: Int64
    """The most words of a pattern, how many words there are, and how many patterns."""


class Base:
    """The packed patterns, and an automaton of their words once a text has asked for it.

    With `learns` it counts what the first texts are made of, and then chooses the grams by that.
    """

    def __init__(self, packed: Packed, learns: bool = False) -> None:
        self.packed = packed
        self._spelled = packed.heads.view(np.uint8)
        self._automaton = NO_AUTOMATON
        self._frequency = np.zeros(1 << gram_choice.FREQUENCY_BITS, np.int64) if learns else None
        self._to_learn = LEARNED

    def __len__(self) -> int:
        return int(self.packed.limits[2])

    @property
    def words(self) -> int:
        """Return how many distinct words there are."""
        return int(self.packed.limits[1])

    @property
    def bytes(self) -> int:
        """Return the bytes that it takes."""
        return sum(array.nbytes for array in (*self.packed, *self._automaton))

    def match(self, texts: Strings, dead: UInt8 = NO_BYTES) -> Hits:
        """Find the patterns in each text, but for those that are dead."""
        self._learn(texts)
        packed = self.packed
        keyed = *packed[:5], self._spelled, packed.arena, packed.probes
        events = texts.data, texts.offsets
        skipped = 0

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> _Done:
            nonlocal skipped
            operations = 0
            while True:
                before = first
                first, used, spent, lack = keyed_patterns.match(
                    first, used, *events, keyed, self.words, dead, ends, payloads
                )
                operations += spent
                if lack != keyed_patterns.UNKNOWN:
                    return first, used, operations
                skipped = min(2 * skipped + 1, MOST_SKIPPED) if first - before <= skipped else 0
                last = min(first + 1 + skipped, texts.count)
                first, used, spent = self._match_places(first, last, used, events, dead, ends, payloads)
                operations += spent
                if first < last:
                    return first, used, operations

        return collect(texts.count, step)

    def _match_places(self, first: int, last: int, used: int, events: tuple[UInt8, Int64], *rest: Any) -> _Done:
        """Match some texts with the automaton, which is made when the first text asks for it."""
        if self._automaton is NO_AUTOMATON:
            self._automaton = self._made_automaton()
        automaton, packed = self._automaton, self.packed
        limits = np.concatenate([packed.limits[:2], automaton.limits])
        arrays = automaton[:4], (packed.heads, packed.arena, packed.probes), limits
        return match_places(first, last, used, *events, *arrays, *rest)  # type: ignore[no-any-return]

    def _learn(self, texts: Strings) -> None:
        """Count what texts are made of, and choose the grams by it once they are enough."""
        frequency = self._frequency
        if frequency is None:
            return
        begin, stop = int(texts.offsets[0]), int(texts.offsets[-1])
        size = min(stop - begin, LEARNED)
        gram_choice.count_grams(texts.data, begin, begin + size, frequency)
        self._to_learn -= size
        if self._to_learn <= 0:
            self._frequency = None
            self.packed = self.packed._replace(**grams(self.packed.heads, frequency)._asdict())

    def has(self, pattern: Patterns, payload: int) -> bool:
        """Say whether the base has this pattern under this payload."""
        keys = self.packed.keys
        if not 0 <= payload < len(keys) or keys[payload] < 0:
            return False
        row = keys[payload], pattern.cuts, pattern.data, pattern.gaps, payload
        return bool(blocks.has_pattern(self.packed.heads, self._spelled, self.packed.arena, *row))

    def patterns(self, dead: UInt8) -> tuple[Patterns, Int32]:
        """Return the patterns that are not dead, and their payloads."""
        packed = self.packed.heads, self._spelled, self.packed.arena, dead
        none, counts = np.empty(0, np.int32), np.zeros(1, np.int64)
        rows, words, used = blocks.unpack(*packed, counts, counts, NO_BYTES, none, none, none)
        offsets, cuts = np.zeros(rows + 1, np.int64), np.zeros(words + 1, np.int64)
        data, payloads = np.empty(used, np.uint8), np.empty(rows, np.int32)
        chars, gaps = np.empty(words, np.int32), np.empty(words + rows, np.int32)
        blocks.unpack(*packed, offsets, cuts, data, chars, gaps, payloads)
        return Patterns(offsets, cuts, data, chars, gaps), payloads

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` by ``payloads[p]``, in place."""
        blocks.renumber(self.packed.heads, self.packed.arena, payloads)
        known = np.flatnonzero(self.packed.keys >= 0)
        keys = np.full(int(payloads[known].max(initial=-1)) + 1, -1, np.int32)
        keys[payloads[known]] = self.packed.keys[known]
        self.packed = self.packed._replace(keys=keys)

    def _made_automaton(self) -> Automaton:
        none = np.empty(0, np.int64)
        count, size = spell_words(self.packed.heads, self._spelled, none, NO_BYTES, none)
        firsts, blob, ends = np.empty(count, np.int64), np.empty(size, np.uint8), np.empty(count, np.int64)
        spell_words(self.packed.heads, self._spelled, firsts, blob, ends)
        return automaton(blob, ends, firsts)


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
    if not len(payloads):
        return Base(_nothing())
    vocabulary = Vocabulary()
    numbers = vocabulary.intern(Strings(patterns.data, patterns.cuts))
    count = len(vocabulary)
    ends = vocabulary.ends[:count]
    blob = vocabulary.blob[: int(ends[-1]) if count else 0]
    keys, probes = np.empty(len(payloads), np.int32), np.empty(len(payloads), np.int32)
    others, begins, firsts = np.empty(count, np.int64), np.empty(count + 1, np.int64), np.empty(count + 1, np.int64)
    blocks.choose_keys(patterns.offsets, numbers, _bits(blob, ends, numbers), keys, probes)
    blocks.measure(patterns.offsets, patterns.gaps, keys, ends, others, begins, firsts)
    if max(begins[-1], firsts[-1]) > np.iinfo(np.int32).max:
        raise WatchwordError(f"{len(payloads)} patterns are more than one index holds; use several")
    heads, arena = np.empty(firsts[-1] + SPARE, np.uint16), np.empty(begins[-1], np.int32)
    spelled = heads.view(np.uint8)
    blocks.write_heads(blob, ends, others, begins, firsts, heads, spelled)
    rows = patterns.offsets, numbers, patterns.gaps, patterns.chars, payloads
    levels = np.zeros(LONGEST + 1, np.int64)
    blocks.write_blocks(*rows, keys, probes, others, begins, firsts, heads, spelled, arena, levels)
    keys_of = np.full(int(payloads.max(initial=-1)) + 1, -1, np.int32)
    keys_of[payloads] = firsts[keys]
    longest = int(np.diff(patterns.offsets).max(initial=0))
    frequency = np.zeros(1 << gram_choice.FREQUENCY_BITS, np.int64)
    is_choice = gram_choice.count_in_keys(heads, spelled, frequency)
    return Base(
        Packed(
            *grams(heads, frequency),
            heads=heads,
            arena=arena,
            probes=np.flatnonzero(levels)[::-1].astype(np.int64),
            keys=keys_of,
            limits=np.array([longest, count, len(payloads)], np.int64),
        ),
        learns=bool(is_choice),
    )


def _nothing() -> Packed:
    """Return the packed form of no patterns, for which nothing need be compiled."""
    none = np.empty(0, np.int64)
    bits, table = np.zeros(2, np.uint64), np.full(2, EMPTY, np.uint64)
    heads, arena = np.zeros(SPARE, np.uint16), np.zeros(2, np.int32)
    return Packed(none, bits, bits.copy(), table, heads, arena, none, np.empty(0, np.int32), np.zeros(3, np.int64))


class Grams(NamedTuple):
    """How keys are found in texts, as `grams` has it."""

    levels: Int64
    bits: npt.NDArray[np.uint64]
    fine: npt.NDArray[np.uint64]
    table: npt.NDArray[np.uint64]


def grams(heads: npt.NDArray[np.uint16], frequency: Int64) -> Grams:
    """Return the grams of the keys, chosen by a frequency."""
    keys = gram_choice.count_keys(heads)
    bits, fine = (
        np.zeros(max(128, min(power_of_two(keys * share), MOST_BITS)) >> 6, np.uint64)
        for share in (GRAM_BITS, FINE_BITS)
    )
    table = np.full(2 * (keys + keys * SPARE_SLOTS // 100 + 1), EMPTY, np.uint64)
    levels = np.zeros(LONGEST + 1, np.int64)
    gram_choice.choose_grams(heads, heads.view(np.uint8), frequency, bits, fine, table, levels)
    return Grams(np.flatnonzero(levels)[::-1].astype(np.int64), bits, fine, table)


def _bits(blob: UInt8, ends: Int64, numbers: Int32) -> npt.NDArray[np.float64]:
    """Return how rare each word is taken to be."""
    if not len(ends):
        return np.empty(0)
    frequency = np.bincount(blob, minlength=256) / len(blob)
    with np.errstate(divide="ignore"):
        information = -np.log2(frequency)
    sums = np.concatenate([np.zeros(1), np.cumsum(information[blob])])
    is_short = np.diff(ends, prepend=0) < 4
    bits: npt.NDArray[np.float64] = np.diff(sums[ends], prepend=0.0) - np.log2(np.bincount(numbers))
    return bits - SHORT_BITS * is_short
