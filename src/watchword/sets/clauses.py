"""Clauses between a parser and a structure: their payloads, and the checks after a row is covered.

Most subscriptions are one conjunction of atoms; their payload is the slot itself, and nothing more is kept of them.
Clauses with a phrase or with NOT, and clauses of a subscription with OR, need more than their row. Their payload is
`FIRST_CLAUSE` plus the number of an entry in the `ClauseTable`. The entry has the slot of the subscription, whether
it has other clauses, and the program of checks. For ``"debt crisis" NOT imf`` in slot 5, with debt 0,
crisis 1 and imf 2::

    row {0, 1}, payload FIRST_CLAUSE + 0
    entry 0: slot 5, not shared, check: 0 1 adjacent; 2 absent

A clause with keys (`sets.factoring`) has several rows, each with an entry of its own; all of them share the program of
the first. A clause without any required atom (``NOT imf``) is in no structure; every event is checked against it.
`kernels.sets.clauses` describes the layout.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, Int64, UInt8, offsets_of, reserve
from watchword.errors import WatchwordError
from watchword.index.hits import Hits, collect
from watchword.kernels.handles import handles_of
from watchword.kernels.sets import clauses as kernels
from watchword.kernels.sets.clauses import CLAUSE_KINDS, ENTRY_WORDS, SHARED, SLOT, SOME, START, STOP, ClauseArrays
from watchword.kernels.tombstones import FIRST_CLAUSE
from watchword.parts import Part
from watchword.sets.programs import atoms_in
from watchword.sets.rows import Rows, one_row


class CheckedClause(NamedTuple):
    """A clause that needs a check after its atoms were found.

    `required` are the atoms of its row, `program` has the checks, and `shared` says whether its subscription has other
    clauses.
    """

    required: list[int]
    program: list[int]
    shared: bool

    def atoms(self) -> list[int]:
        """Return the distinct atoms of the clause, required, checked or forbidden."""
        return list(dict.fromkeys([*self.required, *atoms_in(self.program)]))


class CheckedClauses(NamedTuple):
    """Many such clauses. Clause `i` is one of subscription ``owners[i]``, its program ``program[starts[i]:stops[i]]``;
    before it stand the atoms of its row and their number, as in the table."""

    owners: Int32
    shared: UInt8
    starts: Int64
    stops: Int64
    program: Int32

    def rows(self) -> Rows:
        """Return the rows of all clauses; empty for a clause without required atoms."""
        sizes = self.program[self.starts - 1].astype(np.int64)
        offsets = offsets_of(sizes)
        places = np.repeat(self.starts - 1 - sizes - offsets[:-1], sizes)
        return Rows(offsets, self.program[places + np.arange(offsets[-1])])

    def atoms(self) -> Int32:
        """Return the distinct atoms of each clause, required, checked or forbidden."""
        atoms = np.empty(len(self.program), np.int32)
        return atoms[: kernels.named_atoms(self.starts, self.stops, self.program, atoms)]

    def numbered(self, numbers: Int32) -> CheckedClauses:
        """Return the clauses with ``numbers[a]`` for every atom `a`."""
        program = self.program.copy()
        kernels.renumber_atoms(self.starts, self.stops, program, numbers)
        return self._replace(program=program)


def concatenate_clauses(parts: list[tuple[int, CheckedClauses]]) -> CheckedClauses:
    """Return several sets of clauses as one; each part comes with the number of its first subscription."""
    if len(parts) == 1 and parts[0][0] == 0:
        return parts[0][1]
    before = offsets_of([len(part.program) for _, part in parts])[:-1].tolist()
    pairs = list(zip(before, [part for _, part in parts], strict=True))
    return CheckedClauses(
        np.concatenate([np.empty(0, np.int32), *(part.owners + np.int32(first) for first, part in parts)]),
        np.concatenate([np.empty(0, np.uint8), *(part.shared for _, part in pairs)]),
        np.concatenate([np.empty(0, np.int64), *(part.starts + shift for shift, part in pairs)]),
        np.concatenate([np.empty(0, np.int64), *(part.stops + shift for shift, part in pairs)]),
        np.concatenate([np.empty(0, np.int32), *(part.program for _, part in pairs)]),
    )


_KINDS = [np.dtype(kind) for kind in CLAUSE_KINDS]

NO_CLAUSES = concatenate_clauses([])

_NO_PROGRAM = np.empty(0, np.int32)
_RARE = np.zeros(1, np.uint8)


class ClauseTable(Part):
    """The clauses of an index that need a check. Numbers of removed clauses are used again.

    The clauses of a slot are found in a list sorted by slots, made at the first look-up, and in a dict of the clauses
    added one by one since: a dict of all clauses would take more memory than the table.

    A structure that runs programs by itself takes clauses without a required atom, too (`by_structure`); here only
    several clauses of one subscription are then made one.
    """

    def __init__(self, by_structure: bool = False) -> None:
        self._by_structure = by_structure
        self.count = 0
        self.entries = np.empty(16 * ENTRY_WORDS, np.int32)
        self.program = np.empty(64, np.int32)
        self.fill = 0
        self.waste = 0
        self._always: dict[int, None] = {}
        self._always_made: dict[str, Int32] = {}
        self._free: list[int] = []
        none = np.empty(0, np.int32)
        self._sorted: tuple[Int32, Int32] | None = (none, none)
        self._later: dict[int, list[int]] = {}
        self._state = ClauseArrays(none, none, none), np.empty(0, np.int64)
        self._programs = self.entries, self.program
        self.rare: UInt8 | None = None
        """An array as soon as a program has a head that few programs have (`kernels.sets.clauses`)."""

    def __len__(self) -> int:
        return self.count - len(self._free)

    def add(self, slot: int, clause: CheckedClause) -> int:
        """Store a clause and return its payload."""
        added = Additions(self)
        payload = added.add(slot, clause)
        added.finish()
        return payload

    def add_many(self, slots: Int32, clauses: CheckedClauses) -> Int32:
        """Store many clauses, under new numbers, and return their payloads."""
        first, count = self.count, len(clauses.owners)
        self.make_room(first + count, len(clauses.program))
        self.count += count
        self.program[self.fill : self.fill + len(clauses.program)] = clauses.program
        entries = self._entries[first:]
        entries[:, SLOT], entries[:, SHARED] = slots[clauses.owners], clauses.shared
        entries[:, START], entries[:, STOP] = clauses.starts + self.fill, clauses.stops + self.fill
        self.fill += len(clauses.program)
        unbound = np.flatnonzero(clauses.program[clauses.starts - 1] == 0) + first
        self._always.update(dict.fromkeys(unbound.tolist()))
        self._always_made.clear()
        self._sorted = None
        return np.arange(FIRST_CLAUSE + first, FIRST_CLAUSE + self.count, dtype=np.int32)

    def taken(self, slot: int, is_bound: bool) -> int:
        """Return the number of a new clause, which `write` is going to write. A structure finds it if it is bound."""
        if self._free:
            number = self._free.pop()
        else:
            number, self.count = self.count, self.count + 1
        if not is_bound and not self._by_structure:
            self._always[number] = None
            self._always_made.clear()
        self._later.setdefault(slot, []).append(number)
        return number

    def write(self, numbers: list[int], entries: list[int], words: list[int]) -> None:
        """Write the entries of new clauses, and their words."""
        self.make_room(self.count, len(words))
        self.program[self.fill : self.fill + len(words)] = words
        self.fill += len(words)
        self._entries[numbers] = np.array(entries, np.int32).reshape(-1, ENTRY_WORDS)
        if self.rare is None and words and max(words) >= SOME:  # or an atom has so large a number: slower, no more
            self.rare = _RARE

    def of(self, slot: int) -> list[tuple[int, CheckedClause]]:
        """Return a slot's clauses, each with its payload."""
        return [(FIRST_CLAUSE + number, self._clause(number)) for number in self._numbers(slot)]

    def remove(self, slot: int) -> None:
        """Forget the clauses of a slot."""
        for number in self._numbers(slot):
            clause = self._clause(number)
            self.waste += len(clause.required) + 1 + len(clause.program)
            self._entries[number] = -1, 0, 0, 0
            self._free.append(number)
            if number in self._always:
                del self._always[number]
                self._always_made.clear()
        self._later.pop(slot, None)
        if self.waste > 1024 + self.fill // 2:
            self.condense()

    def check(self, events: Rows, hits: Hits) -> Hits:
        """Replace the payloads that a structure found for events by slots, after checking phrases and NOT."""
        always = self._without_atoms()
        if not len(always) and (not len(hits.payloads) or hits.payloads.max() < FIRST_CLAUSE):
            return hits
        arrays = self.entries, _NO_PROGRAM if self._by_structure else self.program, always
        found = hits.offsets, hits.payloads
        step: Any = partial(kernels.check_clauses, events.offsets, events.atoms, found, arrays, self.rare)
        checked = collect(len(events), step, len(hits.payloads) // max(len(events), 1) + len(always) + 1)
        return checked._replace(operations=hits.operations)

    def check_one(self, atoms: Int32, payloads: Int32) -> Int32:
        """As `check`, for the atoms of one event."""
        if not self._always and (not len(payloads) or payloads.max() < FIRST_CLAUSE):
            return payloads
        return self.check(one_row(atoms), Hits(np.array([0, len(payloads)], np.int64), payloads, 0)).payloads

    def state(self) -> Int64:
        """Return the handles for `kernels.check_clauses`, valid until the next change."""
        arrays, handles = self._state
        always = self._always_made.get("array")
        if arrays.always is always and arrays.program is self.program and arrays.entries is self.entries:
            return handles
        arrays = ClauseArrays(self.entries, self.program, self._without_atoms())
        handles = handles_of(arrays, _KINDS)
        self._state = arrays, handles
        return handles

    @property
    def programs(self) -> tuple[Int32, Int32]:
        """Return the entries and programs, the same tuple as long as they are the same arrays."""
        if self._programs[0] is not self.entries or self._programs[1] is not self.program:
            self._programs = self.entries, self.program
        return self._programs

    def renumber(self, payloads: Int32) -> None:
        """Replace every slot `s` by ``payloads[s]``."""
        slots = self._entries[:, SLOT]
        used = slots >= 0
        slots[used] = payloads[slots[used]]
        self._sorted = None

    @property
    def bytes(self) -> int:
        """Return the memory in use."""
        return 4 * (ENTRY_WORDS * self.count + self.fill - self.waste) + self._without_atoms().nbytes

    def arrays(self) -> Arrays:
        """Return the state for a snapshot."""
        return {
            "entries": self.entries[: ENTRY_WORDS * self.count],
            "program": self.program[: self.fill],
            "always": self._without_atoms(),
            "rare": np.array([self.rare is not None], np.int64),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.entries, self.program = arrays["entries"], arrays["program"]
        self.count, self.fill = len(self.entries) // ENTRY_WORDS, len(self.program)
        self._always = dict.fromkeys(arrays["always"].tolist())
        self._always_made.clear()
        self._free = np.flatnonzero(self._entries[:, SLOT] < 0).tolist()
        self._sorted = None
        self.rare = _RARE if "rare" not in arrays or arrays["rare"][0] else None

    def condense(self) -> None:
        """Drop the programs of removed clauses."""
        if self.waste:
            program = np.empty(self.fill - self.waste + 16, np.int32)
            self.fill = int(kernels.live_clauses(self.entries, self.count, self.program, program))
            self.program = program
            self.waste = 0

    @property
    def _entries(self) -> Int32:
        """Return the entries in use, a row for each."""
        return self.entries[: ENTRY_WORDS * self.count].reshape(-1, ENTRY_WORDS)

    def make_room(self, count: int, words: int) -> None:
        """Make room for `count` entries, and `words` more of programs."""
        if self.fill + words > np.iinfo(np.int32).max:
            raise WatchwordError(f"{count} clauses with a check are more than one index holds; use several")
        self.entries = reserve(self.entries, ENTRY_WORDS * count)
        self.program = reserve(self.program, self.fill + words)

    def _without_atoms(self) -> Int32:
        """Return the numbers of the clauses without required atoms.

        If several threads race here, all use the array of the first: no handle must outlive its array.
        """
        found = self._always_made.get("array")
        if found is None:
            found = self._always_made.setdefault("array", np.fromiter(self._always, np.int32, len(self._always)))
        return found

    def _clause(self, number: int) -> CheckedClause:
        _, shared, start, stop = self._entries[number].tolist()
        count = int(self.program[start - 1])
        required = self.program[start - 1 - count : start - 1].tolist()
        return CheckedClause(required, self.program[start:stop].tolist(), bool(shared))

    def _numbers(self, slot: int) -> list[int]:
        if self._sorted is None:
            slots = self._entries[:, SLOT]
            order = np.argsort(slots, kind="stable").astype(np.int32)
            self._sorted, self._later = (slots[order], order), {}
        slots, order = self._sorted
        first, last = np.searchsorted(slots, (slot, slot + 1)) if len(slots) else (0, 0)
        sorted_ones = [number for number in order[first:last].tolist() if self.entries[ENTRY_WORDS * number] == slot]
        return list(dict.fromkeys(sorted_ones + self._later.get(slot, [])))


class Additions:
    """Clauses that are added to a table together, by one write to each of its arrays in `finish`."""

    def __init__(self, table: ClauseTable) -> None:
        self._table = table
        self._words: list[int] = []
        self._numbers: list[int] = []
        self._entries: list[int] = []

    def add(self, slot: int, clause: CheckedClause) -> int:
        """Take a clause, and return the payload that it is going to have."""
        number = self._table.taken(slot, bool(clause.required))
        words = self._words
        words += clause.required
        words.append(len(clause.required))
        start = self._table.fill + len(words)
        words += clause.program
        self._numbers.append(number)
        self._entries += (slot, clause.shared, start, start + len(clause.program))
        return FIRST_CLAUSE + number

    def finish(self) -> None:
        """Write the clauses to the table."""
        if self._numbers:
            self._table.write(self._numbers, self._entries, self._words)
