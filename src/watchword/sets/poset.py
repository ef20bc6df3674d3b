"""The partial-order index: sets below their subsets (Kourdounakis 2011, section 5.1.3, after POI).

The six rows of Table 2.1 are nearly flat: only S5 = {2, 4} is within another, S1 = {1, 2, 4} (Figure 5.4). The item
{4, 2, 1} tests the five sets that have no subset, and the one below {2, 4}:

>>> atoms = np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12, 2, 4, 2, 3, 13], np.int32)
>>> rows = Rows(np.array([0, 3, 5, 8, 10, 12, 15]), atoms)
>>> poset = Poset()
>>> poset.add(rows, np.arange(1, 7, dtype=np.int32))
>>> print(poset.draw())
1 2 3 [3]
1 12 [4]
1 24 [2]
2 3 13 [6]
2 4 [5]
  1 2 4 [1]
>>> hits = poset.match(Rows(np.array([0, 3]), np.array([4, 2, 1], np.int32)))
>>> hits.payloads.tolist(), hits.operations
([5, 1], 6)

A set need not store the atoms of its subsets: with ``storage="delta"`` its contents are the union of the atoms stored
from it up to the tops, as in POI. {1, 2, 4} then keeps only 1:

>>> small = Poset(storage="delta")
>>> small.add(rows, np.arange(1, 7, dtype=np.int32))
>>> small.draw() == poset.draw(), poset.stats()["atoms_stored"], small.stats()["atoms_stored"]
(True, 15, 13)

The class owns the arrays of `kernels.sets.poset`, where layout, invariant and cost are told, and makes them grow: a
kernel goes on until room runs out, says where it stopped, and is called again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, int32, int64, reserve
from watchword.errors import OptionError
from watchword.index.hits import Hits, collect
from watchword.kernels.arena import WORDS_END, WORDS_LIVE
from watchword.kernels.sets import poset as kernels
from watchword.kernels.sets import poset_change as changes
from watchword.kernels.sets.poset import PosetArrays
from watchword.outline import caption, outline
from watchword.sets.numbering import renumber_payloads, row_sizes
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure

# The tops too: every node may become one, without the arrays being asked to grow.
_PER_NODE = (
    "addresses",
    "sizes",
    "signatures",
    "heads",
    "ups",
    "downs",
    "leads",
    "stamps",
    "tops",
    "top_signatures",
)
_CELLS = ("payloads", "nexts")
_LINKS = ("link_nodes", "link_nexts")


STORAGES = ("whole", "delta")


class Poset(SetStructure):
    """A graph of the distinct rows by containment.

    `storage` is what a node stores: its ``whole`` set, or the ``delta`` of it against its parents.
    """

    order: ClassVar[str | None] = None
    operation: ClassVar[str] = "inclusion tests"

    def __init__(self, storage: str = "whole") -> None:
        if storage not in STORAGES:
            raise OptionError(f"storage must be one of {', '.join(STORAGES)}, not {storage!r}")
        self._poset = kernels.new_poset(storage == "delta")

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, one by one in compiled code."""
        sizes = row_sizes(rows)
        self._poset = self._poset._replace(bins=reserve(self._poset.bins, int(sizes.max(initial=0)) + 1, -1))
        by_row = np.lexsort((rows.atoms, np.repeat(np.arange(len(sizes)), sizes)))
        offsets, atoms, payloads = int64(rows.offsets), int32(rows.atoms[by_row]), int32(payloads)
        done = 0
        while (done := changes.insert_rows(self._poset, offsets, atoms, payloads, done)) < len(payloads):
            self._grow(int(sizes[done]))

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row; if it was the last of its set, link the set's parents with its children."""
        ascending = int32(np.sort(atoms))
        while (done := changes.remove_row(self._poset, ascending, payload)) < 0:
            self._grow(0)
        if not done:
            raise KeyError(payload)

    def match(self, items: Rows) -> Hits:
        """Walk down from the tops through the sets that lie within an item."""
        return collect(len(items), partial(kernels.match, int64(items.offsets), int32(items.atoms), self._poset))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        renumber_payloads(self._poset.payloads[: self._poset.state[kernels.CELLS_END]], payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` (distinct sets), ``edges``, ``top_nodes``, ``atoms_stored`` and ``bytes``.

        Bytes by part: ``atoms_bytes``, ``edges_bytes``, and ``nodes_bytes`` with the payloads.
        """
        state = self._poset.state
        nodes, edges, tops = (int(state[i]) for i in (kernels.NODES, kernels.EDGES, kernels.TOPS))
        atoms, rows = int(state[WORDS_LIVE]), int(state[kernels.ROWS])
        parts = {"atoms_bytes": 4 * atoms, "edges_bytes": 16 * edges}
        parts["nodes_bytes"] = (44 if state[kernels.DELTA] else 40) * nodes + 12 * tops + 8 * rows
        figures = {"nodes": nodes, "edges": edges, "top_nodes": tops, "atoms_stored": atoms}
        allocated = sum(array.nbytes for array in self._poset)
        return figures | parts | {"bytes": sum(parts.values()), "allocated_bytes": allocated}

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: a line per set below each of its parents, with its atoms and payloads."""
        state = self._poset.state
        sets: dict[int, list[int]] = {}
        for node in range(state[kernels.IDS_END]):
            if self._poset.sizes[node]:
                self._contents(node, sets)
        below = {node: sorted(self._below(node), key=sets.__getitem__) for node in sets}
        tops = sorted(self._poset.tops[: state[kernels.TOPS]].tolist(), key=sets.__getitem__)
        return outline(tops, below, lambda node: caption(sets[node], self._payloads(node), name))

    def arrays(self) -> Arrays:
        """Return the whole poset, without nodes, cells and links never used."""
        poset = self._poset
        ends = dict.fromkeys(_PER_NODE, kernels.IDS_END) | dict.fromkeys(_CELLS, kernels.CELLS_END)
        ends |= dict.fromkeys(_LINKS, kernels.LINKS_END) | {"words": WORDS_END}
        if poset.state[kernels.DELTA]:
            ends["own"] = kernels.IDS_END
        whole = poset._asdict()
        return whole | {field: whole[field][: poset.state[end]] for field, end in ends.items()}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._poset = PosetArrays(*(np.asarray(arrays[field]) for field in PosetArrays._fields))

    def _grow(self, atoms: int) -> None:
        """Make room for one more set of `atoms` atoms, and for the links that the kernel asked for."""
        poset = self._poset
        state = poset.state
        needed = dict.fromkeys(_PER_NODE, int(state[kernels.IDS_END]) + 1)
        needed |= dict.fromkeys(_CELLS, int(state[kernels.CELLS_END]) + 1)
        needed |= dict.fromkeys(_LINKS, int(state[kernels.LINKS_END] + state[kernels.WANTED]))
        if state[kernels.DELTA]:
            needed["own"] = needed["addresses"]
        needed["words"] = int(state[WORDS_END]) + max(atoms, int(state[kernels.WANTED_WORDS]))
        grown: dict[str, npt.NDArray[Any]] = {
            field: reserve(getattr(poset, field), room, 0) for field, room in needed.items()
        }
        self._poset = poset._replace(**grown)

    def _contents(self, node: int, known: dict[int, list[int]]) -> None:
        """Add a node's set to `known`: the atoms that it stores, and, for deltas, the atoms of its parents."""
        delta = bool(self._poset.state[kernels.DELTA])
        kept = self._poset.own if delta else self._poset.sizes
        waiting = [node]
        while waiting:
            above = self._above(waiting[-1]) if delta else []
            if unknown := [parent for parent in above if parent not in known]:
                waiting += unknown
                continue
            at = waiting.pop()
            start = self._poset.addresses[at]
            atoms = self._poset.words[start : start + kept[at]].tolist()
            known[at] = sorted({*atoms, *(atom for parent in above for atom in known[parent])})

    def _above(self, node: int) -> list[int]:
        return _chain(self._poset.ups[node], self._poset.link_nodes, self._poset.link_nexts)

    def _below(self, node: int) -> list[int]:
        return _chain(self._poset.downs[node], self._poset.link_nodes, self._poset.link_nexts)

    def _payloads(self, node: int) -> list[int]:
        return _chain(self._poset.heads[node], self._poset.payloads, self._poset.nexts)


def _chain(cell: int, contents: Int32, nexts: Int32) -> list[int]:
    """Return the contents of a linked list."""
    found = []
    while cell >= 0:
        found.append(int(contents[cell]))
        cell = int(nexts[cell])
    return found
