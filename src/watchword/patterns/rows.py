"""Rows of words with gaps: what every method of the pattern language stores.

Above this line live text, ids, escapes, case and patterns without a word; below it a pattern is a row of *words*
(literal runs, as UTF-8 bytes) with a *gap* before each and one behind the last, and a *payload*, an int32 that the
structure hands back untouched when a text holds an instance of the pattern. A payload belongs to one row at a time.

Gaps and positions count characters (code points), never bytes. A gap is ``2 * questions + star``: exactly
`questions` characters where `star` is 0, at least that many where it is 1. A pattern may start anywhere and end
anywhere, so the first and the last gap never have a star: they only say how many characters must exist there.

The patterns ``song?blue`` and ``pie*tea`` are::

    offsets       [0, 2, 4]             the first has the words 0 and 1, the second 2 and 3
    word_offsets  [0, 4, 8, 11, 14]     word 1 is data[4:8]
    data          songbluepietea
    chars         [4, 4, 3, 3]
    gaps          [0, 2, 0, 0, 1, 0]    three for each: nothing, one character, nothing; nothing, a star, nothing

A row matches a text if there is one choice of an occurrence for each word such that all gaps hold.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from watchword.arrays import NO_BYTES, Arrays, Int32, Int64, UInt8, reserve
from watchword.index.structure import Part, Structure
from watchword.kernels.patterns.squeeze import squeeze
from watchword.strings import Strings


class Patterns(NamedTuple):
    """Patterns in flat arrays, each with at least one word.

    Pattern `i` has the words ``offsets[i]`` to ``offsets[i + 1]``; word `j` is
    ``data[word_offsets[j]:word_offsets[j + 1]]``, never empty, of ``chars[j]`` characters. The gap before word `j` of
    pattern `i` is ``gaps[j + i]``, and the one behind its last word ``gaps[offsets[i + 1] + i]``: a pattern has one gap
    more than words.
    """

    offsets: Int64
    word_offsets: Int64
    data: UInt8
    chars: Int32
    gaps: Int32

    def __len__(self) -> int:
        """Return the number of patterns."""
        return len(self.offsets) - 1


PatternStructure: TypeAlias = Structure[Patterns, Patterns, Strings]
"""A set of ``(pattern, payload)`` that finds the patterns that occur in a text of valid UTF-8.

`remove` takes one pattern. An empty batch of patterns or texts is legal everywhere."""


class PatternStore(Part):
    """Concatenated patterns in arrays that grow, each with its payload.

    Layout as in `Patterns`; a removed row has the payload -1 and stays as waste until `squeeze` finds that waste is
    more than half. `live` counts rows, words and bytes of the rows not removed.
    """

    def __init__(self) -> None:
        self.rows = self._words = 0
        self.live = np.zeros(3, np.int64)
        self._offsets: Int64 = np.zeros(1, np.int64)
        self._word_offsets: Int64 = np.zeros(1, np.int64)
        self._data: UInt8 = NO_BYTES
        self._chars: Int32 = np.empty(0, np.int32)
        self._gaps: Int32 = np.empty(0, np.int32)
        self._payloads: Int32 = np.empty(0, np.int32)

    def __len__(self) -> int:
        """Return the number of rows not removed."""
        return int(self.live[0])

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Append patterns."""
        rows, words = self.rows, self._words
        used = int(self._word_offsets[words])
        more_rows, more_words = len(patterns), len(patterns.chars)
        self._offsets = reserve(self._offsets, rows + more_rows + 1)
        self._word_offsets = reserve(self._word_offsets, words + more_words + 1)
        self._data = reserve(self._data, used + len(patterns.data))
        self._chars = reserve(self._chars, words + more_words)
        self._gaps = reserve(self._gaps, rows + words + more_rows + more_words)
        self._payloads = reserve(self._payloads, rows + more_rows)
        self._offsets[rows : rows + more_rows + 1] = patterns.offsets + words
        self._word_offsets[words : words + more_words + 1] = patterns.word_offsets + used
        self._data[used : used + len(patterns.data)] = patterns.data
        self._chars[words : words + more_words] = patterns.chars
        self._gaps[rows + words : rows + words + more_rows + more_words] = patterns.gaps
        self._payloads[rows : rows + more_rows] = payloads
        self.rows, self._words = rows + more_rows, words + more_words
        self.live += (more_rows, more_words, len(patterns.data))

    def row(self, payload: int) -> int:
        """Return the row of a payload, found by a scan; raises `KeyError` if there is none."""
        rows = np.flatnonzero(self.payloads == payload)
        if payload < 0 or len(rows) == 0:
            raise KeyError(payload)
        return int(rows[0])

    def remove(self, row: int, pattern: Patterns) -> None:
        """Remove a row, which must hold this pattern: a `KeyError` if it does not. No row moves before `squeeze`."""
        first, stop = int(self._offsets[row]), int(self._offsets[row + 1])
        data = self._data[self._word_offsets[first] : self._word_offsets[stop]]
        gaps = self._gaps[first + row : stop + row + 1]
        if not (np.array_equal(data, pattern.data) and np.array_equal(gaps, pattern.gaps)):
            raise KeyError(int(self._payloads[row]))
        self._payloads[row] = -1
        self.live -= (1, stop - first, len(pattern.data))

    def squeeze(self) -> bool:
        """Drop the waste if it is more than half; say whether rows moved."""
        if 2 * self.live[1] >= self._words:
            return False
        patterns, payloads = self.patterns(), self.payloads
        self.rows, self._words, _ = squeeze(*patterns, payloads)
        return True

    @property
    def payloads(self) -> Int32:
        """Return the payload of each row, -1 for those removed; not a copy."""
        return self._payloads[: self.rows]

    def patterns(self) -> Patterns:
        """Return all rows, those removed among them; not a copy."""
        rows, words = self.rows, self._words
        return Patterns(
            self._offsets[: rows + 1],
            self._word_offsets[: words + 1],
            self._data[: self._word_offsets[words]],
            self._chars[:words],
            self._gaps[: rows + words],
        )

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""
        held = self.payloads
        known = (held >= 0) & (held < len(payloads))
        held[known] = payloads[held[known]]

    @property
    def bytes(self) -> int:
        """Return the bytes of the rows not removed."""
        rows, words, text = self.live.tolist()
        per_row, per_word = 8 + 4 + 4, 8 + 4 + 4  # start, last gap and payload; start, length and gap
        return int(text + per_row * rows + per_word * words)

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        return {**self.patterns()._asdict(), "payloads": self.payloads, "live": self.live}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._offsets, self._word_offsets, self._data, self._chars, self._gaps = (
            arrays[field] for field in Patterns._fields
        )
        self._payloads = arrays["payloads"]
        self.rows, self._words = len(self._payloads), len(self._chars)
        self.live = arrays["live"].copy()


def no_patterns() -> tuple[Patterns, Int32]:
    """Return no patterns and their payloads."""
    none: Int32 = np.empty(0, np.int32)
    return Patterns(np.zeros(1, np.int64), np.zeros(1, np.int64), NO_BYTES, none, none), none


def live(patterns: Patterns, payloads: Int32) -> tuple[Patterns, Int32]:
    """Return copies of the rows that have a payload: it is -1 where a row was removed."""
    offsets, word_offsets, data = patterns.offsets.copy(), patterns.word_offsets.copy(), patterns.data.copy()
    chars, gaps, payloads = patterns.chars.copy(), patterns.gaps.copy(), payloads.copy()
    rows, words, used = squeeze(offsets, word_offsets, data, chars, gaps, payloads)
    kept = Patterns(offsets[: rows + 1], word_offsets[: words + 1], data[:used], chars[:words], gaps[: words + rows])
    return kept, payloads[:rows]


def concatenate(parts: list[tuple[Patterns, Int32]]) -> tuple[Patterns, Int32]:
    """Return several sets of patterns as one; a copy, unless all but one are empty."""
    filled = [part for part in parts if len(part[0])]
    if len(filled) < 2:
        return filled[0] if filled else no_patterns()
    offsets, word_offsets = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)]
    words = used = 0
    for patterns, _ in filled:
        offsets.append(patterns.offsets[1:] + words)
        word_offsets.append(patterns.word_offsets[1:] + used)
        words += len(patterns.chars)
        used += len(patterns.data)
    all_patterns = Patterns(
        np.concatenate(offsets),
        np.concatenate(word_offsets),
        np.concatenate([patterns.data for patterns, _ in filled]),
        np.concatenate([patterns.chars for patterns, _ in filled]),
        np.concatenate([patterns.gaps for patterns, _ in filled]),
    )
    return all_patterns, np.concatenate([payloads for _, payloads in filled])
