"""From raw codes to moves, whatever parser made them: over `kernels.paths.settle`, which says what both are.

Where no path asks for attributes or texts, raw codes are moves already, and nothing is copied.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, resized
from watchword.kernels.paths.asked import Asked
from watchword.kernels.paths.settle import AT, FILL, Conditions, gather, settle


class Settler:
    """Settles the codes of documents, one piece after the other."""

    def __init__(self, asked: Asked, conditions: Conditions, max_depth: int) -> None:
        self.late = bool(asked.limits[0] >= 0)
        """Whether codes must be those of whole documents, because tests of texts come late."""
        self._plain = not self.late and not asked.limits[1]
        self._conditions, self._max_depth = conditions, max_depth
        self._marks = np.zeros(len(conditions.first), np.int64)
        self._counters = np.zeros(3, np.int64)

    def moves(self, raw: Int32) -> Int32:
        """Return the moves of raw codes."""
        if self._plain or not len(raw):
            return raw
        if self.late:
            raw = self._gather(raw)
        counters = self._counters
        counters[AT] = counters[FILL] = 0
        out = np.empty(len(raw) + 16, np.int32)
        while not settle(raw, self._conditions, self._marks, counters, out):
            out = resized(out, 2 * len(out))
        return out[: counters[FILL]]

    def _gather(self, raw: Int32) -> Int32:
        out = np.empty_like(raw)
        deepest = min(self._max_depth, len(raw)) + 1
        gather(raw, np.zeros(len(raw), np.int64), np.empty(deepest, np.int64), out)
        return out
