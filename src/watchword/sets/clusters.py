"""Clusters by access atom, with and without propagation (Pereira et al. 2000; notes of Wang, Quan and Zhao 2019,
section 2.2 and Figure 3).

Each row lies under one of its atoms only, its *access atom*: for predicates, the most selective equality. The rows that
share their access atom and their number of atoms are a cluster. An item looks at the clusters of its own atoms, and
checks the other atoms of their rows column by column. Four rows under 7 and one under 4, and the item {4, 7, 9}:

>>> rows = Rows(np.array([0, 3, 6, 9, 12, 14]), np.array([7, 4, 9, 7, 2, 9, 7, 4, 3, 7, 4, 9, 4, 9], np.int32))
>>> item = Rows(np.array([0, 3]), np.array([4, 7, 9], np.int32))
>>> for method in (Propagation(), NonPropagation()):
...     method.add(rows, np.array([10, 11, 12, 13, 14], np.int32))
...     hits = method.match(item)
...     print(hits.payloads, hits.operations)
[14 10 13] 8
[14 10 13] 9
>>> print(method.draw())
4 and 1 more
  9 [14]
7 and 2 more
  4 9 [10]
  2 9 [11]
  4 3 [12]
  4 9 [13]

The caller chooses: a row's first atom is its access atom, and the others come in the order in which they are to be
checked, most selective first. A row that has no equality to be found by comes with a leading atom that holds in every
item, which the caller adds to both.

Where this is not the printed C++: a cluster has rows of one length only (the C++ takes its first member's length for
all); an atom is a number of its own (there, values are hashed, and may clash), and whether it holds is read from the
bitmap and not evaluated again; and all columns are passed, where the C++ leaves its loop at the first row it finds.

Layout and invariant: see `kernels.sets.clusters`; matching: see `kernels.sets.propagation`. Cost: a row takes one word
for each of its atoms. Adding is O(atoms) on average, and in bulk one sort by cluster. Removing scans the payloads of
the row's cluster. Words of removed rows are used again, and packed when they are most of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, int32, int64, reserve
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import cluster_removal as removal
from watchword.kernels.sets import clusters as kernels
from watchword.kernels.sets import propagation
from watchword.kernels.sets.clusters import (
    ATOM,
    ATOMS_LIVE,
    CLUSTERS_END,
    CLUSTERS_LIVE,
    COLUMNS,
    RECORD,
    SIZE,
    START,
    WORDS_END,
    ClusterStore,
    Groups,
)
from watchword.kernels.sets.propagation import TILE, ClusterIndex
from watchword.kernels.size_classes import CLASSES
from watchword.outline import caption
from watchword.sets.numbering import row_sizes
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure

_NEW = (0, 0, -1, 0, 0)
_ALONE = np.array([0, 1], np.int64), np.zeros(1, np.int64)
_LAST_WORD = np.iinfo(np.int32).max


class Propagation(SetStructure):
    """Clusters, checked column by column for the rows still alive (Figure 3)."""

    operation: ClassVar[str] = "predicates checked"
    propagating: ClassVar[bool] = True

    def __init__(self) -> None:
        empty = np.empty(0, np.int32)
        self._store = ClusterStore(empty, empty, empty, np.full(CLASSES, -1, np.int32), np.array(_NEW, np.int64))

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, each at the end of its cluster."""
        if not len(rows):
            return
        groups = _group_by_cluster(rows, payloads)
        self._reserve(int(rows.atoms.max()) + 1, len(groups.borders) - 1)
        self._reserve_words(kernels.room_wanted(self._store, groups))
        kernels.add_groups(self._store, groups)

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row; its atoms may come in any order."""
        atoms = int32(atoms)
        at, row = removal.find_row(self._store, atoms, payload)
        if at < 0 or not np.array_equal(np.sort(self._atoms(at, row)), np.sort(atoms)):
            raise KeyError(payload)
        removal.remove_row(self._store, at, row)
        self._squeeze(above=6)

    def match(self, items: Rows) -> Hits:
        """Check the clusters of each item's atoms."""
        words, clusters, heads, _, _ = self._store
        scratch = np.zeros(len(heads), np.uint8), np.empty(TILE, np.int32), np.empty(TILE, np.int16)
        index = ClusterIndex(words, clusters, heads, *scratch, self.propagating)
        return collect(len(items), partial(propagation.match, int64(items.offsets), int32(items.atoms), index))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        kernels.renumber(self._store, payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``bytes``, ``postings`` (atoms of rows) and ``clusters``."""
        postings, clusters = int(self._store.state[ATOMS_LIVE]), int(self._store.state[CLUSTERS_LIVE])
        accesses = int(np.count_nonzero(self._store.heads >= 0))
        size = 4 * postings + 4 * RECORD * clusters + 4 * accesses
        return {"bytes": size, "postings": postings, "clusters": clusters}

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return the clusters by access atom and columns, with a line for each row."""
        clusters = self._store.clusters[: RECORD * self._store.state[CLUSTERS_END]].reshape(-1, RECORD)
        lines = []
        for at in RECORD * np.lexsort((clusters[:, COLUMNS], clusters[:, ATOM])):
            record = self._store.clusters[at : at + RECORD]
            rows = [self._row(at, row) for row in range(record[SIZE])]
            lines += [f"{name(int(record[ATOM]))} and {record[COLUMNS]} more"] if rows else []
            lines += [f"  {caption(row[1:].tolist(), row[:1].tolist(), name).lstrip()}" for row in rows]
        return "\n".join(lines)

    def condense(self) -> None:
        """Pack the words for saving, if half of them are free."""
        self._squeeze(above=2)

    def arrays(self) -> Arrays:
        """Return the clusters, without words and records never used."""
        words, clusters, heads, bins, state = self._store
        used = {"words": words[: state[WORDS_END]], "clusters": clusters[: RECORD * state[CLUSTERS_END]]}
        return {**used, "heads": heads, "bins": bins, "state": state.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._store = ClusterStore(*(np.asarray(arrays[field]) for field in ClusterStore._fields))

    def _row(self, at: int, row: int) -> Int32:
        """Return a row of the cluster whose record is at `at`: its payload, and its atoms without the access atom."""
        _, columns, _, capacity, start = self._store.clusters[at : at + START + 1].tolist()
        return self._store.words[start + row :][: columns * capacity + 1 : capacity]

    def _atoms(self, at: int, row: int) -> Int32:
        return np.append(self._row(at, row)[1:], self._store.clusters[at + ATOM])

    def _reserve(self, atoms: int, clusters: int) -> None:
        """Make room for atom numbers below `atoms`, and for `clusters` more clusters."""
        store = self._store
        records = RECORD * (int(store.state[CLUSTERS_END]) + clusters)
        self._store = store._replace(heads=reserve(store.heads, atoms, -1), clusters=reserve(store.clusters, records))

    def _reserve_words(self, wanted: int) -> None:
        end = int(self._store.state[WORDS_END]) + wanted
        if end > _LAST_WORD:
            raise WatchwordError(f"{end} words are more than one index holds; use several")
        self._store = self._store._replace(words=reserve(self._store.words, end))

    def _squeeze(self, above: int) -> None:
        """Pack the words if there are `above` times as many as rows need; a cluster needs at least four."""
        end, *_, clusters, atoms = self._store.state.tolist()
        needed = atoms + atoms // 4 + 4 * clusters
        if end > above * needed:
            packed = np.empty(needed, np.int32)
            removal.squeeze(self._store, packed)
            self._store = self._store._replace(words=packed)


class NonPropagation(Propagation):
    """Clusters, checked column by column for all their rows (section 2.2.3)."""

    propagating: ClassVar[bool] = False


def _group_by_cluster(rows: Rows, payloads: Int32) -> Groups:
    """Return rows in groups of one cluster each."""
    sizes, offsets, atoms = row_sizes(rows), int64(rows.offsets), int32(rows.atoms)
    if len(rows) == 1:
        return Groups(*_ALONE, offsets, atoms, int32(payloads))
    keys = int64(atoms[offsets[:-1]]) << 16 | sizes
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    borders = np.concatenate(([0], np.flatnonzero(keys[1:] != keys[:-1]) + 1, [len(keys)]))
    return Groups(borders, order, offsets, atoms, int32(payloads))
