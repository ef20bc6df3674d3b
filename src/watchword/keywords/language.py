"""The keyword language as it plugs into an index: words, phrases and families, on top of `sets.language`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, offsets_of
from watchword.index import ClauseReport, EventKind, Explanation, Method, method_table
from watchword.index.arrow import string_hashes
from watchword.index.covering import Steps
from watchword.index.places import Placing
from watchword.index.routing import Atoms, Needs
from watchword.keywords.atoms import AtomReader
from watchword.keywords.compiler import Compiler
from watchword.keywords.covering import Asked, asked, implies, refutes
from watchword.keywords.one_change import OneChange
from watchword.keywords.one_text import LONGEST, OneText
from watchword.keywords.options import METHOD_OPTIONS, OPTIONS
from watchword.keywords.places import event_terms, placing
from watchword.keywords.query import Clause, grammar_of, parse, show, show_clause
from watchword.keywords.reader import Reader
from watchword.keywords.words import Atom
from watchword.options import Option
from watchword.sets.language import Compiled, SetLanguage
from watchword.sets.packed import PackedRows
from watchword.sets.programs import names_of
from watchword.sets.rows import Rows
from watchword.strings import Strings, from_texts
from watchword.text.families import MARK, Families, is_family, written
from watchword.text.places import TermsOfText
from watchword.text.stems import StemCache

_STRUCTURES = {
    "auto": "watchword.sets.packed:PackedRows",
    "brute": "watchword.sets.brute:Brute",
    "brute-ordered": "watchword.sets.brute:OrderedBrute",
    "inverted": "watchword.sets.inverted:Inverted",
    "count": "watchword.sets.count:Count",
    "compact-count": "watchword.sets.compact_count:CompactCount",
    "trie": "watchword.sets.tries.trie:Trie",
    "compact-trie": "watchword.sets.tries.compact_trie:CompactTrie",
    "poset": "watchword.sets.poset:Poset",
}


class Keywords(SetLanguage):
    """Terms and phrases over text."""

    name = "keywords"
    reads = EventKind(several_texts=True)
    one_change: OneChange | None
    options: ClassVar[Mapping[str, Option]] = OPTIONS
    methods: ClassVar[Mapping[str, Method]] = method_table(_STRUCTURES, METHOD_OPTIONS)

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        super().__init__(method, options)
        self._grammar = grammar = grammar_of(options)
        self._analyzer, self._limits, self._literal_operators = (
            grammar.analyzer,
            grammar.limits,
            grammar.literal_operators,
        )
        stems = None if self._analyzer.is_plain else StemCache(self._analyzer)
        self.families = Families()
        self.parts["families"] = self.families
        self._compiler = Compiler(self._analyzer, self._limits, stems, self._literal_operators)
        self._reader = Reader(self._analyzer, self.vocabulary, stems, self.families)
        self._atom_reader = AtomReader(self._analyzer, stems)
        self._one_text: OneText | None = None
        if isinstance(self.structure, PackedRows):
            self.structure.broad = _atoms_of(self.families)
        if isinstance(self.structure, PackedRows) and stems is None:
            self._one_text = OneText(self._reader, self.structure, self.clauses)
            parts = self.vocabulary, self.structure, self._counts, self._limits
            self.one_change = OneChange(*parts, self._literal_operators)

    def compile(self, texts: Strings) -> Compiled:
        """Return subscriptions ready to be stored."""
        return self._compiler.compile(texts)

    def compile_one(self, text: Any) -> list[Clause]:
        """Return the clauses of one subscription."""
        return parse(text, self._analyzer, self._limits, self._literal_operators)

    def number(self, names: Sequence[str]) -> Int32:
        """Return the numbers of terms and families."""
        numbers = super().number(names)
        for number, name in zip(numbers.tolist(), names, strict=True):
            if is_family(name):
                self._add_family(number, name)
        return numbers

    def _add_family(self, number: int, name: str) -> None:
        if self.families.add(number, name) and isinstance(self.structure, PackedRows):
            self.structure.note_broad(np.array([number], np.int32))

    def number_many(self, names: Any) -> Int32 | None:
        """Return the numbers of compiled names; None if they have the same here."""
        found = super().number_many(names)
        strings = names.strings()
        starts = strings.offsets[:-1][np.diff(strings.offsets) > 0]
        for place in np.flatnonzero(np.diff(strings.offsets) > 0)[strings.data[starts] == ord(MARK)].tolist():
            self._add_family(int(place if found is None else found[place]), strings.text(place))
        return found

    def name_of(self, number: int) -> str:
        """Return a term, or a family as it is written, by its number."""
        name = self.vocabulary.text(number)
        return written(name) if is_family(name) else name

    def remove(self, slot: int, text: str) -> None:
        """Remove the subscription of a slot; plain words by one call of a kernel."""
        if self.one_change is None or not self.one_change.remove(slot, text):
            super().remove(slot, text)

    def prepared(self, events: Any, position: int = 0) -> Any:
        """Return events with their dictionary of terms looked up, once for all events."""
        return self._reader.prepared(events)

    def read(self, events: Any, position: int) -> Rows:
        """Return the terms of events, in order, by their numbers."""
        return self._reader.read(events, position)

    def find_one(self, event: Any) -> tuple[Int32, int]:
        """Match one text, by one call of a kernel if possible."""
        if self._one_text is not None and type(event) is str and not (self.families.count or self.quorums.numbers.live):
            text = event.encode("utf-8", "surrogatepass")
            if len(text) <= LONGEST:
                return self._one_text.find(text)
        return super().find_one(event)

    def explain(self, event: Any, text: str) -> Explanation:
        """Return which clause held, or the missing terms of each clause."""
        terms = event_terms(event, self._reader, self._grammar)
        return Explanation(text, tuple([_report(clause, terms) for clause in self.compile_one(text)]))

    def conjuncts(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of the parts of a subscription that AND joins."""
        return self._grammar.conjuncts(text)

    def placing(self, event: Any) -> Placing:
        """Return an event as it is asked where a subscription's words stand in it."""
        return placing(event, self._reader, self._grammar)

    def asked(self, text: str) -> Asked:
        """Return a subscription as `implies` takes it."""
        return asked(text, self._grammar)

    def implies(self, narrow: Asked, wide: Asked, steps: Steps) -> bool:
        """Return whether every event that satisfies a subscription is proven to satisfy another."""
        return implies(narrow, wide, steps)

    def refutes(self, narrow: Asked, wide: Asked, steps: Steps) -> bool:
        """Return whether an event is found that satisfies a subscription and not another."""
        return refutes(narrow, wide, steps)

    def needs(self, texts: Strings) -> Needs:
        """Return the terms that each clause asks for, by their hashes; families are left out, for which of them an
        event
        has is known only where the subscriptions are."""
        compiled = self.compile(texts)
        parsed = [(row, atoms) for row, clauses in compiled.parsed for clause in clauses for atoms in clause.rows]
        terms = [_terms_of(atoms) for _, atoms in parsed]
        more = string_hashes(from_texts([term for found in terms for term in found]))
        hashes, checked = string_hashes(compiled.names.strings()), compiled.checked.rows()
        plain = _without_families(compiled.plain, compiled.names.strings())
        owners = np.concatenate(
            [compiled.rows, compiled.checked.owners, np.array([row for row, _ in parsed], np.int32)]
        )
        counts = np.array([len(found) for found in terms], np.int64)
        sizes = np.concatenate([np.diff(plain.offsets), np.diff(checked.offsets), counts])
        found = np.concatenate([hashes[plain.atoms], hashes[checked.atoms], more])
        return Needs(owners.astype(np.int64), offsets_of(sizes), found)

    def atoms(self, events: pa.Array) -> Atoms:
        """Return the terms of events, by their hashes."""
        return self._atom_reader.read(events)


def _atoms_of(families: Families) -> Callable[[], Int32]:
    """Return a function that returns the atoms of families; it does not know the language, which has the structure."""
    return lambda: families.atoms


def _report(clause: Clause, terms: TermsOfText) -> ClauseReport:
    clause = clause.nearest(terms.has)
    missing = tuple(show(atom) for atom in clause.required if not terms.has(atom))
    forbidden = tuple(show(atom) for atom in clause.forbidden if terms.has(atom))
    return ClauseReport(show_clause(clause), missing, forbidden)


def _terms_of(atoms: Sequence[Atom]) -> list[str]:
    """Return the terms of a row of atoms, each once, without families."""
    return list(dict.fromkeys(name for atom in atoms for name in names_of(atom) if not is_family(name)))


def _without_families(rows: Rows, names: Strings) -> Rows:
    """Return rows of names without those of families."""
    sizes = np.diff(names.offsets)
    marked = np.zeros(len(sizes), np.bool_)
    marked[sizes > 0] = names.data[names.offsets[:-1][sizes > 0]] == ord(MARK)
    if not marked.any():
        return rows
    kept = ~marked[rows.atoms]
    return Rows(offsets_of(kept)[rows.offsets], rows.atoms[kept])
