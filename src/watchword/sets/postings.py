"""The inverted file that `inverted` and `count` share: atom to linked list of rows.

>>> lists = LinkedPostings()
>>> lists.add(Rows(np.array([0, 2, 3]), np.array([4, 2, 4], np.int32)), np.array([0, 1], np.int32))
>>> len(lists), lists.atoms
(3, 2)
>>> int(lists.lists.heads[4]), lists.lists.nodes[:6].reshape(-1, 2).tolist()     # the list of 4: node 2, then node 0
(2, [[0, -1], [0, -1], [1, 0]])

Layout and invariant: see `kernels.sets.postings`. The thesis keeps the lists in a hash table from term number to list
(Kourdounakis 2011, section 3.1.1); atom numbers are dense here, so that the table is a plain array indexed by atom,
which answers the same look-ups one for one.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int16, Int32, Int64, int64, reserve
from watchword.index.structure import Part
from watchword.kernels.sets import postings as kernels
from watchword.kernels.sets.postings import LIVE, USED, Postings
from watchword.sets.rows import Rows


class LinkedPostings(Part):
    """For each atom the rows that hold it."""

    def __init__(self) -> None:
        empty = np.empty(0, np.int32)
        self.lists = Postings(empty, empty, empty, np.array([0, -1, 0], np.int64))

    def add(self, rows: Rows, numbers: Int32) -> None:
        """Add the rows, known by their `numbers`, to the lists of their atoms."""
        if not len(rows.atoms):
            return
        offsets, atoms = rows
        self._grow_to(int(atoms.max()) + 1)
        used, spare = int(self.lists.state[USED]), int(self.lists.state[USED] - self.lists.state[LIVE])
        # Reused nodes lie anywhere, and the bulk path passes over all atoms: it is for many fresh nodes.
        few = len(atoms) < len(self.lists.heads)
        single = len(rows) if few else int(np.searchsorted(offsets, spare, "right")) - 1
        reused = min(spare, int(offsets[single]))
        nodes = reserve(self.lists.nodes, 2 * (used + len(atoms) - reused))
        if nodes is not self.lists.nodes:
            self.lists = self.lists._replace(nodes=nodes)
        kernels.push_rows(self.lists, numbers[:single], offsets[: single + 1], atoms)
        if single < len(rows):
            kernels.append_rows(self.lists, numbers[single:], offsets[single:], atoms)

    def remove(self, atoms: Int32, payload: int, sizes: Int16, payloads: Int32) -> int:
        """Remove a row from its lists; returns its number, or -1 if no row has this payload and exactly these atoms.

        ``sizes[row]`` and ``payloads[row]`` are the sizes and payloads of all rows.
        """
        row: int = kernels.remove_row(self.lists, sizes, payloads, atoms, payload)
        return row

    def __len__(self) -> int:
        return int(self.lists.state[LIVE])

    @property
    def atoms(self) -> int:
        """Return the number of atoms that have a list."""
        return int(np.count_nonzero(self.lists.lengths))

    def per_atom(self) -> Int64:
        """Return the length of each atom's list."""
        return int64(np.trim_zeros(self.lists.lengths, "b"))

    @property
    def allocated(self) -> int:
        """Return the bytes of the arrays, with their spare room."""
        return self.lists.heads.nbytes + self.lists.lengths.nbytes + self.lists.nodes.nbytes

    def arrays(self) -> Arrays:
        """Return the lists, without nodes never used."""
        heads, lengths, nodes, state = self.lists
        return {"heads": heads, "lengths": lengths, "nodes": nodes[: 2 * state[USED]], "nodes_state": state.copy()}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.lists = Postings(*(np.asarray(arrays[name]) for name in ("heads", "lengths", "nodes", "nodes_state")))

    @property
    def bytes(self) -> int:
        """Return the bytes in use: two numbers a posting, and two for each atom with a list."""
        return 8 * len(self) + 8 * self.atoms

    def _grow_to(self, atoms: int) -> None:
        if atoms > len(self.lists.heads):
            heads, lengths = reserve(self.lists.heads, atoms, -1), reserve(self.lists.lengths, atoms, 0)
            self.lists = self.lists._replace(heads=heads, lengths=lengths)
