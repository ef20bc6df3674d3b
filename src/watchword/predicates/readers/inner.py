"""`InnerReader`: reads an attribute with an index of another language, whose slots are the atoms of the predicates.

With ``url MATCHES PATTERN '/ads/*'`` as atom 3, the reader of `url` has an index of patterns with ``/ads/*`` in slot 3,
and a value in which it finds slot 3 has the point 3.

The state is that of the inner index, its parts under their names. The index is made when the first predicate comes, or,
of a snapshot, when the first value is read.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pyarrow as pa

from watchword.arrays import Arrays, prefixed, under
from watchword.errors import EventError
from watchword.index.arrow import decode_dictionary, may_hold_texts
from watchword.index.events import decoded
from watchword.locks import ForkSafe
from watchword.predicates.events.held import Placed, nothing_placed
from watchword.predicates.predicate import Path
from watchword.predicates.readers.reader import AttributeReader, Surroundings

if TYPE_CHECKING:
    from watchword.index import Language

Inner = TypeVar("Inner", bound="Language")


class InnerReader(AttributeReader, Generic[Inner]):
    """Reads an attribute with an index of its own."""

    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        self._path, self._surroundings = path, surroundings
        self._saved: Arrays = {}
        self._index: Inner | None = None
        self._guard = ForkSafe()

    @abstractmethod
    def make(self) -> Inner:
        """Return an empty index."""

    @property
    def inner(self) -> Inner:
        """Return the index of the predicates."""
        with self._guard.lock:
            if self._index is None:
                made = self.make()
                if self._saved:
                    for name, part in made.parts.items():
                        part.restore(under(name, self._saved))
                self._index, self._saved = made, {}
            return self._index

    # snapshots

    def prepare(self) -> None:
        """Prepare the parts of the index."""
        if self._index is not None:
            for part in self._index.parts.values():
                part.prepare()

    def condense(self) -> None:
        """Bring the parts of the index into the form that is saved."""
        if self._index is not None:
            for part in self._index.parts.values():
                part.condense()

    def arrays(self) -> Arrays:
        """Return the parts of the index."""
        if self._index is None:
            return self._saved
        found: Arrays = {}
        for name, part in self._index.parts.items():
            found |= prefixed(name, part.arrays())
        return found

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        if self._index is None:
            self._saved = arrays

    @property
    def bytes(self) -> int:
        """Return the bytes of the index."""
        if self._index is None:
            return sum(array.nbytes for array in self._saved.values())
        return sum(part.bytes for part in self._index.parts.values())


_FEW = 64
"""Up to how many patterns the inner index is packed at each change: searching one text for packed patterns takes 6 µs
instead of 50, and packing so few a millisecond."""


_SETTLED = 16
"""An inner index is packed if it has at most this many rows for each subscription that was stored."""


class TextReader(InnerReader[Inner]):
    """Reads texts with an index of its own: strings, and bytes of UTF-8. Values of other kinds have no points."""

    about = "texts"
    reads_bytes = True

    def pack_few(self) -> None:
        """Pack the inner index while it has few rows."""
        if len(self.inner.structure) <= _FEW:
            self.inner.structure.condense()

    def settle(self, count: int) -> None:
        """Pack the inner index unless it has many more rows than subscriptions were stored."""
        if self._index is not None and len(self._index.structure) <= _SETTLED * count:
            self._index.structure.condense()

    @abstractmethod
    def points_of_texts(self, texts: pa.Array) -> Placed:
        """Return the atoms that hold in each text of a column of strings or binaries."""

    def points_of_text(self, text: Any) -> list[int]:
        """Return the atoms that hold in a `str`, or in bytes."""
        found: list[int] = self.inner.find_one(text)[0].tolist()
        return found

    def points(self, values: list[Any]) -> list[int]:
        """Return the atoms that hold in one of the texts."""
        found: list[int] = []
        for row, value in enumerate(values):
            if isinstance(value, str | bytes | bytearray | memoryview):
                try:
                    found += self.points_of_text(value if isinstance(value, str) else bytes(value))
                except EventError as error:
                    raise EventError(error.reason, position=row) from None
        return found

    def place(self, column: pa.Array) -> Placed:
        """Return the atoms that hold in each text of a column; each text of a dictionary is read once."""
        if pa.types.is_dictionary(column.type) and may_hold_texts(column.type.value_type):
            if len(column.dictionary) > len(column):
                return self.place(decode_dictionary(column))
            return self.points_of_texts(column.dictionary).taken(column.indices.to_numpy(zero_copy_only=False))
        if not may_hold_texts(column.type):
            return nothing_placed(len(column))
        return self.points_of_texts(column)


def text_or_none(value: Any) -> str | None:
    """Return a value that is a text, also in bytes of UTF-8; None for any other.

    >>> text_or_none(b"caf\\xc3\\xa9"), text_or_none(7), text_or_none(b"\\xff")
    ('caf\xe9', None, None)
    """
    try:
        text = decoded(value, 0)
    except EventError:
        return None
    return text if isinstance(text, str) else None
