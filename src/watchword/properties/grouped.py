"""The index to use (`auto`) over properties: rows in groups by the properties that they want to be 1, in layers.

`layers.layered` has the life cycle; `group_base` the base, and `group_delta` what came since.

Why by ones? An event with few ones, which the paper found to be the usual kind, is satisfied only by rows whose ones
are among them: a trie over ones leads to those and to nothing else. Only the zeros of a row, a mask, remain to be
checked, and most rows that are read match. The paper goes by the *number* of ones and by a block without any, and its
trees still ask property after property. For events with more ones than zeros the same rows are kept a second time, with
0 and 1 exchanged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits, collect
from watchword.kernels.properties.groups import match
from watchword.layers.layered import Layered
from watchword.properties.bits import Bits
from watchword.properties.group_base import GroupBase
from watchword.properties.group_delta import GroupDelta
from watchword.sets.rows import Rows


class Grouped(Layered[Rows, Int32, Bits]):
    """Rows under the sets of their ones."""

    operation: ClassVar[str] = "groups read"
    delta_rows: ClassVar[int] = 1024
    background_rows: ClassVar[int] = 200_000

    base: GroupBase
    delta: GroupDelta

    def __init__(self, width: int) -> None:
        self.width = width
        self._hits_per_event = 64
        super().__init__()

    # what `Layered` asks for

    def packer(self) -> Callable[[list[tuple[Rows, Int32]]], GroupBase]:
        """Return the function that packs rows."""
        return partial(GroupBase.packed, self.width)

    def new_delta(self) -> GroupDelta:
        """Return a delta without rows."""
        return GroupDelta(self.width)

    def put(self, rows: Rows, payloads: Int32) -> None:
        """Put rows into the delta."""
        if len(payloads):
            self.delta.add(rows, payloads)

    # matching

    def match(self, events: Bits) -> Hits:
        """Read the groups whose ones each event has, and the lists of the delta."""
        state = (self.base.by_ones, self.base.by_zeros, self.delta.lists, self.tombstones.dead)
        step: Any = partial(match, events.words, state)
        hits = collect(len(events), step, self._hits_per_event)
        if len(events):
            self._hits_per_event = 64 + 2 * len(hits.payloads) // len(events)
        return hits

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` of the trie, rows as ``postings``, rows in the ``delta``, ``tombstones`` and ``bytes``."""
        return {
            "nodes": self.base.nodes,
            "postings": len(self),
            "delta": len(self.delta),
            "tombstones": len(self.tombstones),
            "bytes": self.base.bytes + self.delta.bytes,
        }

    def arrays(self) -> Arrays:
        """Return the base, into which everything was packed."""
        return self.base.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._install(GroupBase.restored(arrays, self.width))
