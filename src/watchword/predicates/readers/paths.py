"""``story MATCHES PATH '//nitf/head/title'``: a path leads to an element of an XML document, as by an index of paths.

A value is a document: a text, or bytes. One that is not well-formed, or that breaks a limit of paths, has no elements,
so no path holds in it; `explain` says why. Other subscriptions about its event are none the worse for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, concatenated, offsets_of
from watchword.errors import EventError
from watchword.predicates.events.held import Placed
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.inner import TextReader
from watchword.predicates.values import show_value
from watchword.sets.dnf import Tree
from watchword.strings import from_texts

if TYPE_CHECKING:
    from watchword.paths.language import PathLanguage
    from watchword.predicates.query import PredicateParser

_BATCH = 256
"""How many documents are read at a time; behind one that cannot be read, those before it are read again."""


class Paths(TextReader["PathLanguage"]):
    """Finds paths in the XML documents of an attribute."""

    name = "MATCHES PATH"
    example = "MATCHES PATH '//path'"

    def make(self) -> PathLanguage:
        """Return an empty index of paths with the options of the attribute."""
        from watchword.paths.language import PathLanguage

        return self._surroundings.reading.make(PathLanguage, self._path)

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Read the path."""
        token = parser.token
        text = parser.read_text(cls.name)
        parser.parse_inside(token, parser.reading.path_compiler(parser.whole(path)).parse, text)
        return parser.read_by(cls, path, (text,), show_value(text), token)

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Subscribe the paths under the atoms."""
        inner = self.inner
        inner.add(np.array(atoms, np.int32), inner.compile(from_texts([one.constants[0] for one in predicates])))

    def points_of_text(self, text: Any) -> list[int]:
        """Return the paths in one document."""
        try:
            return super().points_of_text(text)
        except EventError:
            return []

    def points_of_texts(self, texts: pa.Array) -> Placed:
        """Return the paths in each document of a column."""
        found = [part for at in range(0, len(texts), _BATCH) for part in self._parts(texts[at : at + _BATCH])]
        sizes = concatenated([np.diff(offsets) for offsets, _ in found], np.int64)
        return Placed(offsets_of(sizes), concatenated([payloads for _, payloads in found], np.int32), None)

    def _parts(self, texts: pa.Array) -> Iterator[tuple[Any, Int32]]:
        """Yield borders and paths of runs of documents; one that cannot be read is a run of its own."""
        while len(texts):
            good = len(texts)
            try:
                hits = self.inner.find(self.inner.read(texts, 0))
            except EventError as error:
                good = error.position
                hits = self.inner.find(self.inner.read(texts[:good], 0))
            yield hits.offsets, hits.payloads
            if good < len(texts):
                yield np.zeros(2, np.int64), np.empty(0, np.int32)
            texts = texts[good + 1 :]

    def places(self, predicate: Predicate, value: Any) -> list[tuple[int, int]]:
        """Return the start tags of the elements that the path ends at."""
        if not isinstance(value, str | bytes | bytearray | memoryview):
            return []
        try:
            placing = self.inner.placing(value if isinstance(value, str) else bytes(value))
            return [(place.start, place.end) for place in placing.find(predicate.constants[0])]
        except EventError:
            return []

    def fault(self, value: Any) -> str | None:
        """Return why a text is no document."""
        try:
            if isinstance(value, str | bytes):
                self.inner.explain(value, "//*")
        except EventError as error:
            return error.reason
        return None

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value is a document with the path in it."""
        if not isinstance(value, str | bytes | bytearray | memoryview):
            return False
        try:
            return bool(self.inner.explain(value if isinstance(value, str) else bytes(value), predicate.constants[0]))
        except EventError:
            return False
