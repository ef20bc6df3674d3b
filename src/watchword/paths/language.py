"""The path language as it plugs into an index.

A path is an atom by itself: phase one makes walks of documents (`parsing`), and phase two follows them with the
method's structure. Documents in memory are parsed together; one that is a file comes in pieces, so that neither its
text nor its walk is ever there as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, groupby
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import pyarrow as pa

from watchword.arrays import Int32, Int64, UInt8, concatenated
from watchword.errors import EventError
from watchword.index import EventKind, Explanation, Language, Method, method_table
from watchword.index.covering import Steps
from watchword.index.events import texts_of
from watchword.index.hits import Hits
from watchword.index.places import Placing
from watchword.kernels.paths.asked import Asked
from watchword.kernels.paths.settle import Conditions
from watchword.options import Option
from watchword.parts import Counters
from watchword.paths.compiler import Compiled, Compiler
from watchword.paths.covering import implies, refutes
from watchword.paths.explaining import report
from watchword.paths.labels import Labels
from watchword.paths.options import METHOD_OPTIONS, OPTIONS
from watchword.paths.parsing.batch import parse_batch
from watchword.paths.parsing.chunked import ChunkedDocument
from watchword.paths.parsing.documents import Loaded, chunks, is_in_memory, load, load_many, stream_of
from watchword.paths.parsing.guards import Guards
from watchword.paths.parsing.streams import Piece, stream
from watchword.paths.passes import ONCE
from watchword.paths.places import has_path, placing
from watchword.paths.query import Step
from watchword.strings import Strings, from_pieces

_STRUCTURES = {
    "auto": "watchword.paths.guided:GuidedPaths",
    "yfilter": "watchword.paths.yfilter:YFilter",
    "lazy-dfa": "watchword.paths.lazy_dfa:LazyDfa",
    "pma": "watchword.paths.pma.pma:Pma",
    "pma2": "watchword.paths.pma.pma2:Pma2",
}


class Documents(NamedTuple):
    """The walks of a `number` of documents, piece by piece."""

    pieces: Iterator[Int32]
    number: int


class PathLanguage(Language):
    """Linear XPath over XML documents."""

    name = "paths"
    options: ClassVar[Mapping[str, Option]] = OPTIONS
    methods: ClassVar[Mapping[str, Method]] = method_table(_STRUCTURES, METHOD_OPTIONS)
    blank = "<blank/>"
    reads = EventKind(documents=True)

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        super().__init__(method, options)
        namespaces = options["namespaces"]
        self._by_namespace = namespaces is not None
        self._guards = Guards(*(int(options[name]) for name in Guards._fields))
        self._compiler = Compiler(namespaces, int(options["max_length"]), int(options["max_steps"]))
        self._labels = Labels()
        self._counts = {"paths": 0, "steps": 0}
        self.parts |= {"labels": self._labels, "counters": Counters(self._counts)}

    def compile(self, texts: Strings) -> Compiled:
        """Return paths ready to be stored."""
        return self._compiler.compile(texts)

    def compile_one(self, text: str) -> Compiled:
        """Return one path, or raise as the parser does."""
        return self._compiler.compile_one(text)

    def add(self, slots: Int32, compiled: Compiled) -> None:
        """Store paths, and give labels to what they ask for."""
        self.structure.add(compiled.with_labels(self._labels), slots)
        self._count(compiled, 1)

    def remove(self, slot: int, text: str) -> None:
        """Remove the path of a slot."""
        compiled = self.compile_one(text)
        self.structure.remove(compiled.with_labels(self._labels), slot)
        self._count(compiled, -1)

    def _count(self, compiled: Compiled, by: int) -> None:
        self._counts["paths"] += by * compiled.number
        self._counts["steps"] += by * len(compiled.steps)

    def read(self, events: Any, position: int) -> Documents:
        """Return the walks of documents; a document that is a file is read when its walk is followed."""
        if isinstance(events, pa.Array | pa.ChunkedArray):
            strings = texts_of(events, position, "XML documents, as strings or binaries")
            kind = events.type.value_type if pa.types.is_dictionary(events.type) else events.type
            decoded = np.full(strings.count, pa.types.is_string(kind) or pa.types.is_large_string(kind))
            return Documents(iter([self._parsed(strings, decoded.astype(np.uint8), position)]), strings.count)
        runs = [(memory, list(run)) for memory, run in groupby(events, is_in_memory)]
        return Documents(self._pieces(runs, position), len(events))

    def _pieces(self, runs: list[tuple[bool, list[Any]]], position: int) -> Iterator[Int32]:
        for in_memory, events in runs:
            if in_memory:
                yield self._loaded(events, position)
            else:
                for number, event in enumerate(events):
                    yield from self._fed(event, position + number)
            position += len(events)

    def _loaded(self, events: list[Any], position: int) -> Int32:
        try:
            return self._parsed(*load_many(events, self._guards), 0)
        except EventError as error:
            raise EventError(error.reason, position=position + error.position) from None

    def _parsed(self, strings: Strings, decoded: UInt8, position: int, labels: Labels | None = None) -> Int32:
        asked, conditions = (labels or self._labels).asked()
        try:
            walk = parse_batch(strings, asked, conditions, self._guards, namespaces=self._by_namespace, decoded=decoded)
        except EventError as error:
            raise EventError(error.reason, position=position + error.position) from None
        return walk.moves

    def _fed(self, event: Any, position: int) -> Iterator[Int32]:
        """Yield the walk of a document that is a file, piece by piece."""
        asked, conditions = self._labels.asked()
        document: ChunkedDocument | None = None
        try:
            for chunk, decoded in chunks(event):
                if document is None:
                    names = {"namespaces": self._by_namespace, "decoded": decoded}
                    document = ChunkedDocument(asked, conditions, self._guards, **names)
                yield document.feed(chunk)
            yield (document or ChunkedDocument(asked, conditions, self._guards)).close()
        except EventError as error:
            raise EventError(error.reason, position=position) from None

    def find(self, holding: Documents) -> Hits:
        """Follow the walks."""
        run = self.structure.start(ONCE, elements=False)
        borders: list[Int64] = [np.zeros(1, np.int64)]
        found: list[Int32] = []
        total = 0
        for moves in holding.pieces:
            pairs = run.feed(moves)
            borders.append(pairs.borders + total)
            found.append(pairs.payloads)
            total += len(pairs.payloads)
        payloads = found[0] if len(found) == 1 else concatenated(found, np.int32)
        return Hits(np.concatenate(borders), payloads, run.end())

    def explain(self, event: Any, text: str) -> Explanation:
        """Say which element the path ends at, or how far it goes."""
        document = load(event, self._guards)
        separator = "}" if self._by_namespace else None
        steps, walk = self._compiler.parse(text), self._walk_of(document)
        return Explanation(text, (report(text, steps, document, walk, separator),))

    def placing(self, event: Any) -> Placing:
        """Return a document as it is asked for the start tags of the elements that a path ends at."""
        document = load(event, self._guards)
        return placing(document, self._walk_of(document), self._compiler)

    def asked(self, text: str) -> tuple[Step, ...]:
        """Return the steps of a path, as `implies` takes them."""
        return self._compiler.parse(text)

    def implies(self, narrow: tuple[Step, ...], wide: tuple[Step, ...], steps: Steps) -> bool:
        """Return whether every document with a path is proven to have another."""
        return implies(narrow, wide, steps)

    def refutes(self, narrow: tuple[Step, ...], wide: tuple[Step, ...], steps: Steps) -> bool:
        """Return whether a document is found that has a path and not another."""

        def holds(path: tuple[Step, ...], document: str) -> bool:
            try:
                return has_path(path, self._walk_of(load(document, self._guards)))
            except EventError:  # it is deeper than documents may be
                return False

        return refutes(narrow, wide, steps, holds)

    def _walk_of(self, document: Loaded) -> Callable[[Labels], Int32]:
        """Return the function that walks a document under other labels than those of the index."""

        def walk(labels: Labels) -> Int32:
            return self._parsed(from_pieces([document.data]), np.array([document.decoded], np.uint8), 0, labels)

        return walk

    def figures(self) -> Mapping[str, int]:
        """Return paths as clauses, and the steps of all of them as atoms."""
        return {"clauses": self._counts["paths"], "atoms": self._counts["steps"]}

    def stream(self, file: Any, current: Callable[[], Language]) -> Iterator[Documents]:
        """Return the walks of the concatenated documents of an open file, one at a time.

        A document that cannot be read raises when its walk has been followed to the end.
        """

        def asked() -> tuple[Asked, Conditions]:
            return cast(PathLanguage, current())._labels.asked()

        pieces = stream(stream_of(file), asked, self._guards, namespaces=self._by_namespace)
        return (Documents(_walk(first, pieces), 1) for first in pieces)


def _walk(first: Piece, pieces: Iterator[Piece]) -> Iterator[Int32]:
    """Yield the walk of one document, whose first piece was taken already; raise behind it if it cannot be read."""
    for piece in chain([first], pieces):
        yield piece.moves
        if piece.error is not None:
            raise piece.error
        if piece.ended:
            return
