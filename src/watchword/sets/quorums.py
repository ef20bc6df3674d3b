"""Subscriptions that are one count of words, ``2 OF (ferry, storm, harbour)``, and whether an event has enough.

Every other clause with a count is found by some of its atoms, and its program counts (`sets.programs`). A subscription
that is nothing but a count of single atoms would be found by nearly all of them, and a program would run each time.
Here an event counts for all such subscriptions at once:

>>> quorums = Quorums()
>>> quorums.add(Rows(np.array([0, 3, 5]), np.array([4, 2, 7, 2, 9], np.int32)), np.array([10, 11]), np.array([2, 1]))
>>> quorums.match(Rows(np.array([0, 2, 4]), np.array([7, 4, -1, 2], np.int32))).payloads.tolist()
[10, 11]

`kernels.sets.quorums` has the layout. Changes are made in place; a row has a number, which leads to its payload.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from watchword.arrays import Arrays, Int32, UInt8, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import quorums as kernels
from watchword.kernels.sets.quorums import MOST_PARTS, POSTINGS, USED, QuorumLists
from watchword.parts import Part
from watchword.sets.boolean import AtLeast, Clause
from watchword.sets.numbering import RowNumbers
from watchword.sets.programs import Check, ClauseAtom
from watchword.sets.rows import Rows

Quorum = tuple[list[str], int]
"""The names of a count, and how many of them are enough."""

_WASTE = 1024
"""Unused words of a pool that are never too many."""


def quorum_of(clauses: list[Clause[ClauseAtom]]) -> Quorum | None:
    """Return the names of a subscription that is one count of single atoms, and how many are enough; else None.

    >>> quorum_of([Clause((), (), (AtLeast(2, (("a",), ("b",), ("c",))),))])
    (['a', 'b', 'c'], 2)
    """
    if len(clauses) != 1 or clauses[0].required or clauses[0].forbidden or len(clauses[0].rest) != 1:
        return None
    (tree,) = clauses[0].rest
    if not isinstance(tree, AtLeast) or not 0 < tree.least <= len(tree.parts) <= MOST_PARTS:
        return None
    if not all(type(part) is tuple and len(part) == 1 and not isinstance(part, Check) for part in tree.parts):
        return None
    names = [name for (name,) in tree.parts]
    return (names, tree.least) if len(set(names)) == len(names) else None


class Quorums(Part):
    """Rows of atoms, each with the number of atoms that are enough."""

    def __init__(self) -> None:
        self.numbers = RowNumbers()
        """The numbers of rows, and their payloads; `live` is how many rows there are."""
        self._least: UInt8 = np.empty(0, np.uint8)
        none = np.empty(0, np.int32)
        self._lists = QuorumLists(np.empty(0, np.int64), none, none, none, np.zeros(2, np.int64))
        self._hits_per_event = 16
        self._spare: list[UInt8] = []
        """Counters that no match uses now. A thread takes one and puts it back; an interruption may lose it."""

    def __len__(self) -> int:
        return self.numbers.live

    def add(self, rows: Rows, payloads: Int32, least: Int32) -> None:
        """Add rows; ``least[i]`` of the distinct atoms of row `i` are enough."""
        numbers = self.numbers.take(payloads)
        self._spare.clear()
        self._least = reserve(self._least, self.numbers.used, 0)
        self._least[numbers] = least
        lists = self._lists
        atoms = int(rows.atoms.max()) + 1
        self._lists = lists = lists._replace(
            starts=reserve(lists.starts, atoms, 0),
            sizes=reserve(lists.sizes, atoms, 0),
            rooms=reserve(lists.rooms, atoms, 0),
        )
        done = kernels.insert(*rows, numbers, lists, 0)
        while done < len(rows.atoms):
            needed = int(lists.state[USED]) + max(2, 2 * int(lists.rooms[rows.atoms[done]]))
            self._lists = lists = lists._replace(pool=reserve(lists.pool, needed))
            done = kernels.insert(*rows, numbers, lists, done)
        if lists.state[USED] > _WASTE + 2 * lists.state[POSTINGS]:
            self.condense()

    def remove(self, atoms: Int32, payload: int) -> None:
        """Remove a row; raises `KeyError` if there is none with this payload and these atoms."""
        number = int(kernels.take_out(atoms, payload, self.numbers.payloads, self._lists))
        if number < 0:
            raise KeyError(payload)
        self._spare.clear()
        self.numbers.give_back(number)
        if self._lists.state[USED] > _WASTE + 4 * self._lists.state[POSTINGS]:
            self.condense()

    def match(self, events: Rows) -> Hits:
        """Return the payloads of the rows that events satisfy. Events may have repeated atoms, and -1 for unknown."""
        try:
            counters = self._spare.pop()
        except IndexError:
            counters = self._least[: self.numbers.used].copy()
        state = self._lists, self._least, counters, self.numbers.payloads
        step = partial(kernels.match, events.offsets, events.atoms, state)
        hits = collect(len(events), step, self._hits_per_event)
        self._spare.append(counters)
        if len(events) > 256:
            self._hits_per_event = len(hits.payloads) // len(events) * 5 // 4 + 16
        return hits

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads; lists hold row numbers and stay."""
        self.numbers.renumber(payloads)

    def condense(self) -> None:
        """Free the room of the lists that is not used."""
        pool = np.empty(int(self._lists.state[POSTINGS]), np.int32)
        kernels.compact(self._lists, pool)
        self._lists = self._lists._replace(pool=pool)

    @property
    def bytes(self) -> int:
        """Return the bytes of the lists, of the row numbers and of a counter for each row."""
        if not len(self):
            return 0
        return 16 * len(self._lists.sizes) + 4 * int(self._lists.state[USED]) + 5 * self.numbers.used

    def arrays(self) -> Arrays:
        """Return the state for a snapshot; nothing where there are no rows."""
        if not len(self):
            return {}
        starts, sizes, rooms, pool, state = self._lists
        own: Arrays = {"starts": starts, "sizes": sizes, "rooms": rooms, "pool": pool[: int(state[USED])]}
        return own | {"state": state.copy(), "least": self._least[: self.numbers.used]} | self.numbers.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        if arrays:
            lists = (np.asarray(arrays[name]) for name in ("starts", "sizes", "rooms", "pool", "state"))
            self._lists = QuorumLists(*lists)
            self._least = np.asarray(arrays["least"])
            self.numbers.restore(arrays)
