"""Rows of steps, and documents as walks: what every method of the path language stores and reads.

Above this line live text, names, ids and XML; below it a path is a row of *steps*, each a label and an axis, and a
document is a walk up and down its tree.

A *label* is 0 for `*`, ``1, 2, …`` for the names that some path asks for, and ``-1, -2, …`` for *conditions*, which are
a name or `*` together with tests of attributes and text (`labels` numbers both). A *step* is ``label << 1 |
descendant``: its element is a child of the one before, or a descendant. A path that begins with a child step begins at
the root. With `a` = 1, `b` = 2 and ``b[@x]`` = -1, the paths ``/a//b`` and ``//a/*/b[@x]`` are::

    offsets  [0, 2, 5]
    steps    [2, 5, 3, 0, -2]       1<<1, 2<<1|1;  1<<1|1, 0<<1, -1<<1

A *move* is the label of an element that opens (0 if no path asks for its name), or behind it a condition that this
element satisfies, or `END` where an element closes. The document ``<a><c><b x="1"/></c></a>`` walks::

    moves  [1, 0, 2, -1, END, END, END]

The walks of many documents are concatenated: a document ends where the depth is 0 again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.paths.moves import END as END


class Paths(NamedTuple):
    """Paths in flat arrays: path `i` has the steps ``steps[offsets[i]:offsets[i + 1]]``, at least one."""

    offsets: Int64
    steps: Int32

    def __len__(self) -> int:
        """Return the number of paths."""
        return len(self.offsets) - 1


class Walk(NamedTuple):
    """The walks of whole documents, concatenated."""

    moves: Int32
    documents: int


def no_paths() -> tuple[Paths, Int32]:
    """Return no paths and their payloads."""
    none: Int32 = np.empty(0, np.int32)
    return Paths(np.zeros(1, np.int64), none), none


def concatenate(parts: list[tuple[Paths, Int32]]) -> tuple[Paths, Int32]:
    """Return several sets of paths as one; a copy, unless all but one are empty."""
    filled = [part for part in parts if len(part[0])]
    if len(filled) < 2:
        return filled[0] if filled else no_paths()
    lengths = np.concatenate([np.diff(paths.offsets) for paths, _ in filled])
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    steps = np.concatenate([paths.steps for paths, _ in filled])
    return Paths(offsets, steps), np.concatenate([payloads for _, payloads in filled])
