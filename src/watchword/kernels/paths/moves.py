"""What a walk is made of, and what every kernel that follows one keeps and writes.

A kernel follows a walk piece by piece, since a document may come in pieces and what it finds may not fit. Where it
stands is in its `Progress`; where what it finds goes is a `Found`. Both are the same for every method.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32, Int64

END = -(1 << 31)
"""The move that closes an element."""

AT, USED, DOCUMENTS, DEPTH, ELEMENT, OPERATIONS = range(6)
"""The places of `Progress.counters`: the next move; pairs written; documents ended; elements open; elements opened in
this document, so the number of the last one from 1; the method's units of work."""

COUNTERS = 6

DONE, FULL, GROW = range(3)
"""What a kernel returns: all moves are followed; what it found needs room; its own arrays need room."""

ALL = (1 << 31) - 1
"""The limit of a path of which all occurrences are wanted."""


class Progress(NamedTuple):
    """Where a kernel stands, and how often each path was found in the document that is open.

    ``limits[payload]`` is how many occurrences are wanted in a document, the same for all where `limits` has one entry.
    ``counts[payload]`` of them were found in document ``stamps[payload] - 1``; with another stamp, none yet.
    """

    counters: Int64
    limits: Int32
    stamps: Int32
    counts: Int32


class Found(NamedTuple):
    """Where a kernel writes: pair `p` is ``payloads[p]`` in element ``elements[p]``, and ``borders[d]`` is the number
    of pairs when document `d` ended. `elements` is empty where nobody asks for them."""

    payloads: Int32
    elements: Int32
    borders: Int64
