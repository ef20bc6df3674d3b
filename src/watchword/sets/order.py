"""The order of atoms that ordered methods stand on (Kourdounakis 2011, sections 2.1 and 2.3.1).

Every atom has a rank, fixed when the atom is first seen, because a trie depends on it: the atoms of a given ranking
first, then the atoms of each batch of rows by falling frequency in it, then atoms of single rows.

>>> order = AtomOrder("rank", 0)
>>> rows = Rows(np.array([0, 2, 4, 5]), np.array([7, 4, 2, 4, 7], np.int32))
>>> order.learn(rows.atoms)                     # 4 and 7 occur twice, 2 once
>>> order.in_order(rows).atoms.tolist()
[4, 7, 4, 2, 7]
>>> order.known_in_order(Rows(np.array([0, 3]), np.array([9, 2, 7], np.int32))).atoms.tolist()
[7, 2]

Layout: ``ranks[atom]`` (int32), -1 for an atom without a rank. Ranks are 0 to ``ranked - 1``, each of them once.

Cost: a rank is O(1) to read; learning a batch is a sort of its new atoms.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Bools, Int32, int64, offsets_of, reserve
from watchword.errors import OptionError
from watchword.index.structure import Part
from watchword.kernels.sets import clauses as kernels
from watchword.sets.rows import Rows

ORDERS = ("rank", "reverse-rank", "given")


class AtomOrder(Part):
    """Sorts rows and items by rank: frequent atoms first, or last if `order` is ``reverse-rank``.

    The atoms below `ranking` have their own number as their rank.
    """

    def __init__(self, order: str, ranking: int) -> None:
        if order not in ORDERS:
            raise OptionError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
        if order == "given" and not ranking:
            raise OptionError("order='given' needs ranking=[…], the terms in their order")
        self._sign = -1 if order == "reverse-rank" else 1
        self.ranks: Int32 = np.full(16, -1, np.int32)
        self.ranked = 0
        self.learn(np.arange(ranking, dtype=np.int32), by_frequency=False)

    def learn(self, atoms: Int32, *, by_frequency: bool = True) -> None:
        """Rank the atoms that have no rank yet: by their frequency among `atoms`, or as they come, each once."""
        if len(atoms) == 0:
            return
        end = int(atoms.max()) + 1
        self.ranks = reserve(self.ranks, end, -1)
        if by_frequency:
            counts = np.bincount(atoms, minlength=end)
            fresh = np.flatnonzero((counts > 0) & (self.ranks[:end] < 0))
            fresh = fresh[np.argsort(-counts[fresh], kind="stable")]
        else:
            fresh = int64(atoms[self.ranks[atoms] < 0])
        self.ranks[fresh] = np.arange(self.ranked, self.ranked + len(fresh), dtype=np.int32)
        self.ranked += len(fresh)

    def knows(self, atoms: Int32) -> Bools:
        """Say which atoms have a rank; any number may be asked for."""
        inside = atoms < len(self.ranks)
        known: Bools = inside & (self.ranks[np.where(inside, atoms, 0)] >= 0)
        return known

    def in_order(self, rows: Rows) -> Rows:
        """Return the rows with their atoms in order; all their atoms are ranked."""
        atoms = rows.atoms.copy()
        kernels.sort_terms(rows.offsets, atoms, self.ranks, self._sign)
        return Rows(rows.offsets, atoms)

    def known_in_order(self, items: Rows) -> Rows:
        """As `in_order`, for items: atoms without a rank, which no row has, are left out."""
        known = self.knows(items.atoms)
        if known.all():
            return self.in_order(items)
        return self.in_order(Rows(offsets_of(known)[items.offsets], items.atoms[known]))

    def arrays(self) -> Arrays:
        """Return the ranks, up to the last atom that has one."""
        known = np.flatnonzero(self.ranks >= 0)
        return {"ranks": self.ranks[: known[-1] + 1 if len(known) else 0]}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.ranks = reserve(np.asarray(arrays["ranks"]), 1, -1)
        self.ranked = int(self.ranks.max(initial=-1)) + 1

    @property
    def bytes(self) -> int:
        """Return four bytes for each rank."""
        return 4 * self.ranked
