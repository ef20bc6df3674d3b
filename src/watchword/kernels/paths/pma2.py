"""Following walks by PMA2 (Silvasti, Sippu and Soisalon-Soininen 2010, section 5): a stack of blocks of output tuples.

Block `h` holds the tuples that were inserted when the depth was `h`; closing an element forgets the topmost block. The
path ``//a//b`` has the keywords 0 and 1, in the groups 0 (state of `a`) and 1 (state of `b`). In ``<a><x><b/></x></a>``
the element `b` is the third, and the depth 3::

    states     [0, 1, 0, 2]      the automaton's state at each depth
    versions   [., 1, 2, 3]      the element that is open at each depth, counted over all documents of the run
    heads      [-1, 0]           group 1 has the block entry 0
    entry 0    version 1, height 1, below -1, first cell 0
    cell 0     keyword 1, next -1

State 2 is reached at depth 3, and the keyword 1 waits there from depth 1 + 1 on: ``//a//b`` is found.

Layout. A block exists by what is in it: an *entry* for each group (`output`) of which it has tuples. Since `b` and `e`
of a tuple follow from the height and the group, an entry is just a list of keywords. The entries of a group are chained
from the highest block down. An entry counts if ``versions[height]`` is its version, which is how the paper's pairs (d,
v) become one number: versions never return, neither in this document nor in the next. What does not count was
forgotten; it is given back when the chain is used next, from the head, since below an entry that counts all do. So no
array of states times depth is needed: there are never more entries than tuples were inserted on the way down.

    entries   int64, six words each: version, height, the entry below (free ones: the next), first cell, last, how many
    cells     int32, two words each: keyword, next cell (also of free ones)
    notes     int64, three words for each keyword (`output`)
    starts    int32: block 0, the tuples of first keywords by group, the same for every document. The first
              ``alive[group]`` of a group are there, all of them if ``alive_in[group]`` is not this document
    figures   int64: those named below

Deviations. The paper compares an entry's version with the present element, which would hide all that ancestors
inserted; here it is compared with the element that is open at the entry's height. A tuple without upper limit is not
inserted while the same path has one for this keyword, since that waits no shorter: a block cannot take back what lower
ones hold, so this is what remains of Lemma 3. A tuple of a path that was found as often as wanted is deleted when it
is met, also in block 0, to which it returns with the next document.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import inline, kernel, leaf
from watchword.kernels.paths.moves import AT, DEPTH, DONE, ELEMENT, END, FULL, GROW, OPERATIONS, USED, end_document
from watchword.kernels.paths.output import DEPTH_NOTE, NOTE_WORDS, OPEN, VERSION_NOTE, report, target, wanted

ENTRY_WORDS, CELL_WORDS = 6, 2
_VERSION, _HEIGHT, _BELOW, _FIRST, _LAST, _SIZE = range(6)
_KEYWORD, _NEXT = range(2)

FIGURES = 9
VERSION, DOCUMENT, SEARCHES, FREE_ENTRY, ENTRIES_END, ENTRIES_LIVE, FREE_CELL, CELLS_END, CELLS_LIVE = range(FIGURES)
"""Elements opened over all documents; the document, from 1; blocks searched; then of entries and of cells: the first
free one or -1, the first never used, and how many are in use."""


class Blocks(NamedTuple):
    """What a run keeps, as told above."""

    states: Int32
    versions: Int64
    heads: Int32
    entries: Int64
    cells: Int32
    notes: Int64
    starts: Int32
    alive: Int32
    alive_in: Int32
    figures: Int64


@kernel
def follow(tables, blocks, moves, progress, found):
    """Follow moves; returns `DONE`, or `FULL` or `GROW` before a move for which there is no room."""
    counters, states, versions = progress.counters, blocks.states, blocks.versions
    depth = counters[DEPTH]
    status = DONE
    for at in range(counters[AT], len(moves)):
        move = moves[at]
        counters[AT] = at
        if move == END:
            versions[depth] = 0
            depth -= 1
            if depth == 0:
                _end(blocks, progress, found)
        else:
            state = target(tables, states, depth, move)
            if state >= 0:
                status = _room(tables, blocks, counters, found, state, depth)
                if status != DONE:
                    break
                if move >= 0:
                    depth += 1
                    _open(blocks, counters, depth, state)
                while True:
                    _visit(tables, blocks, progress, found, state, depth)
                    if state == 0 or move < 0:
                        break
                    state = np.int64(tables.outputs[state])
        counters[AT] = at + 1
    counters[DEPTH] = depth
    return status


@leaf
def _room(tables, blocks, counters, found, state, depth):
    """Say what a move to this state, from this depth, has no room for."""
    if len(found.payloads) - counters[USED] < tables.found[state]:
        return FULL
    more, figures = tables.inserted[state], blocks.figures
    if (figures[CELLS_LIVE] + more) * CELL_WORDS > len(blocks.cells):
        return GROW
    if (figures[ENTRIES_LIVE] + more) * ENTRY_WORDS > len(blocks.entries) or depth + 2 > len(blocks.states):
        return GROW
    return DONE


@leaf
def _open(blocks, counters, depth, state):
    figures = blocks.figures
    figures[VERSION] += 1
    blocks.states[depth], blocks.versions[depth] = state, figures[VERSION]
    counters[ELEMENT] += 1


@leaf
def _end(blocks, progress, found):
    """End a document: what it did to block 0 is undone by the next one's number."""
    end_document(progress, found)
    blocks.figures[DOCUMENT] += 1


@leaf
def _visit(tables, blocks, progress, found, state, depth):
    """Touch all tuples of a state that wait for this depth: Algorithm 3, block by block."""
    lows, highs = tables.lows, tables.highs
    entries, figures = blocks.entries, blocks.figures
    for group in range(tables.borders[state], tables.borders[state + 1]):
        low, high = lows[group], highs[group]
        if low > depth:
            break
        if depth <= high and tables.start_offsets[group] < tables.start_offsets[group + 1]:
            figures[SEARCHES] += 1
            _visit_start(tables, blocks, progress, found, group, depth)
        entry = _top(blocks, group)
        while entry >= 0:
            at = ENTRY_WORDS * entry
            height = entries[at + _HEIGHT]
            if high != OPEN and height + high < depth:
                break
            if height + low <= depth:
                figures[SEARCHES] += 1
                _visit_entry(tables, blocks, progress, found, at, depth)
            entry = entries[at + _BELOW]


@leaf
def _visit_start(tables, blocks, progress, found, group, depth):
    """Touch the tuples of first keywords; the last one takes the place of one that is deleted."""
    starts, first = blocks.starts, tables.start_offsets[group]
    document = blocks.figures[DOCUMENT]
    if blocks.alive_in[group] != document:
        blocks.alive_in[group] = document
        blocks.alive[group] = tables.start_offsets[group + 1] - first
    at, stop = first, first + blocks.alive[group]
    while at < stop:
        keyword = starts[at]
        if _touch(tables, blocks, progress, found, keyword, depth):
            at += 1
        else:
            stop -= 1
            starts[at], starts[stop] = starts[stop], keyword
    blocks.alive[group] = stop - first


@leaf
def _visit_entry(tables, blocks, progress, found, at, depth):
    """Touch the tuples of an entry, and delete those that are wanted no more."""
    entries, cells, figures = blocks.entries, blocks.cells, blocks.figures
    before, cell = np.int64(-1), entries[at + _FIRST]
    while cell >= 0:
        following = np.int64(cells[CELL_WORDS * cell + _NEXT])
        if _touch(tables, blocks, progress, found, cells[CELL_WORDS * cell + _KEYWORD], depth):
            before = cell
        else:
            if before < 0:
                entries[at + _FIRST] = following
            else:
                cells[CELL_WORDS * before + _NEXT] = following
            if following < 0:
                entries[at + _LAST] = before
            entries[at + _SIZE] -= 1
            cells[CELL_WORDS * cell + _NEXT] = figures[FREE_CELL]
            figures[FREE_CELL] = cell
            figures[CELLS_LIVE] -= 1
        cell = following


@inline
def _touch(tables, blocks, progress, found, keyword, depth):
    """A keyword that was waited for ends here: report its path, or wait for the next one. False if it is to be deleted.

    Several tuples may wait for a keyword, so it is noted where it was found last.
    """
    counters, limits = progress.counters, progress.limits
    counters[OPERATIONS] += 1
    notes, document = blocks.notes, blocks.figures[DOCUMENT]
    if not wanted(tables, notes, limits, keyword, document):
        return False
    version, group = blocks.figures[VERSION], tables.follows[keyword]
    note = NOTE_WORDS * np.int64(keyword)
    if group >= 0 and tables.highs[group] == OPEN:
        if blocks.versions[notes[note + DEPTH_NOTE]] == notes[note + VERSION_NOTE]:
            return True  # the tuple that was inserted there is still in its block
    elif notes[note + VERSION_NOTE] == version:
        return True
    notes[note + VERSION_NOTE], notes[note + DEPTH_NOTE] = version, depth
    if group >= 0:
        _insert(blocks, group, keyword + 1, depth)
        return True
    report(tables, notes, counters, found, keyword, document)
    return wanted(tables, notes, limits, keyword, document)


@inline
def _insert(blocks, group, keyword, depth):
    """Put a tuple into the block of this depth, which gets an entry for the group if it has none."""
    entries, cells, figures = blocks.entries, blocks.cells, blocks.figures
    top = _top(blocks, group)
    entry = top
    if top < 0 or entries[ENTRY_WORDS * top + _HEIGHT] != depth:
        entry = figures[FREE_ENTRY]
        if entry >= 0:
            figures[FREE_ENTRY] = entries[ENTRY_WORDS * entry + _BELOW]
        else:
            entry = figures[ENTRIES_END]
            figures[ENTRIES_END] += 1
        figures[ENTRIES_LIVE] += 1
        at = ENTRY_WORDS * entry
        entries[at + _VERSION], entries[at + _HEIGHT] = figures[VERSION], depth
        entries[at + _BELOW], entries[at + _FIRST], entries[at + _SIZE] = top, -1, 0
        blocks.heads[group] = entry
    cell = figures[FREE_CELL]
    if cell >= 0:
        figures[FREE_CELL] = cells[CELL_WORDS * cell + _NEXT]
    else:
        cell = figures[CELLS_END]
        figures[CELLS_END] += 1
    figures[CELLS_LIVE] += 1
    place = ENTRY_WORDS * entry
    cells[CELL_WORDS * cell + _KEYWORD] = keyword
    cells[CELL_WORDS * cell + _NEXT] = entries[place + _FIRST]
    if entries[place + _SIZE] == 0:
        entries[place + _LAST] = cell
    entries[place + _FIRST] = cell
    entries[place + _SIZE] += 1


@leaf
def _top(blocks, group):
    """Return the highest entry of a group, or -1; those above it that belong to closed elements are given back."""
    heads, entries, versions = blocks.heads, blocks.entries, blocks.versions
    entry = np.int64(heads[group])
    if entry < 0 or versions[entries[ENTRY_WORDS * entry + _HEIGHT]] == entries[ENTRY_WORDS * entry + _VERSION]:
        return entry
    figures = blocks.figures
    while entry >= 0:
        at = ENTRY_WORDS * entry
        if versions[entries[at + _HEIGHT]] == entries[at + _VERSION]:
            break
        below = entries[at + _BELOW]
        if entries[at + _SIZE] > 0:
            blocks.cells[CELL_WORDS * entries[at + _LAST] + _NEXT] = figures[FREE_CELL]
            figures[FREE_CELL] = entries[at + _FIRST]
            figures[CELLS_LIVE] -= entries[at + _SIZE]
        entries[at + _BELOW] = figures[FREE_ENTRY]
        figures[FREE_ENTRY] = entry
        figures[ENTRIES_LIVE] -= 1
        entry = below
    heads[group] = entry
    return entry
