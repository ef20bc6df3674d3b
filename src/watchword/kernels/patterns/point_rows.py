"""Patterns for the automata that go character by character: words as code points.

``song?é`` is the points 115 111 110 103 233, with the word offsets 0, 4, 5 and the gaps 0, 2, 0. Layout otherwise as in
`watchword.patterns.rows`.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32, Int64


class PointRows(NamedTuple):
    """Pattern `i` has the words ``offsets[i]`` to ``offsets[i + 1]``; word `j` is
    ``points[word_offsets[j]:word_offsets[j + 1]]``."""

    offsets: Int64
    word_offsets: Int64
    points: Int32
    gaps: Int32
