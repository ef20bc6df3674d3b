"""PMA2, the automaton with fast backtracking (Silvasti, Sippu and Soisalon-Soininen 2010, section 5).

The class makes runs over the tables of `paths.pma.output`; layout, cost and where it deviates: `kernels.paths.pma2`.

>>> from watchword.paths.rows import END, Paths, Walk
>>> structure = Pma2()
>>> structure.add(Paths(np.array([0, 2]), np.array([3, 5], np.int32)), np.array([7], np.int32))  # //a//b
>>> walk = Walk(np.array([1, 0, 2, END, END, END], np.int32), 1)  # <a><x><b/></x></a>
>>> structure.match(walk).payloads.tolist()
[7]
"""

from __future__ import annotations

from functools import partial

import numpy as np

from watchword.arrays import Int32, resized
from watchword.kernels.paths import pma2 as kernels
from watchword.kernels.paths.moves import Found, Progress
from watchword.kernels.paths.output import NOTE_WORDS, OutputTables
from watchword.kernels.paths.pma2 import (
    CELLS_LIVE,
    DOCUMENT,
    ENTRIES_LIVE,
    FIGURES,
    FREE_CELL,
    FREE_ENTRY,
    SEARCHES,
    Blocks,
)
from watchword.paths.passes import Pass
from watchword.paths.pma.tabled import TabledPass, TabledPaths


class Pma2(TabledPaths):
    """An automaton for all keywords, and a stack of blocks with the tuples that wait for a keyword."""

    def start_on(self, tables: OutputTables, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with these tables, with the blocks of an ended one if there is one: their versions are those
        of closed elements, so nothing in them counts."""
        kept = self.taken(tables, limits, partial(_new_blocks, tables))
        return BlockPass(kept, self.give_back, elements=elements)


class BlockPass(TabledPass):
    """A pass of PMA2, with the blocks that it has made."""

    state: Blocks

    @property
    def searches(self) -> int:
        """Return the number of blocks searched for tuples so far."""
        return int(self.state.figures[SEARCHES])

    @property
    def waiting(self) -> int:
        """Return the number of tuples in blocks, including removed ones that are not yet free."""
        return int(self.state.figures[CELLS_LIVE])

    def forget_figures(self) -> None:
        """Set the searches to 0."""
        self.state.figures[SEARCHES] = 0

    def advance(self, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves through the blocks."""
        return int(kernels.follow(self.tables, self.state, moves, progress, found))

    def enlarge(self) -> None:
        """Double the arrays that are less than half free; called when one is too short for the next move."""
        blocks, tables = self.state, self.tables
        more = int(tables.inserted.max(initial=0))
        cells = 2 * int(blocks.figures[CELLS_LIVE]) + more
        entries = 2 * int(blocks.figures[ENTRIES_LIVE]) + more
        depths = 2 * len(blocks.states) if blocks.versions[-1] else len(blocks.states)
        self.state = blocks._replace(
            states=resized(blocks.states, depths),
            versions=resized(blocks.versions, depths, 0),
            entries=resized(blocks.entries, max(len(blocks.entries), kernels.ENTRY_WORDS * entries)),
            cells=resized(blocks.cells, max(len(blocks.cells), kernels.CELL_WORDS * cells)),
        )


def _new_blocks(tables: OutputTables) -> Blocks:
    """Return the state of a pass before its first document."""
    groups = len(tables.lows)
    figures = np.zeros(FIGURES, np.int64)
    figures[DOCUMENT] = 1
    figures[FREE_ENTRY] = figures[FREE_CELL] = -1
    versions = np.zeros(64, np.int64)
    versions[0] = -1  # of no element
    return Blocks(
        states=np.zeros(64, np.int32),
        versions=versions,
        heads=np.full(groups, -1, np.int32),
        entries=np.empty(1024 * kernels.ENTRY_WORDS, np.int64),
        cells=np.empty(1024 * kernels.CELL_WORDS, np.int32),
        notes=np.zeros(NOTE_WORDS * len(tables.owners), np.int64),
        starts=tables.starts.copy(),
        alive=np.zeros(groups, np.int32),
        alive_in=np.zeros(groups, np.int32),
        figures=figures,
    )
