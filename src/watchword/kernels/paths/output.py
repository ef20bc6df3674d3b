"""What the automata `pma` and `pma2` read and never change: where keywords end, and what is waited for there.

An *output tuple* says that a path, of which all keywords before keyword `k` were found on the way down, waits for `k`,
which may end at the depths from `b` to `e` (Silvasti, Sippu and Soisalon-Soininen 2010, section 3). If the keyword
before ended at depth `h`, then ``b = h + low`` and ``e = h + high``, where `low` and `high` are the gap before `k` plus
its length. Keywords with the same state, `low` and `high` make a *group*. The paths ``//a/b//c`` (payload 7) and
``/c/*`` (payload 9), with `a` to `c` as 1 to 3::

    keyword   path     labels  gap       state  group          group  state  low  high
       0      //a/b//c   1 2   0 to ANY    2      1              0      0     1     1      the empty keyword, behind *
       1                 3     0 to ANY    3      3              1      2     2  OPEN
       2      /c/*       3     0 to 0      3      2              2      3     1     1
       3                       1 to 1      0      0              3      3     1  OPEN

    owners   [7, 7, 9, 9]
    follows  [3, -1, 0, -1]     the group of the next keyword, -1 behind the last
    begins   [0, 0, 2, 2]       the first keyword of the same path
    borders  [0, 1, 1, 2, 4]    the groups of state `s` are those from borders[s] up to borders[s + 1]
    group_states, lows, highs   the columns on the right
    starts   [0, 2]             the first keywords of the paths by group; start_offsets [0, 0, 1, 2, 2]

The states of the automaton over names come first; behind them each condition has one, ``conditions[-label]``, or -1.
``outputs[state]`` is the state of the longest suffix that has groups, 0 if none has. When a state is reached, at most
``inserted[state]`` tuples are inserted and ``found[state]`` paths found, what its suffixes add included.

A run keeps *notes*, three words for each keyword: the element in which it was found last, counted over all documents,
and its depth; and, in those of a path's first keyword, the tally of the path, ``document << 32 | occurrences``. Paths
that begin alike are neighbours, so what is touched together lies together, which counts kept by payload would not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.paths.moves import ELEMENT, USED
from watchword.kernels.sequences.labels import LabelAutomaton, step

OPEN = 1 << 60
"""The `high` of a gap without upper limit, and the depth to which a tuple then waits."""


NOTE_WORDS = 3
VERSION_NOTE, DEPTH_NOTE, TALLY = range(NOTE_WORDS)


class OutputTables(NamedTuple):
    """The arrays that are told above."""

    automaton: LabelAutomaton
    outputs: Int32
    conditions: Int32
    inserted: Int64
    found: Int64
    borders: Int64
    group_states: Int32
    lows: Int64
    highs: Int64
    groups: Int32
    owners: Int32
    follows: Int32
    begins: Int32
    start_offsets: Int64
    starts: Int32


@kernel
def connect_outputs(order, fails, borders, outputs, inserted, found):
    """Fill in `outputs`, and add to `inserted` and `found`, which count a state's own, what its suffixes have.

    Every element is the end of an empty keyword, so what the initial state finds is added everywhere.
    """
    for rank in range(1, len(order)):
        state = order[rank]
        other = fails[state]
        if borders[other] == borders[other + 1]:
            other = outputs[other]
        outputs[state] = other
        inserted[state] += inserted[other]
        found[state] += found[other]


@leaf
def target(tables, states, depth, move):
    """Return the state to which an element's name leads from this depth, or a condition; -1 for one of no path."""
    if move < 0:
        return np.int64(tables.conditions[-move] if -move < len(tables.conditions) else -1)
    if move == 0:
        return np.int64(0)
    automaton = tables.automaton
    return step(automaton.keys, automaton.values, automaton.fails, states[depth], move)


@leaf
def wanted(tables, notes, limits, keyword, document):
    """Say whether more occurrences of a keyword's path are wanted in this document, numbered from 1 over the run."""
    tally = notes[NOTE_WORDS * tables.begins[keyword] + TALLY]
    count = tally & 0xFFFFFFFF if tally >> 32 == document else 0
    return count < (limits[tables.owners[keyword]] if len(limits) > 1 else limits[0])


@leaf
def report(tables, notes, counters, found, keyword, document):
    """Write an occurrence in the element that was opened last. It is wanted, and there is room."""
    used = counters[USED]
    found.payloads[used] = tables.owners[keyword]
    if len(found.elements) > 0:
        found.elements[used] = counters[ELEMENT]
    counters[USED] = used + 1
    at = NOTE_WORDS * np.int64(tables.begins[keyword]) + TALLY
    notes[at] = notes[at] + 1 if notes[at] >> 32 == document else (document << 32) + 1
