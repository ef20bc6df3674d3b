"""The index to use: patterns under their rarest word.

The *base* is immutable and packed (`packing`). Patterns that come singly go into the *delta* (`delta`), which takes
changes in place; patterns of the base that go get a tombstone. When the delta or the tombstones have grown to a fair
share of the base, both are packed into a new base, in a thread where it takes long, while matching and changing go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from watchword.arrays import NO_BYTES, Arrays, Int32, UInt8, reserve
from watchword.index.hits import Hits, merged
from watchword.layers.background import Background
from watchword.patterns.delta import Delta
from watchword.patterns.packing import Base, Packed, joined, live, no_patterns, pack
from watchword.patterns.structure import Patterns, Structure
from watchword.strings import Strings


class Keyed(Structure):
    """Patterns under their rarest word, found by a few bytes of it."""

    operation: ClassVar[str] = "candidates"

    delta_rows = 128
    """How many patterns the delta takes, beside a quarter of the base."""

    background_rows = 50_000
    """From this many patterns on, packing happens in a thread."""

    def __init__(self) -> None:
        self._packing: _Packing | None = None
        self._dead: UInt8 = NO_BYTES
        self._buried = 0
        self._install(pack(*no_patterns()))

    def __len__(self) -> int:
        return len(self._base) - self._buried + len(self._delta)

    # changes

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add a few patterns to the delta; many, and all before them, are packed at once."""
        self._poll()
        if len(patterns) > self._room():
            self._poll(wait=True)
            kept = self._base.patterns(self._dead), live(*self._delta.given())
            self._install(pack(*joined([*kept, (patterns, payloads)])))
            return
        self._delta.add(patterns, payloads)
        if self._room() <= 0:
            self._start()

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern from the delta, or give it a tombstone."""
        self._poll()
        row = self._delta.row(payload)
        if row is not None:
            self._delta.remove(row, pattern, payload)
        elif payload >= 0 and not self._is_dead(payload) and self._base.has(pattern, payload):
            self._bury(payload)
        else:
            raise KeyError(payload)
        if self._packing is not None and (row is None or row < self._packing.rows):
            self._packing.removed.append(payload)
        if self._buried > self.delta_rows + len(self._base) // 2:
            self._start()

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place once everything is packed."""
        self.merge()
        self._base.renumber(payloads)

    def merge(self) -> None:
        """Pack everything into the base now."""
        self._poll(wait=True)
        if self._delta.rows or self._buried:
            self._start(wait=True)

    # matching

    def match(self, texts: Strings) -> Hits:
        """Find the words of each text, the patterns under them, and what fits together."""
        if len(self._base) == 0:
            return self._delta.match(texts)
        hits = self._base.match(texts, self._dead)
        return merged(hits, self._delta.match(texts)) if len(self._delta) else hits

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        """Return distinct words of the base, and states of the delta, as ``nodes``; patterns as ``postings``."""
        return {
            "nodes": self._base.words + self._delta.nodes,
            "postings": len(self),
            "delta": len(self._delta),
            "tombstones": self._buried,
            "bytes": self._base.bytes + self._delta.bytes,
        }

    def arrays(self) -> Arrays:
        """Return the base, once everything is packed into it."""
        self.merge()
        return self._base.packed._asdict()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes."""
        made = cls(**options)
        made._base = Base(Packed(**arrays))
        return made

    # private parts, in the order in which a pattern passes through them

    def _room(self) -> int:
        """Return how many more patterns the delta takes before it is packed; removed ones count until then."""
        return self.delta_rows + len(self._base) // 4 - self._delta.rows

    def _is_dead(self, payload: int) -> bool:
        return payload >> 3 < len(self._dead) and bool(self._dead[payload >> 3] >> (payload & 7) & 1)

    def _bury(self, payload: int) -> None:
        """Set the tombstone of a pattern of the base, which has none."""
        self._dead = reserve(self._dead, (payload >> 3) + 1, 0)
        self._dead[payload >> 3] |= 1 << (payload & 7)
        self._buried += 1

    def _start(self, wait: bool = False) -> None:
        """Begin to pack base and delta anew."""
        if self._packing is None:
            self._packing = _Packing(self._base, self._dead.copy(), self._delta)
        if wait or len(self) < self.background_rows or self._room() < -(len(self._base) // 4):
            self._poll(wait=True)

    def _poll(self, wait: bool = False) -> None:
        """Take over a base that has been packed meanwhile."""
        packing = self._packing
        if packing is None or not packing.is_over(wait):
            return
        self._packing = None  # also after an error: base and delta are as they were
        base = packing.result()
        patterns, payloads = self._delta.given()
        payloads[: packing.rows] = -1
        later = live(patterns, payloads)
        self._install(base)
        for payload in packing.removed:
            self._bury(payload)
        self._delta.add(*later)

    def _install(self, base: Base) -> None:
        self._base = base
        self._dead = NO_BYTES
        self._buried = 0
        self._delta = Delta()


class _Packing(Background[Base]):
    """One packing under way: what it was given stays as it was, whatever changes meanwhile.

    `rows` is how much of the delta it packs; `removed` collects the payloads that were taken away since and lie in
    what is being packed.
    """

    def __init__(self, base: Base, dead: UInt8, delta: Delta) -> None:
        self.rows = delta.rows
        self.removed: list[int] = []
        given = delta.given()
        super().__init__(lambda: pack(*joined([base.patterns(dead), live(*given)])), "watchword-packing")
