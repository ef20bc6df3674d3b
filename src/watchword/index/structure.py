"""What every method of every language is: a mutable set of rows with payloads that can be asked which rows an event
satisfies.

What a row is, and what an event, is the language's business: term numbers for `sets`, words with gaps for patterns.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

from watchword.arrays import Int32
from watchword.index.hits import Hits
from watchword.parts import Part as Part

Batch = TypeVar("Batch")
Row = TypeVar("Row")
Events = TypeVar("Events")


class Structure(Part, Generic[Batch, Row, Events]):
    """A mutable set of ``(row, payload)`` that finds the rows which an event satisfies.

    A payload is an int32 that belongs to one row at a time, and is handed back untouched when the row is satisfied.
    Changes come one at a time, and while none is under way any number of threads may match: the index sees to that
    (`index.gate`).
    """

    operation: ClassVar[str]
    """What `Hits.operations` counts, as a plural noun: ``"counter decrements"``."""

    @abstractmethod
    def add(self, rows: Batch, payloads: Int32) -> None:
        """Add rows, one or millions, on top of those already there."""

    @abstractmethod
    def remove(self, row: Row, payload: int) -> None:
        """Remove the row that was added with this payload; a `KeyError` if there is none such."""

    @abstractmethod
    def match(self, events: Events) -> Hits:
        """Find the rows that each event satisfies. What it learns on the way changes no answer."""

    @abstractmethod
    def stats(self) -> Mapping[str, float]:
        """Return the method's figures; always among them ``bytes``, and ``nodes`` or ``postings``."""

    @property
    def bytes(self) -> int:
        """Return the bytes in use, spare capacity left out."""
        return int(self.stats()["bytes"])
