"""What `pma` and `pma2` have in common: paths in a store, and tables that are made of them when they are first asked.

An automaton takes no changes: ``add`` and ``remove`` drop the tables, and the next `start` makes new ones.
A run keeps the tables with which it began, so what changes meanwhile does not touch it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from watchword.arrays import Arrays, Int32
from watchword.kernels.paths.output import OutputTables
from watchword.locks import ForkSafe
from watchword.paths.passes import Pass, PathStructure
from watchword.paths.pma.gaps import gap_rows
from watchword.paths.pma.output import output_tables
from watchword.paths.pma.store import PathStore
from watchword.paths.rows import Paths


class TabledPaths(PathStructure):
    """Paths whose tables are made when they are needed. A method says how a run over tables begins."""

    operation: ClassVar[str] = "output tuples touched"

    def __init__(self) -> None:
        self._store = PathStore()
        self._tables: OutputTables | None = None
        self._making = ForkSafe()

    @abstractmethod
    def start_on(self, tables: OutputTables, limits: Int32, *, elements: bool) -> Pass:
        """Begin a pass with these tables."""

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
        self._tables = None

    def remove(self, path: Paths, payload: int) -> None:
        """Remove a path, found by a scan of the payloads."""
        self._store.remove(path, payload)
        self._tables = None

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        self._store.renumber(payloads)
        self._tables = None

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
        self._tables = None
