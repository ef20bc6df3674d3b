"""The compact trie: path compression and node types (Kourdounakis 2011, section 3.2.2, Table 3.3).

The six rows of Table 2.1 make the trie of Figure 2.5 with one path compressed, the one to S6 = {2, 3, 13}:

>>> atoms = np.array([1, 2, 4, 1, 24, 1, 2, 3, 1, 12, 2, 4, 2, 3, 13], np.int32)
>>> rows = Rows(np.array([0, 3, 5, 8, 10, 12, 15]), atoms)
>>> trie = CompactTrie()
>>> trie.add(rows, np.arange(1, 7, dtype=np.int32))
>>> print(trie.draw())
1
  2
    3 [3]
    4 [1]
  12 [4]
  24 [2]
2
  3 13 [6]
  4 [5]

A row that leaves a label half-way splits it; removing the row merges it again:

>>> trie.add_one(np.array([2, 3], np.int32), 7)
>>> print(trie.draw().partition("24 [2]\\n")[2])
2
  3 [7]
    13 [6]
  4 [5]
>>> trie.remove(np.array([2, 3], np.int32), 7)

The class owns the arrays of `kernels.sets.compact_trie`, where layout, invariant and cost are told, and makes them
grow: a kernel goes on until room runs out, says where it stopped, and is called again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, int32, int64, reserve
from watchword.errors import OptionError
from watchword.index.hits import Hits, collect
from watchword.kernels.arena import WORDS_END, WORDS_LIVE
from watchword.kernels.child_table import child_entries, roomy_table
from watchword.kernels.sets.tries import compact_trie as kernels
from watchword.kernels.sets.tries import compact_trie_match as readers
from watchword.kernels.sets.tries.compact_trie import CompactArrays
from watchword.kernels.sets.tries.trie_walk import FAMILY_WORDS
from watchword.outline import caption, outline
from watchword.sets.numbering import row_sizes
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure

_FIXED = np.array([1 + (kind & 3) + (FAMILY_WORDS if kind & kernels.INTERNAL else 0) for kind in range(8)])
"""Words of a record of each type, without its label."""

_ROOT_BYTES = 4 * 4 + 4

_TYPES = {"Ib": 1, "Ic": 2, "IIa": kernels.INTERNAL, "IIb": kernels.INTERNAL + 1, "IIc": kernels.INTERNAL + 2}


class CompactTrie(SetStructure):
    """A trie without chains. `block` is the thesis's K: payloads per block where equal rows share a node."""

    order: ClassVar[str | None] = "rank"
    operation: ClassVar[str] = "nodes visited"

    def __init__(self, block: int = 2) -> None:
        if block < 1:
            raise OptionError(f"block is {block}; it must be at least 1")
        self._trie = kernels.new_compact_trie(block)

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows, one by one in compiled code."""
        self._lengthen(int(row_sizes(rows).max(initial=0)))
        offsets, atoms, payloads = int64(rows.offsets), int32(rows.atoms), int32(payloads)
        done = 0
        while (done := kernels.insert_rows(self._trie, offsets, atoms, payloads, done)) < len(payloads):
            self._grow()

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row, and merge or prune its node if it has no payload left."""
        self._grow()
        if not kernels.remove_row(self._trie, int32(atoms), payload):
            raise KeyError(payload)

    def match(self, items: Rows) -> Hits:
        """Walk down every path that lies within an item; a node counts once its whole label does."""
        return collect(len(items), partial(readers.match, int64(items.offsets), int32(items.atoms), self._trie))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        readers.renumber(self._trie, int32(payloads))

    def stats(self) -> Mapping[str, float]:
        """Return the figures of Tables 4.5, 4.8 and 4.10, and the nodes of each type (Table 3.3).

        The root counts in none of them but ``path_length_mean``, the nodes on the path to a leaf: only so do
        rows of three terms have the paths of 3.69 nodes that Table 4.8 gives. ``type_IIb`` counts primary
        nodes, ``compact_IIb`` their compact duals, ``compact_size_mean`` is atoms per compact node.

        Bytes by type: ``type_IIb_bytes`` and so on, each with its records, addresses and entries in the table of
        children; ``blocks_bytes`` are the payloads of classes c. ``allocated_bytes`` has spare room in it.
        """
        counts, sizes, path_nodes = readers.census(self._trie)
        state = self._trie.state
        nodes, leaves, compact = int(state[kernels.NODES]), int(counts[:, 1:3].sum()), int(counts[1].sum())
        figures: dict[str, float] = {
            "nodes": nodes,
            "leaves": leaves,
            "path_length_mean": path_nodes / leaves if leaves else 0.0,
            "internal_share": (nodes - leaves) / nodes if nodes else 0.0,
            "leaf_share": leaves / nodes if nodes else 0.0,
            "compact_nodes": compact,
            "compact_size_mean": int(sizes[1].sum()) / compact if compact else 0.0,
            "bytes": 4 * int(state[WORDS_LIVE]) + 4 * (nodes + 1) + 12 * nodes,
        }
        bytes_of = 16 * counts + 4 * (counts * _FIXED + sizes)
        for row, word in enumerate(("type", "compact")):
            figures |= {f"{word}_{name}": int(counts[row, kind]) for name, kind in _TYPES.items()}
            figures |= {f"{word}_{name}_bytes": int(bytes_of[row, kind]) for name, kind in _TYPES.items()}
        figures["blocks_bytes"] = int(figures["bytes"] - bytes_of.sum() - _ROOT_BYTES)
        figures["allocated_bytes"] = sum(array.nbytes for array in self._trie)
        return figures

    def per_atom(self) -> Int64:
        """Return the number of nodes with each atom in their label."""
        counts: Int64 = readers.label_atoms(self._trie)
        return counts

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing: a line per node, with the atoms of its label and its payloads."""
        below = defaultdict(list)
        for parent, _, node in child_entries(self._trie.keys, self._trie.values):
            below[parent].append(node)
        return outline(below[0], below, lambda node: caption(self._label(node), self._payloads(node), name))

    def arrays(self) -> Arrays:
        """Return the whole trie, without node numbers and words never used."""
        trie = self._trie
        addresses, words = trie.addresses[: trie.state[kernels.IDS_END]], trie.words[: trie.state[WORDS_END]]
        return trie._replace(addresses=addresses, words=words)._asdict()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned, with the block size that it was built with."""
        self._trie = CompactArrays(*(np.asarray(arrays[field]) for field in CompactArrays._fields))

    def _lengthen(self, longest: int) -> None:
        """Prepare for rows of up to `longest` atoms."""
        trie = self._trie
        trie.state[kernels.LONGEST] = max(trie.state[kernels.LONGEST], longest)
        if len(trie.bins) < longest + 8:
            self._trie = trie._replace(bins=reserve(trie.bins, longest + 8, -1))

    def _grow(self) -> None:
        """Make room for at least one change."""
        trie = self._trie
        words = int(trie.state[WORDS_END]) + int(kernels.slack(trie.state))
        if words > np.iinfo(np.int32).max:
            raise MemoryError("a compact trie holds at most 2**31 words")
        keys, values = roomy_table(trie.keys, trie.values, int(trie.state[kernels.NODES]) + 2)
        addresses = reserve(trie.addresses, int(trie.state[kernels.IDS_END]) + 2)
        self._trie = trie._replace(keys=keys, values=values, addresses=addresses, words=reserve(trie.words, words))

    def _label(self, node: int) -> list[int]:
        record = int(self._trie.addresses[node])
        label: list[int] = self._trie.words[record + 1 : kernels.payload_field(self._trie.words, record)].tolist()
        return label

    def _payloads(self, node: int) -> list[int]:
        found = np.empty(int(self._trie.state[kernels.ROWS]), np.int32)
        return [int(payload) for payload in found[: readers.node_payloads(self._trie, node, found)]]
