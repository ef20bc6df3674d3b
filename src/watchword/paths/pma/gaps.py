"""Paths as keywords with gaps before them, as the papers' automata read them (Silvasti, Sippu and Soisalon-Soininen
2010, section 2).

A *keyword* here is names that are children of each other, a maximal run of them; a *gap* is the `*` and `//` before it,
which stand for at least `least` and at most `most` elements. A path that ends in `*` has an empty last keyword. A
condition is a keyword of its own, of length one, since it is not a name that an automaton could read.

With `a` to `d` as 1 to 4, the paths ``//a/b/*/c//*/d/*/*`` and ``/a/b/*/c//*/d`` of the paper are::

    keywords       a b     c      d    (none) | a b     c      d
    gaps           //      *     //*    * *   | (none)  *     //*
    least            0     1      1      2    |   0     1      1
    most           ANY     1    ANY      2    |   0     1    ANY

    offsets        [0, 4, 7]
    word_offsets   [0, 2, 3, 4, 4, 6, 7, 8]
    labels         [1, 2, 3, 4, 1, 2, 3, 4]

Invariant: a path has at least one keyword, and of every keyword ``least`` plus its length is at least 1, so that one
element never is the end of two keywords of a path. Gaps with ``least < most < ANY`` are none of this language, but
whoever reads rows understands them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.paths.gaps import decompose
from watchword.paths.rows import Paths


class GapRows(NamedTuple):
    """Keywords with gaps: path `i` has the keywords from ``offsets[i]`` up to ``offsets[i + 1]``; keyword `k` has the
    labels ``labels[word_offsets[k]:word_offsets[k + 1]]`` and the gap from ``least[k]`` to ``most[k]`` before it."""

    offsets: Int64
    word_offsets: Int64
    labels: Int32
    least: Int32
    most: Int32

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.offsets) - 1


def gap_rows(paths: Paths) -> GapRows:
    """Return the keywords and gaps of paths."""
    steps = len(paths.steps)
    rows = GapRows(
        np.empty(len(paths) + 1, np.int64),
        np.empty(steps + 1, np.int64),
        *(np.empty(steps, np.int32) for _ in range(3)),
    )
    keywords, letters = decompose(paths.offsets, paths.steps, rows)
    return GapRows(
        rows.offsets,
        rows.word_offsets[: keywords + 1].copy(),
        rows.labels[:letters].copy(),
        rows.least[:keywords].copy(),
        rows.most[:keywords].copy(),
    )
