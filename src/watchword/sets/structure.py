"""The interface of every method over sets: a store of conjunctions of atom numbers.

Above this line live texts, ids, OR and NOT; below it a conjunction is a row of distinct atom numbers with a payload,
and an event the row of the atoms that hold in it. The caller has put each row's atoms, and each event's, into the order
that the structure asks for (`SetStructure.order`), and never adds an empty row.

    index.add(Rows([0, 2, 3], [4, 2, 7]), payloads=[10, 11])     {4, 2} is 10, {7} is 11
    index.match(Rows([0, 3], [1, 2, 4]))                         the event {1, 2, 4} finds 10
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.errors import OptionError
from watchword.index.structure import Structure
from watchword.sets.rows import Rows, one_row


class SetStructure(Structure[Rows, Int32, Rows]):
    """A mutable set of ``(row of atoms, payload)`` that finds the rows covered by an event."""

    order: ClassVar[str | None] = None
    """The order of atoms that rows and events must come in: ``None`` (as in the text), ``"rank"`` (frequent atoms
    first) or ``"reverse-rank"`` (rare atoms first). A method may let the user choose."""

    reads_repeats: ClassVar[bool] = False
    """Whether events may have repeated atoms, and -1 for unknown ones."""

    takes_negations: ClassVar[bool] = False
    """Whether rows are of literals, ``atom << 1 | negated``, so that the forbidden atoms of a clause are in its row.
    Such a structure runs the programs of clauses by itself."""

    has_quorums: ClassVar[bool] = False
    """Whether subscriptions that are one count of atoms are found beside the structure, by `sets.quorums`. The methods
    of the thesis find them by their keys, as every other clause, and so decide them in another way."""

    def per_atom(self) -> Int64:
        """Return the number of postings or nodes of each atom, up to the last atom that has any."""
        raise OptionError(
            "this method has neither a list nor nodes for each term; count, compact-count and the tries do"
        )

    def add_one(self, atoms: Int32, payload: int) -> None:
        """Add one row."""
        self.add(one_row(atoms), np.array([payload], np.int32))
