"""The simple trie: rows that begin alike share nodes (Kourdounakis 2011, sections 2.3 and 3.2.1).

The six rows of Table 2.1, whose atoms are numbered by falling frequency, make the trie of Figure 2.5, with the payloads
of the rows in brackets; the item {1, 2, 4} visits five of its nodes and finds two rows (Example 2.7):

>>> atoms = np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12, 2, 4, 2, 3, 13], np.int32)
>>> rows = Rows(np.array([0, 3, 5, 8, 10, 12, 15]), atoms)
>>> trie = Trie()
>>> trie.add(rows, np.arange(1, 7, dtype=np.int32))
>>> print(trie.draw())
1
  2
    3 [3]
    4 [1]
  12 [4]
  24 [2]
2
  3
    13 [6]
  4 [5]
>>> hits = trie.match(Rows(np.array([0, 3]), np.array([1, 2, 4], np.int32)))
>>> hits.payloads.tolist(), hits.operations
([1, 5], 5)

Frequent atoms come first because then many rows begin alike. In the order 4 before 2 before 1, S5 = {2, 4} would lie on
the path to S1 = {1, 2, 4} (Example 2.5): prefixes are shared, subsets are not (Example 2.8).

The class owns the arrays of `kernels.sets.tries.trie`, where layout, invariant and cost are told, and makes them grow:
a kernel goes on until room runs out, says where it stopped, and is called again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, int32, int64, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.child_table import EMPTY, child_entries, roomy_table
from watchword.kernels.sets.tries import trie as kernels
from watchword.kernels.sets.tries.trie import CELL_WORDS, NODE_WORDS, TrieArrays
from watchword.outline import caption, outline
from watchword.sets.numbering import renumber_payloads, row_sizes
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure


class Trie(SetStructure):
    """A node per distinct prefix of a row, in the caller's order of atoms."""

    order: ClassVar[str | None] = "rank"
    operation: ClassVar[str] = "nodes visited"

    def __init__(self) -> None:
        self._trie = kernels.new_trie()

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, one by one in compiled code (Algorithm 5)."""
        sizes = row_sizes(rows)
        state = self._trie.state
        state[kernels.LONGEST] = max(state[kernels.LONGEST], sizes.max(initial=0))
        offsets, atoms, payloads = int64(rows.offsets), int32(rows.atoms), int32(payloads)
        done = 0
        while (done := kernels.insert_rows(self._trie, offsets, atoms, payloads, done)) < len(payloads):
            self._grow(int(sizes[done]))

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row, and the nodes that no other row uses."""
        if not kernels.remove_row(self._trie, int32(atoms), payload):
            raise KeyError(payload)

    def match(self, items: Rows) -> Hits:
        """Walk down every path that lies within an item (Algorithm 6)."""
        return collect(len(items), partial(kernels.match, int64(items.offsets), int32(items.atoms), self._trie))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        renumber_payloads(self._trimmed().cells[::CELL_WORDS], payloads)

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` and ``leaves`` without the root, ``bytes``, and two distributions with it.

        Bytes by part: ``nodes_bytes``, ``children_bytes`` (their entries in the table of children) and
        ``payloads_bytes``. ``allocated_bytes`` has spare room in it; the table of children is at most two thirds full.

        ``out_degree_4_7`` is the number of nodes with 4 to 7 children (Table 4.2), ``subscriptions_4_7`` the
        number of nodes with 4 to 7 payloads (Table 4.3); both go up to the last range that has a node.
        """
        degrees, rows = kernels.census(self._trie)
        nodes, cells = int(self._trie.state[kernels.NODES]), int(self._trie.state[kernels.ROWS])
        figures: dict[str, float] = {
            "nodes": nodes,
            "leaves": int(degrees[0]) if nodes else 0,
            "bytes": 16 * (nodes + 1) + 12 * nodes + 8 * cells,
            "nodes_bytes": 16 * (nodes + 1),
            "children_bytes": 12 * nodes,
            "payloads_bytes": 8 * cells,
            "allocated_bytes": sum(array.nbytes for array in self._trie),
        }
        return figures | _by_range("out_degree", degrees) | _by_range("subscriptions", rows)

    def per_atom(self) -> Int64:
        """Return how many nodes have each atom (Figures 4.4 to 4.6)."""
        keys = self._trie.keys
        return int64(np.bincount(keys[keys != EMPTY] & 0xFFFFFFFF))

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: a line per node, with its atom and its payloads."""
        below, first = defaultdict(list), {}
        for parent, atom, node in child_entries(self._trie.keys, self._trie.values):
            below[parent].append(node)
            first[node] = atom
        return outline(below[0], below, lambda node: caption([first[node]], self._payloads(node), name))

    def arrays(self) -> Arrays:
        """Return the whole trie, without nodes and cells never used."""
        return self._trimmed()._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._trie = TrieArrays(*(np.asarray(arrays[field]) for field in TrieArrays._fields))

    def _trimmed(self) -> TrieArrays:
        trie = self._trie
        nodes = trie.nodes[: NODE_WORDS * trie.state[kernels.NODES_END]]
        return trie._replace(nodes=nodes, cells=trie.cells[: CELL_WORDS * trie.state[kernels.CELLS_END]])

    def _grow(self, atoms: int) -> None:
        """Make room for at least one row of `atoms` atoms."""
        trie = self._trie
        nodes = NODE_WORDS * (int(trie.state[kernels.NODES_END]) + atoms)
        cells = CELL_WORDS * (int(trie.state[kernels.CELLS_END]) + 1)
        keys, values = roomy_table(trie.keys, trie.values, int(trie.state[kernels.NODES]) + atoms)
        self._trie = TrieArrays(keys, values, reserve(trie.nodes, nodes), reserve(trie.cells, cells), trie.state)

    def _payloads(self, node: int) -> list[int]:
        found, cell = [], int(self._trie.nodes[NODE_WORDS * node])
        while cell >= 0:
            payload, cell = self._trie.cells[CELL_WORDS * cell :][:CELL_WORDS].tolist()
            found.append(payload)
        return found


def _by_range(prefix: str, counts: Int64) -> dict[str, float]:
    """Name counts over 0, 1, 2 to 3, 4 to 7 and so on, up to the last that is not 0."""
    last = int(np.flatnonzero(counts)[-1])
    names = ["0", "1", *(f"{1 << bits}_{(2 << bits) - 1}" for bits in range(1, last))]
    return {f"{prefix}_{name}": int(count) for name, count in zip(names, counts[: last + 1], strict=False)}
