"""The property language as it plugs into an index.

An atom is a literal: a property that is 1, or one that is 0. Phase one, reading, gives the bits of events; phase two is
the method's. The methods of `sets` know nothing of bits: for them an event is the row of its literals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, UInt64, offsets_of
from watchword.errors import EventError
from watchword.index import ClauseReport, EventKind, Explanation, Language, Method, method_table
from watchword.index.arrow import string_hashes
from watchword.index.covering import Steps
from watchword.index.hits import Hits
from watchword.index.routing import Atoms, Needs
from watchword.index.structure import Structure
from watchword.options import Option
from watchword.properties.bits import Bits
from watchword.properties.blanks import Blanks, Uses
from watchword.properties.compiler import Compiler
from watchword.properties.grouped import Grouped
from watchword.properties.options import METHOD_OPTIONS, OPTIONS
from watchword.properties.query import Declared
from watchword.properties.rapid import Rapid
from watchword.properties.reader import Reader
from watchword.properties.tree import Tree
from watchword.sets.brute import Brute
from watchword.sets.count import Count
from watchword.sets.rows import Rows, one_row
from watchword.sets.structure import SetStructure
from watchword.strings import Strings, from_texts

_STRUCTURES: dict[str, Any] = {"auto": Grouped, "brute": Brute, "count": Count, "tree": Tree, "rapid": Rapid}


class Properties(Language):
    """Conjunctions over bits."""

    name = "properties"
    reads = EventKind(objects="columns")
    options: ClassVar[Mapping[str, Option]] = OPTIONS
    methods: ClassVar[Mapping[str, Method]] = method_table(_STRUCTURES, METHOD_OPTIONS)

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        self.declared = Declared(options["properties"])
        super().__init__(method, options)
        self.attributes, self.blank = self.declared.names, "0" * len(self.declared)
        self._blanks, self._uses = Blanks(), Uses(2 * len(self.declared))
        self.parts |= {"blanks": self._blanks, "uses": self._uses}
        self._reader = Reader(self.declared)
        self._compiler = Compiler(self.declared, self._reader.vocabulary)

    def make_structure(self, method: str, options: Mapping[str, Any], *sizes: int) -> Structure[Any, Any, Any]:
        """Return the empty structure of a method; those over bits are told how many there are."""
        width = () if issubclass(_STRUCTURES[method], SetStructure) else (len(self.declared),)
        return super().make_structure(method, options, *width)

    def compile(self, texts: Strings) -> Rows:
        """Return subscriptions as rows of literals."""
        return self._compiler.compile(texts)

    def compile_one(self, text: Any) -> Rows:
        """Return one subscription as a row of literals."""
        return one_row(np.array(self.declared.parse(text), np.int32))

    def add(self, slots: Int32, compiled: Rows) -> None:
        """Store subscriptions, those that ask nothing apart."""
        sizes = np.diff(compiled.offsets)
        asking = sizes > 0
        self._uses.count(compiled.atoms, len(slots), 1)
        if asking.all():
            self.structure.add(compiled, slots)
            return
        self._blanks.add(slots[~asking])
        if asking.any():
            self.structure.add(Rows(offsets_of(sizes[asking]), compiled.atoms), slots[asking])

    def remove(self, slot: int, text: str) -> None:
        """Remove the subscription of a slot."""
        literals = self.compile_one(text).atoms
        if len(literals):
            self.structure.remove(literals, slot)
        else:
            self._blanks.remove(slot)
        self._uses.count(literals, 1, -1)

    def read(self, events: Any, position: int) -> Bits:
        """Return the bits of events."""
        return self._reader.read(events, position)

    def find(self, holding: Bits) -> Hits:
        """Find the rows that are satisfied, and those that ask nothing."""
        events = holding.literals() if isinstance(self.structure, SetStructure) else holding
        hits: Hits = self.structure.match(events)
        return self._blanks.extend(hits) if len(self._blanks) else hits

    def explain(self, event: Any, text: str) -> Explanation:
        """Say which properties were asked to be 1 and are 0, and the other way round."""
        ones = set(self._reader.ones(event))
        literals = self.declared.parse(text)
        missing = [literal for literal in literals if literal & 1 and literal >> 1 not in ones]
        forbidden = [literal + 1 for literal in literals if not literal & 1 and literal >> 1 in ones]
        shown = (tuple(map(self.declared.literal, found)) for found in (missing, forbidden))
        return Explanation(text, (ClauseReport(self.declared.show(literals), *shown),))

    def asked(self, text: str) -> frozenset[int]:
        """Return the literals of a subscription, as `implies` takes them."""
        return frozenset(self.declared.parse(text))

    def implies(self, narrow: frozenset[int], wide: frozenset[int], steps: Steps) -> bool:
        """Return whether every event that satisfies a subscription satisfies another: ternary inclusion."""
        steps.spend()
        return narrow >= wide

    def refutes(self, narrow: frozenset[int], wide: frozenset[int], steps: Steps) -> bool:
        """Return whether an event satisfies a subscription and not another: the bits that `narrow` asks for and, for a
        property that only `wide` asks for, the opposite."""
        return not self.implies(narrow, wide, steps)

    def figures(self) -> Mapping[str, int]:
        """Return subscriptions as clauses, and distinct literals as atoms."""
        return {"clauses": self._uses.subscriptions, "atoms": self._uses.in_use}

    # routing: by the properties that are to be 1

    def needs(self, texts: Strings) -> Needs:
        """Return the properties that each subscription wants to be 1, by the hashes of their names."""
        offsets, atoms = self.compile(texts)
        is_one = atoms & 1 == 1
        ones = self._hashes()[atoms[is_one] >> 1]
        return Needs(np.arange(texts.count), offsets_of(is_one)[offsets], ones)

    def atoms(self, events: pa.Array) -> Atoms:
        """Return the properties that are 1 in events, by the hashes of their names."""
        if not isinstance(events, pa.Array):
            raise EventError(f"expected an Arrow array, not {type(events).__name__}")
        offsets, ones = self.read(events, 0).ones()
        return Atoms(offsets, self._hashes()[ones])

    def _hashes(self) -> UInt64:
        return string_hashes(from_texts(self.declared.names))
