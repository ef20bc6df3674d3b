"""``body MATCHES 'greece AND (crisis OR "debt relief")'``: texts are searched for words and phrases, as by keywords.

AND, OR, NOT and counts inside of the quotes become those of the whole subscription, so only words, families of words,
phrases and what asks for distances are atoms here. Each exists once, however many subscriptions ask for it. ``body
MATCHES 'greece NOT imf' AND value > 20`` is the conjunction of ``body MATCHES 'greece'``, ``NOT body MATCHES 'imf'``
and ``value > 20``.

A word is found by its number: with ``body MATCHES 'greece'`` as atom 3, and greece as number 0 in the vocabulary of the
reader, ``words`` is ``[3]``. Phrases are subscriptions of the inner index of keywords, their slots the atoms. The
texts of a list are one event: its words may stand in different texts, a phrase stands in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Arrays, reserve
from watchword.index.events import decoded
from watchword.index.hits import Hits, merged
from watchword.kernels.predicates.values import known_atoms
from watchword.predicates.events.held import Placed
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.inner import TextReader, text_or_none
from watchword.predicates.readers.patterns import any_text
from watchword.predicates.readers.reader import Surroundings
from watchword.predicates.values import show_value
from watchword.sets.boolean import And, AtLeast, Clause, Not, Or, Tree
from watchword.sets.held import needed
from watchword.text.places import TermsOfText, term_places

if TYPE_CHECKING:
    from watchword.keywords.language import Keywords
    from watchword.predicates.query import PredicateParser
    from watchword.sets.rows import Rows


_KEPT = 64
"""How many texts a reader that explains or places keeps analysed."""


class Terms(TextReader["Keywords"]):
    """Finds words and phrases in the texts of an attribute."""

    name = "MATCHES"
    example = "MATCHES 'words'"

    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        super().__init__(path, surroundings)
        self._words = np.empty(0, np.int32)
        """By number of a term, the atom of the predicate that asks for it alone; -1 for none."""
        self._read: dict[str, TermsOfText] = {}

    def make(self) -> Keywords:
        """Return an empty index of keywords with the options of the attribute."""
        from watchword.keywords.language import Keywords

        return self._surroundings.reading.make(Keywords, self._path)

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Read the words; the tree has a predicate for each word or phrase."""
        from watchword.keywords.query import show

        token = parser.token
        if parser.is_word("REGEX"):
            raise parser.error("regular expressions are not supported; MATCHES PATTERN, HAS and LIKE are", token)
        tree = parser.parse_inside(token, parser.reading.grammar(parser.whole(path)).tree, parser.read_text(cls.name))

        def atoms(part: Tree) -> Tree:
            if isinstance(part, Not):
                return Not(atoms(part.part))
            if isinstance(part, And | Or | AtLeast):
                return part._replace(parts=[atoms(one) for one in part.parts])
            return parser.read_by(cls, path, (part,), show_value(show(part)), token)

        made = atoms(tree)
        return made if _asks_for_a_word(tree) else And([any_text(parser, path, token), made])

    @classmethod
    def word(cls, path: Path, word: str) -> Predicate:
        """Return the predicate for one word, as `parse` does."""
        return Predicate(path, cls.name, cls, ((word,),), f"{cls.name} '{word}'")

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Remember words by their numbers, and subscribe phrases."""
        inner = self.inner
        words = [(atom, one.constants[0][0]) for atom, one in zip(atoms, predicates, strict=True) if _is_word(one)]
        numbers = inner.number([word for _, word in words])
        inner.vocabulary.use(numbers, 1)
        for atom, one in zip(atoms, predicates, strict=True):
            if not _is_word(one):
                inner.add_one(atom, [Clause(one.constants, ())])
        self._words = reserve(self._words, len(inner.vocabulary) + 1, -1)
        self._words[numbers] = [atom for atom, _ in words]

    def points_of_texts(self, texts: pa.Array) -> Placed:
        """Return the words and phrases of each text of a column."""
        return self._found(self.inner.read(texts, 0))

    def points_of_text(self, text: Any) -> list[int]:
        """Return the words and phrases of one text."""
        found: list[int] = self._found(self.inner.read([decoded(text, 0)], 0)).points.tolist()
        return found

    def _found(self, texts: Rows) -> Placed:
        """Return the atoms of texts that are given by the numbers of their terms."""
        offsets, points = np.empty_like(texts.offsets), np.empty_like(texts.atoms)
        points = points[: known_atoms(texts.offsets, texts.atoms, self._words, offsets, points)]
        if len(self.inner.clauses):
            found = merged(Hits(offsets, points, 0), self.inner.find(texts))
            offsets, points = found.offsets, found.payloads
        return Placed(offsets, points, None)

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value is a text with the word or phrase."""
        terms = self._terms(value)
        return terms is not None and terms.has(predicate.constants[0])

    def where(self, predicate: Predicate, value: Any) -> tuple[int, int] | None:
        """Return the first place of the word or phrase."""
        return next(iter(self.places(predicate, value)), None)

    def places(self, predicate: Predicate, value: Any) -> list[tuple[int, int]]:
        """Return all places of the word or phrase."""
        terms = self._terms(value)
        return [] if terms is None else [(start, end) for _, start, end in terms.find(predicate.constants[0])]

    def _terms(self, value: Any) -> TermsOfText | None:
        """Return the terms of a text; those of the last texts that were asked for are kept."""
        text = text_or_none(value)
        if text is None:
            return None
        found = self._read.get(text)
        if found is None:
            if len(self._read) == _KEPT:
                self._read = {}
            analyzer = self._surroundings.reading.grammar(self._path).analyzer
            found = self._read[text] = TermsOfText([term_places(text, analyzer)])
        return found

    # snapshots

    def arrays(self) -> Arrays:
        """Return the parts of the index, and the atoms of words."""
        return {**super().arrays(), "words": self._words[: len(self.inner.vocabulary) + 1]}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        super().restore({name: array for name, array in arrays.items() if name != "words"})
        self._words = arrays["words"]

    @property
    def bytes(self) -> int:
        """Return the bytes of the index, and of the atoms of words."""
        return super().bytes + self._words.nbytes


def _is_word(predicate: Predicate) -> bool:
    atom = predicate.constants[0]
    return isinstance(atom, tuple) and len(atom) == 1


def _asks_for_a_word(tree: Tree, negated: bool = False) -> bool:
    """Return whether a text that satisfies a tree, or its negation, has at least one of its words.

    >>> _asks_for_a_word(And([("ferry",), Not(("storm",))])), _asks_for_a_word(Or([("ferry",), Not(("storm",))]))
    (True, False)
    """
    if isinstance(tree, Not):
        return _asks_for_a_word(tree.part, not negated)
    if isinstance(tree, And | Or | AtLeast):
        asks = [_asks_for_a_word(part, negated) for part in tree.parts].count(True)
        return asks > len(tree.parts) - needed(tree, negated)
    return not negated
