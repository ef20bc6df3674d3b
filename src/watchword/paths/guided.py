"""The method `auto`: paths in layers, each an automaton with a guide.

Every path of names from the root that documents were seen to have is a node of the guide, with all payloads that it
satisfies (`kernels.paths.guide`); only a path never seen before is followed by the automaton. The base keeps its guide,
the delta loses it with every change: it is small, and learned again while matching.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, concatenated, offsets_of, prefixed, under
from watchword.kernels.merge import interleave
from watchword.kernels.tombstones import Dead
from watchword.layers.layered import Layered
from watchword.paths.guide import Guide
from watchword.paths.options import GUIDE_BYTES
from watchword.paths.passes import Pairs, Pass, PathStructure
from watchword.paths.rows import Paths, Walk, concatenate
from watchword.paths.trie import PathTrie


class _Layer:
    """Paths, and their guide."""

    def __init__(self, trie: PathTrie, guide_bytes: int) -> None:
        self.trie, self._guide_bytes = trie, guide_bytes
        self.unlearn()

    def unlearn(self) -> None:
        """Replace the guide by an empty one."""
        self.guide = Guide(self.trie, self._guide_bytes)

    def __len__(self) -> int:
        return len(self.trie)

    def current_guide(self) -> Guide:
        """Return the guide; a new one if the old one has been of little use."""
        if self.guide.is_outworn or self.guide.was_cut:
            self.unlearn()
        return self.guide


class GuidedBase(_Layer):
    """Immutable packed paths, with their guide."""

    def has(self, row: Paths, payload: int) -> bool:
        """Return whether this path is here under this payload."""
        return self.trie.has(row, payload)

    def rows(self, dead: Dead) -> tuple[Paths, Int32]:
        """Return the paths that are not dead, and their payloads."""
        paths, payloads = self.trie.rows()
        alive = ~is_dead(dead, payloads)
        if alive.all():
            return paths, payloads
        lengths = np.diff(paths.offsets)
        return Paths(offsets_of(lengths[alive]), paths.steps[np.repeat(alive, lengths)]), payloads[alive]

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; the guide is emptied."""
        self.trie.renumber(payloads)
        self.unlearn()


class GuidedDelta(_Layer):
    """Paths added since the base was packed."""

    def __init__(self, guide_bytes: int) -> None:
        super().__init__(PathTrie(), guide_bytes)
        self.came = self.mark = 0
        self._rows: dict[int, tuple[int, Int32]] = {}

    def put(self, paths: Paths, payloads: Int32) -> None:
        """Add paths."""
        self.trie.add(paths, payloads)
        borders = paths.offsets.tolist()
        for row, payload in enumerate(payloads.tolist()):
            self._rows[payload] = (self.mark, paths.steps[borders[row] : borders[row + 1]])
            self.mark += 1
        self.came += len(payloads)
        self.unlearn()

    def mark_of(self, payload: int) -> int | None:
        """Return the mark before the path with this payload was added, or None."""
        found = self._rows.get(payload)
        return None if found is None else found[0]

    def remove(self, row: Paths, payload: int) -> None:
        """Remove a path; raises `KeyError` if its payload belongs to another path."""
        self.trie.remove(row, payload)
        del self._rows[payload]
        self.unlearn()

    def rows(self, since: int = 0) -> Callable[[], tuple[Paths, Int32]]:
        """Return a function that returns the paths added since a mark and still present now."""
        here = [(payload, steps) for payload, (mark, steps) in self._rows.items() if mark >= since]

        def taken() -> tuple[Paths, Int32]:
            offsets = offsets_of([len(steps) for _, steps in here])
            steps = concatenated((steps for _, steps in here), np.int32)
            return Paths(offsets, steps), np.array([payload for payload, _ in here], np.int32)

        return taken


class GuidedPaths(Layered[Paths, Paths, Walk], PathStructure):
    """Paths in layers."""

    operation: ClassVar[str] = "nodes and states reached"
    delta_rows: ClassVar[int] = 1_000
    background_rows: ClassVar[int] = 50_000

    def __init__(self, guide_bytes: int = GUIDE_BYTES) -> None:
        self._guide_bytes = guide_bytes
        super().__init__()

    def packer(self) -> Callable[[list[tuple[Paths, Int32]]], Any]:
        """Return a function that enters paths into a new automaton."""
        return partial(_packed, self._guide_bytes)

    def new_delta(self) -> Any:
        """Return a delta without paths."""
        return GuidedDelta(self._guide_bytes)

    def put(self, rows: Paths, payloads: Int32) -> None:
        """Put paths into the delta."""
        self.delta.put(rows, payloads)

    def start(self, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass through all layers that have paths."""
        delta: Pass | None = self.delta.current_guide().start(limits, elements=elements) if len(self.delta) else None
        if delta is not None and len(self.base) == 0:
            return delta
        base: Pass = self.base.current_guide().start(limits, elements=elements)
        if delta is None and len(self.tombstones) == 0:
            return base
        return _LayeredPass(base, delta, self.tombstones.dead)

    def stats(self) -> Mapping[str, float]:
        """Return the figures of both layers and of their guides, and the number of paths waiting to be packed."""
        base, delta = self.base.trie.figures(), self.delta.trie.figures()
        guides = self.base.guide, self.delta.guide
        guide_bytes = sum(guide.bytes for guide in guides)
        return {name: base[name] + delta[name] for name in base} | {
            "bytes": base["bytes"] + delta["bytes"] + guide_bytes,
            "guide_nodes": sum(guide.nodes for guide in guides),
            "guide_bytes": guide_bytes,
            "delta_rows": len(self.delta),
            "tombstones": len(self.tombstones),
        }

    def draw(self) -> str:
        """Return an indented drawing of the base's automaton."""
        drawn: str = self.base.trie.draw()
        return drawn

    def arrays(self) -> Arrays:
        """Return the state, all of it in the base."""
        return prefixed("base", self.base.trie.arrays())

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        trie = PathTrie()
        trie.restore(under("base", arrays))
        self._install(GuidedBase(trie, self._guide_bytes))


def _packed(guide_bytes: int, parts: list[tuple[Paths, Int32]]) -> GuidedBase:
    """Return a base of all these paths."""
    trie = PathTrie()
    trie.add(*concatenate(parts))
    return GuidedBase(trie, guide_bytes)


class _LayeredPass(Pass):
    """A pass through base and delta at once, without dead payloads."""

    def __init__(self, base: Pass, delta: Pass | None, dead: Dead) -> None:
        self._base, self._delta, self._dead = base, delta, dead

    def end(self) -> int:
        """End the runs of both layers; return their units of work."""
        return self._base.end() + (self._delta.end() if self._delta is not None else 0)

    def feed(self, moves: Int32, documents: int | None = None) -> Pairs:
        """Follow moves in both layers."""
        pairs = _alive(self._base.feed(moves, documents), self._dead)
        return pairs if self._delta is None else _merge(pairs, self._delta.feed(moves, documents))


def _alive(pairs: Pairs, dead: Dead) -> Pairs:
    """Return the pairs whose payload is not dead."""
    alive = ~is_dead(dead, pairs.payloads)
    if alive.all():
        return pairs
    before = np.concatenate([[0], np.cumsum(alive)])
    elements = pairs.elements[alive] if len(pairs.elements) else pairs.elements
    return Pairs(pairs.payloads[alive], elements, before[pairs.borders])


def _merge(pairs: Pairs, more: Pairs) -> Pairs:
    """Return the pairs that two layers found in the same moves, document by document; the last may not have ended."""

    def together(one: Int32, other: Int32) -> Int32:
        merged = np.empty(len(one) + len(other), np.int32)
        interleave(_document_offsets(pairs), one, _document_offsets(more), other, merged)
        return merged

    elements = together(pairs.elements, more.elements) if len(pairs.elements) + len(more.elements) else pairs.elements
    return Pairs(together(pairs.payloads, more.payloads), elements, pairs.borders + more.borders)


def _document_offsets(pairs: Pairs) -> Any:
    """Return the offsets of each document's pairs, including a document that has not ended."""
    return np.concatenate([[0], pairs.borders, [len(pairs.payloads)]]).astype(np.int64)


def is_dead(dead: Dead, payloads: Int32) -> Any:
    """Return which payloads are dead, as booleans."""
    bits = np.unpackbits(dead.slots, bitorder="little").astype(bool)
    known = payloads < len(bits)
    answer = np.zeros(len(payloads), bool)
    answer[known] = bits[payloads[known]]
    return answer
