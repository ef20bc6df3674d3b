"""``url MATCHES PATTERN '/sport/*'``: a pattern is found anywhere in a text, as by an index of patterns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from watchword.predicates.events.held import Placed
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.inner import TextReader, text_or_none
from watchword.predicates.values import show_value
from watchword.sets.dnf import Tree
from watchword.strings import from_texts

if TYPE_CHECKING:
    from watchword.patterns.language import PatternLanguage
    from watchword.predicates.query import PredicateParser
    from watchword.sets.boolean import Token


class Patterns(TextReader["PatternLanguage"]):
    """Finds patterns in the texts of an attribute."""

    name = "MATCHES PATTERN"
    example = "MATCHES PATTERN 'pattern'"

    _options: dict[str, Any] | None = None

    def make(self) -> PatternLanguage:
        """Return an empty index of patterns with the options of the attribute."""
        from watchword.patterns.language import PatternLanguage

        return self._surroundings.reading.make(PatternLanguage, self._path)

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Read the pattern."""
        from watchword.patterns.query import parse

        token = parser.token
        pattern = parser.read_text(cls.name)
        parser.parse_inside(token, parse, pattern)
        return parser.read_by(cls, path, (pattern,), show_value(pattern), token)

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Subscribe the patterns under the atoms."""
        inner = self.inner
        inner.add(np.array(atoms, np.int32), inner.compile(from_texts([one.constants[0] for one in predicates])))
        self.pack_few()

    def points_of_texts(self, texts: pa.Array) -> Placed:
        """Return the patterns in each text of a column."""
        found = self.inner.read(texts, 0)
        return Placed(found.offsets, found.payloads, None)

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value is a text with the pattern in it."""
        return self.where(predicate, value) is not None

    def where(self, predicate: Predicate, value: Any) -> tuple[int, int] | None:
        """Return the first place of the pattern in a text."""
        from watchword.patterns.alignment import Folding, place_of
        from watchword.patterns.language import PatternLanguage
        from watchword.patterns.query import parse

        text = text_or_none(value)
        if text is None:
            return None
        if self._options is None:
            self._options = self._surroundings.reading.options(PatternLanguage, self._path)
        pattern = parse(predicate.constants[0], self._options["max_length"])
        if self._options["ignore_case"]:
            return place_of(pattern.folded(), Folding(text))
        return place_of(pattern, text)


def any_text(parser: PredicateParser, path: Path, at: Token) -> Predicate:
    """Return the predicate that an attribute has a text, also an empty one."""
    return parser.read_by(Patterns, path, ("*",), "'*'", at)
