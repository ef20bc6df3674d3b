"""The partial-order index: sets below their subsets (Kourdounakis 2011, section 5.1.3, after POI).

The class owns the arrays of `kernels.sets.poset`, where layout, invariant and cost are told, and makes them
grow: a kernel goes on until room runs out, says where it stopped, and is called again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, Int64, int32, int64, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.arena import WORDS_END, WORDS_LIVE
from watchword.kernels.sets import poset as kernels
from watchword.kernels.sets import poset_change as changes
from watchword.kernels.sets.poset import PosetArrays
from watchword.outline import caption, outline
from watchword.sets.numbering import one_row, row_sizes
from watchword.sets.structure import Rows, Structure
from watchword.sets.trie import renumber_cells

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


class Poset(Structure):
    """A graph of the distinct rows by containment."""

    order: ClassVar[str | None] = None
    operation: ClassVar[str] = "inclusion tests"

    def __init__(self) -> None:
        self._poset = kernels.new_poset()

    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once, row by row in compiled code."""
        sizes = row_sizes(rows)
        self._poset = self._poset._replace(bins=reserve(self._poset.bins, int(sizes.max(initial=0)) + 1, -1))
        by_row = np.lexsort((rows.terms, np.repeat(np.arange(len(sizes)), sizes)))
        offsets, terms, payloads = int64(rows.offsets), int32(rows.terms[by_row]), int32(payloads)
        done = 0
        while (done := changes.insert_rows(self._poset, offsets, terms, payloads, done)) < len(payloads):
            self._grow(int(sizes[done]))

    def add(self, terms: Int32, payload: int) -> None:
        """Add one row."""
        self.load(one_row(terms), np.array([payload], np.int32))

    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row; if it was the last of its set, link the set's parents with its children."""
        while (done := changes.remove_row(self._poset, int32(terms), payload)) < 0:
            self._grow(0)
        if not done:
            raise KeyError(payload)

    def match(self, items: Rows) -> Hits:
        """Walk down from the tops through the sets that lie within an item."""
        poset, offsets, terms = self._poset, int64(items.offsets), int32(items.terms)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            reached: tuple[int, int, int]
            reached = kernels.match_items(poset, offsets, terms, first, used, ends, payloads)
            return reached

        return collect(len(items), step)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        renumber_cells(self._poset.payloads[: self._poset.state[kernels.CELLS_END]], payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` (distinct sets), ``edges``, ``top_nodes`` and ``bytes``."""
        state = self._poset.state
        nodes, edges, tops = (int(state[i]) for i in (kernels.NODES, kernels.EDGES, kernels.TOPS))
        terms, rows = int(state[WORDS_LIVE]), int(state[kernels.ROWS])
        used = 40 * nodes + 12 * tops + 16 * edges + 8 * rows + 4 * terms
        return {"nodes": nodes, "edges": edges, "top_nodes": tops, "bytes": used}

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: a line per set below each of its parents, with its terms and payloads."""
        state = self._poset.state
        sets = {node: self._set(node) for node in range(state[kernels.IDS_END]) if self._poset.sizes[node]}
        below = {node: sorted(self._below(node), key=sets.__getitem__) for node in sets}
        tops = sorted(self._poset.tops[: state[kernels.TOPS]].tolist(), key=sets.__getitem__)
        return outline(tops, below, lambda node: caption(sets[node], self._payloads(node), name))

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the poset."""
        poset = self._poset
        ends = dict.fromkeys(_PER_NODE, kernels.IDS_END) | dict.fromkeys(_CELLS, kernels.CELLS_END)
        ends |= dict.fromkeys(_LINKS, kernels.LINKS_END)
        whole = poset._asdict()
        trimmed = {field: whole[field][: poset.state[end]] for field, end in ends.items()}
        return whole | trimmed | {"words": poset.words[: poset.state[WORDS_END]]}

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the poset that `arrays` describes."""
        made = cls(**options)
        made._poset = PosetArrays(*(np.asarray(arrays[field]) for field in PosetArrays._fields))
        return made

    def _grow(self, terms: int) -> None:
        """Make room for one more set of so many terms, and for the links that the kernel asked for."""
        poset = self._poset
        state = poset.state
        needed = dict.fromkeys(_PER_NODE, int(state[kernels.IDS_END]) + 1)
        needed |= dict.fromkeys(_CELLS, int(state[kernels.CELLS_END]) + 1)
        needed |= dict.fromkeys(_LINKS, int(state[kernels.LINKS_END] + state[kernels.WANTED]))
        needed["words"] = int(state[WORDS_END]) + terms
        grown: dict[str, npt.NDArray[Any]] = {
            field: reserve(getattr(poset, field), room, 0) for field, room in needed.items()
        }
        self._poset = poset._replace(**grown)

    def _set(self, node: int) -> list[int]:
        start = self._poset.addresses[node]
        terms: list[int] = self._poset.words[start : start + self._poset.sizes[node]].tolist()
        return terms

    def _below(self, node: int) -> list[int]:
        return _chain(self._poset.downs[node], self._poset.link_nodes, self._poset.link_nexts)

    def _payloads(self, node: int) -> list[int]:
        return _chain(self._poset.heads[node], self._poset.payloads, self._poset.nexts)


def _chain(cell: int, contents: Int32, nexts: Int32) -> list[int]:
    """Return what a linked list holds."""
    found = []
    while cell >= 0:
        found.append(int(contents[cell]))
        cell = int(nexts[cell])
    return found
