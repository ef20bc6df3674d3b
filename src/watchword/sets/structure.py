"""What every method of the keyword language must be: a store of conjunctions over term numbers.

Above this line live text, ids, OR and NOT; below it a conjunction is a row of distinct term numbers with a
*payload*, an int32 that the structure hands back untouched when an item covers the row. A payload belongs to
one row at a time. The caller has put each row's terms, and each item's, into the order that the structure
asks for (`Structure.order`), and never passes an empty row.

Layout of rows and items: CSR. Row `i` has the terms ``terms[offsets[i]:offsets[i + 1]]``; `offsets` is int64
and starts at 0, `terms` is int32.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

from watchword.arrays import Arrays, Int32, Int64
from watchword.index.hits import Hits


class Rows(NamedTuple):
    """Term numbers in CSR form: subscriptions' conjunctions, or items."""

    offsets: Int64
    terms: Int32

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Structure(ABC):
    """A mutable set of ``(row, payload)`` that finds the rows covered by an item."""

    order: ClassVar[str | None] = None
    """The term order that rows and items must come in: ``None`` (as in the text), ``"rank"`` (frequent terms
    first) or ``"reverse-rank"`` (rare terms first). A method may let the user choose."""

    reads_repeats: ClassVar[bool] = False
    """Whether an item may come as it was read: its terms repeat, and are -1 where unknown."""

    operation: ClassVar[str]
    """What `Hits.operations` counts, as a plural noun: ``"counter decrements"``."""

    @abstractmethod
    def load(self, rows: Rows, payloads: Int32) -> None:
        """Add many rows at once, on top of those already there."""

    @abstractmethod
    def add(self, terms: Int32, payload: int) -> None:
        """Add one row."""

    @abstractmethod
    def remove(self, terms: Int32, payload: int) -> None:
        """Remove a row that was added with these terms and this payload; a `KeyError` if there is none."""

    @abstractmethod
    def match(self, items: Rows) -> Hits:
        """Find the rows covered by each item. Changes nothing: several threads may call it at once."""

    @abstractmethod
    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""

    @abstractmethod
    def stats(self) -> Mapping[str, float]:
        """Return the figures that the thesis reports for this structure.

        Always among them: ``bytes`` (in use, spare capacity left out), and ``nodes`` or ``postings``.
        """

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the whole state as flat arrays, trimmed to what is in use, for a snapshot."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes. The arrays may be private memory maps: reading one
        page costs one page, writing is allowed and stays in this process."""
