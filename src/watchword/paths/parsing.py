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
from watchword.paths import expat
from watchword.paths.guards import (
    NO_ELEMENTS,
    UNKNOWN_ENCODING,
    Guards,
    Place,
    empty,
    is_blank,
    malformed,
    too_deep,
    too_large,
)
from watchword.paths.plain import Lookup, PlainParser
from watchword.paths.rows import Walk
from watchword.paths.settling import Settler
from watchword.strings import Strings

DEEP, SUBSET = drive.STOPPED - handlers.DEEP, drive.STOPPED - handlers.SUBSET

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
    """Return how many codes so many bytes have, at most."""
    return size * 5 // 8 + 16


def reason(outcome: Int64, guards: Guards) -> str:
    """Say why a kernel could not read a document."""
    code, place = int(outcome[drive.CODE]), Place(int(outcome[drive.LINE]), int(outcome[drive.COLUMN]))
    if code == drive.TOO_LARGE:
        return too_large(guards)
    if code == DEEP:
        return too_deep(guards)
    if code < 0:
        raise AssertionError(f"a parser stopped with {code}")
    return malformed(code, place)


class _BatchParser:
    """Reads the documents of one batch."""

    def __init__(self, asked: Asked, guards: Guards, *, namespaces: bool) -> None:
        self._asked, self._guards, self._namespaces = asked, guards, namespaces
        self._kind = drive.Kind(namespaces, bool(asked.limits[0] >= 0), guards.max_depth, guards.max_bytes)
        self._outcome = np.zeros(drive.OUTCOME, np.int64)
        self._lookup: Lookup | None = None

    def parse(self, batch: drive.Batch) -> Int32:
        """Return the raw codes of all documents."""
        functions, count = expat.functions(), len(batch.offsets) - 1
        codes, fill = np.empty(most_codes(len(batch.data)), np.int32), np.zeros(1, np.int64)
        state, node = np.zeros(handlers.PLACES, np.int64), np.empty(max(0, self._asked.limits[0]) + 8, np.uint8)
        done = 0
        while done < count:
            if functions is not None:
                work = (state, node, codes, fill)
                done = drive.parse_documents(functions, self._asked, self._kind, batch, done, work, self._outcome)
                if done == count:
                    break
                self._refuse(batch, done)
            plain = self._plain(batch, done)
            codes[fill[0] : fill[0] + len(plain)] = plain
            fill[0] += len(plain)
            done += 1
        return codes[: fill[0]]

    def _refuse(self, batch: drive.Batch, document: int) -> None:
        """Raise, unless the document is one for handlers in Python."""
        code = self._outcome[drive.CODE]
        if code == NO_ELEMENTS and is_blank(_bytes(batch, document)):
            raise EventError(empty(), position=document)
        if code not in BY_PLAIN:
            raise EventError(reason(self._outcome, self._guards), position=document)

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
