"""Which word of a pattern is its key, and which bytes of a key stand for it: choices by rarity.

How rare a word is: its bits of information, by the frequency of bytes in all words, less the bits that its use in
several patterns takes away. How rare four bytes are: by the frequency given, which is counted in keys or in texts
(`kernels.patterns.keyed.gram_choice`).

>>> from watchword.sequences.words import distinct_words
>>> from watchword.strings import from_texts
>>> numbers, words = distinct_words(from_texts(["jazz", "teen", "teen", "tea"]))
>>> information(words, numbers).round(1).tolist()  # "tea" is short: a key only where there is no other
[10.8, 8.7, -999993.2]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import NO_BYTES, Float64, Int32, Int64, UInt8, UInt16, power_of_two
from watchword.kernels.patterns.keyed import gram_choice, pair_choice
from watchword.kernels.patterns.keyed.grams import EMPTY, KeyTable
from watchword.kernels.patterns.keyed.hashing import LONGEST
from watchword.strings import Strings

SHORT_FILTER_BITS, LONG_FILTER_BITS, MOST_BITS = 32, 16, 1 << 21
"""Bits of the two filters for each key, and the most bits of a filter: hashes of four bytes fill no more."""

SPARE_SLOTS = 120
"""Empty slots of the table of grams for each hundred used ones."""

PAIR_SHARE = 0.25
"""Pairs of bytes are tested first if the pairs of grams occur at no more than this share of a text's positions."""

SHORT_BITS = 1e6
"""Bits subtracted for a word of fewer than four bytes, so that it is a key only if there is no other."""


def information(words: Strings, numbers: Int32) -> Float64:
    """Return the assumed rarity of each word, in bits; `numbers` are all uses of the words."""
    if not words.count:
        return np.empty(0)
    frequency = np.bincount(words.data, minlength=256) / len(words.data)
    with np.errstate(divide="ignore"):
        bits_of = -np.log2(frequency)
    sums = np.concatenate([np.zeros(1), np.cumsum(bits_of[words.data])])
    bits: Float64 = np.diff(sums[words.offsets]) - np.log2(np.bincount(numbers))
    return bits - SHORT_BITS * (np.diff(words.offsets) < 4)


class Frequency(NamedTuple):
    """The counts of four bytes, by their hash, and of pairs of bytes in texts."""

    grams: Int64
    pairs: Int64


def no_frequency() -> Frequency:
    """Return zero counts."""
    return Frequency(np.zeros(1 << gram_choice.FREQUENCY_BITS, np.int64), np.zeros(pair_choice.PAIRS, np.int64))


def learned_table(heads: UInt16, frequency: Frequency) -> KeyTable:
    """Return filters and table of the keys among words, chosen by the bytes of texts."""
    wanted = np.zeros(pair_choice.PAIRS, np.uint8)
    limit = int(frequency.pairs.sum() * PAIR_SHARE)
    is_rare = pair_choice.choose_pairs(heads, heads.view(np.uint8), frequency.pairs, limit, wanted)
    return key_table(heads, frequency.grams, wanted if is_rare else NO_BYTES)


def key_table(heads: UInt16, frequency: Int64, wanted: UInt8 = NO_BYTES) -> KeyTable:
    """Return filters and table of the keys among words, their grams chosen by a frequency, with pairs that are wanted
    if any are."""
    keys = gram_choice.count_keys(heads)
    short_filter, long_filter = (
        np.zeros(max(128, min(power_of_two(keys * share), MOST_BITS)) >> 6, np.uint64)
        for share in (SHORT_FILTER_BITS, LONG_FILTER_BITS)
    )
    table = np.full(2 * (keys + keys * SPARE_SLOTS // 100 + 1), EMPTY, np.uint64)
    levels = np.zeros(LONGEST + 1, np.int64)
    made = KeyTable(levels, np.zeros(len(wanted), np.uint8), short_filter, long_filter, table)
    gram_choice.choose_grams(heads, heads.view(np.uint8), frequency, wanted, made, levels)
    return made._replace(levels=longest_first(levels))


def key_frequency(heads: UInt16) -> tuple[Int64, bool]:
    """Return the counts of four bytes in the possible grams of keys, and whether any key has several."""
    frequency = np.zeros(1 << gram_choice.FREQUENCY_BITS, np.int64)
    is_choice = gram_choice.count_in_keys(heads, heads.view(np.uint8), frequency)
    return frequency, bool(is_choice)


def no_keys() -> KeyTable:
    """Return empty filters and table, without compiling a kernel."""
    nothing = np.zeros(2, np.uint64)
    return KeyTable(np.empty(0, np.int64), NO_BYTES, nothing, nothing.copy(), np.full(2, EMPTY, np.uint64))


def longest_first(counts: Int64) -> Int64:
    """Return the levels in use, longest first, by their counts."""
    return np.flatnonzero(counts)[::-1].astype(np.int64)
