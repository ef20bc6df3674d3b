"""The inverted file that `inverted` and `count` share: term to linked list of rows.

Layout and invariant: see `kernels.sets.postings`. The thesis keeps the lists in a hash table from term
number to list (Kourdounakis 2011, section 3.1.1); term numbers are dense here, so that the table is a plain
array indexed by term, which answers the same look-ups one for one.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, reserve
from watchword.kernels.sets.postings import LIVE, USED, postings_append, postings_drop, postings_push
from watchword.sets.structure import Rows


class LinkedPostings:
    """For each term the rows that hold it."""

    def __init__(self) -> None:
        self.heads: Int32 = np.empty(0, np.int32)
        self.lengths: Int32 = np.empty(0, np.int32)
        self.nodes: Int32 = np.empty(0, np.int32)
        self._state: Int64 = np.array([0, -1, 0], np.int64)

    def load(self, rows: Rows, numbers: Int32) -> None:
        """Add the rows, known by their `numbers`, to the lists of their terms."""
        if not len(rows.terms):
            return
        terms = int(rows.terms.max()) + 1
        self.heads = reserve(self.heads, terms, -1)
        self.lengths = reserve(self.lengths, terms, 0)
        used, spare = int(self._state[USED]), int(self._state[USED] - self._state[LIVE])
        # Reused nodes lie anywhere, and the bulk path passes over all terms: it is for many fresh nodes.
        few = len(rows.terms) < len(self.heads)
        single = len(rows) if few else int(np.searchsorted(rows.offsets, spare, "right")) - 1
        reused = min(spare, int(rows.offsets[single]))
        self.nodes = reserve(self.nodes, 2 * (used + len(rows.terms) - reused))
        tables = (self.heads, self.lengths, self.nodes, self._state)
        postings_push(numbers[:single], rows.offsets[: single + 1], rows.terms, *tables)
        if single < len(rows):
            postings_append(numbers[single:], rows.offsets[single:], rows.terms, *tables)

    def drop(self, terms: Int32, row: int) -> None:
        """Take a row out of the lists of its terms, which hold it."""
        postings_drop(terms, row, self.heads, self.lengths, self.nodes, self._state)
        if not self._state[LIVE]:
            self._state[:] = 0, -1, 0

    def __len__(self) -> int:
        return int(self._state[LIVE])

    @property
    def terms(self) -> int:
        """The number of terms that have a list."""
        return int(np.count_nonzero(self.lengths))

    @property
    def bytes(self) -> int:
        """Bytes in use: two numbers a posting, two a term."""
        return 8 * len(self) + 8 * self.terms

    def arrays(self) -> Arrays:
        """Return the state as flat arrays."""
        nodes = self.nodes[: 2 * self._state[USED]]
        return {
            "heads": self.heads,
            "lengths": self.lengths,
            "nodes": nodes,
            "nodes_state": self._state.copy(),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """Return the postings that `arrays` describes."""
        made = cls()
        made.heads, made.lengths, made.nodes, made._state = (
            np.asarray(arrays[name]) for name in ("heads", "lengths", "nodes", "nodes_state")
        )
        return made
