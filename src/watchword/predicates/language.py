"""The predicate language as it plugs into an index: attributes and values, on top of `sets.language`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32
from watchword.errors import EventError, SubscriptionSyntaxError
from watchword.index import EventKind, Explanation, Method, method_table
from watchword.index.arrow import is_object, may_hold_texts
from watchword.index.covering import Steps
from watchword.index.events import refuse_nulls
from watchword.index.frames import rows_of
from watchword.index.places import Placing
from watchword.index.routing import Atoms, Needs
from watchword.kernels.predicates.layout import MORE
from watchword.kernels.predicates.place import LEFT, NOT_TAKEN
from watchword.options import Option
from watchword.predicates.access.structure import AccessRows
from watchword.predicates.compiler import Parse, compiled, numbered, parsed_row
from watchword.predicates.covering.proving import asked, implies, refutes
from watchword.predicates.events.blocks import Blocks
from watchword.predicates.events.columns import ColumnReader
from watchword.predicates.events.depth import MAX_DEPTH, TOO_DEEP, refuse_deep_type, type_depth
from watchword.predicates.events.documents import columns_of, listed, taken
from watchword.predicates.events.held import Held
from watchword.predicates.events.placing import Placers
from watchword.predicates.events.reader import Reader
from watchword.predicates.events.scanning import Scanners, as_strings
from watchword.predicates.events.single import SingleTexts
from watchword.predicates.explaining import report
from watchword.predicates.fields import Fields
from watchword.predicates.leaves import FEW, MANY, Leaves
from watchword.predicates.listing import LEADER, Listing, SelectiveFirst
from watchword.predicates.options import OPTIONS
from watchword.predicates.places import placing
from watchword.predicates.predicate import Predicate, show
from watchword.predicates.query import Limits, PredicateParser, clauses_of, parse, plain_clause, read_tree
from watchword.predicates.readers.doors import doors_of
from watchword.predicates.readers.reader import Surroundings
from watchword.predicates.readers.reading import Reading, paths_of
from watchword.predicates.routing import atoms_of, needs_of
from watchword.predicates.schema.columns import check_columns
from watchword.predicates.schema.events import check_event
from watchword.predicates.schema.schema import Schema
from watchword.sets.boolean import Clause, Tree
from watchword.sets.brute import Brute
from watchword.sets.clusters import NonPropagation, Propagation
from watchword.sets.counting import Counting
from watchword.sets.language import Compiled, SetLanguage
from watchword.sets.programs import Names, Number
from watchword.sets.rows import Rows
from watchword.strings import Strings, from_texts

_STRUCTURES = {
    "auto": AccessRows,
    "brute": Brute,
    "counting": Counting,
    "propagation": Propagation,
    "non-propagation": NonPropagation,
}


class Predicates(SetLanguage):
    """Conditions on attributes."""

    name = "predicates"
    reads = EventKind(objects="json")
    options: ClassVar[Mapping[str, Option]] = OPTIONS
    methods: ClassVar[Mapping[str, Method]] = method_table(_STRUCTURES)

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        super().__init__(method, options)
        self._settled = dict(options)
        self._doors = doors_of(tuple(options["operators"]))
        self._schema = None if options["schema"] is None else Schema(options["schema"], options["hierarchies"])
        if self._schema is not None:
            self._settled["hierarchies"] = self._schema.hierarchies(options["hierarchies"])
        self._reading = Reading(paths_of(options["text"]), options["reading"])
        self._surroundings = Surroundings(
            self._settled["hierarchies"], partial(_index_of_queries, self._settled), self._reading
        )
        self.fields = Fields(self._surroundings, self._doors)
        self.parts = {"fields": self.fields, **self.parts}  # first, for the structure asks them when it is restored
        self._listing: Listing | None = None
        if isinstance(self.structure, AccessRows):
            self.structure.fields, self.structure.clauses = self.fields, self.clauses
        elif isinstance(self.structure, Propagation | NonPropagation):
            self._listing = Listing(self.fields, int(self.number([LEADER])[0]))
            self._order = self.parts["order"] = SelectiveFirst(self.fields)  # type: ignore[assignment]
        else:
            self._listing = Listing(self.fields, -1)
        self._limits = Limits(
            clauses=options["max_clauses"],
            work=options["max_work"],
            depth=options["max_depth"],
            predicates=options["max_predicates"],
            literal=options["max_literal"],
        )
        self._leaves = self._new_leaves(_itself)
        self._reader = Reader(self.fields)
        self._placers = Placers()
        self._json: pa.Schema | None = None
        self._scanners = Scanners(self._reader)
        self._single = SingleTexts(self._reader, self.fields, self._scanners, self._placers)

    # subscribing

    def compile(self, texts: Strings) -> Compiled:
        """Return subscriptions ready to be stored."""
        made = compiled(texts, self._read_by, min(self._limits.predicates, MORE - 1))
        if self._schema is not None:
            for row in self._schema.impossible(made.names, made.plain)[:1].tolist():
                parsed_row(texts, int(made.rows[row]), self.compile_one)  # which raises
        return made

    def compile_one(self, text: Any) -> list[Clause[Names]]:
        """Return the clauses of one subscription; the names of atoms are predicates."""
        check = None if self._schema is None else self._schema.check
        clauses = parse(text, self._limits, check, self._doors, self._reading, self._leaves)
        if self._schema is not None:
            self._schema.refuse(text, clauses)
        _refuse_long(text, clauses)
        return [clause.with_atoms(_as_names) for clause in clauses]

    def _read_by(self, name: Callable[[Predicate], Names]) -> Parse:
        """Return the function that reads texts of a bulk into clauses; `name` makes the atoms from predicates."""
        leaves = self._new_leaves(name, MANY)

        def read(text: str) -> list[Clause[Names]]:
            if self._schema is None:
                found = plain_clause(text, self._limits, None, self._reading)
                if found is not None:
                    return [Clause(tuple(dict.fromkeys(map(name, found))), ())]
                tree = leaves.tree(text)
                if tree is not None:
                    clauses = clauses_of(tree, text, self._limits)
                    _refuse_long(text, clauses)
                    return clauses
            return [clause.with_atoms(lambda names: name(*names)) for clause in self.compile_one(text)]

        return read

    def _new_leaves(self, name: Callable[[Predicate], Any], remembered: int = FEW) -> Leaves:
        return Leaves(self._limits, self._doors, self._reading, name, remembered)

    def add(self, slots: Int32, compiled: Compiled) -> None:
        """Store many subscriptions; readers of texts then pack what they were given one by one."""
        super().add(slots, compiled)
        for field in list(self.fields.all):
            if field.reader is not None:
                field.reader.settle(len(slots))

    def number(self, names: Sequence[Predicate]) -> Int32:
        """Return the numbers of predicates; a new one gets the next number, and is defined under it."""
        spellings = [show(predicate) for predicate in names]
        return self._defined(names, self.vocabulary.intern_texts(spellings))

    def number_many(self, names: Sequence[Predicate | None]) -> Int32:
        """Return the numbers of the predicates of compiled subscriptions, -1 for None."""
        asked = [predicate for predicate in names if predicate is not None]
        numbers = self._defined(asked, self.vocabulary.intern(from_texts([show(predicate) for predicate in asked])))
        if len(asked) == len(names):
            return numbers
        found = np.full(len(names), -1, np.int32)
        found[[predicate is not None for predicate in names]] = numbers
        return found

    def numbering(self, numbers: Int32 | None) -> Number:
        """Return the function that numbers the atoms of parsed clauses, which are places in `names`."""
        table = [] if numbers is None else numbers.tolist()
        return lambda names: [table[name] for name in names]

    def _defined(self, predicates: Sequence[Predicate], numbers: Int32) -> Int32:
        """Define the predicates that got a new number in the fields, and return all numbers."""
        known = self.fields.count
        if len(self.vocabulary) > known:
            fresh: dict[int, Predicate] = {}
            for number, predicate in zip(numbers.tolist(), predicates, strict=True):
                if number >= known:
                    fresh.setdefault(number, predicate)
            self.fields.define([fresh[number] for number in range(known, len(self.vocabulary))])
        return numbers

    def add_queries(self, slots: Sequence[int], queries: Sequence[Sequence[Clause[Predicate]]]) -> None:
        """Store queries that are parsed already, each under its slot."""
        if len(slots) == 1:
            self.add_one(slots[0], [clause.with_atoms(_as_names) for clause in queries[0]])
        else:
            self.add(np.array(slots, np.int32), numbered(enumerate(queries)))

    # matching

    def refusal(self, kind: pa.DataType) -> str | None:
        """Return why events of a type are never read: they are no objects and no texts, or too deep."""
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if may_hold_texts(kind) or is_object(kind):
            return TOO_DEEP if type_depth(kind) > MAX_DEPTH else None
        return f"an event is an object, and an array of {kind} has none"

    def prepared(self, events: Any, position: int = 0) -> Any:
        """Return columns in a form that is read ahead in large blocks; JSON texts become columns where they can."""
        if isinstance(events, pa.Array) and pa.types.is_dictionary(events.type):
            events = events.dictionary_decode()
        if isinstance(events, pa.Array) or (len(events) > 8 and isinstance(events[0], str | bytes)):
            return Blocks(events, self._columns, position)
        return events

    def for_thread(self, prepared: Any, stop: int) -> Any:
        """Return prepared events for another thread, which reads its own blocks ahead."""
        return prepared.for_thread(stop) if isinstance(prepared, Blocks) else prepared

    def read(self, events: Any, position: int) -> Held | Rows:
        """Return points of events and where their values stand; for the papers' methods, all atoms that hold."""
        if not isinstance(events, Held):
            if isinstance(events, pa.Array):
                events = self._columns(events, position)
            else:
                events = self._objects(events, position)
        return events if self._listing is None else self._listing.rows(events)

    def find_one(self, event: Any) -> tuple[Int32, int]:
        """Read and match one event without the arrays of a batch, if the method can."""
        if not isinstance(self.structure, AccessRows):
            return super().find_one(event)
        if self._schema is not None:
            event = self._checked_event(event)
        elif isinstance(event, str | bytes):
            found = self._find_text(event, self.structure)
            if found is not None:
                return found
        points, fields, positions = self._reader.found(event, 0)
        if self._reading.members.asked:
            self._reading.members.look([event])
        payloads, work = self.structure.match_one(points, fields, positions)
        if len(self.clauses):
            payloads = self.clauses.check_one(np.array(points, np.int32), payloads)
        return payloads, work

    def _find_text(self, event: str | bytes, structure: AccessRows) -> tuple[Int32, int] | None:
        """Read and match one JSON text by kernels; return None if they do not take it."""
        space = self._single.space()
        if space is None:
            return None
        try:
            text = event.encode() if isinstance(event, str) else event
            payloads, work = structure.match_text(text, space.handles)
            if work < 0:
                if work == NOT_TAKEN or not self._single.place(text, space, LEFT - work):
                    return None
                payloads, work = structure.match_read(space.handles)
            if len(self.clauses):
                payloads = self.clauses.check_one(space.points, payloads)
        except (UnicodeEncodeError, EventError):  # which the general way says by the event
            return None
        finally:
            self._single.give_back(space)
        if self._reading.members.asked:
            self._reading.members.look([event])
        return payloads, work

    def _columns(self, events: Any, position: int) -> Held:
        """Return the points and labels of events that are columns, or JSON texts."""
        if not isinstance(events, pa.Array) or may_hold_texts(events.type):
            if self._schema is None:
                return self._texts(events, position)
            if isinstance(events, pa.Array):
                refuse_nulls(events, position)
            table = columns_of(events, self._json)
            self._json = None if table is None else table.schema
            if table is None:
                return self._objects(listed(events), position)
            events = rows_of(table)
        refuse_nulls(events, position)
        if not is_object(events.type):
            raise EventError(f"an event is an object, and an array of {events.type} has none", position=position)
        refuse_deep_type(events.type, position)
        if self._schema is not None:
            check_columns(self._schema, events, position)
        found = ColumnReader(self._placers.of, position).read(self._reader.root(), events)
        if self._reading.members.asked:
            self._reading.members.look(events)
        return found

    def _texts(self, events: Any, position: int) -> Held:
        """Return the points and labels of events that are JSON texts; the kernel leaves some of them to Python."""
        if isinstance(events, pa.Array):
            refuse_nulls(events, position)
        scanner = self._scanners.current()
        texts = as_strings(events) if len(events) >= scanner.least else None
        if texts is None:
            return self._objects(listed(events), position)
        found = scanner.scan(texts)
        rows = found.general
        try:
            held = ColumnReader(self._placers.of, position).read_scanned(found)
            if len(rows):
                held = held.with_rows(rows, self._reader.read(taken(events, rows), position))
        except EventError:
            return self._objects(listed(events), position)  # which finds the first of the wrong events
        if self._reading.members.asked:
            self._reading.members.look(events)
        return held

    def _objects(self, events: Any, position: int) -> Held:
        """Return the points and labels of events that are objects, or JSON texts."""
        if self._schema is not None:
            events = [self._checked_event(event, position + row) for row, event in enumerate(events)]
        found = self._reader.read(events, position)
        if self._reading.members.asked:
            self._reading.members.look(events)
        return found

    def _checked_event(self, event: Any, position: int = 0) -> dict[str, Any]:
        made = self._reader.event(event, position)
        if self._schema is not None:
            check_event(self._schema, made, position)
        return made

    def placing(self, event: Any) -> Placing:
        """Return an event as it is asked where a subscription's words stand in it."""
        return placing(self._checked_event(event), self._tree, self._surroundings)

    def _tree(self, text: str) -> Tree:
        return read_tree(text, self._limits, self._doors, self._reading)

    def asked(self, text: str) -> Tree:
        """Return a subscription as `implies` takes it."""
        return asked(self._tree(text))

    def implies(self, narrow: Tree, wide: Tree, steps: Steps) -> bool:
        """Return whether every event that satisfies a subscription is proven to satisfy another."""
        return implies(narrow, wide, self._surroundings, steps)

    def refutes(self, narrow: Tree, wide: Tree, steps: Steps) -> bool:
        """Return whether an event is found that satisfies a subscription and not another."""
        return refutes(narrow, wide, self._surroundings, steps, self._checked_event)

    # explaining

    def explain(self, event: Any, text: str) -> Explanation:
        """Say which clause held, or what failed in each and which values it met."""
        event = self._checked_event(event)
        clauses = parse(text, self._limits, None, self._doors, self._reading)
        self._reading.members.look([event])
        return Explanation(text, tuple([report(clause, event, self._surroundings) for clause in clauses]))

    def conjuncts(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of the parts of a subscription that AND joins."""
        return PredicateParser(text, self._limits, None, self._doors, self._reading).conjuncts()

    # routing: by equalities

    def needs(self, texts: Strings) -> Needs:
        """Return the equalities that each clause asks for, by their hashes."""
        found = self.compile(texts)
        parsed = [
            (row, [number for (number,) in atoms])
            for row, clauses in found.parsed
            for clause in clauses
            for atoms in Clause(*clause).rows
        ]
        return needs_of(found.plain, found.rows.astype(np.int64), parsed, found.names)

    def atoms(self, events: pa.Array) -> Atoms | None:
        """Return the values of events as hashed equalities; an event that breaks the schema is refused."""
        if self._schema is not None:
            self._columns(events, 0)
        return atoms_of(events)


def _index_of_queries(options: Mapping[str, Any], surroundings: Surroundings) -> Predicates:
    """Return an index of queries about objects inside of events; the schema has checked them outside."""
    inside = {"hierarchies": surroundings.hierarchies, **surroundings.reading.given()}
    return Predicates("auto", {**options, "schema": None, **inside})


def _as_names(predicate: Predicate) -> Names:
    return (predicate,)


def _itself(predicate: Predicate) -> Predicate:
    return predicate


def _refuse_long(text: str, clauses: Sequence[Clause[Any]]) -> None:
    """Raise if a row of a clause has more predicates than one may have; a shorter text has fewer."""
    if len(text) >= MORE and max(map(_size, clauses), default=0) >= MORE:
        raise SubscriptionSyntaxError(f"more than {MORE - 1:,} predicates in one clause", text=text, position=0)


def _size(clause: Clause[Any]) -> int:
    """Return how many predicates the longest row of a clause has."""
    return max(map(len, clause.rows)) + (0 if clause.keys else len(clause.forbidden))
