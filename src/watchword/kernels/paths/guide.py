"""The guide: what the paths of names that documents were seen to have satisfy, found once and looked up ever after.

Documents of a kind have few different paths of names from the root down: 500 news documents with 34,272 elements have
2,738. A *node* of the guide is one of them, and has the payloads of all subscriptions that it satisfies. Following a
document is a look-up per element, whatever the number of subscriptions, and a copy of what the node has. With the
subscriptions of `trie` and the document ``<a><c><b/></c></a>``, where `c` is a name that nobody asks for::

    node  key  payloads
    1     a
      2   0    1            /a/c: /a/*
        3 b    0 2          /a/c/b: /a//b and //b

An element that also satisfies conditions is found by a chain of nodes, the name's first: a condition's node has only
what the condition adds.

Layout: node `n` has ``payloads[spans[2 * n]:spans[2 * n + 1]]``. All look-ups share one hash table (`child_table`).
Node 0 is the document.

`follow_guide` follows moves as far as the guide knows them, and only reads it. `follow_and_learn` goes on below the
first element that it does not know, with the automaton, and writes down what it finds; it stops where that element has
closed. Invariant: what a node has never changes.

Tried instead: nodes with equal sets of active states made one, as a deterministic automaton has it (2,659 for
2,738: not worth keeping the sets); bitmaps of payloads (longer to clear than lists are to copy); classes of
subscriptions that the same nodes satisfy, copied as one (3,952 of 46,916, but copying is a twentieth of parsing).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, reserve, resized
from watchword.kernels.child_table import child_limit, find_child, new_table, put_child, roomy_table
from watchword.kernels.jit import leaf
from watchword.kernels.paths.moves import (
    AT,
    DEPTH,
    DONE,
    ELEMENT,
    END,
    FULL,
    GROW,
    OPERATIONS,
    PASSED,
    USED,
    emit,
    end_document,
    has_room,
)
from watchword.kernels.paths.nfa import accepts, begin, close_level, levels_have_room, open_level, satisfy
from watchword.kernels.paths.trie import key_of

NODES, PAYLOADS = range(2)

UNKNOWN, KNOWN, CROWDED = 3, 4, 5
"""Besides `DONE`, `FULL` and `GROW`: here is an element that the guide does not know; that element has closed; the
guide itself needs room."""

_NOWHERE = -1

LEARNING, BEGIN = range(2)
"""The places of `Trail.marks`."""


class Guide(NamedTuple):
    """The nodes; `figures` has how many nodes and payloads there are."""

    keys: Int64
    values: Int32
    spans: Int64
    payloads: Int32
    figures: Int64


def new_guide() -> Guide:
    """Return a guide that knows the document and nothing below."""
    return Guide(*new_table(64), np.zeros(2, np.int64), np.empty(0, np.int32), np.array([1, 0], np.int64))


def grown_guide(guide: Guide, payloads: int) -> Guide:
    """Return the guide with room for one node more, with so many payloads."""
    nodes, filled = guide.figures.tolist()
    keys, values = roomy_table(guide.keys, guide.values, nodes + 1)
    spans, room = reserve(guide.spans, 2 * nodes + 2), reserve(guide.payloads, filled + payloads)
    return Guide(keys, values, spans, room, guide.figures)


def guide_bytes(guide: Guide) -> int:
    """Return the bytes in use."""
    nodes, filled = guide.figures.tolist()
    return int(16 * nodes + guide.keys.nbytes + guide.values.nbytes + 4 * filled)


class Trail(NamedTuple):
    """Where a run stands: ``nodes[d]`` is the node of the open element at depth `d`, -1 where the guide has none, and
    ``path[path_ends[d - 1]:path_ends[d]]`` its name and the conditions that it was seen to satisfy.

    ``visits[node]`` is the number in the run of the last document that came by. Where each payload is wanted once, bit
    ``p & 63`` of ``seen[p >> 6]`` says that the open document has payload `p` already. ``marks[LEARNING]`` is the depth
    below which the automaton follows, -1 where it does not; ``marks[BEGIN]`` is the first pair of the open document, -1
    if that was in another piece."""

    nodes: Int32
    path: Int32
    path_ends: Int64
    visits: Int32
    seen: Int64
    marks: Int64


def new_trail(nodes: int, payloads: int) -> Trail:
    """Return the trail before the first document, with room for so many nodes; payloads are below `payloads`."""
    visits = np.zeros(max(64, nodes + nodes // 2), np.int32)
    open_nodes, path, path_ends = np.zeros(64, np.int32), np.zeros(128, np.int32), np.zeros(64, np.int64)
    seen = np.zeros((payloads >> 6) + 1, np.int64)
    return Trail(open_nodes, path, path_ends, visits, seen, np.array([_NOWHERE, 0], np.int64))


def grown_trail(trail: Trail, nodes: int) -> Trail:
    """Return the trail with room for twice the depth, and for so many nodes."""
    return trail._replace(
        nodes=resized(trail.nodes, 2 * len(trail.nodes), 0),
        path=resized(trail.path, 2 * len(trail.path), 0),
        path_ends=resized(trail.path_ends, 2 * len(trail.path_ends), 0),
        visits=resized(trail.visits, max(len(trail.visits), nodes + nodes // 2), 0),
    )


@leaf
def _trail_has_room(trail, depth):
    """Say whether a move fits that opens an element below `depth` or adds to the one there."""
    return depth + 1 < len(trail.nodes) and trail.path_ends[depth] + 1 < len(trail.path)


@leaf
def _step(trail, depth, move, node):
    """Note a move that opens an element below `depth`, or adds a condition to the one there; returns its depth."""
    end = trail.path_ends[depth]
    if move >= 0:
        depth += 1
    trail.path[end] = move
    trail.path_ends[depth] = end + 1
    trail.nodes[depth] = node
    return depth


@leaf
def _wants_once(progress):
    return len(progress.limits) == 1 and progress.limits[0] == 1


@leaf
def _emit_once(payloads, first, last, trail, progress, found):
    """As `emit`, where each payload is wanted once: a bitmap stays in the cache where counts do not."""
    seen, counters = trail.seen, progress.counters
    used = counters[USED]
    begin = used
    for k in range(first, last):
        payload = np.int64(payloads[k])
        bit = np.int64(1) << (payload & 63)
        found.payloads[used] = payload
        used += seen[payload >> 6] & bit == 0
        seen[payload >> 6] |= bit
    if len(found.elements) > 0:
        for k in range(begin, used):
            found.elements[k] = counters[ELEMENT]
    counters[USED] = used


@leaf
def _end_document(trail, progress, found):
    """Note that a document has ended, and forget what it has."""
    if _wants_once(progress):
        used, begin, seen = progress.counters[USED], trail.marks[BEGIN], trail.seen
        if begin >= 0:
            for k in range(begin, used):
                seen[found.payloads[k] >> 6] = 0
        else:
            for k in range(len(seen)):
                seen[k] = 0
        trail.marks[BEGIN] = used
    end_document(progress, found)


@leaf
def begin_piece(trail, progress):
    """Note that a new piece of the walk begins, whose pairs are written from the start."""
    trail.marks[BEGIN] = 0 if progress.counters[DEPTH] == 0 else -1


@leaf
def _emit_node(guide, trail, node, progress, found):
    """Write what a node has, unless this document has been there and everything is wanted only once."""
    first, last = guide.spans[2 * node], guide.spans[2 * node + 1]
    if not _wants_once(progress):
        emit(guide.payloads, first, last, progress, found)
        return
    stamp = np.int32(progress.counters[PASSED] + 1)
    if trail.visits[node] != stamp:
        trail.visits[node] = stamp
        _emit_once(guide.payloads, first, last, trail, progress, found)


@leaf
def follow_guide(guide, trail, moves, progress, found):
    """Follow moves as far as the guide knows them."""
    counters, nodes = progress.counters, trail.nodes
    depth = counters[DEPTH]
    for at in range(counters[AT], len(moves)):
        move = moves[at]
        if move == END:
            depth -= 1
            if depth == 0:
                _end_document(trail, progress, found)
            continue
        counters[AT], counters[DEPTH] = at, depth
        node = find_child(guide.keys, guide.values, nodes[depth], key_of(move))
        if node < 0:
            return UNKNOWN
        if len(found.payloads) - counters[USED] < guide.spans[2 * node + 1] - guide.spans[2 * node]:
            return FULL
        if node >= len(trail.visits) or not _trail_has_room(trail, depth):
            return GROW
        depth = _step(trail, depth, move, node)
        counters[ELEMENT] += move >= 0
        counters[OPERATIONS] += 1
        _emit_node(guide, trail, node, progress, found)
    counters[AT], counters[DEPTH] = len(moves), depth
    return DONE


@leaf
def _forget(levels, depth):
    """Leave the levels down to `depth`, all at once."""
    for k in range(levels.looping_ends[depth]):
        levels.is_looping[levels.looping[k]] = 0


@leaf
def _retrace(trie, trail, levels, depth):
    """Make the levels of the open elements; returns whether they fit."""
    begin(trie, levels)
    for above in range(depth):
        name = trail.path_ends[above]
        for k in range(name, trail.path_ends[above + 1]):
            if not levels_have_room(levels, above):
                _forget(levels, above + (k > name))
                return False
            if k == name:
                open_level(trie, levels, above, trail.path[k])
            else:
                satisfy(trie, levels, above, key_of(trail.path[k]))
    return True


@leaf
def _learn(guide, levels, parent, key, count):
    """Add a node with the payloads that were accepted; returns it."""
    node, filled = guide.figures[NODES], guide.figures[PAYLOADS]
    put_child(guide.keys, guide.values, parent, key, node)
    for k in range(count):
        guide.payloads[filled + k] = levels.accepted[k]
    guide.spans[2 * node], guide.spans[2 * node + 1] = filled, filled + count
    guide.figures[NODES], guide.figures[PAYLOADS] = node + 1, filled + count
    return node


@leaf
def _guide_has_room(guide, payloads):
    """Say whether a node with so many payloads fits."""
    nodes, filled = guide.figures[NODES], guide.figures[PAYLOADS]
    fits = filled + payloads <= len(guide.payloads) and 2 * nodes + 2 <= len(guide.spans)
    return fits and nodes <= child_limit(len(guide.keys))


@leaf
def _node(guide, levels, parent, key, count, learns):
    """Return the node below `parent`, learned if it is not there; -1 where there is none and nothing is learned."""
    if parent < 0:
        return np.int64(-1)
    node = find_child(guide.keys, guide.values, parent, key)
    return _learn(guide, levels, parent, key, count) if node < 0 and learns else node


@leaf
def follow_and_learn(automaton, guide, trail, levels, moves, progress, found, learns):
    """Follow moves with the automaton, from an element that the guide does not know until it has closed: `KNOWN`.

    Where `learns` is true the guide gets a node for each element on the way.
    """
    trie, lists = automaton
    counters = progress.counters
    if trail.marks[LEARNING] == _NOWHERE:
        if not _retrace(trie, trail, levels, counters[DEPTH]):
            return GROW
        trail.marks[LEARNING] = counters[DEPTH] - (moves[counters[AT]] < 0)
    for at in range(counters[AT], len(moves)):
        move, depth = moves[at], counters[DEPTH]
        counters[AT] = at
        if move == END:
            close_level(levels, depth)
            counters[DEPTH] = depth - 1
            if depth == 1:
                _end_document(trail, progress, found)
            if depth - 1 == trail.marks[LEARNING]:
                _forget(levels, depth - 1)
                trail.marks[LEARNING] = _NOWHERE
                counters[AT] = at + 1
                return KNOWN
            continue
        above = depth if move >= 0 else depth - 1
        if not has_room(progress, found):
            return FULL
        if not levels_have_room(levels, above) or not _trail_has_room(trail, depth):
            return GROW
        if learns and not _guide_has_room(guide, len(levels.accepted)):
            return CROWDED
        first = levels.reached_ends[depth]
        if move >= 0:
            open_level(trie, levels, depth, move)
            counters[ELEMENT] += 1
        else:
            satisfy(trie, levels, above, key_of(move))
        last = levels.reached_ends[above + 1]
        count = accepts(trie, lists, levels, first, last)
        node = _node(guide, levels, np.int64(trail.nodes[depth]), key_of(move), count, learns)
        counters[DEPTH] = _step(trail, depth, move, node)
        counters[OPERATIONS] += last - first
        if _wants_once(progress):
            _emit_once(levels.accepted, 0, count, trail, progress, found)
        else:
            emit(levels.accepted, 0, count, progress, found)
    counters[AT] = len(moves)
    return DONE
