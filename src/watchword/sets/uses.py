"""How many clauses name an atom."""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int32, reserve, tally
from watchword.parts import Part


class Uses(Part):
    """A count for each atom.

    >>> uses = Uses()
    >>> uses.count(np.array([0, 2, 2], np.int32), 1, known=3)
    >>> uses.distinct
    2
    """

    def __init__(self) -> None:
        self._counts: Int32 = np.zeros(16, np.int32)

    def count(self, atoms: Int32, by: int, known: int) -> None:
        """Add `by` to the counts of atoms, which may repeat and are numbers below `known`."""
        if known > len(self._counts):
            self._counts = reserve(self._counts, known, 0)
        tally(self._counts, atoms, by)

    @property
    def distinct(self) -> int:
        """Return how many atoms are in use."""
        return int(np.count_nonzero(self._counts))

    @property
    def bytes(self) -> int:
        """Return nothing: these counts are for figures, not for matching."""
        return 0

    def arrays(self) -> Arrays:
        """Return the counts."""
        return {"counts": self._counts}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._counts = arrays["counts"]
