"""The order of terms that ordered methods stand on (thesis, sections 2.1 and 2.3.1).

Every term has a rank, fixed when the term is first seen, as a trie cannot bear its change: the terms of a given
ranking first, then those of each load by falling frequency in it, then those that come singly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from watchword.arrays import Int32, reserve
from watchword.errors import OptionError
from watchword.kernels.sets import clauses as kernels
from watchword.sets.structure import Rows

ORDERS = ("rank", "reverse-rank", "given")


class TermOrder:
    """Sorts rows and items by rank: frequent terms first, or last if `order` is ``reverse-rank``."""

    def __init__(self, order: str, ranking: int) -> None:
        if order not in ORDERS:
            raise OptionError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
        if order == "given" and not ranking:
            raise OptionError("order='given' needs ranking=[…], the terms in their order")
        self._sign = -1 if order == "reverse-rank" else 1
        self.ranks = np.empty(16, np.int32)
        self.ranked = 0
        self._known = np.zeros(16, np.bool_)
        self.learn(np.arange(ranking, dtype=np.int32), by_frequency=False)

    def learn(self, terms: Int32, *, by_frequency: bool = True) -> None:
        """Rank the terms that have no rank yet."""
        if len(terms) == 0:
            return
        most = int(terms.max()) + 1
        self.ranks = reserve(self.ranks, most)
        self._known = reserve(self._known, most, False)
        if by_frequency:
            counts = np.bincount(terms, minlength=most)
            fresh = np.flatnonzero((counts > 0) & ~self._known[:most])
            fresh = fresh[np.argsort(-counts[fresh], kind="stable")]
        else:
            fresh = terms[~self._known[terms]].astype(np.int64)
        self.ranks[fresh] = np.arange(self.ranked, self.ranked + len(fresh), dtype=np.int32)
        self._known[fresh] = True
        self.ranked += len(fresh)

    def sorted(self, rows: Rows) -> Rows:
        """Return the rows with their terms in order; all their terms are ranked."""
        terms = rows.terms.copy()
        kernels.sort_terms(rows.offsets, terms, self.ranks, self._sign)
        return Rows(rows.offsets, terms)

    def knows(self, terms: Int32) -> npt.NDArray[np.bool_]:
        """Say which terms have a rank."""
        inside = terms < len(self._known)
        return inside & self._known[np.where(inside, terms, 0)]

    def array(self) -> Int32:
        """Return the ranks for a snapshot, -1 where there is none."""
        return np.where(self._known, self.ranks[: len(self._known)], -1).astype(np.int32)

    def restore(self, ranks: Int32) -> None:
        """Take over saved ranks."""
        self.ranks, self._known = ranks, ranks >= 0
        self.ranked = int(ranks.max(initial=-1)) + 1

    def sorted_known(self, items: Rows) -> Rows:
        """As `sorted`, for items: terms without a rank, which no row has, are left out."""
        known = self.knows(items.terms)
        if known.all():
            return self.sorted(items)
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(known, dtype=np.int64)])
        return self.sorted(Rows(before[items.offsets], items.terms[known]))
