"""One document that comes in chunks: each gives the moves that are ready, and memory is bounded by depth.

With a = label 1 and b = label 2::

    document = ChunkedDocument(asked, conditions, Guards())
    document.feed(b"<a><b/><b")            []                        chunks wait until there is a megabyte of them
    document.close()                   raises EventError: it ends inside a tag …

Where paths ask for texts, an element's move is known only when it closes, so all moves come with `close`.

A document whose DOCTYPE has an internal subset is read by handlers in Python, from its first byte on; so all bytes are
kept until the first element opens.
"""

from __future__ import annotations

import weakref

import numpy as np

from watchword.arrays import Int32, Int64, concatenated
from watchword.errors import EventError
from watchword.kernels.paths import drive, handlers
from watchword.kernels.paths.asked import Asked
from watchword.kernels.paths.settle import Conditions
from watchword.paths.parsing import expat
from watchword.paths.parsing.batch import BY_PLAIN, most_codes, reason
from watchword.paths.parsing.guards import Guards, empty, is_blank, too_large
from watchword.paths.parsing.plain import Lookup, PlainParser
from watchword.paths.parsing.settling import Settler

_NONE: Int32 = np.empty(0, np.int32)

_PIECE = drive.PIECE
"""Bytes parsed at once, if no token is larger."""


class ChunkedDocument:
    """The reader of one document."""

    def __init__(
        self,
        asked: Asked,
        conditions: Conditions,
        guards: Guards,
        *,
        namespaces: bool = False,
        decoded: bool = False,
    ) -> None:
        """Chunks are UTF-8 if they are `decoded`, whatever encoding the document declares."""
        self._guards = guards
        self._settler = Settler(asked, conditions, guards.max_depth)
        self._reader: _KernelReader | _PlainReader = _PlainReader(asked, guards, namespaces, decoded)
        functions = expat.functions()
        if functions is not None:
            self._reader = _KernelReader(functions, self._reader)
        self._waiting = bytearray()
        self._late: list[Int32] = []
        self._total = 0

    def feed(self, chunk: bytes) -> Int32:
        """Take a chunk, and return the moves that are ready."""
        self._total += len(chunk)
        if self._total > self._guards.max_bytes:
            raise EventError(too_large(self._guards))
        if not self._waiting and len(chunk) >= self._reader.wanted:
            return self._parse(chunk, final=False)
        self._waiting += chunk
        if len(self._waiting) < self._reader.wanted:
            return _NONE
        return self._parse(self._take_chunks(), final=False)

    def close(self) -> Int32:
        """Return the last moves; raises `EventError` if the document is not complete."""
        if self._total == len(self._waiting) and is_blank(self._waiting):
            raise EventError(empty())
        return self._parse(self._take_chunks(), final=True)

    def _take_chunks(self) -> bytes:
        data, self._waiting = bytes(self._waiting), bytearray()
        return data

    def _parse(self, data: bytes, *, final: bool) -> Int32:
        raw = self._reader.read(data, final=final)
        if isinstance(raw, bytes):  # one for handlers in Python
            self._reader = self._reader.instead
            raw = self._reader.read(raw, final=final)
            assert not isinstance(raw, bytes)
        if not self._settler.late:
            return self._settler.moves(raw)
        self._late.append(raw)
        return self._settler.moves(concatenated(self._late, np.int32)) if final else _NONE


class _PlainReader:
    """Reads by handlers in Python."""

    def __init__(self, asked: Asked, guards: Guards, namespaces: bool, decoded: bool) -> None:
        self.asked, self.guards, self.namespaces, self.decoded = asked, guards, namespaces, decoded
        self.wanted = _PIECE
        self.instead = self
        self._parser: PlainParser | None = None

    def read(self, data: bytes, *, final: bool) -> Int32 | bytes:
        """Return the raw codes of more bytes."""
        if self._parser is None:
            lookup = Lookup(self.asked)
            self._parser = PlainParser(lookup, self.guards, namespaces=self.namespaces, decoded=self.decoded)
        before = self._parser.offset
        self._parser.feed(data, final=final)
        self.wanted = 2 * self.wanted if self._parser.offset == before else _PIECE
        return self._parser.take()


class _KernelReader:
    """Reads by kernels, as long as the document is one for them."""

    def __init__(self, functions: Int64, instead: _PlainReader) -> None:
        """`instead` reads the document if it is not one for kernels."""
        asked, guards, self.instead = instead.asked, instead.guards, instead
        self._functions = functions
        self._state = np.zeros(handlers.PLACES, np.int64)
        self._node = np.empty(max(0, asked.limits[0]) + 8, np.uint8)
        self._outcome = np.zeros(drive.OUTCOME, np.int64)
        self._begin: list[bytes] = []
        kind = drive.Kind(instead.namespaces, bool(asked.limits[0] >= 0), guards.max_depth, guards.max_bytes)
        handlers.set_asked(self._state, asked, self._node, guards.max_depth)
        drive.begin_document(self._outcome)
        self._parser = drive.open_parser(functions, self._state, instead.decoded, kind)
        if not self._parser:
            raise MemoryError("no memory for a parser")
        weakref.finalize(self, drive.close_parser, functions, self._parser)

    @property
    def wanted(self) -> int:
        """Return the number of bytes to feed at once, so that a large token is not scanned again and again."""
        return int(self._outcome[drive.NEXT])

    def read(self, data: bytes, *, final: bool) -> Int32 | bytes:
        """Return the raw codes of more bytes; or all bytes so far, if the document is one for handlers in Python."""
        began = self._state[handlers.ELEMENTS] > 0
        if not began:
            self._begin.append(data)
        view = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
        codes = np.empty(most_codes(len(data)) + 2 * int(self.instead.asked.limits[1]) + 64, np.int32)
        handlers.set_codes(self._state, codes, 0)
        address = view.ctypes.data
        span = (address, address + len(data))
        if not drive.feed_parser(self._functions, self._parser, self._state, span, final, self._outcome):
            if not began and self._outcome[drive.CODE] in BY_PLAIN:
                return b"".join(self._begin)
            raise EventError(reason(self._outcome, self.instead.guards))
        if self._state[handlers.ELEMENTS] > 0:
            self._begin.clear()
        return codes[: self._state[handlers.FILL]]
