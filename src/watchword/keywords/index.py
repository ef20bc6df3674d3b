"""`KeywordIndex`: the keyword language on top of any structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32, concatenated, reserve, tally
from watchword.errors import OptionError, SubscriptionError
from watchword.index import (
    Batch,
    ClauseReport,
    Explanation,
    Found,
    Index,
    Subscriptions,
    below,
)
from watchword.index.routing import Atoms, Needs
from watchword.keywords.atoms import AtomReader, hashed
from watchword.keywords.compiler import Compiler
from watchword.keywords.query import Atom, Clause, Limits, parse, show
from watchword.keywords.reader import ItemReader, distinct
from watchword.sets.brute import Brute, OrderedBrute
from watchword.sets.clauses import ClauseTable, Compiled, Complex
from watchword.sets.compact_count import CompactCount
from watchword.sets.compact_trie import CompactTrie
from watchword.sets.count import Count
from watchword.sets.inverted import Inverted
from watchword.sets.order import TermOrder
from watchword.sets.packed import Packed
from watchword.sets.poset import Poset
from watchword.sets.structure import Rows, Structure
from watchword.sets.trie import Trie
from watchword.strings import Strings
from watchword.text.analyzer import Analyzer
from watchword.text.vocabulary import Vocabulary


class Method(NamedTuple):
    """A structure, and the names of its options."""

    structure: type[Structure]
    options: tuple[str, ...] = ()


class KeywordIndex(Index):
    """Saved searches over text: terms, phrases, AND, OR, NOT.

    >>> index = KeywordIndex({"s1": "greece AND (crisis OR bailout) NOT imf", "s2": '"debt crisis"'})
    >>> index.match("Greece: a debt crisis, then a bailout")
    ['s1', 's2']
    >>> print(index.explain("Greece and the IMF agree on a bailout", "s1"))
    no match: forbidden imf in: greece AND bailout AND NOT imf (nearest of 2 clauses)

    Options for every method: `stop_words`, `stemmer` (a Snowball language), and the limits `max_clauses`,
    `max_terms`, `max_term_bytes`, `max_depth` (`query.Limits`). Options of a method: `order` and `ranking` for
    the tries and `brute-ordered`, `capacity` and `block` for `compact-count`, `block` for `compact-trie`.
    """

    language = "keywords"
    methods: ClassVar[Mapping[str, Method]] = {
        "auto": Method(Packed),
        "brute": Method(Brute),
        "brute-ordered": Method(OrderedBrute, ("ranking",)),
        "inverted": Method(Inverted),
        "count": Method(Count),
        "compact-count": Method(CompactCount, ("capacity", "block")),
        "trie": Method(Trie, ("order", "ranking")),
        "compact-trie": Method(CompactTrie, ("order", "ranking", "block")),
        "poset": Method(Poset),
    }

    def __init__(
        self,
        subscriptions: Subscriptions | None = None,
        *,
        method: str = "auto",
        stop_words: Any = (),
        stemmer: str | None = None,
        max_clauses: int = Limits.clauses,
        max_terms: int = Limits.terms,
        max_term_bytes: int = Limits.term_bytes,
        max_depth: int = Limits.depth,
        **options: Any,
    ) -> None:
        if method in self.methods:
            allowed = self.methods[method].options
            for name in options:
                if name not in allowed:
                    known = ", ".join(("stop_words", "stemmer", "max_clauses", *allowed))
                    raise OptionError(f"method {method!r} has no option {name!r}; it has: {known}, …")
        self._analyzer = Analyzer(stop_words, stemmer)
        self._limits = Limits(max_clauses, max_terms, max_term_bytes, max_depth)
        self._method_options = options
        super().__init__(subscriptions, method=method)

    def _reset(self) -> None:
        options = dict(self._method_options)
        ranking = list(options.pop("ranking", ()))
        structure = self.methods[self.method].structure
        order = options.pop("order", structure.order)
        self._vocabulary = Vocabulary()
        self._vocabulary.intern_texts(ranking)
        self._order = TermOrder(order, len(self._vocabulary)) if order is not None else None
        self._structure: Structure = structure(**options)
        self._table = ClauseTable()
        self._uses = np.zeros(16, np.int32)
        self._plain = 0  # subscriptions that are one conjunction of terms
        self._reader = ItemReader(self._analyzer, self._vocabulary)
        self._compiler = Compiler(self._analyzer, self._limits, self._vocabulary)
        self._atom_reader = AtomReader(self._analyzer)

    # subscribing

    def _compile(self, text: str) -> list[Clause]:
        return parse(text, self._analyzer, self._limits)

    def _subscribe(self, slot: int, compiled: list[Clause]) -> None:
        if len(compiled) == 1 and compiled[0].is_plain:
            terms = self._vocabulary.intern_texts([atom[0] for atom in compiled[0].required])
            self._plain += 1
            self._use(terms, 1)
            self._add(terms, slot)
            return
        for clause in self._compiler.complex(0, compiled):
            self._use(np.array(_terms_of(clause), np.int32), 1)
            payload = self._table.add(slot, clause)
            if clause.required:
                self._add(np.array(clause.required, np.int32), payload)

    def _add(self, terms: Int32, payload: int) -> None:
        if self._order is not None:
            self._order.learn(terms, by_frequency=False)
            terms = self._sorted(terms)
        self._structure.add(terms, payload)

    def _unsubscribe(self, slot: int, text: str) -> None:
        clauses = self._compile(text)
        if len(clauses) == 1 and clauses[0].is_plain:
            terms = self._vocabulary.intern_texts([atom[0] for atom in clauses[0].required])
            self._plain -= 1
            self._use(terms, -1)
            self._structure.remove(self._sorted(terms), slot)
            return
        for payload, clause in self._table.of(slot):
            self._use(np.array(_terms_of(clause), np.int32), -1)
            if clause.required:
                self._structure.remove(self._sorted(np.array(clause.required, np.int32)), payload)
        self._table.remove(slot)

    def _sorted(self, terms: Int32) -> Int32:
        if self._order is None:
            return terms
        return self._order.sorted(Rows(np.array([0, len(terms)], np.int64), terms)).terms

    def _compile_many(self, texts: Strings) -> Compiled:
        before = len(self._vocabulary)
        try:
            return self._compiler.compile(texts)
        except SubscriptionError:
            self._vocabulary.rollback(before)
            raise

    def _subscribe_many(self, slots: Int32, compiled: Compiled) -> None:
        payloads = [slots[compiled.rows]]
        offsets = [compiled.plain.offsets]
        terms = [compiled.plain.terms]
        fill = len(compiled.plain.terms)
        extra: list[int] = []
        ends: list[int] = []
        numbers: list[int] = []
        for clause in compiled.complex:
            self._use(np.array(_terms_of(clause), np.int32), 1)
            payload = self._table.add(int(slots[clause.row]), clause)
            if clause.required:
                extra += clause.required
                ends.append(fill + len(extra))
                numbers.append(payload)
        if numbers:
            payloads.append(np.array(numbers, np.int32))
            offsets.append(np.array(ends, np.int64))
            terms.append(np.array(extra, np.int32))
        rows = Rows(concatenated(offsets, np.int64), concatenated(terms, np.int32))
        self._plain += len(compiled.rows)
        self._use(compiled.plain.terms, 1)
        if self._order is not None:
            self._order.learn(rows.terms)
            rows = self._order.sorted(rows)
        self._structure.load(rows, concatenated(payloads, np.int32))

    def _use(self, terms: Int32, by: int) -> None:
        self._uses = reserve(self._uses, len(self._vocabulary), 0)
        tally(self._uses, terms, by)

    # matching

    def _parts(self, events: Any, batch: Batch) -> Iterator[Any]:
        return self._reader.parts(events, batch)

    def _match(self, events: Any, position: int) -> Found:
        items = self._reader.read(events, position)
        sets = items if self._structure.reads_repeats else distinct(items)
        if self._order is not None:
            sets = self._order.sorted_known(sets)
        hits = self._structure.match(sets)
        self._events += len(items)
        self._operations += hits.operations
        if len(self._table):
            hits = self._table.settle(items, hits)
        return Found(hits.ends, hits.payloads)

    def _explain(self, event: Any, text: str) -> Explanation:
        terms = self._reader.terms(event)
        clauses = parse(text, self._analyzer, self._limits)
        return Explanation(text, tuple(_report(clause, terms) for clause in clauses))

    # routing

    def _needs(self, texts: Strings) -> Needs:
        compiled = self._compile_many(texts)
        known = self._vocabulary
        ends = known.ends[: len(known)]
        hashes = hashed(Strings(known.blob, np.concatenate([np.zeros(1, np.int64), ends])))
        rows, (offsets, terms) = compiled.rows, compiled.plain
        more = [clause.required for clause in compiled.complex]
        later = np.cumsum([len(required) for required in more], dtype=np.int64) + offsets[-1]
        numbers = np.concatenate([terms, np.array([term for required in more for term in required], np.int32)])
        owners = np.concatenate([rows, np.array([clause.row for clause in compiled.complex], np.int32)])
        return Needs(owners.astype(np.int64), np.concatenate([offsets, later]), hashes[numbers])

    def _atoms(self, events: Any) -> Atoms:
        return self._atom_reader.read(events)

    # figures, snapshots

    def _figures(self) -> Mapping[str, float]:
        details = dict(self._structure.stats())
        details["clauses"] = self._plain + len(self._table)
        details["atoms"] = int(np.count_nonzero(self._uses))
        details["structure_bytes"] = details["bytes"]
        details["vocabulary_bytes"] = self._vocabulary.bytes
        details["bytes"] += self._vocabulary.bytes + self._table.bytes
        return details

    def _operation(self) -> str:
        return self._structure.operation

    def _renumber(self, slots: Int32) -> None:
        self._structure.renumber(slots)
        self._table.renumber(slots)

    def _options(self) -> dict[str, Any]:
        limits = {f"max_{name}": value for name, value in vars(self._limits).items()}
        options = dict(self._method_options)
        if "ranking" in options:
            options["ranking"] = list(options["ranking"])
        analysis = {"stop_words": sorted(self._analyzer.stop_words), "stemmer": self._analyzer.stemmer}
        return analysis | limits | options

    def _arrays(self) -> Arrays:
        parts: dict[str, Arrays] = {
            "vocabulary": self._vocabulary.arrays(),
            "structure": self._structure.arrays(),
            "clauses": self._table.arrays(),
        }
        arrays = {f"{part}.{name}": array for part, found in parts.items() for name, array in found.items()}
        arrays["uses"] = self._uses
        arrays["plain"] = np.array([self._plain], np.int64)
        if self._order is not None:
            arrays["ranks"] = self._order.array()
        return arrays

    def _restore(self, arrays: Arrays) -> None:
        self._vocabulary = Vocabulary.from_arrays(below("vocabulary", arrays))
        options = {k: v for k, v in self._method_options.items() if k not in ("ranking", "order")}
        self._structure = self.methods[self.method].structure.from_arrays(below("structure", arrays), **options)
        self._table.restore(below("clauses", arrays))
        self._uses = arrays["uses"]
        self._plain = int(arrays["plain"][0])
        if self._order is not None:
            self._order.restore(arrays["ranks"])
        self._reader = ItemReader(self._analyzer, self._vocabulary)
        self._compiler = Compiler(self._analyzer, self._limits, self._vocabulary)


def _terms_of(clause: Complex) -> list[int]:
    """Return the distinct terms that a compiled clause names."""
    found = dict.fromkeys(clause.required)
    at = 0
    while at < len(clause.program):
        size = clause.program[at] >> 1
        found.update(dict.fromkeys(clause.program[at + 1 : at + 1 + size]))
        at += 1 + size
    return list(found)


def _report(clause: Clause, terms: list[str]) -> ClauseReport:
    present = set(terms)
    missing = tuple(show(atom) for atom in clause.required if not _holds(atom, terms, present))
    forbidden = tuple(show(atom) for atom in clause.forbidden if _holds(atom, terms, present))
    return ClauseReport(str(clause), missing, forbidden)


def _holds(atom: Atom, terms: list[str], present: set[str]) -> bool:
    if len(atom) == 1 or not present.issuperset(atom):
        return present.issuperset(atom)
    size = len(atom)
    return any(tuple(terms[i : i + size]) == atom for i in range(len(terms) - size + 1))
