"""Following walks, whatever the method: one pass over documents that may come in pieces, with buffers that grow.

A method makes a `Pass` (`PathStructure.start`) and is fed moves. What it says is the same however they are cut::

    run.feed(moves[:4]), run.feed(moves[4:])
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, resized
from watchword.index.hits import Hits
from watchword.index.structure import Structure
from watchword.kernels.paths.moves import (
    AT,
    COUNTERS,
    DEPTH,
    DOCUMENTS,
    DONE,
    FULL,
    OPERATIONS,
    PASSED,
    USED,
    USUAL,
    Found,
    Progress,
)
from watchword.paths.rows import Paths, Walk

Follow = Callable[[Int32, Progress, Found], int]
"""A kernel bound to its state: follows moves from ``counters[AT]`` on and returns `DONE`, `FULL` or `GROW`. It stops
before a move (`FULL`) if fewer pairs fit than there are payloads, since a move finds each once at most; called again
with more room, it goes on there."""


class Pairs(NamedTuple):
    """What a piece of a walk found: ``payloads[p]`` in ``elements[p]``; ``borders[d]`` pairs before the end of the
    `d`-th document that ended in it. Elements are numbered from 1 in each document, as they open."""

    payloads: Int32
    elements: Int32
    borders: Int64


def new_progress(payloads: int, limits: Int32) -> Progress:
    """Return the progress of a new pass; all payloads are below `payloads`."""
    counts: Int32 = np.zeros(payloads, np.int32)
    return Progress(np.zeros(COUNTERS, np.int64), limits, np.zeros(payloads, np.int32), counts)


class Pass:
    """One pass of one thread over documents that come in pieces."""

    def __init__(
        self,
        follow: Follow,
        payloads: int,
        limits: Int32,
        *,
        elements: bool,
        grow: Callable[[], None] | None = None,
        used: Progress | None = None,
        ended: Callable[[], None] | None = None,
    ) -> None:
        """`payloads` are below this number; `grow` makes room when the kernel says `GROW`. The progress of a run that
        has ended may be `used` again; `ended` is called when this one has."""
        self._follow, self._grow, self._elements, self._ended = follow, grow, elements, ended
        self.progress = used or new_progress(payloads, limits)

    def end(self) -> int:
        """End the pass after a whole document, so that another can use its arrays; returns the units of work."""
        counters = self.progress.counters
        operations = int(counters[OPERATIONS])
        counters[OPERATIONS] = 0
        if self._ended is not None and counters[DEPTH] == 0 and counters[PASSED] < _MOST_PASSED:
            self._ended()
        return operations

    def feed(self, moves: Int32, documents: int | None = None) -> Pairs:
        """Follow moves, which end at most `documents` documents."""
        counters = self.progress.counters
        counters[AT] = counters[USED] = counters[DOCUMENTS] = 0
        room = max(1024 + 4 * len(moves), int(counters[USUAL])) + len(self.progress.stamps)
        most = len(moves) // 2 + 1 if documents is None else documents
        found = Found(
            np.empty(room, np.int32), np.empty(room if self._elements else 0, np.int32), np.empty(most, np.int64)
        )
        while (status := self._follow(moves, self.progress, found)) != DONE:
            if status == FULL:
                room *= 2
                elements = resized(found.elements, room) if self._elements else found.elements
                found = Found(resized(found.payloads, room), elements, found.borders)
            elif self._grow is not None:
                self._grow()
        used, ended = int(counters[USED]), int(counters[DOCUMENTS])
        counters[USUAL] = used + used // 8
        return Pairs(*(_first(array, count) for array, count in zip(found, (used, used, ended), strict=True)))


def _first(array: Any, count: int) -> Any:
    """Return the first `count` of an array; short results are copied, so that keeping one does not keep the buffer."""
    return array[:count] if 2 * count > len(array) else array[:count].copy()


class PathStructure(Structure[Paths, Paths, Walk]):
    """A set of ``(path, payload)`` that finds the paths that occur in a document, and all their occurrences.

    `remove` takes one path. An empty batch of paths or documents is legal everywhere.
    """

    @abstractmethod
    def start(self, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass that finds each payload at most `limits` times a document, with its elements if asked for.

        `limits` has one entry for all payloads, or one for each.
        """

    def match(self, walk: Walk) -> Hits:
        """Return the paths that occur in each document, each once."""
        run = self.start(ONCE, elements=False)
        pairs = run.feed(walk.moves, walk.documents)
        return Hits(np.concatenate([_ZERO, pairs.borders]), pairs.payloads, run.end())


_MOST_PASSED = 1 << 30
ONCE: Int32 = np.array([1], np.int32)
_ZERO: Int64 = np.zeros(1, np.int64)
