"""Making what `pma` and `pma2` read out of keywords with gaps; `kernels.paths.output` has the layout.

The example that is told there, ``//a/b//c`` under 7 and ``/c/*`` under 9:

>>> from watchword.paths.pma.gaps import gap_rows
>>> from watchword.paths.rows import Paths
>>> rows = gap_rows(Paths(np.array([0, 3, 5]), np.array([3, 4, 7, 6, 0], np.int32)))
>>> made = output_tables(rows, np.array([7, 9], np.int32))
>>> made.groups.tolist(), made.follows.tolist(), made.starts.tolist()
([1, 3, 2, 0], [3, -1, 0, -1], [0, 2])
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, Int64, int32, int64, offsets_of
from watchword.kernels.paths.output import OPEN, OutputTables, connect_outputs
from watchword.kernels.sequences.gaps import ANY
from watchword.kernels.sequences.labels import LabelAutomaton
from watchword.paths.pma.gaps import GapRows
from watchword.sequences.labels import label_automaton


def output_tables(rows: GapRows, payloads: Int32) -> OutputTables:
    """Return the tables of rows, each with its payload."""
    lengths: Int64 = np.diff(rows.word_offsets)
    automaton, order, states, conditions = _states(rows, lengths)
    lows = int64(rows.least + lengths)
    highs = np.where(rows.most == ANY, OPEN, rows.most + lengths)
    groups, firsts = _groups(states, lows, highs)
    all_states = len(automaton.fails) + int(np.count_nonzero(conditions >= 0))
    last = np.zeros(len(lengths), np.bool_)
    last[rows.offsets[1:] - 1] = True
    follows = np.where(last, -1, np.roll(groups, -1))
    starts = rows.offsets[:-1][np.argsort(groups[rows.offsets[:-1]], kind="stable")]
    tables = OutputTables(
        automaton=automaton,
        outputs=np.zeros(all_states, np.int32),
        conditions=conditions,
        inserted=np.bincount(states[~last], minlength=all_states),
        found=np.bincount(states[last], minlength=all_states),
        borders=np.searchsorted(states[firsts], np.arange(all_states + 1)),
        group_states=int32(states[firsts]),
        lows=lows[firsts],
        highs=highs[firsts],
        groups=int32(groups),
        owners=int32(np.repeat(payloads, np.diff(rows.offsets))),
        follows=int32(follows),
        begins=int32(np.repeat(rows.offsets[:-1], np.diff(rows.offsets))),
        start_offsets=offsets_of(np.bincount(groups[rows.offsets[:-1]], minlength=len(firsts))),
        starts=int32(starts),
    )
    connect_outputs(order, automaton.fails, tables.borders, tables.outputs, tables.inserted, tables.found)
    return tables


def _states(rows: GapRows, lengths: Int64) -> tuple[LabelAutomaton, Int32, Int64, Int32]:
    """Return the automaton, its states by depth, the state of each keyword, and those of conditions by ``-label``."""
    conditional = np.zeros(len(lengths), np.bool_)
    filled = np.flatnonzero(lengths)
    conditional[filled] = rows.labels[rows.word_offsets[filled]] < 0
    named = np.where(conditional, 0, lengths)
    automaton, ends, order = label_automaton(offsets_of(named), rows.labels[rows.labels > 0])
    asked, which = np.unique(-rows.labels[rows.labels < 0], return_inverse=True)
    numbers = np.full(int(asked.max(initial=0)) + 1, -1, np.int32)
    numbers[asked] = len(automaton.fails) + np.arange(len(asked))
    states = int64(ends)
    states[conditional] = len(automaton.fails) + which
    return automaton, order, states, numbers


def _groups(states: Int64, lows: Int64, highs: Int64) -> tuple[Int64, Int64]:
    """Return the group of each keyword, and a keyword of each group; groups ascend by state, low and high."""
    order = np.lexsort((highs, lows, states))
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for column in (states, lows, highs):
        new[1:] |= np.diff(column[order]) != 0
    groups = np.empty(len(order), np.int64)
    groups[order] = np.cumsum(new) - 1
    return groups, order[new]
