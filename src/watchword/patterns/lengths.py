"""Patterns without a word: wildcards only, so that nothing but the length of a text decides.

`??` asks for two characters, `*` for none. A payload has a minimum; sorted by minimum length, the patterns that a text
of length n satisfies are the first k. The sorted arrays are made when they are first needed after a change: few
subscriptions are of this kind.

>>> table = LengthTable()
>>> table.add(np.array([4, 5, 6], np.int32), np.array([2, 0, 7], np.int32))  # the patterns ??, * and ???????
>>> nothing = Hits(np.zeros(3, np.int64), np.empty(0, np.int32), 0)
>>> hits = table.extend(nothing, np.array([3, 1]))  # texts of three characters and of one
>>> hits.offsets.tolist(), hits.payloads.tolist()
([0, 2, 3], [5, 4, 5])
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, offsets_of
from watchword.index.hits import Hits
from watchword.index.structure import Part
from watchword.kernels.merge import append_prefixes


class LengthTable(Part):
    """Payloads, each with the number of characters that a text must have."""

    def __init__(self) -> None:
        self._minimums: dict[int, int] = {}
        self._sorted: tuple[Int32, Int32] | None = None

    def __len__(self) -> int:
        """Return the number of payloads."""
        return len(self._minimums)

    def add(self, payloads: Int32, minimums: Int32) -> None:
        """Add payloads that are not there yet."""
        self._minimums.update(zip(payloads.tolist(), minimums.tolist(), strict=True))
        self._sorted = None

    def remove(self, payload: int) -> None:
        """Remove a payload; raises `KeyError` if it is not there."""
        del self._minimums[payload]
        self._sorted = None

    def extend(self, hits: Hits, lengths: Int64) -> Hits:
        """Return the hits with, for each event, the payloads that its length satisfies."""
        minimums, payloads = self._arrays()
        counts = np.searchsorted(minimums, lengths, side="right")
        offsets = hits.offsets + offsets_of(counts)
        found = np.empty(offsets[-1], np.int32)
        append_prefixes(hits.offsets, hits.payloads, payloads, offsets, found)
        return Hits(offsets, found, hits.operations)

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""
        minimums, held = self._arrays()
        held = held.copy()
        known = held < len(payloads)
        held[known] = payloads[held[known]]
        self._minimums = {}
        self.add(held, minimums)

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return 8 * len(self._minimums)

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        minimums, payloads = self._arrays()
        return {"minimums": minimums, "payloads": payloads}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.add(arrays["payloads"], arrays["minimums"])

    def _arrays(self) -> tuple[Int32, Int32]:
        """Return minimums, ascending, and their payloads. Threads that race here make equal arrays."""
        if self._sorted is None:
            count = len(self._minimums)
            payloads = np.fromiter(self._minimums.keys(), np.int32, count)
            minimums = np.fromiter(self._minimums.values(), np.int32, count)
            order = np.argsort(minimums, kind="stable")
            self._sorted = minimums[order], payloads[order]
        return self._sorted
