"""The payloads removed from an immutable base; `kernels.tombstones` has the layout of the bitmaps."""

from __future__ import annotations

from watchword.arrays import reserve
from watchword.kernels.tombstones import FIRST_CLAUSE, NOBODY, Dead


class Tombstones:
    """A set of payloads, kept as bitmaps for kernels.

    >>> removed = Tombstones()
    >>> removed.add(3)
    >>> 3 in removed, 4 in removed, len(removed)
    (True, False, 1)
    """

    def __init__(self) -> None:
        self.dead: Dead = NOBODY
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, payload: int) -> bool:
        at = payload - FIRST_CLAUSE if payload >= FIRST_CLAUSE else payload
        bits = self.dead.clauses if payload >= FIRST_CLAUSE else self.dead.slots
        return at >> 3 < len(bits) and bool(bits[at >> 3] >> (at & 7) & 1)

    def add(self, payload: int) -> None:
        """Add a payload that is not there yet."""
        is_clause = payload >= FIRST_CLAUSE
        at = payload - FIRST_CLAUSE if is_clause else payload
        bits = self.dead[is_clause]
        if at >> 3 >= len(bits):
            bits = reserve(bits, (at >> 3) + 1, 0)
            self.dead = Dead(self.dead.slots, bits) if is_clause else Dead(bits, self.dead.clauses)
        bits[at >> 3] |= 1 << (at & 7)
        self._count += 1

    def copy_bitmaps(self) -> Dead:
        """Return a copy of the bitmaps, for packing in the background while payloads are added."""
        return Dead(self.dead.slots.copy(), self.dead.clauses.copy())
