"""PMA, the backtracking automaton (Silvasti, Sippu and Soisalon-Soininen 2010, sections 3 and 4).

The class makes runs over the tables of `paths.pma.output`; layout, cost and where it deviates: `kernels.paths.pma`. Of
all methods it has the best bound for deep documents, and pays for it with ordered sets that every element changes.

>>> from watchword.paths.rows import END, Paths, Walk
>>> structure = Pma()
>>> structure.add(Paths(np.array([0, 2]), np.array([3, 5], np.int32)), np.array([7], np.int32))  # //a//b
>>> walk = Walk(np.array([1, 0, 2, END, END, END], np.int32), 1)  # <a><x><b/></x></a>
>>> structure.match(walk).payloads.tolist()
[7]
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, Int64, resized
from watchword.kernels.arena import WORDS_END
from watchword.kernels.paths import pma as kernels
from watchword.kernels.paths.moves import Found, Progress
from watchword.kernels.paths.output import NOTE_WORDS, OPEN, OutputTables
from watchword.kernels.paths.pma import DOCUMENT, FIGURES, LAST, LOGGED, SEARCHES, CurrentOutput
from watchword.kernels.paths.skip_list import KEYS, RECORD_WORDS, OrderedKeys, copied, new_keys, put_all
from watchword.paths.passes import Pass
from watchword.paths.pma.tabled import TabledPaths


class Pma(TabledPaths):
    """An automaton for all keywords, and a set of output tuples in two orders."""

    def __init__(self) -> None:
        super().__init__()
        self._initial: tuple[OutputTables, OrderedKeys, OrderedKeys] | None = None

    def start_on(self, tables: OutputTables, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with these tables. The orders with which each pass begins are made once."""
        initial = self._initial
        if initial is None or initial[0] is not tables:
            initial = self._initial = (tables, *_initial_output(tables))
        return OutputPass(tables, initial[1:], limits, elements=elements)


class OutputPass(Pass):
    """A pass of PMA, with its current output."""

    def __init__(
        self, tables: OutputTables, initial: tuple[OrderedKeys, OrderedKeys], limits: Int32, *, elements: bool
    ) -> None:
        self._tables, self._output = tables, _new_output(tables, initial)
        payloads = int(tables.owners.max(initial=-1)) + 1
        super().__init__(self._advance, payloads, limits, elements=elements, grow=self._enlarge)

    @property
    def searches(self) -> int:
        """Return the number of states in which tuples were searched so far."""
        return int(self._output.figures[SEARCHES])

    @property
    def waiting(self) -> int:
        """Return the number of tuples in the current output."""
        return int(self._output.by_end.state[KEYS])

    def _advance(self, moves: Int32, progress: Progress, found: Found) -> int:
        return int(kernels.follow(self._tables, self._output, moves, progress, found))

    def _enlarge(self) -> None:
        """Make room for any next move, twice over."""
        output = self._output
        logged, tuples = int(output.figures[LOGGED]), self.waiting
        most = int(self._tables.inserted.max(initial=0))
        log = 2 * (logged + 2 * tuples + 4 * most)
        more = most + logged // 2 + len(output.dropped)
        full = output.log_starts[-1] >= 0
        depths = 2 * len(output.states) if full else len(output.states)
        self._output = output._replace(
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
