"""Matching text that arrives in chunks: each pattern is reported once, when the text so far holds an instance of it.

A `Plan` is what the patterns of an index are to streams: made once, shared by any number of them, and never changed. A
`StreamMatcher` is one stream: how far each pattern has come. `kernels.patterns.stream` has the layout of both, and says
why so little need be kept: 52 bytes for each pattern, 4 for each distinct word, and a window as long as the longest
run without a `*` in a pattern, however long the stream.

``pie*song?blue??`` after "apple pie, so", "ng blue" and "ber": pie was found with the first chunk, song?blue with the
second, and with the third two characters have come behind it: the pattern is reported.

These are the publications that arrive as a stream, of the paper on REtriever; matching them is not its algorithm, which
recombines the words of a whole publication.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, Int64, power_of_two
from watchword.errors import EventError
from watchword.kernels.patterns import stream as kernels
from watchword.kernels.patterns.stream import StreamPatterns, StreamState
from watchword.kernels.sequences.automaton import Automaton
from watchword.patterns import texts as reading
from watchword.patterns.compiler import Compiled
from watchword.patterns.rows import Patterns
from watchword.sequences.automaton import automaton
from watchword.sequences.words import distinct_words
from watchword.strings import Strings, from_texts
from watchword.visible import counted


@dataclass(frozen=True, slots=True)
class Plan:
    """Patterns made ready for streams; pattern `i` is subscription ``rows[i]`` of `ids`.

    Subscription ``blanks[i]`` has wildcards only, and asks for ``minimums[i]`` characters, ascending.
    """

    automaton: Automaton
    patterns: StreamPatterns
    rows: Int32
    blanks: Int32
    minimums: Int32
    ids: pa.Array
    ignore_case: bool


class StreamMatcher:
    """One stream of text. Made by `PatternIndex.stream`; for one thread at a time."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        patterns, count = plan.patterns, len(plan.rows)
        words = int(patterns.words[:, kernels.NUMBER].max(initial=-1)) + 1
        longest_back = int(patterns.words[:, kernels.BACK].max(initial=0))
        longest_tail = int(patterns.tails.max(initial=kernels.PATIENCE))
        self._state = StreamState(
            first_waiting=np.empty(words, np.int32),
            waits=np.empty((count, 6), np.int64),
            ring=np.empty(power_of_two(longest_back + 1), np.int32),
            due=np.empty(power_of_two(longest_tail + 1), np.int32),
            found=np.empty(count, np.int32),
            marks=np.empty(3, np.int64),
        )
        self.reset()

    def reset(self) -> None:
        """Forget the text so far: the next chunk is the first of another text."""
        kernels.begin(self._plan.patterns, self._state)
        self._blank = 0  # how many of the plan's blanks were found
        self._chunks = 0
        self._cut = b""  # the first bytes of a character

    def feed(self, chunk: str | bytes | bytearray | memoryview) -> list[Any]:
        """Read the next chunk; returns the ids of patterns that are in the text now and were not before.

        They are in the order of subscribing. A chunk is a `str` or UTF-8 bytes; bytes may end inside a character, which
        counts when the rest of it has come. A chunk that cannot be read is an `EventError` with the chunk's number as
        its position, and changes nothing.
        """
        texts, cut = self._read(chunk)
        if self._plan.ignore_case:
            texts = reading.casefold(texts)
        before, blank = int(self._state.marks[kernels.FOUND]), self._blank
        kernels.feed(texts.data, self._plan.automaton, self._plan.patterns, self._state)
        self._blank = int(np.searchsorted(self._plan.minimums, self.characters, side="right"))
        self._cut = cut
        self._chunks += 1
        return self._ids(before, blank)

    @property
    def matched(self) -> list[Any]:
        """Return the ids found so far, in the order of subscribing."""
        return self._ids(0, 0)

    @property
    def characters(self) -> int:
        """Return how many characters have come, case-folded ones if the index ignores case."""
        return int(self._state.marks[kernels.POSITION])

    @property
    def nbytes(self) -> int:
        """Return the bytes that this stream keeps, beside what it shares with others: the same at any time."""
        return sum(array.nbytes for array in self._state)

    def __repr__(self) -> str:
        patterns, characters = counted(len(self._plan.ids), "subscription"), counted(self.characters, "character")
        return f"<StreamMatcher of {patterns}, {characters} in>"

    def _ids(self, before: int, blank: int) -> list[Any]:
        """Return the ids found since: after the first `before` hits with words, and the first `blank` without."""
        plan, after = self._plan, int(self._state.marks[kernels.FOUND])
        if after == before and self._blank == blank:
            return []
        rows = np.concatenate([plan.rows[self._state.found[before:after]], plan.blanks[blank : self._blank]])
        ids: list[Any] = plan.ids.take(pa.array(np.sort(rows))).to_pylist()
        return ids

    def _read(self, chunk: Any) -> tuple[Strings, bytes]:
        """Return the whole characters that are there with this chunk, and the first bytes of one that is not."""
        if isinstance(chunk, str):
            if chunk and self._cut:
                raise EventError("a text follows bytes that end inside a character", position=self._chunks)
            return from_texts([chunk]), self._cut
        if not isinstance(chunk, bytes | bytearray | memoryview):
            message = f"a chunk is a text, str or UTF-8 bytes, not {type(chunk).__name__}"
            raise EventError(message, position=self._chunks)
        raw = self._cut + bytes(chunk)
        try:
            _, size = codecs.utf_8_decode(raw, "strict", False)
        except UnicodeDecodeError as error:
            byte = max(error.start - len(self._cut), 0)
            raise EventError(f"invalid UTF-8 at byte {byte}", position=self._chunks) from None
        data = np.frombuffer(bytearray(raw[:size]), np.uint8)
        return Strings(data, np.array([0, size], np.int64)), raw[size:]


def plan(compiled: Compiled, ids: pa.Array, ignore_case: bool) -> Plan:
    """Return the plan of all subscriptions of an index, compiled; their ids are in the order of subscribing."""
    order = np.argsort(compiled.minimums, kind="stable")
    blanks, minimums = compiled.blanks[order], compiled.minimums[order]
    patterns = compiled.patterns
    numbers, words = distinct_words(Strings(patterns.data, patterns.word_offsets))
    return Plan(
        automaton=automaton(words, np.arange(words.count)),
        patterns=_cut_segments(patterns, numbers),
        rows=compiled.rows.copy(),
        blanks=blanks,
        minimums=minimums,
        ids=ids,
        ignore_case=ignore_case,
    )


def _cut_segments(patterns: Patterns, numbers: Int32) -> StreamPatterns:
    """Cut patterns, whose words have these numbers, into segments."""
    count, size = len(patterns), len(patterns.chars)
    owners = np.repeat(np.arange(count), np.diff(patterns.offsets))
    gaps = patterns.gaps[np.arange(size) + owners]
    is_first = gaps & 1 == 1
    is_first[patterns.offsets[:-1]] = True
    begins = np.flatnonzero(is_first)
    lasts = np.append(begins[1:], size)[: len(begins)] - 1
    ends = np.cumsum((gaps >> 1) + patterns.chars, dtype=np.int64)  # of words, all in one line
    words = np.empty((size, 2), np.int32)
    words[:, kernels.NUMBER] = numbers
    words[:, kernels.BACK] = np.repeat(ends[lasts], lasts + 1 - begins) - ends
    keys = _keys(begins, words, np.diff(patterns.word_offsets))
    segments = np.full((len(begins) + 1, 5), -1, np.int32)
    segments[:, kernels.BEGIN] = np.append(begins, size)
    segments[:-1, kernels.KEY] = keys
    segments[:-1, kernels.BEFORE] = ends[keys] - ends[begins] + patterns.chars[begins]
    segments[:-1, kernels.LEAST] = gaps[begins] >> 1
    segments[:-1, kernels.PATTERN] = owners[begins]
    tails = patterns.gaps[patterns.offsets[1:] + np.arange(count)] >> 1
    return StreamPatterns(words, segments, tails)


def _keys(begins: Int64, words: Int32, sizes: Int64) -> Int64:
    """Return the word of each segment that is assumed to be its rarest, among the words near enough to its end.

    A byte counts as four bits of information, minus the bits lost because several patterns use the word. Of equal
    words it is the last, so that nothing has to wait for a later one.
    """
    if not len(begins):
        return np.empty(0, np.int64)
    numbers = words[:, kernels.NUMBER]
    bits = 4 * sizes - np.log2(np.bincount(numbers))[numbers]
    bits[words[:, kernels.BACK] > kernels.PATIENCE] = -np.inf
    best = np.maximum.reduceat(bits, begins)
    is_best = bits == np.repeat(best, np.diff(begins, append=len(words)))
    keys: Int64 = np.maximum.reduceat(np.where(is_best, np.arange(len(words)), -1), begins)
    return keys
