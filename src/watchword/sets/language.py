"""What plugs into an index for every language whose subscriptions are clauses of atoms; the language adds a parser and
a reader of events.

An atom has a name, which is a text or anything else that can be hashed; `number` gives names numbers. A clause's atom
is a tuple of names: of one, or of several that must stand side by side, in order (a phrase). ``greece AND "debt
crisis"`` is the clause ``(("greece",), ("debt", "crisis"))``. Its row is {greece, debt, crisis}; that debt and crisis
are adjacent is checked afterwards (`clauses`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.arrays import Int32, offsets_of
from watchword.errors import SubscriptionError
from watchword.index.hits import Hits, merged
from watchword.index.language import Language
from watchword.kernels.sets.clauses import SEE
from watchword.kernels.tombstones import FIRST_CLAUSE
from watchword.parts import Counters
from watchword.sets.boolean import Clause
from watchword.sets.clauses import NO_CLAUSES, Additions, CheckedClause, CheckedClauses, ClauseTable
from watchword.sets.order import AtomOrder
from watchword.sets.programs import Check, ClauseAtom, Number, names_of, program_of
from watchword.sets.quorums import Quorum, Quorums, quorum_of
from watchword.sets.rows import Rows, distinct, joined, one_row
from watchword.sets.structure import SetStructure
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary


class Compiled(NamedTuple):
    """Subscriptions ready to be stored, before their atoms have the numbers of an index.

    ``plain[i]`` is the conjunction of subscription ``rows[i]``, its atoms numbered by `names`; so are those of the
    clauses in `checked`. Every other subscription is in `parsed`, with its clauses, perhaps as bare
    tuples, whose atoms have names (`numbering`). `names` is a `Vocabulary` where names are texts, else a list.
    """

    names: Any
    plain: Rows
    rows: Int32
    parsed: list[tuple[int, list[Clause[ClauseAtom]]]]
    checked: CheckedClauses = NO_CLAUSES

    @classmethod
    def parsed_by(cls, parse: Callable[[str], list[Clause[ClauseAtom]]], texts: Strings) -> Compiled:
        """Return subscriptions that are parsed one by one; an error names its row."""
        parsed = []
        for row in range(texts.count):
            try:
                parsed.append((row, parse(texts.text(row))))
            except SubscriptionError as error:
                raise error.at_row(row) from None
        return cls.of(parsed, Vocabulary())

    @classmethod
    def of(cls, parsed: list[tuple[int, list[Clause[ClauseAtom]]]], names: Any) -> Compiled:
        """Return subscriptions that are all parsed; `names` are none, in the form that the language takes."""
        none = np.empty(0, np.int32)
        return cls(names, Rows(np.zeros(1, np.int64), none), none, parsed)


Row = tuple[list[int], int]
"""A row of atoms or literals, and its payload."""


class _Storing(NamedTuple):
    """Shared by subscriptions that are stored together: the numbers of names, the clauses that go into the table, the
    rows, payloads and numbers of those that are one count, and the atoms that are used, one for each use."""

    number: Number
    added: Additions
    counts: list[tuple[list[int], int, int]]
    uses: list[int]


class SetLanguage(Language):
    """A language over sets. Subclasses compile subscriptions and read events; this class stores and finds them."""

    ordering: ClassVar[tuple[str, ...]] = ("order", "ranking")
    """Options of a method about the order of atoms, which are not passed to the structure."""

    structure: SetStructure

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        own = {name: value for name, value in options.items() if name not in self.ordering}
        if own.get("vocabulary") == 0:
            own["vocabulary"] = len(set(options.get("ranking", ())))
        super().__init__(method, own)
        self.vocabulary = Vocabulary()
        self.vocabulary.intern_texts(options.get("ranking", ()))
        self._ranked = len(self.vocabulary)
        self.clauses = ClauseTable(self.structure.takes_negations)
        self.quorums = Quorums()
        self._counts = {"plain": 0}  # subscriptions that are one conjunction of atoms
        order = options.get("order", self.structure.order)
        self._order = AtomOrder(order, len(self.vocabulary)) if order is not None else None
        self.parts |= {"vocabulary": self.vocabulary, "clauses": self.clauses, "counters": Counters(self._counts)}
        if self.structure.has_quorums:
            self.parts["quorums"] = self.quorums
        if self._order is not None:
            self.parts["order"] = self._order

    def compile(self, texts: Strings) -> Compiled:
        """Return subscriptions ready to be stored; a language that can do better in bulk does."""
        return Compiled.parsed_by(self.compile_one, texts)

    @abstractmethod
    def compile_one(self, text: Any) -> list[Clause[ClauseAtom]]:
        """Return the clauses of one subscription."""

    # subscribing

    def add(self, slots: Int32, compiled: Compiled) -> None:
        """Store many subscriptions: plain rows and checked clauses as arrays, all others clause by clause."""
        numbers = self.number_many(compiled.names)
        plain, clauses = _in_numbers(compiled, numbers)
        self._counts["plain"] += len(compiled.rows)
        self.vocabulary.use(plain.atoms, 1)
        parts = [(Rows(plain.offsets, self._encoded(plain.atoms)), slots[compiled.rows])]
        if len(clauses.owners):
            self.vocabulary.use(clauses.atoms(), 1)
            rows, payloads = clauses.rows(), self.clauses.add_many(slots, clauses)
            bound = np.diff(rows.offsets) > 0
            parts.append((Rows(np.append(0, rows.offsets[1:][bound]), rows.atoms), payloads[bound]))
        parsed = ((int(slots[row]), [Clause(*one) for one in clauses]) for row, clauses in compiled.parsed)
        checked = self._rows(parsed, self.numbering(numbers))
        if checked:
            sizes = offsets_of([len(atoms) for atoms, _ in checked])
            atoms = np.array([atom for atoms, _ in checked for atom in atoms], np.int32)
            parts.append((Rows(sizes, atoms), np.array([owner for _, owner in checked], np.int32)))
        batch, owners = joined(parts)
        if self._order is not None:
            self._order.learn(batch.atoms)
            batch = self._order.in_order(batch)
        self.structure.add(batch, owners)

    def add_one(self, slot: int, compiled: list[Clause[ClauseAtom]]) -> None:
        """Store one subscription."""
        for row, payload in self._rows([(slot, compiled)], self._numbers_of):
            atoms = np.array(row, np.int32)
            if self._order is not None:
                self._order.learn(atoms, by_frequency=False)
                atoms = self._sorted(atoms)
            self.structure.add_one(atoms, payload)

    def remove(self, slot: int, text: str) -> None:
        """Remove the subscription of a slot."""
        clauses = self.compile_one(text)
        if is_plain(clauses):
            atoms = self.number([name for (name,) in clauses[0].required])
            self._counts["plain"] -= 1
            self.vocabulary.use(atoms, -1)
            self.structure.remove(self._sorted(self._encoded(atoms)), slot)
            return
        quorum = self._quorum_of(clauses)
        if quorum is not None:
            atoms = self.number(quorum[0])
            self._counts["plain"] -= 1
            self.vocabulary.use(atoms, -1)
            self.quorums.remove(atoms, slot)
            return
        entries = self.clauses.of(slot)
        if clauses and not entries:  # one row of literals, which is not in the table
            (literals,) = self._literals(clauses[0], self._numbers_of)
            self._counts["plain"] -= 1
            row = np.array(literals, np.int32)
            self.vocabulary.use(row >> 1, -1)
            self.structure.remove(row, slot)
        for payload, clause in entries:
            self.vocabulary.use(self._atoms_of(clause), -1)
            if clause.required or self.structure.takes_negations:
                self.structure.remove(self._sorted(np.array(clause.required, np.int32)), payload)
        self.clauses.remove(slot)

    def number(self, names: Sequence[Any]) -> Int32:
        """Return the numbers of atoms; a new one gets the next number."""
        return self.vocabulary.intern_texts(names)

    def number_many(self, names: Any) -> Int32 | None:
        """Return the numbers of the `names` of compiled subscriptions; None if they have the same here."""
        if not len(self.vocabulary):
            self.vocabulary.adopt(names)
            return None
        return self.vocabulary.intern(names.strings())

    def numbering(self, numbers: Int32 | None) -> Number:
        """Return the function that numbers the atoms of parsed clauses; the `names` of their bulk got `numbers`."""
        return self._numbers_of

    # matching

    def find(self, holding: Any) -> Hits:
        """Return the slots that events satisfy: finds covered rows, then checks phrases and NOT, and counts."""
        sets = holding if self.structure.reads_repeats else distinct(holding)
        if self._order is not None:
            sets = self._order.known_in_order(sets)
        hits = self.structure.match(sets)
        if len(self.clauses):
            hits = self.clauses.check(holding, hits)
        return merged(hits, self.quorums.match(holding)) if len(self.quorums) else hits

    def figures(self) -> Mapping[str, int]:
        """Return the numbers of clauses and of distinct atoms."""
        return {"clauses": self._counts["plain"] + len(self.clauses), "atoms": self.vocabulary.in_use}

    @property
    def is_outworn(self) -> bool:
        """Return whether more than an eighth of the stored atoms are unused, so that rebuilding would free memory."""
        used = self.vocabulary.in_use
        return len(self.vocabulary) - self._ranked > 64 + used + used // 8

    # private parts

    def _rows(self, queries: Iterable[tuple[int, list[Clause[ClauseAtom]]]], number: Number) -> list[Row]:
        """Return the rows and payloads of subscriptions, given by slots, for the structure."""
        storing = _Storing(number, Additions(self.clauses), [], [])
        rows = [row for slot, clauses in queries for row in self._rows_of(slot, clauses, storing)]
        storing.added.finish()
        if storing.counts:
            counted, owners, least = zip(*storing.counts, strict=True)
            atoms = np.array([atom for row in counted for atom in row], np.int32)
            self.quorums.add(
                Rows(offsets_of(list(map(len, counted))), atoms), np.array(owners, np.int32), np.array(least, np.int32)
            )
        self.vocabulary.use(storing.uses, 1)
        return rows

    def _rows_of(self, slot: int, clauses: list[Clause[ClauseAtom]], storing: _Storing) -> list[Row]:
        """Return the rows of one subscription; clauses with phrases, NOT or OR are put into the table."""
        if is_plain(clauses):
            atoms = storing.number([name for (name,) in clauses[0].required])
            self._counts["plain"] += 1
            storing.uses.extend(atoms)
            return [([atom << 1 for atom in atoms] if self.structure.takes_negations else atoms, slot)]
        quorum = self._quorum_of(clauses)
        if quorum is not None:
            atoms = storing.number(quorum[0])
            self._counts["plain"] += 1
            storing.uses.extend(atoms)
            storing.counts.append((atoms, slot, quorum[1]))
            return []
        if self.structure.takes_negations:
            return self._literal_rows(slot, clauses, storing)
        shared = len(clauses) > 1
        return [found for clause in clauses for found in self._checked_rows(slot, clause, shared, storing)]

    def _checked_rows(self, slot: int, clause: Clause[ClauseAtom], shared: bool, storing: _Storing) -> list[Row]:
        """Put a clause into the table, an entry for each of its rows; returns the rows that the structure keeps."""
        rows = [list(dict.fromkeys(name for atom in row for name in names_of(atom))) for row in clause.rows]
        numbers = [storing.number(row) for row in rows]
        program = program_of(clause, storing.number, with_forbidden=True)
        entries = self._stored(slot, numbers, program, shared, storing)
        return [found for found in zip(numbers, entries, strict=True) if found[0]]

    def _quorum_of(self, clauses: list[Clause[ClauseAtom]]) -> Quorum | None:
        """Return the names of a subscription that `quorums` finds, and how many are enough; None for others."""
        return quorum_of(clauses) if self.structure.has_quorums else None

    def _literal_rows(self, slot: int, clauses: list[Clause[ClauseAtom]], storing: _Storing) -> list[Row]:
        """Return rows of literals, and payloads; a subscription of one row without a program is not in the table."""
        rows: list[Row] = []
        for clause in clauses:
            literals = self._literals(clause, storing.number)
            has_program = bool(clause.rest or clause.keys)
            program = program_of(clause, storing.number, with_forbidden=bool(clause.keys)) if has_program else []
            if len(clauses) == len(literals) == 1 and not program:
                storing.uses.extend([literal >> 1 for literal in literals[0]])
                self._counts["plain"] += 1
                return [(literals[0], slot)]
            rows += zip(literals, self._stored(slot, literals, program, len(clauses) > 1, storing), strict=True)
        return rows

    def _stored(
        self, slot: int, rows: list[list[int]], program: list[int], shared: bool, storing: _Storing
    ) -> list[int]:
        """Put the rows of a clause into the table, and return their payloads; the first has the program."""
        payloads: list[int] = []
        for row in rows:
            words = [SEE, payloads[0] - FIRST_CLAUSE] if payloads and program else program
            clause = CheckedClause(row, words, shared or len(rows) > 1)
            storing.uses.extend(self._atoms_of(clause))
            payloads.append(storing.added.add(slot, clause))
        return payloads

    def _atoms_of(self, clause: CheckedClause) -> list[int]:
        """Return the distinct atoms of a clause of the table."""
        if self.structure.takes_negations:
            clause = clause._replace(required=[literal >> 1 for literal in clause.required])
        return clause.atoms()

    def _numbers_of(self, names: Sequence[Any]) -> list[int]:
        found: list[int] = self.number(names).tolist()
        return found

    def _literals(self, clause: Clause[ClauseAtom], number: Number) -> list[list[int]]:
        """Return the rows of a clause as literals; its forbidden atoms are in its row, if it is only one."""
        negative = () if clause.keys else clause.forbidden
        found = []
        for row in clause.rows:
            numbers = number([name for (name,) in (*row, *negative)])
            found.append([atom << 1 | (at >= len(row)) for at, atom in enumerate(numbers)])
        return found

    def _encoded(self, atoms: Int32) -> Int32:
        """Return required atoms in the structure's form: literals if it takes negations, else the atoms."""
        return atoms << 1 if self.structure.takes_negations else atoms

    def _sorted(self, atoms: Int32) -> Int32:
        return atoms if self._order is None else self._order.in_order(one_row(atoms)).atoms


def _in_numbers(compiled: Compiled, numbers: Int32 | None) -> tuple[Rows, CheckedClauses]:
    """Return rows and clauses in the numbers of an index; None if they are in them already."""
    plain, clauses = compiled.plain, compiled.checked
    if numbers is None:
        return plain, clauses
    return Rows(plain.offsets, numbers[plain.atoms]), clauses.numbered(numbers)


def is_plain(clauses: list[Clause[ClauseAtom]]) -> bool:
    """Return whether a subscription is one conjunction of atoms and nothing else."""
    if len(clauses) != 1 or clauses[0].forbidden or clauses[0].rest:
        return False
    return all(not isinstance(atom, Check) and len(atom) == 1 for atom in clauses[0].required)
