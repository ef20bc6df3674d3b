"""Clauses between a parser and a structure: payloads, and what is left to check once a row is covered.

Most subscriptions are one conjunction of atoms; their payload is the slot itself, and nothing more is kept of them.
Some clauses need more than their row: those with a phrase or with NOT, and those beside which others stand (OR). Their
payload is `FIRST_CLAUSE` plus the number of an entry in the `ClauseTable`. The entry says whose clause it is, whether
its subscription has other clauses, and what is left to check. For ``"debt crisis" NOT imf`` in slot 5, with debt 0,
crisis 1 and imf 2::

    row {0, 1}, payload FIRST_CLAUSE + 0
    entry 0: slot 5, not shared, check: 0 1 adjacent; 2 absent

A clause without any required atom (``NOT imf``) is in no structure; every event is checked against it. The layout is
told in `kernels.sets.clauses`.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.sets import clauses as kernels
from watchword.kernels.tombstones import FIRST_CLAUSE
from watchword.parts import Part
from watchword.sets.rows import Rows, one_row


class CheckedClause(NamedTuple):
    """A clause that needs a check after its atoms were found.

    `required` are the atoms of its row, `program` is what is left to check, and `shared` says whether its subscription
    has other clauses.
    """

    required: list[int]
    program: list[int]
    shared: bool

    def atoms(self) -> list[int]:
        """Return the distinct atoms that the clause names."""
        found = dict.fromkeys(self.required)
        at = 0
        while at < len(self.program):
            size = self.program[at] >> 1
            found.update(dict.fromkeys(self.program[at + 1 : at + 1 + size]))
            at += 1 + size
        return list(found)


class ClauseTable(Part):
    """The clauses of an index that need a check. Numbers of removed ones are given again."""

    def __init__(self) -> None:
        self.count = 0
        self.slots = np.empty(16, np.int32)
        self.shared = np.empty(16, np.uint8)
        self.starts = np.empty(16, np.int64)
        self.stops = np.empty(16, np.int64)
        self.program = np.empty(64, np.int32)
        self.fill = 0
        self.waste = 0
        self._always: dict[int, None] = {}
        self._always_array: Int32 | None = None
        self._free: list[int] = []
        self._by_slot: dict[int, list[int]] | None = {}

    def __len__(self) -> int:
        return self.count - len(self._free)

    @property
    def has_unbound(self) -> bool:
        """Say whether a clause asks for no atom, so that every event is checked against it."""
        return bool(self._always)

    def add(self, slot: int, clause: CheckedClause) -> int:
        """Store a clause and return its payload."""
        number = self._free.pop() if self._free else self.count
        if number == self.count:
            self.count += 1
            for name in ("slots", "shared", "starts", "stops"):
                setattr(self, name, reserve(getattr(self, name), self.count))
        words = [*clause.required, len(clause.required), *clause.program]
        self.program = reserve(self.program, self.fill + len(words))
        self.program[self.fill : self.fill + len(words)] = words
        self.slots[number], self.shared[number] = slot, clause.shared
        self.fill += len(words)
        self.starts[number], self.stops[number] = self.fill - len(clause.program), self.fill
        if not clause.required:
            self._always[number] = None
            self._always_array = None
        if self._by_slot is not None:
            self._by_slot.setdefault(slot, []).append(number)
        return FIRST_CLAUSE + number

    def of(self, slot: int) -> list[tuple[int, CheckedClause]]:
        """Return a slot's clauses, each with its payload."""
        return [(FIRST_CLAUSE + number, self._clause(number)) for number in self._numbers(slot)]

    def remove(self, slot: int) -> None:
        """Forget the clauses of a slot."""
        for number in self._numbers(slot):
            clause = self._clause(number)
            self.waste += len(clause.required) + 1 + len(clause.program)
            self.slots[number] = -1
            self.starts[number] = self.stops[number] = 0
            self._free.append(number)
            if number in self._always:
                del self._always[number]
                self._always_array = None
        assert self._by_slot is not None
        self._by_slot.pop(slot, None)
        if self.waste > 1024 + self.fill // 2:
            self.condense()

    def check(self, events: Rows, hits: Hits) -> Hits:
        """Turn the payloads that a structure found for events into slots, checking what its rows cannot say."""
        always = self._without_atoms()
        if not len(always) and (not len(hits.payloads) or hits.payloads.max() < FIRST_CLAUSE):
            return hits
        arrays = self.slots, self.shared, self.starts, self.stops, self.program, always
        found = hits.offsets, hits.payloads
        step: Any = partial(kernels.check_clauses, events.offsets, events.atoms, found, arrays)
        checked = collect(len(events), step, len(hits.payloads) // max(len(events), 1) + len(always) + 1)
        return checked._replace(operations=hits.operations)

    def check_one(self, atoms: Int32, payloads: Int32) -> Int32:
        """As `check`, for the atoms of one event."""
        if not self._always and (not len(payloads) or payloads.max() < FIRST_CLAUSE):
            return payloads
        return self.check(one_row(atoms), Hits(np.array([0, len(payloads)], np.int64), payloads, 0)).payloads

    def renumber(self, payloads: Int32) -> None:
        """Slot `s` is from now on ``payloads[s]``."""
        used = self.slots[: self.count] >= 0
        self.slots[: self.count][used] = payloads[self.slots[: self.count][used]]
        self._by_slot = None

    @property
    def bytes(self) -> int:
        """Return the memory in use."""
        return self.count * 21 + 4 * (self.fill - self.waste) + self._without_atoms().nbytes

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        return {
            "slots": self.slots[: self.count],
            "shared": self.shared[: self.count],
            "starts": self.starts[: self.count],
            "stops": self.stops[: self.count],
            "program": self.program[: self.fill],
            "always": self._without_atoms(),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        for name in ("slots", "shared", "starts", "stops", "program"):
            setattr(self, name, arrays[name])
        self.count, self.fill = len(self.slots), len(self.program)
        self._always = dict.fromkeys(arrays["always"].tolist())
        self._always_array = None
        self._free = np.flatnonzero(self.slots < 0).tolist()
        self._by_slot = None

    def condense(self) -> None:
        """Drop the programs of removed clauses."""
        if not self.waste:
            return
        live = np.flatnonzero(self.slots[: self.count] >= 0)
        checks = self.stops[live] - self.starts[live]
        begins = self.starts[live] - 1 - self.program[self.starts[live] - 1]
        pieces: list[Any] = [
            self.program[begin:stop] for begin, stop in zip(begins.tolist(), self.stops[live].tolist(), strict=True)
        ]
        ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
        self.program = np.concatenate([*pieces, np.empty(16, np.int32)])
        self.starts[live], self.stops[live] = ends - checks, ends
        self.fill = int(ends[-1]) if len(ends) else 0
        self.waste = 0

    def _without_atoms(self) -> Int32:
        """Return the numbers of the clauses that ask for no atom; threads that race here make the same."""
        found = self._always_array
        if found is None:
            found = self._always_array = np.fromiter(self._always, np.int32, len(self._always))
        return found

    def _clause(self, number: int) -> CheckedClause:
        start, stop = int(self.starts[number]), int(self.stops[number])
        count = int(self.program[start - 1])
        required = self.program[start - 1 - count : start - 1].tolist()
        return CheckedClause(required, self.program[start:stop].tolist(), bool(self.shared[number]))

    def _numbers(self, slot: int) -> list[int]:
        if self._by_slot is None:
            self._by_slot = {}
            for number in range(self.count):
                if self.slots[number] >= 0:
                    self._by_slot.setdefault(int(self.slots[number]), []).append(number)
        return self._by_slot.get(slot, [])
