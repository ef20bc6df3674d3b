"""The simple trie: rows that begin alike share nodes (Kourdounakis 2011, sections 2.3 and 3.2.1).

The class owns the arrays of `kernels.sets.trie`, where layout, invariant and cost are told, and makes them
grow: a kernel goes on until room runs out, says where it stopped, and is called again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, int32, int64, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.child_table import EMPTY, roomy_table
from watchword.kernels.sets import trie as kernels
from watchword.kernels.sets.trie import TrieArrays
from watchword.outline import caption, outline
from watchword.sets.numbering import one_row, row_sizes
from watchword.sets.structure import Rows, Structure


class Trie(Structure):
    """A node per distinct prefix of a row, in the caller's term order."""

    order: ClassVar[str | None] = "rank"
    operation: ClassVar[str] = "nodes visited"

    def __init__(self) -> None:
        self._trie = kernels.new_trie()

    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once, row by row in compiled code (Algorithm 5)."""
        longest = int(row_sizes(rows).max(initial=0))
        state = self._trie.state
        state[kernels.LONGEST] = max(state[kernels.LONGEST], longest)
        offsets, terms, payloads = int64(rows.offsets), int32(rows.terms), int32(payloads)
        done = 0
        while (done := kernels.insert_rows(self._trie, offsets, terms, payloads, done)) < len(payloads):
            self._grow(int(offsets[done + 1] - offsets[done]))

    def add(self, terms: Int32, payload: int) -> None:
        """Add one row."""
        self.load(one_row(terms), np.array([payload], np.int32))

    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row, and every node that only it needed."""
        if not kernels.remove_row(self._trie, int32(terms), payload):
            raise KeyError(payload)

    def match(self, items: Rows) -> Hits:
        """Walk down every path that lies within an item (Algorithm 6)."""
        trie, offsets, terms = self._trie, int64(items.offsets), int32(items.terms)

        def step(first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]:
            reached: tuple[int, int, int]
            reached = kernels.match_items(trie, offsets, terms, first, used, ends, payloads)
            return reached

        return collect(len(items), step)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        cells = self._trie.cells[: kernels.CELL_WORDS * self._trie.state[kernels.CELLS_END]]
        renumber_cells(cells[:: kernels.CELL_WORDS], payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` and ``leaves`` without the root, ``bytes``, and two distributions with it.

        ``out_degree_4_7`` is the number of nodes with 4 to 7 children (Table 4.2), ``subscriptions_4_7`` of
        those with 4 to 7 payloads (Table 4.3); both go up to the last range that has a node.
        """
        degrees, rows = kernels.census(self._trie)
        nodes, cells = int(self._trie.state[kernels.NODES]), int(self._trie.state[kernels.ROWS])
        figures: dict[str, float] = {
            "nodes": nodes,
            "leaves": int(degrees[0]) if nodes else 0,
            "bytes": 16 * (nodes + 1) + 12 * nodes + 8 * cells,
        }
        return figures | ranges("out_degree", degrees) | ranges("subscriptions", rows)

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: a line per node, with its term and its payloads."""
        parents, terms, nodes = child_entries(self._trie.keys, self._trie.values)
        label = dict(zip(nodes, terms, strict=True))
        below = defaultdict(list)
        for parent, node in zip(parents, nodes, strict=True):
            below[parent].append(node)
        return outline(below[0], below, lambda node: caption([label[node]], self._payloads(node), name))

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the trie."""
        trie = self._trie
        nodes = trie.nodes[: kernels.NODE_WORDS * trie.state[kernels.NODES_END]]
        cells = trie.cells[: kernels.CELL_WORDS * trie.state[kernels.CELLS_END]]
        return trie._replace(nodes=nodes, cells=cells)._asdict()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the trie that `arrays` describes."""
        made = cls(**options)
        made._trie = TrieArrays(*(np.asarray(arrays[field]) for field in TrieArrays._fields))
        return made

    def _grow(self, terms: int) -> None:
        """Make room for at least one row of so many terms."""
        trie = self._trie
        nodes = kernels.NODE_WORDS * (int(trie.state[kernels.NODES_END]) + terms)
        cells = kernels.CELL_WORDS * (int(trie.state[kernels.CELLS_END]) + 1)
        keys, values = roomy_table(trie.keys, trie.values, int(trie.state[kernels.NODES]) + terms)
        self._trie = TrieArrays(keys, values, reserve(trie.nodes, nodes), reserve(trie.cells, cells), trie.state)

    def _payloads(self, node: int) -> list[int]:
        found, cell = [], int(self._trie.nodes[kernels.NODE_WORDS * node])
        while cell >= 0:
            payload, cell = self._trie.cells[kernels.CELL_WORDS * cell :][: kernels.CELL_WORDS].tolist()
            found.append(payload)
        return found


def renumber_cells(cells: Int32, payloads: Int32) -> None:
    """Replace every ``p < len(payloads)`` by ``payloads[p]``; what free cells hold does not matter."""
    known = (cells >= 0) & (cells < len(payloads))
    cells[known] = payloads[cells[known]]


def child_entries(keys: Int64, values: Int32) -> tuple[list[int], list[int], list[int]]:
    """Return parents, first terms and nodes of a table of children, sorted by parent and term."""
    taken = np.flatnonzero(keys != EMPTY)
    taken = taken[np.argsort(keys[taken])]
    return (keys[taken] >> 32).tolist(), (keys[taken] & 0xFFFFFFFF).tolist(), values[taken].tolist()


def ranges(prefix: str, counts: Int64) -> dict[str, float]:
    """Name counts over 0, 1, 2 to 3, 4 to 7 and so on, up to the last that is not 0."""
    last = int(np.flatnonzero(counts)[-1])
    names = ["0", "1", *(f"{1 << bits}_{(2 << bits) - 1}" for bits in range(1, last))]
    return {f"{prefix}_{name}": int(count) for name, count in zip(names, counts[: last + 1], strict=False)}
