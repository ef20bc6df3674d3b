"""PMA, the backtracking automaton (Silvasti, Sippu and Soisalon-Soininen 2010, sections 3 and 4).

The class makes runs over the tables of `paths.pma.output`; layout, cost and where it deviates: `kernels.paths.pma`. Its
sets of output tuples are changed by every element, and put back when the element closes: changes are counted as
operations, and `papers.models.paths` sets them beside the paper's bound.

>>> from watchword.paths.rows import END, Paths, Walk
>>> structure = Pma()
>>> structure.add(Paths(np.array([0, 2]), np.array([3, 5], np.int32)), np.array([7], np.int32))  # //a//b
>>> walk = Walk(np.array([1, 0, 2, END, END, END], np.int32), 1)  # <a><x><b/></x></a>
>>> structure.match(walk).payloads.tolist()
[7]
"""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Int32, Int64, resized
from watchword.kernels.arena import WORDS_END
from watchword.kernels.paths import pma as kernels
from watchword.kernels.paths.moves import Found, Progress
from watchword.kernels.paths.output import NOTE_WORDS, OPEN, OutputTables
from watchword.kernels.paths.pma import CHANGES, DOCUMENT, FIGURES, LAST, LOGGED, SEARCHES, CurrentOutput
from watchword.kernels.paths.skip_list import KEYS, RECORD_WORDS, OrderedKeys, copied, new_keys, put_all
from watchword.paths.passes import Pass
from watchword.paths.pma.tabled import TabledPass, TabledPaths


class Pma(TabledPaths):
    """An automaton for all keywords, and a set of output tuples in two orders."""

    operation: ClassVar[str] = "output tuples touched, inserted and deleted"

    def __init__(self) -> None:
        super().__init__()
        self._initial: tuple[OutputTables, OrderedKeys, OrderedKeys] | None = None

    def start_on(self, tables: OutputTables, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with these tables. The orders with which each pass begins are made once."""
        initial = self._initial
        if initial is None or initial[0] is not tables:
            initial = self._initial = (tables, *_initial_output(tables))
        kept = self.taken(tables, limits, partial(_new_output, tables, initial[1:]))
        return OutputPass(kept, self.give_back, elements=elements)


class OutputPass(TabledPass):
    """A pass of PMA, with its current output."""

    state: CurrentOutput

    def end(self) -> int:
        """End the pass; returns the tuples touched, and those inserted and deleted."""
        changes = self.changes
        self.forget_figures()
        return super().end() + changes

    @property
    def searches(self) -> int:
        """Return the number of states in which tuples were searched so far."""
        return int(self.state.figures[SEARCHES])

    @property
    def changes(self) -> int:
        """Return the number of tuples that were inserted into the current output or deleted from it so far."""
        return int(self.state.figures[CHANGES])

    @property
    def waiting(self) -> int:
        """Return the number of tuples in the current output."""
        return int(self.state.by_end.state[KEYS])

    def forget_figures(self) -> None:
        """Set the searches and the changes to 0."""
        self.state.figures[[SEARCHES, CHANGES]] = 0

    def advance(self, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves, and change the current output."""
        return int(kernels.follow(self.tables, self.state, moves, progress, found))

    def enlarge(self) -> None:
        """Make room for any next move, twice over."""
        output = self.state
        logged, tuples = int(output.figures[LOGGED]), self.waiting
        most = int(self.tables.inserted.max(initial=0))
        log = 2 * (logged + 2 * tuples + 4 * most)
        more = most + logged // 2 + len(output.dropped)
        full = output.log_starts[-1] >= 0
        depths = 2 * len(output.states) if full else len(output.states)
        self.state = output._replace(
            states=resized(output.states, depths),
            log_starts=resized(output.log_starts, depths, -1),
            log=resized(output.log, max(len(output.log), log)),
            by_end=_roomy(output.by_end, more),
            by_state=_roomy(output.by_state, more),
        )


def _roomy(keys: OrderedKeys, more: int) -> OrderedKeys:
    """Return the keys with room for twice `more` records."""
    needed = int(keys.state[WORDS_END]) + 2 * RECORD_WORDS * more
    return keys._replace(words=resized(keys.words, max(len(keys.words), needed)))


def _initial_output(tables: OutputTables) -> tuple[OrderedKeys, OrderedKeys]:
    """Return the tuples of first keywords in both orders."""
    keywords: Int64 = tables.starts.astype(np.int64)
    groups = tables.groups[keywords]
    begins, states = tables.lows[groups], tables.group_states[groups].astype(np.int64)
    ends = np.where(tables.highs[groups] == OPEN, LAST, tables.highs[groups])
    made = []
    for columns in ((ends, keywords, begins), (states, begins, keywords)):
        order = np.lexsort(columns[::-1])
        keys = new_keys(len(keywords))
        put_all(keys, *(column[order] for column in columns))
        made.append(keys._replace(words=keys.words[: keys.state[WORDS_END]].copy()))
    return made[0], made[1]


def _new_output(tables: OutputTables, initial: tuple[OrderedKeys, OrderedKeys]) -> CurrentOutput:
    """Return the state of a pass before its first document."""
    figures = np.zeros(FIGURES, np.int64)
    figures[DOCUMENT] = 1
    by_end, by_state = (copied(keys) for keys in initial)
    return CurrentOutput(
        states=np.zeros(64, np.int32),
        log_starts=np.full(64, -1, np.int64),
        log=np.empty(0, np.int32),
        by_end=by_end,
        by_state=by_state,
        dropped=np.empty(len(tables.starts), np.int32),
        notes=np.zeros(NOTE_WORDS * len(tables.owners), np.int64),
        figures=figures,
    )
