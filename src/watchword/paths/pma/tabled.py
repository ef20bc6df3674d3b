"""What `pma` and `pma2` have in common: paths in a store, and tables that are made of them when they are first asked.

An automaton takes no changes: ``add`` and ``remove`` drop the tables, and the next `start` makes new ones.
A run keeps the tables with which it began, so what changes meanwhile does not touch it.

What a run keeps has a place for every keyword, and documents are numbered in it over its whole life: so a run that has
ended is used again by the next one over the same tables. A stream of small documents is matched one by one, and would
otherwise pay for all keywords with each of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from watchword.arrays import Arrays, Int32
from watchword.kernels.paths.moves import OPERATIONS, Found, Progress
from watchword.kernels.paths.output import OutputTables
from watchword.locks import ForkSafe
from watchword.paths.passes import Pass, PathStructure, new_progress
from watchword.paths.pma.gaps import gap_rows
from watchword.paths.pma.output import output_tables
from watchword.paths.pma.store import PathStore
from watchword.paths.rows import Paths


class Kept(NamedTuple):
    """What a run keeps between documents: the tables that it reads, where it stands, and the state of its method."""

    tables: OutputTables
    progress: Progress
    state: Any


class TabledPass(Pass):
    """A pass over tables; when it ends it gives back what it kept, and may not be fed again."""

    def __init__(self, kept: Kept, give_back: Callable[[Kept], None], *, elements: bool) -> None:
        self.tables, self.state = kept.tables, kept.state
        self.forget_figures()
        super().__init__(
            self.advance,
            len(kept.progress.stamps),
            kept.progress.limits,
            elements=elements,
            grow=self.enlarge,
            used=kept.progress,
            ended=lambda: give_back(kept._replace(state=self.state)),
        )

    @property
    def touched(self) -> int:
        """Return the number of output tuples touched so far."""
        return int(self.progress.counters[OPERATIONS])

    @abstractmethod
    def forget_figures(self) -> None:
        """Set the counters of a single run to 0."""

    @abstractmethod
    def advance(self, moves: Int32, progress: Progress, found: Found) -> int:
        """Follow moves: `passes.Follow`."""

    @abstractmethod
    def enlarge(self) -> None:
        """Make room for the next move."""


class TabledPaths(PathStructure):
    """Paths whose tables are made when they are needed. A method says how a run over tables begins."""

    operation: ClassVar[str] = "output tuples touched"

    def __init__(self) -> None:
        self._store = PathStore()
        self._tables: OutputTables | None = None
        self._spare: list[Kept] = []
        self._making = ForkSafe()

    @abstractmethod
    def start_on(self, tables: OutputTables, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with these tables."""

    def taken(self, tables: OutputTables, limits: Int32, make: Callable[[], Any]) -> Kept:
        """Return what an ended run over these tables kept, or what a new one begins with: its state is made here."""
        while self._spare:
            try:
                spare = self._spare.pop()
            except IndexError:  # another thread was faster
                break
            if spare.tables is tables:
                return spare._replace(progress=spare.progress._replace(limits=limits))
        payloads = int(tables.owners.max(initial=-1)) + 1
        return Kept(tables, new_progress(payloads, limits), make())

    def give_back(self, kept: Kept) -> None:
        """Keep what a run has that ended, unless the paths have changed since."""
        if kept.tables is self._tables:
            self._spare.append(kept)

    def start(self, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass over documents."""
        return self.start_on(self.tables(), limits, elements=elements)

    def tables(self) -> OutputTables:
        """Return the tables of the paths that are there now; any number of threads may ask."""
        with self._making.lock:
            if self._tables is None:
                paths, payloads = self._store.ascending()
                self._tables = output_tables(gap_rows(paths), payloads)
            return self._tables

    def add(self, paths: Paths, payloads: Int32) -> None:
        """Append paths."""
        self._store.add(paths, payloads)
        self._drop_tables()

    def remove(self, path: Paths, payload: int) -> None:
        """Remove a path, found by a scan of the payloads."""
        self._store.remove(path, payload)
        self._drop_tables()

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        self._store.renumber(payloads)
        self._drop_tables()

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes``, the automaton's ``states`` (also as ``nodes``) and the ``keywords`` of all paths (also as
        ``postings``)."""
        tables = self.tables()
        states, keywords = len(tables.automaton.fails), len(tables.owners)
        weight = sum(array.nbytes for array in (*tables.automaton, *tables[1:]))
        return {
            "bytes": self._store.bytes + weight,
            "nodes": states,
            "postings": keywords,
            "states": states,
            "keywords": keywords,
        }

    def arrays(self) -> Arrays:
        """Return the paths; tables are made again."""
        return self._store.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._store.restore(arrays)
        self._drop_tables()

    def _drop_tables(self) -> None:
        self._tables = None
        self._spare.clear()
