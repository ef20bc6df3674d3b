"""Patterns that came since the base was packed.

Most are in a `Retriever`, which takes changes in place. Its windows cost the longest word at every character, and its
recombination the words of a pattern at every position of one, which a hostile pattern can make very long; so patterns
with a word of more than `LONG` characters, or more than that many words, are packed into a small base of their own,
which is built again when one of them is added or removed.

If ``song?blue`` (payload 7), a pattern with a word of a hundred characters (8) and ``pie*tea`` (9) came in this order,
they are the rows 0, 1 and 2 of the store; the retriever has the rows 0 and 2, the small base row 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from watchword.arrays import Bools, Int32
from watchword.index.hits import Hits, merged
from watchword.patterns.keyed.packing import PatternBase, pack
from watchword.patterns.retriever import Retriever
from watchword.patterns.rows import Patterns, PatternStore, live
from watchword.strings import Strings

LONG = 64


class PatternDelta:
    """A mutable set of patterns; rows are numbered in order of adding, and numbers of removed rows stay unused."""

    def __init__(self) -> None:
        self._store = PatternStore()
        self._row_of: dict[int, int] = {}
        self._ordinary = Retriever()
        self._long_rows: list[int] = []
        self._long: PatternBase | None = None

    def __len__(self) -> int:
        """Return the number of patterns not removed."""
        return len(self._row_of)

    @property
    def came(self) -> int:
        """Return the number of patterns ever added, removed ones included."""
        return self._store.rows

    mark = came
    """A position that grows with every added pattern."""

    @property
    def nodes(self) -> int:
        """Return the number of states."""
        return int(self._ordinary.stats()["nodes"]) + (self._long.words if self._long is not None else 0)

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        if not self._row_of:
            return 0
        return self._ordinary.bytes + (self._long.bytes if self._long is not None else 0)

    def mark_of(self, payload: int) -> int | None:
        """Return the row of a payload, or None."""
        return self._row_of.get(payload)

    def rows(self, since: int = 0) -> Callable[[], tuple[Patterns, Int32]]:
        """Return a function that returns the patterns added since a mark and still present now."""
        payloads = self._store.payloads.copy()
        payloads[:since] = -1
        return partial(live, self._store.patterns(), payloads)

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns."""
        first = self._store.rows
        self._store.add(patterns, payloads)
        self._row_of.update(zip(payloads.tolist(), range(first, self._store.rows), strict=True))
        is_long = _are_long(patterns)
        if not is_long.any():
            self._ordinary.add(patterns, payloads)
            return
        self._ordinary.add(*live(patterns, np.where(is_long, np.int32(-1), payloads)))
        self._long_rows += (np.flatnonzero(is_long) + first).tolist()
        self._pack_long()

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern; raises `KeyError` if its payload belongs to another one."""
        row = self._row_of[payload]
        self._store.remove(row, pattern)
        del self._row_of[payload]
        if _are_long(pattern)[0]:
            self._long_rows.remove(row)
            self._pack_long()
        else:
            self._ordinary.remove(pattern, payload)

    def match(self, texts: Strings) -> Hits:
        """Find the patterns in each text."""
        hits = self._ordinary.match(texts)
        return hits if self._long is None else merged(hits, self._long.match(texts))

    def _pack_long(self) -> None:
        if not self._long_rows:
            self._long = None
            return
        payloads = np.full(self._store.rows, -1, np.int32)
        payloads[self._long_rows] = self._store.payloads[self._long_rows]
        self._long = pack(*live(self._store.patterns(), payloads))


def _are_long(patterns: Patterns) -> Bools:
    if len(patterns.chars) <= LONG and patterns.chars.max(initial=0) <= LONG:  # as when one comes alone
        return np.zeros(len(patterns), np.bool_)
    long: Bools = np.maximum.reduceat(patterns.chars, patterns.offsets[:-1]) > LONG
    return long | (np.diff(patterns.offsets) > LONG)
