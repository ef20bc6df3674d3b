"""Characters for the methods that walk an automaton code point by code point: `nfa` and the three `retriever-*`.

Patterns come to them as code points (`point_rows`). Texts are decoded by the kernels, one at a time, into scratch that
is as large as the texts seen so far needed: a text of 70 characters begins with 256 entries, one with a thousand
half-found patterns is matched a second time with 1,024, and a third time with 4,096 (`scan`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from watchword.arrays import Int32, Int64, int32, int64, offsets_of
from watchword.index.hits import Hits, collect
from watchword.kernels.patterns.point_rows import PointRows
from watchword.kernels.stamped_table import NO_SCRATCH
from watchword.kernels.text.code_points import decode_points
from watchword.patterns.rows import Patterns
from watchword.strings import Strings, writable

_FIRST_ENTRIES = 256

Run: TypeAlias = Callable[..., tuple[int, int, int, int]]
"""A matching kernel with scratch arrays, passed after its state and before the four arguments of a `Step`. Beside
what a `Step` returns it says whether it lacked anything, and what."""


class Work:
    """The operations of a method so far: states visited, and others."""

    def __init__(self) -> None:
        self._texts = self._visited = self._operations = 0

    def add(self, hits: Hits, visited: int) -> Hits:
        """Add the result of a `scan`; returns its hits."""
        self._texts += hits.events
        self._visited += visited
        self._operations += hits.operations
        return hits

    @property
    def visits_per_match(self) -> float:
        """Return the states visited for a text."""
        return self._visited / max(1, self._texts)

    @property
    def others_per_match(self) -> float:
        """Return the other operations for a text."""
        return (self._operations - self._visited) / max(1, self._texts)


def point_rows(patterns: Patterns) -> PointRows:
    """Return patterns with their words as code points."""
    word_offsets = offsets_of(patterns.chars)
    points = np.empty(word_offsets[-1], np.int32)
    decode_points(writable(patterns.data), int(patterns.word_offsets[0]), int(patterns.word_offsets[-1]), points)
    return PointRows(int64(patterns.offsets), word_offsets, points, int32(patterns.gaps))


def scan(texts: Strings, run: Run, state: tuple[Any, ...], new_scratch: Callable[[int, int], Any]) -> tuple[Hits, int]:
    """Run a kernel over texts, with scratch that grows when a text asks for more; also returns the states visited.

    The scratch, ``new_scratch(longest, entries)``, is for texts of at most `longest` bytes, and lives in this call
    only: several threads may match at once. In the last of its `marks` the kernel counts, for the texts that it is done
    with, how many of its operations are states visited.
    """
    data, text_offsets = writable(texts.data), int64(texts.offsets)
    longest = int(np.diff(text_offsets).max(initial=0))
    entries = _FIRST_ENTRIES
    scratch = new_scratch(longest, entries)
    visited = 0

    def step(first: int, used: int, offsets: Int64, payloads: Int32) -> tuple[int, int, int]:
        nonlocal entries, scratch, visited
        operations = 0
        while True:
            first, used, spent, lacking = run(data, text_offsets, *state, scratch, first, used, offsets, payloads)
            operations += spent
            if lacking != NO_SCRATCH:
                return first, used, operations
            entries *= 4
            visited += int(scratch.marks[-1])
            scratch = new_scratch(longest, entries)

    hits = collect(texts.count, step)
    return hits, visited + int(scratch.marks[-1])
