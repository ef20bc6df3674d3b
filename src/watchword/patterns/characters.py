"""Characters for the methods that walk an automaton code point by code point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from watchword.arrays import Int32, Int64, int64
from watchword.index.hits import Hits, collect
from watchword.kernels.stamped_table import NO_SCRATCH
from watchword.kernels.text.code_points import decode_points
from watchword.patterns.structure import Patterns
from watchword.strings import Strings, writable

_FIRST_ENTRIES = 256


def word_points(patterns: Patterns) -> tuple[Int32, Int64]:
    """Return the code points of all words, end to end, and the places where one ends and the next begins."""
    cuts = np.zeros(len(patterns.chars) + 1, np.int64)
    np.cumsum(patterns.chars, out=cuts[1:])
    points = np.empty(cuts[-1], np.int32)
    decode_points(writable(patterns.data), int(patterns.cuts[0]), int(patterns.cuts[-1]), points)
    return points, cuts


def scan(
    texts: Strings, new_scratch: Callable[[Int32, int], Any], run: Callable[..., tuple[int, int, int, int]]
) -> Hits:
    """Run a kernel over texts with scratch that grows when a text asks for more; it lives in this call only."""
    data, offsets = writable(texts.data), int64(texts.offsets)
    points = np.empty(np.diff(offsets).max(initial=0), np.int32)
    entries = _FIRST_ENTRIES
    scratch = new_scratch(points, entries)

    def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
        nonlocal entries, scratch
        operations = 0
        while True:
            first, used, spent, lacking = run(scratch, data, offsets, first, used, ends, payloads)
            operations += spent
            if lacking != NO_SCRATCH:
                return first, used, operations
            entries *= 4
            scratch = new_scratch(points, entries)

    return collect(texts.count, step)
