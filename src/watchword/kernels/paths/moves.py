"""What a walk is made of, and what every kernel that follows one keeps and writes.

A kernel follows a walk piece by piece, since a document may come in pieces and what it finds may not fit. Where it
stands is in its `Progress`; where what it finds goes is a `Found`. Both are the same for every method.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import leaf

END = -(1 << 31)
"""The move that closes an element."""

AT, USED, DOCUMENTS, DEPTH, ELEMENT, OPERATIONS, PASSED, USUAL = range(8)
"""The places of `Progress.counters`: the next move; pairs written and documents ended in this piece; elements open;
elements opened in this document, so the number of the last one from 1; the method's units of work; documents ended in
the whole run; pairs written in the piece before."""

COUNTERS = 8

DONE, FULL, GROW = range(3)
"""What a kernel returns: all moves are followed; what it found needs room; its own arrays need room."""

ALL = (1 << 31) - 1
"""The limit of a path of which all occurrences are wanted."""


class Progress(NamedTuple):
    """Where a kernel stands, and how often each path was found in the document that is open.

    ``limits[payload]`` is how many occurrences are wanted in a document, the same for all where `limits` has one entry.
    ``counts[payload]`` of them were found in the document that is open, if ``stamps[payload]`` is its number in the
    run, ``counters[PASSED] + 1``; else none yet.
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


@leaf
def has_room(progress, found):
    """Say whether the pairs of one more move fit, whatever they are."""
    return len(found.payloads) - progress.counters[USED] >= len(progress.stamps)


@leaf
def end_document(progress, found):
    """Note that a document has ended."""
    counters = progress.counters
    found.borders[counters[DOCUMENTS]] = counters[USED]
    counters[DOCUMENTS] += 1
    counters[PASSED] += 1
    counters[ELEMENT] = 0


@leaf
def emit(payloads, first, last, progress, found):
    """Write the payloads from `first` up to `last`, found in the element at hand, but those that were found often
    enough; none of them is there twice."""
    counters, limits, stamps, counts = progress.counters, progress.limits, progress.stamps, progress.counts
    used, element, stamp, places = counters[USED], counters[ELEMENT], counters[PASSED] + 1, len(found.elements) > 0
    one = len(limits) == 1
    if one and limits[0] == ALL:
        for k in range(last - first):  # two loops, which the compiler makes into copies of whole blocks
            found.payloads[used + k] = payloads[first + k]
        if places:
            for k in range(last - first):
                found.elements[used + k] = element
        used += last - first
    else:
        for k in range(first, last):
            payload = payloads[k]
            count = counts[payload] if stamps[payload] == stamp else 0
            if count < limits[0 if one else payload]:
                stamps[payload], counts[payload] = stamp, count + 1
                found.payloads[used] = payload
                if places:
                    found.elements[used] = element
                used += 1
    counters[USED] = used
