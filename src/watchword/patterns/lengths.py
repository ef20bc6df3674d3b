"""Patterns without a word: wildcards only, so that nothing but the length of a text decides.

`??` asks for two characters, `*` for none. A payload has a minimum; sorted by it, those that a text satisfies are a
prefix. The sorted arrays are made when they are first needed after a change: few subscriptions are of this kind.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from watchword.arrays import Arrays, Int32, Int64
from watchword.index.hits import Hits
from watchword.kernels.patterns.lengths import append_prefixes


class LengthTable:
    """Payloads, each with the number of characters that a text must have."""

    def __init__(self) -> None:
        self._minimums: dict[int, int] = {}
        self._sorted: tuple[Int32, Int32] | None = None

    def __len__(self) -> int:
        return len(self._minimums)

    def add(self, payloads: Int32, minimums: Int32) -> None:
        """Add payloads that are not there yet."""
        self._minimums.update(zip(payloads.tolist(), minimums.tolist(), strict=True))
        self._sorted = None

    def remove(self, payload: int) -> None:
        """Remove a payload; a `KeyError` if it is not there."""
        del self._minimums[payload]
        self._sorted = None

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` by ``payloads[p]``."""
        self._minimums = {int(payloads[payload]): minimum for payload, minimum in self._minimums.items()}
        self._sorted = None

    def extend(self, hits: Hits, lengths: Int64) -> Hits:
        """Return the hits, and with them for each event those payloads that its length satisfies."""
        minimums, payloads = self._arrays()
        counts = np.searchsorted(minimums, lengths, side="right")
        ends = hits.ends + np.cumsum(counts, dtype=np.int64)
        found = np.empty(ends[-1] if len(ends) else 0, np.int32)
        append_prefixes(hits.ends, hits.payloads, payloads, ends, found)
        return Hits(ends, found, hits.operations)

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return 8 * len(self._minimums)

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        minimums, payloads = self._arrays()
        return {"minimums": minimums, "payloads": payloads}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the table that `arrays` describes."""
        made = cls()
        made.add(arrays["payloads"], arrays["minimums"])
        return made

    def _arrays(self) -> tuple[Int32, Int32]:
        """Return minimums, ascending, and their payloads. Threads that race here make the same."""
        if self._sorted is None:
            count = len(self._minimums)
            payloads = np.fromiter(self._minimums.keys(), np.int32, count)
            minimums = np.fromiter(self._minimums.values(), np.int32, count)
            order = np.argsort(minimums, kind="stable")
            self._sorted = minimums[order], payloads[order]
        return self._sorted
