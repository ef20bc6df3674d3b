"""Concatenated documents in one open file: where does each begin?

Documents may have XML declarations and DOCTYPEs or not, and white space, comments and processing instructions between
them. No byte is looked at to tell them apart: the parser itself says, behind the end of a root element, that something
stands there which belongs to no document, and at which byte; there the next document begins::

    <a/>\\n<?xml version="1.0"?><b/><!-- c --><c/>
    0    5                     26  30        40          three documents, from byte 0, 5 and 40 …

Documents that lie in memory as a whole, with the beginning of the next one, are parsed in one call of a kernel, as many
as there are; every other by handlers in Python: the last of a megabyte, a large one, one that is not plain.

A document that is malformed, or past a guard, is reported under its number, and the rest of it is skipped: up to the
next XML declaration or DOCTYPE, since nothing else is sure to begin a document. So after a malformed document,
documents with neither are lost, up to the next one that has either. (And a text that quotes ``<?xml`` in the skipped
part is taken for a document.)

A document is complete with its root's end tag, and its last moves are yielded then, without waiting for the next
document. A token that is large, as a comment of megabytes, is fed in chunks that double, since expat scans it from its
start each time.

Only bytes not yet parsed and moves not yet yielded are in memory; moves are yielded when there are 65,536, or the
document ends. Where paths ask for texts, only then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int32
from watchword.errors import EventError
from watchword.kernels.paths.asked import Asked
from watchword.kernels.paths.moves import END
from watchword.kernels.paths.settle import Conditions
from watchword.paths.labels import Labels
from watchword.paths.parsing.batch import KernelParser
from watchword.paths.parsing.guards import Guards, empty, too_large
from watchword.paths.parsing.plain import Lookup, PlainParser
from watchword.paths.parsing.settling import Settler

INVALID_TOKEN, MISPLACED_DECLARATION = 4, 17
"""Expat's numbers for errors that are told apart here."""

_BEGINNING = re.compile(rb"<\?xml[ \t\r\n]|<!DOCTYPE[ \t\r\n]")
_LONGEST_BEGINNING = 10
_SPACE = re.compile(rb"[ \t\r\n]*")
_CHUNK = 1 << 20
_FIRST = 1 << 13
_LARGE = 1 << 16
_MOVES_AT_ONCE = 1 << 16
_NONE: Int32 = np.empty(0, np.int32)
_UNLIMITED = Guards(max_depth=1 << 30, max_bytes=1 << 40)


class Piece(NamedTuple):
    """Moves of document number `document`; `ended` with the last of them.

    A document with an `error` has ended, too: if moves of it came before, its open elements are closed by the moves of
    this piece, so that whoever follows them stands at depth 0 again.
    """

    document: int
    moves: Int32
    ended: bool
    error: EventError | None = None
    begin: int = 0
    """The byte at which the document begins; of a file that gives `str`, in UTF-8."""


def documents_in(data: bytes) -> list[bytes]:
    """Return the concatenated documents in `data`, each as its bytes; a malformed rest is returned as one document.

    An `EventError` if there is none.

    >>> documents_in(b"<a/> <?xml version='1.0'?><b> <!DOCTYPE c><c/>")
    [b'<a/> ', b"<?xml version='1.0'?><b> ", b'<!DOCTYPE c><c/>']
    """
    begins = {piece.document: piece.begin for piece in stream(BytesIO(data).read, Labels().asked, _UNLIMITED)}
    borders = [*begins.values(), len(data)]
    return [data[begin:end] for begin, end in pairwise(borders)]


def stream(
    read: Callable[[int], Any],
    ask: Callable[[], tuple[Asked, Conditions]],
    guards: Guards,
    *,
    namespaces: bool = False,
) -> Iterator[Piece]:
    """Yield the moves of documents; `read` is a file's, and returns bytes or `str`, at most as many as asked for.

    `ask` returns the names and tests asked of a document, the same object as long as they do not change; it is called
    when the document begins, and again before moves that were made ahead are yielded. The next bytes are read when the
    moves of those before were taken.
    """
    window = _Window(read)
    asking = _Asking(ask, guards, namespaces)
    document = 0
    while window.skip_space():
        asking.renew()
        for begin, moves in _whole_documents(window, asking):
            yield Piece(document, moves, True, begin=begin)
            document += 1
        if asking.has_changed():
            continue
        begin = window.begin
        reading = _Reading(window, asking.plain(decoded=window.decoded), asking.settler, guards)
        yield from (Piece(document, moves, ended, begin=begin) for moves, ended in reading.pieces())
        if reading.error is not None:
            error = EventError(reading.error.reason, position=document)
            yield Piece(document, reading.closing_moves(), True, error, begin)
            window.skip_to_beginning()
        document += reading.counts
    if not document:
        raise EventError(empty())


class _Asking:
    """The names and tests asked of documents now, and the parser for them."""

    def __init__(self, ask: Callable[[], tuple[Asked, Conditions]], guards: Guards, namespaces: bool) -> None:
        self._ask, self._guards, self._namespaces = ask, guards, namespaces
        self._begin(ask())

    def _begin(self, now: tuple[Asked, Conditions]) -> None:
        self._now = now
        self.settler = Settler(*now, self._guards.max_depth)
        self.kernels = KernelParser.of(now[0], self._guards, namespaces=self._namespaces)
        self._lookup = Lookup(now[0])

    def has_changed(self) -> bool:
        """Return whether other names and tests are asked than at the last beginning of a document."""
        return self._ask() is not self._now

    def renew(self) -> None:
        """Begin a document: get the names and tests asked now."""
        if self.has_changed():
            self._begin(self._ask())

    def plain(self, *, decoded: bool) -> PlainParser:
        """Return a parser of one document, with handlers in Python."""
        return PlainParser(self._lookup, self._guards, namespaces=self._namespaces, decoded=decoded)


def _whole_documents(window: _Window, asking: _Asking) -> Iterator[tuple[int, Int32]]:
    """Yield beginning and moves of documents that kernels parse, and go behind each before; stop if other things are
    asked."""
    if asking.kernels is None:
        return
    raw, documents = asking.kernels.stream(np.frombuffer(window.data, np.uint8), decoded=window.decoded)
    done = fill = 0
    for codes, place in documents:
        begin = window.begin
        window.drop(place - done)
        moves = asking.settler.moves(raw[fill:codes])
        done, fill = place, codes
        yield begin, moves
        if asking.has_changed():
            return


class _Window:
    """The bytes of a file from the first still needed to the last read."""

    def __init__(self, read: Callable[[int], Any]) -> None:
        self._read = read
        self.data = bytearray()
        self.begin = 0
        """Where in the file `data` begins."""
        self.decoded = False
        self._ended = False

    def drop(self, size: int) -> None:
        """Drop the first `size` bytes."""
        size = min(size, len(self.data))
        del self.data[:size]
        self.begin += size

    def more(self) -> bool:
        """Read a chunk; return whether there was one."""
        if self._ended:
            return False
        chunk = self._read(_CHUNK)
        if isinstance(chunk, str):
            self.decoded = True
            chunk = chunk.encode("utf-8", "surrogatepass")
        self._ended = not chunk
        self.data += chunk
        return not self._ended

    def skip_space(self) -> bool:
        """Go to the first byte that is no white space; return whether there is one."""
        while True:
            space = _SPACE.match(self.data)
            assert space is not None
            self.drop(space.end())
            if self.data:
                return True
            if not self.more():
                return False

    def skip_to_beginning(self) -> None:
        """Go to where a document certainly begins, or to the end."""
        while True:
            found = _BEGINNING.search(self.data)
            if found:
                self.drop(found.start())
                return
            self.drop(max(0, len(self.data) - _LONGEST_BEGINNING))
            if not self.more():
                self.drop(len(self.data))
                return


class _Reading:
    """One document, read from a window that begins with it."""

    def __init__(self, window: _Window, parser: PlainParser, settler: Settler, guards: Guards) -> None:
        self._window, self._parser, self._settler, self._guards = window, parser, settler, guards
        self._begin = 0
        self._fed = 0
        self._yielded = False
        self.error: EventError | None = None
        self.counts = 1
        """1, or 0 for a beginning without an element, before an XML declaration: it is part of the document there."""

    def pieces(self) -> Iterator[tuple[Int32, bool]]:
        """Yield moves, and with the last that the document has ended; leave the window where the next one begins.

        If the document is malformed, `error` is set, and the window is left where that was found.
        """
        size, need = _FIRST, 1
        done = False
        while True:
            before = self._parser.offset
            try:
                goes_on = self._feed(need, max(need, size))
            except EventError as error:
                if not done and self._parser.closed:
                    yield self._moves(), True
                self._stop(error)
                return
            if self._parser.closed and not done:
                done = True
                yield self._moves(), True
            elif self._parser.waiting >= _MOVES_AT_ONCE and not self._settler.late:
                self._yielded = True
                yield self._moves(), False
            if not goes_on:
                self._window.drop(len(self._window.data))
                return
            self._forget()
            size = min(2 * size, _CHUNK)
            unparsed = self._fed - self._parser.offset
            need = unparsed if self._parser.offset == before and unparsed > _LARGE else 1

    def closing_moves(self) -> Int32:
        """Return the moves that close the elements opened by yielded moves."""
        if not self._yielded:
            return _NONE
        raw = self._parser.take()
        depth = self._parser.depth - (self._parser.depth > self._guards.max_depth)
        return self._settler.moves(np.concatenate([raw, np.full(depth, END, np.int32)]))

    def _moves(self) -> Int32:
        return self._settler.moves(self._parser.take())

    def _feed(self, need: int, most: int) -> bool:
        """Feed the parser with at least `need` and at most `most` bytes; returns whether the file goes on."""
        window = self._window
        start = self._fed - self._begin
        while len(window.data) - start < need and window.more():
            pass
        chunk = bytes(window.data[start : start + most])
        self._fed += len(chunk)
        if self._fed > self._guards.max_bytes and not self._parser.closed:
            raise EventError(too_large(self._guards))
        self._parser.feed(chunk, final=not chunk)
        return bool(chunk)

    def _forget(self) -> None:
        """Drop parsed bytes; but the beginning of a document stays until it has an element."""
        if self._parser.elements:
            self._window.drop(self._parser.offset - self._begin)
            self._begin = self._parser.offset

    def _stop(self, error: EventError) -> None:
        """Move the window to the beginning of the next document, or to the place from which to skip."""
        window, parser = self._window, self._parser
        place = max(0, parser.offset - self._begin)
        if parser.closed:
            window.drop(self._token(place) if parser.code == INVALID_TOKEN else place)
        elif not parser.elements and parser.code == MISPLACED_DECLARATION and place > 0:
            self.counts = 0
            window.drop(place)
        else:
            self.error = error
            least = 0 if parser.elements and self._begin else 1
            window.drop(max(least, place - _LONGEST_BEGINNING if parser.elements else place))

    def _token(self, place: int) -> int:
        """Return the start of the token that is invalid at `place`, after a root element, where no text may be."""
        data = self._window.data
        while place and data[place - 1] not in b" \t\r\n>":
            place -= 1
        return place
