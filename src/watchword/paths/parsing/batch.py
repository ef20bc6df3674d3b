"""Whole documents in memory, many at once: from their bytes to a walk.

The loop over a batch runs in one call of a kernel, without the interpreter. It stops at a document that it cannot read,
or that only handlers in Python look after; that one is read by those, and the loop goes on behind it. With the label 1
for a::

    strings   <a/>, <!DOCTYPE a []><a/>, <b/>
    walk      1 END 1 END 0 END, three documents, the second by handlers in Python

How many codes documents have at most is known from their bytes. Text and a tag, ``x<a/>``, are 5 bytes and 3 codes, and
nothing has more: an attribute, `` a=""``, is 5 bytes and 2 codes.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, Int64, UInt8
from watchword.errors import EventError
from watchword.kernels.paths import drive, handlers
from watchword.kernels.paths.asked import Asked
from watchword.kernels.paths.settle import Conditions
from watchword.paths.parsing import expat
from watchword.paths.parsing.guards import (
    NO_ELEMENTS,
    UNKNOWN_ENCODING,
    Guards,
    Position,
    empty,
    is_blank,
    malformed,
    too_deep,
    too_large,
)
from watchword.paths.parsing.plain import Lookup, PlainParser
from watchword.paths.parsing.settling import Settler
from watchword.paths.rows import Walk
from watchword.strings import Strings

DEEP, SUBSET = drive.STOPPED - handlers.DEEP, drive.STOPPED - handlers.SUBSET

_AT_ONCE = 4096
"""The most documents of a stream that a kernel parses in one call."""

BY_PLAIN = (SUBSET, UNKNOWN_ENCODING)
"""The outcomes after which a document is read by handlers in Python."""


def parse_batch(
    strings: Strings,
    asked: Asked,
    conditions: Conditions,
    guards: Guards,
    *,
    namespaces: bool = False,
    decoded: UInt8 | None = None,
) -> Walk:
    """Return the walk of documents; raise `EventError` for the first that cannot be read.

    Where ``decoded[i]`` is 1, document `i` was a `str`, and what encoding it declares is void.
    """
    if decoded is None:
        decoded = np.zeros(strings.count, np.uint8)
    parser = _BatchParser(asked, guards, namespaces=namespaces)
    raw = parser.parse(drive.Batch(strings.data, strings.offsets, decoded))
    return Walk(Settler(asked, conditions, guards.max_depth).moves(raw), strings.count)


def most_codes(size: int) -> int:
    """Return the most codes that `size` bytes of documents can have."""
    return size * 5 // 8 + 16


def reason(outcome: Int64, guards: Guards) -> str:
    """Return the error for a document that a kernel could not read."""
    code, place = int(outcome[drive.CODE]), Position(int(outcome[drive.LINE]), int(outcome[drive.COLUMN]))
    if code == drive.TOO_LARGE:
        return too_large(guards)
    if code == DEEP:
        return too_deep(guards)
    if code < 0:
        raise AssertionError(f"a parser stopped with {code}")
    return malformed(code, place)


class KernelParser:
    """The functions of expat for kernels, and the arrays in which they work."""

    def __init__(self, functions: Int64, asked: Asked, guards: Guards, *, namespaces: bool) -> None:
        self._functions, self._asked = functions, asked
        self._kind = drive.Kind(namespaces, bool(asked.limits[0] >= 0), guards.max_depth, guards.max_bytes)
        self._state = np.zeros(handlers.PLACES, np.int64)
        self._node = np.empty(max(0, asked.limits[0]) + 8, np.uint8)
        self.outcome = np.zeros(drive.OUTCOME, np.int64)

    @classmethod
    def of(cls, asked: Asked, guards: Guards, *, namespaces: bool) -> KernelParser | None:
        """Return a parser, or None if expat cannot be driven from kernels."""
        functions = expat.functions()
        return None if functions is None else cls(functions, asked, guards, namespaces=namespaces)

    def batch(self, batch: drive.Batch, first: int, codes: Int32, fill: Int64) -> int:
        """Parse documents from number `first` on; return the first that cannot be read, or their number."""
        work = (self._state, self._node, codes, fill)
        return int(drive.parse_documents(self._functions, self._asked, self._kind, batch, first, work, self.outcome))

    def stream(self, data: UInt8, *, decoded: bool) -> tuple[Int32, list[tuple[int, int]]]:
        """Parse concatenated documents; returns codes, and the code and byte after which each document ends."""
        codes, fill = np.empty(most_codes(len(data)), np.int32), np.zeros(1, np.int64)
        ends = np.empty((_AT_ONCE, 2), np.int64)
        work = (self._state, self._node, codes, fill)
        count = drive.parse_stream(self._functions, self._asked, self._kind, data, decoded, work, ends)
        return codes, ends[:count].tolist()


class _BatchParser:
    """Reads the documents of one batch."""

    def __init__(self, asked: Asked, guards: Guards, *, namespaces: bool) -> None:
        self._asked, self._guards, self._namespaces = asked, guards, namespaces
        self._kernels = KernelParser.of(asked, guards, namespaces=namespaces)
        self._lookup: Lookup | None = None

    def parse(self, batch: drive.Batch) -> Int32:
        """Return the raw codes of all documents."""
        count = len(batch.offsets) - 1
        codes, fill = np.empty(most_codes(len(batch.data)), np.int32), np.zeros(1, np.int64)
        done = 0
        while done < count:
            if self._kernels is not None:
                done = self._kernels.batch(batch, done, codes, fill)
                if done == count:
                    break
                self._refuse(batch, done, self._kernels.outcome)
            plain = self._plain(batch, done)
            codes[fill[0] : fill[0] + len(plain)] = plain
            fill[0] += len(plain)
            done += 1
        return codes[: fill[0]]

    def _refuse(self, batch: drive.Batch, document: int, outcome: Int64) -> None:
        """Raise, unless the document is one for handlers in Python."""
        code = outcome[drive.CODE]
        if code == NO_ELEMENTS and is_blank(_bytes(batch, document)):
            raise EventError(empty(), position=document)
        if code not in BY_PLAIN:
            raise EventError(reason(outcome, self._guards), position=document)

    def _plain(self, batch: drive.Batch, document: int) -> Int32:
        data = _bytes(batch, document)
        self._lookup = self._lookup or Lookup(self._asked)
        decoded = bool(batch.decoded[document])
        parser = PlainParser(self._lookup, self._guards, namespaces=self._namespaces, decoded=decoded)
        try:
            if len(data) > self._guards.max_bytes:
                raise EventError(too_large(self._guards))
            parser.feed(data, final=True)
        except EventError as error:
            raise EventError(empty() if is_blank(data) else error.reason, position=document) from None
        return parser.take()


def _bytes(batch: drive.Batch, document: int) -> bytes:
    return batch.data[batch.offsets[document] : batch.offsets[document + 1]].tobytes()
