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

Where each payload is wanted once, nodes are copied class by class (`classes`), and `trail` knows what a document was
given.

Tried instead: nodes with equal sets of active states made one, as a deterministic automaton has it (2,659 for
2,738: not worth keeping the sets); bitmaps of payloads (longer to clear than lists are to copy).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, reserve
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
    has_room,
)
from watchword.kernels.paths.nfa import accepts, begin, close_level, levels_have_room, open_level, satisfy
from watchword.kernels.paths.trail import (
    LEARNING,
    NOWHERE,
    SINGLY,
    end_trail,
    give_node,
    give_singly,
    has_depth,
    note_singly,
    step,
    wants_every,
    wants_once,
)
from watchword.kernels.paths.trie import key_of

NODES, PAYLOADS = range(2)

UNKNOWN, KNOWN, CROWDED = 3, 4, 5
"""Besides `DONE`, `FULL` and `GROW`: here is an element that the guide does not know; that element has closed; the
guide itself needs room."""


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


@leaf
def follow_guide(guide, classes, trail, moves, progress, found):
    """Follow moves as far as the guide knows them."""
    if len(trail.classes) < len(classes.starts):
        return GROW
    status = _follow_known(guide, classes, trail, moves, progress, found)
    if progress.counters[ELEMENT] > 0:  # classes may be others when the open document goes on
        note_singly(trail, progress, found)
    return status


@leaf
def _follow_known(guide, classes, trail, moves, progress, found):
    """As `follow_guide`. What is looked at in every move is held in locals: to hand all arrays to another function
    takes longer than a move does."""
    keys, values, spans, own = guide.keys, guide.values, guide.spans, guide.payloads
    lists, class_nodes, starts, members = classes.lists, classes.nodes, classes.starts, classes.members
    nodes, visits, given, marks = trail.nodes, trail.visits, trail.classes, trail.marks
    counters, payloads, elements = progress.counters, found.payloads, found.elements
    places, classed = len(elements) > 0, len(classes.nodes) - 1
    every, once = wants_every(progress), wants_once(progress) and not places
    depth, used, operations = counters[DEPTH], counters[USED], counters[OPERATIONS]
    stamp = np.int32(counters[PASSED] + 1)
    at, status = counters[AT], DONE
    while at < len(moves):
        move = moves[at]
        if move == END:
            at += 1
            depth -= 1
            if depth == 0:
                counters[USED] = used
                end_trail(trail, progress, found)
                stamp = np.int32(counters[PASSED] + 1)
            continue
        node = find_child(keys, values, nodes[depth], key_of(move))
        if node < 0:
            status = UNKNOWN
            break
        if len(payloads) - used < spans[2 * node + 1] - spans[2 * node]:
            status = FULL
            break
        if node >= len(visits) or not has_depth(trail, depth):
            status = GROW
            break
        depth = step(trail, depth, move, node)
        counters[ELEMENT] += move >= 0
        operations += 1
        at += 1
        if once and node < classed and marks[SINGLY] == 0:
            if visits[node] != stamp:
                visits[node] = stamp
                for k in range(class_nodes[node], class_nodes[node + 1]):
                    number = lists[k]
                    if given[number] != stamp:
                        given[number] = stamp
                        for place in range(starts[number], starts[number + 1]):
                            payloads[used] = members[place]
                            used += 1
        elif every:
            first, count = spans[2 * node], spans[2 * node + 1] - spans[2 * node]
            for k in range(count):
                payloads[used + k] = own[first + k]
            if places:
                for k in range(count):
                    elements[used + k] = counters[ELEMENT]
            used += count
        else:
            counters[USED] = used
            give_node(guide, node, trail, progress, found)
            used = counters[USED]
    counters[AT], counters[DEPTH], counters[USED], counters[OPERATIONS] = at, depth, used, operations
    return status


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
    if trail.marks[LEARNING] == NOWHERE:
        if not _retrace(trie, trail, levels, counters[DEPTH]):
            return GROW
        trail.marks[LEARNING] = counters[DEPTH] - (moves[counters[AT]] < 0)
        note_singly(trail, progress, found)
    for at in range(counters[AT], len(moves)):
        move, depth = moves[at], counters[DEPTH]
        counters[AT] = at
        if move == END:
            close_level(levels, depth)
            counters[DEPTH] = depth - 1
            if depth == 1:
                end_trail(trail, progress, found)
            if depth - 1 == trail.marks[LEARNING]:
                _forget(levels, depth - 1)
                trail.marks[LEARNING] = NOWHERE
                counters[AT] = at + 1
                return KNOWN
            continue
        above = depth if move >= 0 else depth - 1
        if not has_room(progress, found):
            return FULL
        if not levels_have_room(levels, above) or not has_depth(trail, depth):
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
        counters[DEPTH] = step(trail, depth, move, node)
        counters[OPERATIONS] += last - first
        if wants_once(progress):
            give_singly(levels.accepted, 0, count, trail, progress, found)
        else:
            emit(levels.accepted, 0, count, progress, found)
    counters[AT] = len(moves)
    return DONE
