"""Where a pass stands in a guide, and what the open document was given already, where each payload is wanted once.

Two ways to know the latter. By `classes`: a document's number stands at each class that it was given, so that one look
answers for all members, and nothing has to be forgotten when the document ends. Singly: bit ``p & 63`` of ``seen[p >>
6]`` is set for payload `p`. A document begins with the first; where it comes to a node that has no classes yet, or a
kernel is left inside of it, all that it was given is written down singly, and it goes on so to its end::

    given by classes  {0, 1} of `classes`     singly  bits 1, 4 and 7 of seen[0]

Invariant: outside of kernels no open document is followed by classes, so classes may be made anew at any time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, resized
from watchword.kernels.jit import leaf
from watchword.kernels.paths.moves import ALL, ELEMENT, PASSED, USED, emit, end_document

NOWHERE = -1

LEARNING, BEGIN, SINGLY, COPIED = range(4)
"""The places of `Trail.marks`."""


class Trail(NamedTuple):
    """``nodes[d]`` is the node of the open element at depth `d`, -1 where the guide has none, and
    ``path[path_ends[d - 1]:path_ends[d]]`` its name and the conditions that it was seen to satisfy.

    ``visits[node]`` and ``classes[class]`` are the number in the run of the last document that came by.
    ``marks[SINGLY]`` says whether `seen` has what the open document was given. ``marks[LEARNING]`` is the depth below
    which the automaton follows, -1 where it does not; ``marks[BEGIN]`` the first pair of the open document, -1 if that
    was in another piece; ``marks[COPIED]`` how many payloads of nodes were looked at singly."""

    nodes: Int32
    path: Int32
    path_ends: Int64
    visits: Int32
    classes: Int32
    seen: Int64
    marks: Int64


def new_trail(nodes: int, classes: int, payloads: int) -> Trail:
    """Return the trail before the first document, with room for so many nodes and classes; payloads are below
    `payloads`."""
    visits = np.zeros(max(64, nodes + nodes // 2), np.int32)
    open_nodes, path, path_ends = np.zeros(64, np.int32), np.zeros(128, np.int32), np.zeros(64, np.int64)
    seen, marks = np.zeros((payloads >> 6) + 1, np.int64), np.array([NOWHERE, 0, 0, 0], np.int64)
    return Trail(open_nodes, path, path_ends, visits, np.zeros(classes, np.int32), seen, marks)


def grown_trail(trail: Trail, nodes: int, classes: int) -> Trail:
    """Return the trail with room for twice the depth, and for so many nodes and classes."""
    return trail._replace(
        nodes=resized(trail.nodes, 2 * len(trail.nodes), 0),
        path=resized(trail.path, 2 * len(trail.path), 0),
        path_ends=resized(trail.path_ends, 2 * len(trail.path_ends), 0),
        visits=resized(trail.visits, max(len(trail.visits), nodes + nodes // 2), 0),
        classes=resized(trail.classes, max(len(trail.classes), classes), 0),
    )


@leaf
def has_depth(trail, depth):
    """Say whether a move fits that opens an element below `depth` or adds to the one there."""
    return depth + 1 < len(trail.nodes) and trail.path_ends[depth] + 1 < len(trail.path)


@leaf
def step(trail, depth, move, node):
    """Note a move that opens an element below `depth`, or adds a condition to the one there; returns its depth."""
    end = trail.path_ends[depth]
    if move >= 0:
        depth += 1
    trail.path[end] = move
    trail.path_ends[depth] = end + 1
    trail.nodes[depth] = node
    return depth


@leaf
def wants_once(progress):
    """Say whether each payload is wanted once."""
    return len(progress.limits) == 1 and progress.limits[0] == 1


@leaf
def wants_every(progress):
    """Say whether all occurrences of every payload are wanted."""
    return len(progress.limits) == 1 and progress.limits[0] == ALL


@leaf
def note_singly(trail, progress, found):
    """Write down singly what the open document was given, if that is not done yet."""
    if trail.marks[SINGLY] == 0:
        trail.marks[SINGLY] = 1
        if wants_once(progress):
            for k in range(trail.marks[BEGIN], progress.counters[USED]):
                payload = np.int64(found.payloads[k])
                trail.seen[payload >> 6] |= np.int64(1) << (payload & 63)


@leaf
def end_trail(trail, progress, found):
    """Note that a document has ended, and forget what it was given."""
    used, begin, seen = progress.counters[USED], trail.marks[BEGIN], trail.seen
    if trail.marks[SINGLY] == 1 and wants_once(progress):
        if begin >= 0:
            for k in range(begin, used):
                seen[found.payloads[k] >> 6] = 0
        else:
            for k in range(len(seen)):
                seen[k] = 0
    trail.marks[BEGIN], trail.marks[SINGLY] = used, 0
    end_document(progress, found)


@leaf
def _write_elements(begin, used, counters, found):
    """Say of pairs that they are in the element at hand, if anybody asks, and how far the pairs reach now."""
    if len(found.elements) > 0:
        for k in range(begin, used):
            found.elements[k] = counters[ELEMENT]
    counters[USED] = used


@leaf
def give_singly(payloads, first, last, trail, progress, found):
    """Write the payloads from `first` up to `last` that the open document was not given yet."""
    seen, counters = trail.seen, progress.counters
    begin = used = counters[USED]
    for k in range(first, last):
        payload = np.int64(payloads[k])
        bit = np.int64(1) << (payload & 63)
        found.payloads[used] = payload
        used += seen[payload >> 6] & bit == 0
        seen[payload >> 6] |= bit
    _write_elements(begin, used, counters, found)


@leaf
def give_node(guide, node, trail, progress, found):
    """Write what a node has, unless everything is wanted once and this document has been there."""
    first, last = guide.spans[2 * node], guide.spans[2 * node + 1]
    if not wants_once(progress):
        emit(guide.payloads, first, last, progress, found)
        return
    stamp = np.int32(progress.counters[PASSED] + 1)
    if trail.visits[node] == stamp:
        return
    trail.visits[node] = stamp
    note_singly(trail, progress, found)
    trail.marks[COPIED] += last - first
    give_singly(guide.payloads, first, last, trail, progress, found)
