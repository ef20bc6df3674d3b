"""The index to use (`auto`) over patterns: patterns under their rarest word, in layers.

`layers.layered` has the life cycle; `packing` the base, and `delta` what came since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits, merged
from watchword.layers.layered import Layered
from watchword.patterns.keyed.delta import PatternDelta
from watchword.patterns.keyed.packing import PackedPatterns, PatternBase, pack
from watchword.patterns.rows import Patterns, concatenate
from watchword.strings import Strings


class KeyedPatterns(Layered[Patterns, Patterns, Strings]):
    """Patterns under their rarest word, found by a few bytes of it."""

    operation: ClassVar[str] = "candidates"
    delta_rows: ClassVar[int] = 128
    delta_share: ClassVar[int] = 8
    background_rows: ClassVar[int] = 50_000

    base: PatternBase
    delta: PatternDelta

    # what `Layered` asks for

    def packer(self) -> Callable[[list[tuple[Patterns, Int32]]], PatternBase]:
        """Return the function that packs patterns."""
        return _packed

    def new_delta(self) -> PatternDelta:
        """Return a delta without patterns."""
        return PatternDelta()

    def put(self, rows: Patterns, payloads: Int32) -> None:
        """Put patterns into the delta."""
        self.delta.add(rows, payloads)

    # matching

    def match(self, events: Strings) -> Hits:
        """Return the patterns in each text: finds key words, then checks the patterns under them."""
        if len(self.base) == 0:
            return self.delta.match(events)
        hits = self.base.match(events, self.tombstones.dead)
        return merged(hits, self.delta.match(events)) if len(self.delta) else hits

    def match_one(self, text: bytes) -> tuple[Int32, int] | None:
        """Return the patterns in one text, and the operations spent; None if it needs a batch of one."""
        if len(self.delta) or not len(self.base):
            return None
        return self.base.match_one(text, self.tombstones.dead)

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        """Return distinct words of the base, and states of the delta, as ``nodes``; patterns as ``postings``."""
        return {
            "nodes": self.base.words + self.delta.nodes,
            "postings": len(self),
            "delta": len(self.delta),
            "tombstones": len(self.tombstones),
            "bytes": self.base.bytes + self.delta.bytes,
        }

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the base: each key, and the patterns under it."""
        return self.base.draw(name)

    def arrays(self) -> Arrays:
        """Return the base, into which everything was packed."""
        return self.base.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._install(PatternBase(PackedPatterns(**arrays)))


def _packed(parts: list[tuple[Patterns, Int32]]) -> PatternBase:
    return pack(*concatenate(parts))
