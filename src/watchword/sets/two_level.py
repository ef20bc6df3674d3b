"""The two-level counter of the compact count index (Kourdounakis 2011, section 3.1.2, Figure 3.2b).

Rows 0 and 1 with three and two atoms, and row 1,234,567 with seven, make two segments of 50,000 rows each:

>>> counter = TwoLevelCounter()
>>> counter.put(np.array([0, 1, 1_234_567], np.int32), np.array([3, 2, 7], np.int16))
>>> counter.ground[:3].tolist()          # a second-level table for each million of rows
[0, 1, -1]
>>> counter.second.reshape(-1, FANOUT)[:, :5].tolist()          # row // 50,000 % 20 leads to the segment
[[0, -1, -1, -1, -1], [-1, -1, -1, -1, 1]]
>>> counter.segments[[0, 1, 1 * SEGMENT + 34_567]].tolist(), counter.population.tolist()
([3, 2, 7], [2, 1])

Layout: see `kernels.sets.compact_count`. `ground` grows with the largest row; second-level tables and segments are made
when a row needs them and released when their last row is removed, so that a counter whose rows have mostly gone does
not keep the memory of its largest row. -1 stands for a table or segment that is not there.

Invariant: second-level tables and segments are numbered without gaps: the last one moves into the place of one that is
released. ``population[s]`` is the number of rows in segment `s`, at least one.

Cost: O(1) a row; a release moves at most one segment and one table. One flat array, as `count` has it, is simpler and
faster, and is kept there; this is what the thesis proposes for counters that grow and shrink by the million.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int16, Int32, reserve, resized
from watchword.index.structure import Part
from watchword.kernels.sets.compact_count import FANOUT, SEGMENT, Counter, set_counters


class TwoLevelCounter(Part):
    """The number of atoms of each row."""

    def __init__(self) -> None:
        self.ground: Int32 = np.empty(0, np.int32)
        self.second: Int32 = np.empty(0, np.int32)
        self.segments: Int16 = np.empty(0, np.int16)
        self.population: Int32 = np.empty(0, np.int32)

    def put(self, rows: Int32, sizes: Int16) -> None:
        """Set the counters of new rows."""
        groups = np.bincount(rows // SEGMENT)
        for group in np.flatnonzero(groups):
            segment = self._segment(int(group))
            self.population[segment] += groups[group]
        set_counters(self.counter, rows, sizes)

    def drop(self, row: int) -> None:
        """Forget a row that was put."""
        table = int(self.ground[row // (FANOUT * SEGMENT)])
        entry = table * FANOUT + row // SEGMENT % FANOUT
        self.population[self.second[entry]] -= 1
        if not self.population[self.second[entry]]:
            self._release_segment(entry)
            if (self.second.reshape(-1, FANOUT)[table] < 0).all():
                self._release_table(table)

    @property
    def counter(self) -> Counter:
        """Return the arrays for kernels, the segments without spare room."""
        return Counter(self.ground, self.second, self.segments[: len(self.population) * SEGMENT])

    def arrays(self) -> Arrays:
        """Return the tables and the segments."""
        return self.counter._asdict() | {"population": self.population}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.ground, self.second, self.segments, self.population = (
            np.asarray(arrays[name]) for name in ("ground", "second", "segments", "population")
        )

    @property
    def bytes(self) -> int:
        """Return the bytes of the ground table, the second-level tables and the segments in use."""
        return self.ground.nbytes + self.second.nbytes + (2 * SEGMENT + 4) * len(self.population)

    @property
    def allocated(self) -> int:
        """Return the bytes of all arrays, with their spare room."""
        return sum(array.nbytes for array in (self.ground, self.second, self.segments, self.population))

    def _segment(self, group: int) -> int:
        """Return the segment of a group of rows; makes it, and its second-level table, if there is none."""
        self.ground = reserve(self.ground, group // FANOUT + 1, -1)
        if self.ground[group // FANOUT] < 0:
            self.ground[group // FANOUT] = len(self.second) // FANOUT
            self.second = resized(self.second, len(self.second) + FANOUT, -1)
        entry = int(self.ground[group // FANOUT]) * FANOUT + group % FANOUT
        if self.second[entry] < 0:
            self.second[entry] = len(self.population)
            self.population = resized(self.population, len(self.population) + 1, 0)
            self.segments = reserve(self.segments, len(self.population) * SEGMENT)
        return int(self.second[entry])

    def _release_segment(self, entry: int) -> None:
        """Move the last segment into the place of the one at `entry`."""
        segment, last = int(self.second[entry]), len(self.population) - 1
        self.second[entry] = -1
        self.second[self.second == last] = segment
        self.population[segment] = self.population[last]
        self.population = self.population[:last]
        segments = self.segments[: (last + 1) * SEGMENT].reshape(-1, SEGMENT)
        segments[segment] = segments[last]
        if 2 * last * SEGMENT < len(self.segments):
            self.segments = resized(self.segments, last * SEGMENT)

    def _release_table(self, table: int) -> None:
        """Move the last second-level table into the place of this one."""
        tables = self.second.reshape(-1, FANOUT)
        last = len(tables) - 1
        tables[table] = tables[last]
        self.ground[self.ground == table] = -1
        self.ground[self.ground == last] = table
        self.second = resized(self.second, last * FANOUT)
