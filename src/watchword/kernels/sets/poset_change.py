"""Changing the partial-order index of `poset`: adding and removing rows.

A new set is linked between its direct parents and its direct children (Kourdounakis 2011, section 5.1.3, steps a to c).
Say {1}, {1, 5}, {1, 2, 3} and {1, 2, 4} are stored, and {1, 2} comes. Its one subset is {1}, its supersets are
{1, 2, 3} and {1, 2, 4}; the two edges that led from {1} to these go, and three new ones come:

    {1} ── {1, 5}                        {1} ── {1, 5}
     ├──── {1, 2, 3}                      └──── {1, 2} ── {1, 2, 3}
     └──── {1, 2, 4}                               └───── {1, 2, 4}

Subsets are found by the walk that also matches items; a subset that is no parent of another one is a direct parent.
Supersets are found by a scan of all signatures, because they may hang below tops unrelated to the new set; a superset
without another superset as its parent is a direct child. The only edges that become redundant run from a direct parent
to a direct child. Removing goes the other way: each parent is linked with each child that no other path leads to.

If nodes store deltas (`poset`), a new set in between removes its atoms from its children, and when it is removed, its
children get back the atoms that no other parent has. The atoms of a set are then known only with its ancestors:
`_mark` walks them.

Cost: adding is O(sets), with a few instructions for most; removing is O(parents x children) of the set that goes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.arena import WORDS_END, give_back, take
from watchword.kernels.growing import copy_into
from watchword.kernels.int_set import set_table
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets import poset as layout
from watchword.kernels.sets.poset import find_subsets, kept, new_pending, signature


@leaf
def _sorted_within(a, a_start, a_end, b, b_start, b_end):
    """Return whether one ascending run is within another."""
    j = b_start
    for i in range(a_start, a_end):
        while j < b_end and b[j] < a[i]:
            j += 1
        if j == b_end or b[j] != a[i]:
            return False
        j += 1
    return True


class Walk(NamedTuple):
    """The state of a walk towards the tops: the nodes seen, by the number of the walk, and the nodes still to visit.

    ``found[i]`` bears the number of the walk that met the atom at place `i` of a set.
    """

    seen: Int64
    queue: Int32
    found: Int64
    number: Int64


@kernel
def _new_walk(poset, longest):
    nodes, found = len(poset.addresses), np.zeros(longest, np.int64)
    return Walk(np.zeros(nodes, np.int64), np.empty(nodes, np.int32), found, np.zeros(1, np.int64))


@leaf
def _place(atoms, start, end, atom):
    """Return the position of an atom in an ascending run, counted from its start; -1 if it is not there."""
    low, high = start, end
    while low < high:
        middle = (low + high) >> 1
        if atoms[middle] < atom:
            low = middle + 1
        else:
            high = middle
    return low - start if low < end and atoms[low] == atom else np.int64(-1)


@leaf
def _mark(poset, walk, node, atoms, start, end):
    """Mark the atoms of a set that a node or its ancestors have; returns the number of atoms not yet marked."""
    number, marked = walk.number[0], 0
    if walk.seen[node] == number:
        return marked
    walk.seen[node] = number
    walk.queue[0] = node
    count = 1
    while count > 0:
        count -= 1
        above = walk.queue[count]
        at = poset.addresses[above]
        for i in range(at, at + kept(poset, above)):
            place = _place(atoms, start, end, poset.words[i])
            if place >= 0 and walk.found[place] != number:
                walk.found[place] = number
                marked += 1
        link = poset.ups[above]
        while link >= 0:
            parent = poset.link_nodes[link]
            if walk.seen[parent] != number:
                walk.seen[parent] = number
                walk.queue[count] = parent
                count += 1
            link = poset.link_nexts[link]
    return marked


@leaf
def _has_all(poset, walk, node, atoms, start, end):
    """Return whether a node has all atoms of a set."""
    if poset.state[layout.DELTA]:
        walk.number[0] += 1
        return _mark(poset, walk, node, atoms, start, end) == end - start
    at = poset.addresses[node]
    return _sorted_within(atoms, start, end, poset.words, at, at + poset.sizes[node])


@leaf
def _keep(poset, walk, node, atoms, start, end, missing):
    """Add the `missing` unmarked atoms of a set to the atoms that a node stores."""
    state, size, old = poset.state, poset.own[node], poset.addresses[node]
    at = take(poset.words, poset.bins, state, size + missing)
    for i in range(size):
        poset.words[at + i] = poset.words[old + i]
    fill = at + size
    for i in range(start, end):
        if walk.found[i - start] != walk.number[0]:
            poset.words[fill] = atoms[i]
            fill += 1
    if size > 0:
        give_back(poset.words, poset.bins, state, old, size)
    poset.addresses[node] = at
    poset.own[node] = size + missing


@leaf
def _keep_delta(poset, walk, node, parents, above, atoms, start, end):
    """Store in a new node the atoms that none of its parents has."""
    walk.number[0] += 1
    missing = end - start
    for i in range(above):
        missing -= _mark(poset, walk, parents[i], atoms, start, end)
    if missing > 0:
        _keep(poset, walk, node, atoms, start, end, missing)


@leaf
def _shrink(poset, node, atoms, start, end):
    """Remove the atoms of a new parent from a node, and free the words at the end of its record."""
    at, size, count = poset.addresses[node], poset.own[node], 0
    for i in range(at, at + size):
        if _place(atoms, start, end, poset.words[i]) < 0:
            poset.words[at + count] = poset.words[i]
            count += 1
    if count < size:
        give_back(poset.words, poset.bins, poset.state, at + count, size - count)
        poset.own[node] = count


@leaf
def _swell(poset, walk, node, atoms):
    """Add the atoms of a removed parent to a node, except the atoms that another parent has."""
    walk.number[0] += 1
    start, end = np.int64(0), np.int64(len(atoms))
    missing, link = end, poset.ups[node]
    while link >= 0:
        missing -= _mark(poset, walk, poset.link_nodes[link], atoms, start, end)
        link = poset.link_nexts[link]
    if missing > 0:
        _keep(poset, walk, node, atoms, start, end, missing)


@kernel
def _new_cell(state, free, end, nexts):
    """Return a cell of linked lists from the chain of free ones at ``state[free]``, or else the first unused one."""
    cell = state[free]
    if cell >= 0:
        state[free] = nexts[cell]
    else:
        cell = state[end]
        state[end] += 1
    return cell


@kernel
def _push_link(poset, lists, node, neighbour):
    """Put a neighbour at the head of a node's list; `lists` is `ups` or `downs`."""
    link = _new_cell(poset.state, layout.FREE_LINK, layout.LINKS_END, poset.link_nexts)
    poset.link_nodes[link] = neighbour
    poset.link_nexts[link] = lists[node]
    lists[node] = link


@kernel
def _drop_links(poset, lists, node, stamp):
    """Remove the neighbours that bear a stamp from a node's list; returns their number."""
    before, link, dropped = np.int64(-1), np.int64(lists[node]), 0
    while link >= 0:
        after = np.int64(poset.link_nexts[link])
        if poset.stamps[poset.link_nodes[link]] == stamp:
            if before < 0:
                lists[node] = after
            else:
                poset.link_nexts[before] = after
            poset.link_nexts[link] = poset.state[layout.FREE_LINK]
            poset.state[layout.FREE_LINK] = link
            dropped += 1
        else:
            before = link
        link = after
    return dropped


@kernel
def _stamp(poset, nodes, count):
    """Stamp nodes with a new number, and return it."""
    poset.state[layout.STAMP] += 1
    for i in range(count):
        poset.stamps[nodes[i]] = poset.state[layout.STAMP]
    return poset.state[layout.STAMP]


@kernel
def _direct_parents(poset, nodes, count):
    """Keep the maximal ones of all subsets of a set; returns their number."""
    poset.state[layout.STAMP] += 1
    for i in range(count):
        link = poset.ups[nodes[i]]
        while link >= 0:
            poset.stamps[poset.link_nodes[link]] = poset.state[layout.STAMP]
            link = poset.link_nexts[link]
    kept = 0
    for i in range(count):
        if poset.stamps[nodes[i]] != poset.state[layout.STAMP]:
            nodes[kept] = nodes[i]
            kept += 1
    return kept


@kernel
def _direct_children(poset, atoms, start, end, nodes, walk):
    """Write the minimal supersets of a set that is not stored; returns their number."""
    bits = signature(atoms, start, end)
    count = 0
    for node in range(poset.state[layout.IDS_END]):
        may = bits & ~poset.signatures[node] == 0 and poset.sizes[node] > end - start
        if may and _has_all(poset, walk, node, atoms, start, end):
            nodes[count] = node
            count += 1
    stamp = _stamp(poset, nodes, count)
    kept = 0
    for i in range(count):
        link = poset.ups[nodes[i]]
        while link >= 0 and poset.stamps[poset.link_nodes[link]] != stamp:
            link = poset.link_nexts[link]
        if link < 0:
            nodes[kept] = nodes[i]
            kept += 1
    return kept


@kernel
def _add_top(poset, node):
    position = poset.state[layout.TOPS]
    poset.tops[position] = node
    poset.top_signatures[position] = poset.signatures[node]
    poset.leads[node] = -1 - position
    poset.state[layout.TOPS] += 1


@kernel
def _drop_top(poset, node):
    """Remove a node from the tops; the last of them takes its position."""
    poset.state[layout.TOPS] -= 1
    position, last = -1 - poset.leads[node], poset.state[layout.TOPS]
    moved = poset.tops[last]
    poset.tops[position] = moved
    poset.top_signatures[position] = poset.top_signatures[last]
    poset.leads[moved] = -1 - position


@kernel
def _new_node(poset, atoms, start, end):
    """Add a node for a set, with all its atoms if nodes store whole sets; without neighbours and payloads."""
    state = poset.state
    node = state[layout.FREE_ID]
    if node >= 0:
        state[layout.FREE_ID] = -2 - poset.addresses[node]
    else:
        node = state[layout.IDS_END]
        state[layout.IDS_END] += 1
    if state[layout.DELTA]:
        poset.own[node] = 0
    else:
        at = take(poset.words, poset.bins, state, end - start)
        copy_into(poset.words, at, atoms, start, end)
        poset.addresses[node] = at
    poset.sizes[node] = end - start
    poset.signatures[node] = signature(atoms, start, end)
    poset.heads[node] = poset.ups[node] = poset.downs[node] = -1
    poset.stamps[node] = 0
    state[layout.NODES] += 1
    return node


@kernel
def _link(poset, node, parents, above, children, below):
    """Put a new node between its direct parents and its direct children."""
    up, down = _stamp(poset, parents, above), _stamp(poset, children, below)
    for i in range(above):
        poset.state[layout.EDGES] -= _drop_links(poset, poset.downs, parents[i], down)
        _push_link(poset, poset.downs, parents[i], node)
        _push_link(poset, poset.ups, node, parents[i])
    for i in range(below):
        child = children[i]
        if poset.leads[child] < 0:
            _drop_top(poset, child)
        _drop_links(poset, poset.ups, child, up)
        _push_link(poset, poset.ups, child, node)
        _push_link(poset, poset.downs, node, child)
        poset.leads[child] = node
    poset.state[layout.EDGES] += above + below
    if above:
        poset.leads[node] = parents[above - 1]
    else:
        _add_top(poset, node)


@kernel
def _push(poset, node, payload):
    """Put a payload at the head of a node's list."""
    cell = _new_cell(poset.state, layout.FREE_CELL, layout.CELLS_END, poset.nexts)
    poset.payloads[cell] = payload
    poset.nexts[cell] = poset.heads[node]
    poset.heads[node] = cell
    poset.state[layout.ROWS] += 1


@kernel
def _equal(poset, size, nodes, count):
    """Return the one of all subsets of a set that has its size, the set itself; -1 if there is none."""
    for i in range(count):
        if poset.sizes[nodes[i]] == size:
            return np.int64(nodes[i])
    return np.int64(-1)


@kernel
def insert_rows(poset, row_offsets, row_atoms, payloads, first):
    """Add rows, each ascending, from `first` on; returns the first row for which room might not suffice."""
    state = poset.state
    table = set_table(row_offsets)
    parents, children = np.empty(len(poset.addresses), np.int32), np.empty(len(poset.addresses), np.int32)
    delta, walk = state[layout.DELTA] != 0, _new_walk(poset, len(table))
    pending = np.zeros(len(poset.addresses) if delta else 0, np.int32)
    for row in range(first, len(payloads)):
        start, end = row_offsets[row], row_offsets[row + 1]
        if state[layout.IDS_END] == len(poset.addresses) or state[layout.CELLS_END] == len(poset.nexts):
            return row
        count, _ = find_subsets(poset, row_atoms, start, end, table, parents, pending)
        node = _equal(poset, end - start, parents, count)
        if node < 0:
            above = _direct_parents(poset, parents, count)
            below = _direct_children(poset, row_atoms, start, end, children, walk)
            state[layout.WANTED] = 2 * (above + below)
            if state[layout.LINKS_END] + state[layout.WANTED] > len(poset.link_nodes):
                return row
            if state[WORDS_END] + end - start > len(poset.words):
                return row
            node = _new_node(poset, row_atoms, start, end)
            if delta:
                _keep_delta(poset, walk, node, parents, above, row_atoms, start, end)
                for i in range(below):
                    _shrink(poset, children[i], row_atoms, start, end)
            _link(poset, node, parents, above, children, below)
        _push(poset, node, payloads[row])
    return len(payloads)


@kernel
def _unlink(poset, node, payload):
    """Remove one payload from a node's list; returns whether it was there."""
    before, cell = np.int64(-1), np.int64(poset.heads[node])
    while cell >= 0 and poset.payloads[cell] != payload:
        before, cell = cell, np.int64(poset.nexts[cell])
    if cell < 0:
        return False
    if before < 0:
        poset.heads[node] = poset.nexts[cell]
    else:
        poset.nexts[before] = poset.nexts[cell]
    poset.nexts[cell] = poset.state[layout.FREE_CELL]
    poset.state[layout.FREE_CELL] = cell
    poset.state[layout.ROWS] -= 1
    return True


@kernel
def _neighbours(poset, lists, node, nodes):
    """Write a node's neighbours; returns their number."""
    count, link = 0, lists[node]
    while link >= 0:
        nodes[count] = poset.link_nodes[link]
        count += 1
        link = poset.link_nexts[link]
    return count


@leaf
def _is_above(poset, walk, upper, node):
    """Return whether `upper` is `node` or an ancestor of it."""
    walk.number[0] += 1
    walk.queue[0] = node
    count = 1
    while count > 0:
        count -= 1
        at = walk.queue[count]
        if at == upper:
            return True
        link = poset.ups[at]
        while link >= 0:
            parent = poset.link_nodes[link]
            if walk.seen[parent] != walk.number[0] and poset.signatures[upper] & ~poset.signatures[parent] == 0:
                walk.seen[parent] = walk.number[0]
                walk.queue[count] = parent
                count += 1
            link = poset.link_nexts[link]
    return False


@leaf
def _reaches(poset, walk, upper, lower):
    """Return whether the set of `upper` is within the set of one of the parents of `lower`."""
    start, end = poset.addresses[upper], poset.addresses[upper] + poset.sizes[upper]
    link = poset.ups[lower]
    while link >= 0:
        parent = poset.link_nodes[link]
        if poset.signatures[upper] & ~poset.signatures[parent] == 0:
            at = poset.addresses[parent]
            if poset.state[layout.DELTA]:
                within = _is_above(poset, walk, upper, parent)
            else:
                within = _sorted_within(poset.words, start, end, poset.words, at, at + poset.sizes[parent])
            if within:
                return True
        link = poset.link_nexts[link]
    return False


@kernel
def _isolate(poset, walk, node, parents, above, children, below):
    """Remove a node from the graph, and link each parent with each child that no other path leads to."""
    poset.state[layout.STAMP] += 1
    stamp = poset.state[layout.STAMP]
    poset.stamps[node] = stamp
    for i in range(above):
        _drop_links(poset, poset.downs, parents[i], stamp)
    for i in range(below):
        child = children[i]
        _drop_links(poset, poset.ups, child, stamp)
        for j in range(above):
            if not _reaches(poset, walk, parents[j], child):
                _push_link(poset, poset.ups, child, parents[j])
                _push_link(poset, poset.downs, parents[j], child)
                poset.state[layout.EDGES] += 1
        if poset.leads[child] == node:
            if poset.ups[child] >= 0:
                poset.leads[child] = poset.link_nodes[poset.ups[child]]
            else:
                _add_top(poset, child)
    poset.state[layout.EDGES] -= above + below
    _drop_links(poset, poset.ups, node, _stamp(poset, parents, above))
    _drop_links(poset, poset.downs, node, _stamp(poset, children, below))
    if poset.leads[node] < 0:
        _drop_top(poset, node)


@leaf
def _words_wanted(poset, children, below, more):
    """Return the number of words that the children of a removed set may need."""
    wanted = 0
    for i in range(below if poset.state[layout.DELTA] else 0):
        wanted += poset.own[children[i]] + more
    return wanted


@kernel
def remove_row(poset, atoms, payload):
    """Remove a row of ascending atoms; returns 1, 0 if it is not there, or -1 if there is no room for its children."""
    state = poset.state
    parents, children = np.empty(state[layout.NODES], np.int32), np.empty(state[layout.NODES], np.int32)
    size = np.int64(len(atoms))
    table = set_table(np.array([0, size]))
    count, _ = find_subsets(poset, atoms, np.int64(0), size, table, parents, new_pending(poset))
    node = _equal(poset, size, parents, count)
    if node < 0:
        return 0
    above = _neighbours(poset, poset.ups, node, parents)
    below = _neighbours(poset, poset.downs, node, children)
    state[layout.WANTED] = 2 * above * below
    state[layout.WANTED_WORDS] = _words_wanted(poset, children, below, size)
    if state[layout.LINKS_END] + state[layout.WANTED] > len(poset.link_nodes):
        return -1
    if state[WORDS_END] + state[layout.WANTED_WORDS] > len(poset.words):
        return -1
    if not _unlink(poset, node, payload):
        return 0
    if poset.heads[node] < 0:
        walk = _new_walk(poset, size)
        _isolate(poset, walk, node, parents, above, children, below)
        for i in range(below if state[layout.DELTA] else 0):
            _swell(poset, walk, children[i], atoms)
        if kept(poset, node) > 0:
            give_back(poset.words, poset.bins, state, poset.addresses[node], kept(poset, node))
        poset.addresses[node] = -2 - state[layout.FREE_ID]
        poset.signatures[node] = 0
        poset.sizes[node] = 0
        state[layout.FREE_ID] = node
        state[layout.NODES] -= 1
    return 1
