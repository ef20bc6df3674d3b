"""A guide and the automaton that it was learned from: the class over `kernels.paths.guide`, where it is told.

Many threads follow a guide at once; one that learns has it to itself meanwhile, through a gate as an index has one. A
guide that has outgrown its share of memory learns no more: elements that it does not know are then followed by the
automaton, each time again. Documents without end that keep to no kind would leave it full of what never comes again; so
`is_outworn` says when it has been of so little use that a new one pays.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32
from watchword.index.gate import Gate
from watchword.kernels.paths import guide as kernels
from watchword.kernels.paths.classes import NO_CLASSES, classes_bytes, classes_of
from watchword.kernels.paths.guide import CROWDED, KNOWN, NODES, PAYLOADS, UNKNOWN
from watchword.kernels.paths.moves import AT, DEPTH, OPERATIONS, USED, Found, Progress
from watchword.kernels.paths.nfa import Levels, grown_levels, new_levels
from watchword.kernels.paths.trail import BEGIN, COPIED, LEARNING, Trail, grown_trail, new_trail
from watchword.paths.passes import Pass, new_progress
from watchword.paths.trie import PathTrie

_WASTE = 8
"""A guide is outworn if it did not know this many times as many elements as it has nodes."""

_COPIED = 4
"""Classes are computed when this many times as many payloads were copied singly as the guide has."""


class Guide:
    """The paths of names seen in documents, with the payloads that they satisfy, over an automaton that is final."""

    def __init__(self, trie: PathTrie, most: int) -> None:
        """Make an empty guide of at most `most` bytes, or as many as its automaton has, if these are more."""
        self._trie = trie
        self._arrays = kernels.new_guide()
        self._classes = NO_CLASSES
        self._copied = 0
        self._gate = Gate()
        self._most = max(most, trie.bytes)
        self._unhelped = 0
        self._spare: list[_Spare] = []

    @property
    def nodes(self) -> int:
        """Return the number of known paths of names."""
        return int(self._arrays.figures[NODES]) - 1

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return kernels.guide_bytes(self._arrays) + classes_bytes(self._classes)

    @property
    def is_full(self) -> bool:
        """Return whether its memory is used up, so that it learns no more."""
        return self.bytes > self._most

    @property
    def was_cut(self) -> bool:
        """Return whether a fork has cut off a thread that was teaching it, so that it may be broken."""
        return self._gate.was_cut

    @property
    def is_outworn(self) -> bool:
        """Return whether a new guide would be more useful."""
        return self._unhelped > _WASTE * self.nodes and self.is_full

    def start(self, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass over documents, with the arrays of an ended pass if there are any."""
        payloads = self._trie.payloads
        self._classify()
        try:
            spare = self._spare.pop()
        except IndexError:
            trail = new_trail(self.nodes + 1, self.classes + 1, payloads)
            spare = _Spare(trail, None, new_progress(payloads, limits))
        walker, progress = _Walker(self, spare.trail, spare.levels), spare.progress._replace(limits=limits)

        def ended() -> None:
            self._spare.append(_Spare(walker.trail, walker.levels, progress))

        return Pass(walker.follow, payloads, limits, elements=elements, grow=walker.grow, used=progress, ended=ended)

    def follow(self, trail: Trail, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves as far as they are known."""
        with self._gate.reading():
            status: int = kernels.follow_guide(self._arrays, self._classes, trail, moves, progress, found)
        self._copied += int(trail.marks[COPIED])
        trail.marks[COPIED] = 0
        return status

    def follow_beyond(self, trail: Trail, levels: Levels, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves through an unknown element, and add it to the guide."""
        before = int(progress.counters[OPERATIONS])
        if self.is_full or self._gate.is_nested:  # nested: in a finalizer, while this thread reads or learns
            status = self._learn(trail, levels, moves, progress, found, False)
            self._unhelped += int(progress.counters[OPERATIONS]) - before
        else:
            status = self._gate.exclusively(self._learn, trail, levels, moves, progress, found, True)
        return status

    def _learn(self, trail: Trail, levels: Levels, moves: Int32, progress: Progress, found: Found, learns: bool) -> int:
        automaton = self._trie.states, self._trie.lists
        status: int = CROWDED
        while status == CROWDED:
            status = kernels.follow_and_learn(automaton, self._arrays, trail, levels, moves, progress, found, learns)
            if status == CROWDED:
                self._arrays = kernels.grown_guide(self._arrays, len(levels.accepted))
        return status

    def _classify(self) -> None:
        """Compute the classes again, if copying single payloads has cost more than that."""
        if self._copied <= _COPIED * int(self._arrays.figures[PAYLOADS]):
            return
        self._copied = 0
        if len(self._classes.nodes) == self.nodes + 2:
            return  # all nodes have theirs: copied singly is what classes do not help with
        with self._gate.reading():
            nodes, filled = self._arrays.figures.tolist()
            spans, payloads = self._arrays.spans[: 2 * nodes], self._arrays.payloads[:filled]
            self._classes = classes_of(spans, payloads, self._trie.payloads)

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(self._classes.starts) - 1

    def levels(self) -> Levels:
        """Return the levels of the automaton before the first document."""
        return new_levels(self._trie.room, len(self._trie))


class _Spare(NamedTuple):
    """The arrays of an ended pass, for the next one."""

    trail: Trail
    levels: Levels | None
    progress: Progress


class _Walker:
    """One pass of one thread: its position in the guide, and beyond it."""

    def __init__(self, guide: Guide, trail: Trail, levels: Levels | None) -> None:
        self._guide, self.trail, self.levels = guide, trail, levels

    def follow(self, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves in the guide where it knows them, else beyond it."""
        if progress.counters[AT] == progress.counters[USED] == 0:
            self.trail.marks[BEGIN] = 0 if progress.counters[DEPTH] == 0 else -1
        while True:
            if self.trail.marks[LEARNING] < 0:
                status = self._guide.follow(self.trail, moves, progress, found)
                if status != UNKNOWN:
                    return status
            if self.levels is None:
                self.levels = self._guide.levels()
            status = self._guide.follow_beyond(self.trail, self.levels, moves, progress, found)
            if status != KNOWN:
                return status

    def grow(self) -> None:
        """Enlarge all arrays that may be full."""
        self.trail = grown_trail(self.trail, self._guide.nodes + 1, self._guide.classes + 1)
        if self.levels is not None:
            self.levels = grown_levels(self.levels)
