"""What every method of every language is: a mutable set of rows with payloads that can be asked which rows an event
satisfies; and what every piece of an index's state is, a structure or not: a `Part`.

What a row is, and what an event, is the language's business: term numbers for `sets`, words with gaps for patterns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Generic, TypeVar

import numpy as np

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits

Batch = TypeVar("Batch")
Row = TypeVar("Row")
Events = TypeVar("Events")


class Part(ABC):
    """A named piece of a language's state. The index saves, opens, renumbers and weighs all of them alike."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the whole state as flat arrays, trimmed to what is in use, for a snapshot.

        They may share memory with this part; whoever asks has made sure that it is not changed meanwhile.
        """

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned, in a part that is still empty.

        The arrays may be private memory maps: reading one page costs one page, writing is allowed and stays in this
        process.
        """

    def renumber(self, payloads: Int32) -> None:  # noqa: B027  (most parts have no payloads)
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """Return the bytes in use, spare capacity left out."""


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


class Counters(Part):
    """Integers by name, which a language keeps beside its larger parts.

    >>> counters = Counters(plain=0)
    >>> counters["plain"] += 2
    >>> counters.arrays()
    {'plain': array([2])}
    """

    def __init__(self, **values: int) -> None:
        self._values = values

    def __getitem__(self, name: str) -> int:
        return self._values[name]

    def __setitem__(self, name: str, value: int) -> None:
        self._values[name] = value

    def arrays(self) -> Arrays:
        """Return one array of one number for each."""
        return {name: np.array([value], np.int64) for name, value in self._values.items()}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._values = {name: int(arrays[name][0]) for name in self._values}

    @property
    def bytes(self) -> int:
        """Return eight bytes for each."""
        return 8 * len(self._values)
