"""Concatenated paths in arrays that grow, for methods that build their tables from all paths.

After ``/a`` (payload 5) and ``//b//c`` (payload 6) were added and ``/a`` removed, the store holds::

    offsets  [0, 1, 3]      payloads  [-1, 6]      steps  [2, 5, 7]      live  [1, 2]: one path, two steps
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from watchword.arrays import Arrays, Int32, Int64, offsets_of, reserve
from watchword.parts import Part
from watchword.paths.rows import Paths


class PathStore(Part):
    """A growing list of paths with payloads. A removed one has the payload -1, and goes when half of all is waste."""

    def __init__(self) -> None:
        self._rows = self._used = 0
        self.live: Int64 = np.zeros(2, np.int64)
        self._offsets: Int64 = np.zeros(1, np.int64)
        self._steps: Int32 = np.empty(0, np.int32)
        self._payloads: Int32 = np.empty(0, np.int32)

    def add(self, paths: Paths, payloads: Int32) -> None:
        """Append paths."""
        rows, used = self._rows + len(paths), self._used + len(paths.steps)
        self._offsets = reserve(self._offsets, rows + 1)
        self._steps = reserve(self._steps, used)
        self._payloads = reserve(self._payloads, rows)
        self._offsets[self._rows : rows + 1] = paths.offsets + self._used
        self._steps[self._used : used] = paths.steps
        self._payloads[self._rows : rows] = payloads
        self._rows, self._used = rows, used
        self.live += (len(paths), len(paths.steps))

    def remove(self, path: Paths, payload: int) -> None:
        """Remove a path, found by a scan; raises `KeyError` if this payload has none, or another one."""
        rows = np.flatnonzero(self._payloads[: self._rows] == payload)
        if payload < 0 or len(rows) == 0:
            raise KeyError(payload)
        row = int(rows[0])
        if not np.array_equal(self._steps[self._offsets[row] : self._offsets[row + 1]], path.steps):
            raise KeyError(payload)
        self._payloads[row] = -1
        self.live -= (1, len(path.steps))
        if 2 * self.live[1] < self._used:
            self._take(*self.living())

    def living(self) -> tuple[Paths, Int32]:
        """Return the paths that were not removed, and their payloads; copies."""
        payloads, lengths = self._payloads[: self._rows], np.diff(self._offsets[: self._rows + 1])
        alive = payloads >= 0
        steps = self._steps[: self._used][np.repeat(alive, lengths)]
        return Paths(offsets_of(lengths[alive]), steps), payloads[alive]

    def ascending(self) -> tuple[Paths, Int32]:
        """Return the paths and payloads of `living`, sorted by steps: paths with a common beginning are neighbours."""
        paths, payloads = self.living()
        data = pa.py_buffer(paths.steps.astype(">i4"))  # the order of its bytes is one of the numbers
        column = pa.Array.from_buffers(pa.large_binary(), len(paths), [None, pa.py_buffer(4 * paths.offsets), data])
        order = np.asarray(pc.sort_indices(column)).astype(np.int64)
        lengths = np.diff(paths.offsets)[order]
        offsets = offsets_of(lengths)
        places = np.arange(len(paths.steps)) + np.repeat(paths.offsets[order] - offsets[:-1], lengths)
        return Paths(offsets, paths.steps[places]), payloads[order]

    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""
        held = self._payloads[: self._rows]
        known = (held >= 0) & (held < len(payloads))
        held[known] = payloads[held[known]]

    @property
    def bytes(self) -> int:
        """Return the bytes of the paths that were not removed."""
        rows, steps = self.live.tolist()
        return int((8 + 4) * rows + 4 * steps)

    def arrays(self) -> Arrays:
        """Return the paths that were not removed, for a snapshot."""
        paths, payloads = self.living()
        return {**paths._asdict(), "payloads": payloads}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._take(Paths(arrays["offsets"], arrays["steps"]), arrays["payloads"])

    def _take(self, paths: Paths, payloads: Int32) -> None:
        self._offsets, self._steps, self._payloads = paths.offsets, paths.steps, payloads
        self._rows, self._used = len(paths), len(paths.steps)
        self.live = np.array([self._rows, self._used], np.int64)
