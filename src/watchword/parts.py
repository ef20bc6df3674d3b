"""Pieces of an index's state: saved, opened, renumbered and weighed by the index, all alike."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from watchword.arrays import Arrays, Int32


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

    def prepare(self) -> None:  # noqa: B027  (most parts have nothing to prepare)
        """Do aside what `renumber` and `condense` would take long for, while others read but nobody changes."""

    def condense(self) -> None:  # noqa: B027
        """Bring the state into the form that is saved; called before `arrays`, while nobody reads."""

    def renumber(self, payloads: Int32) -> None:  # noqa: B027  (most parts have no payloads)
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """Return the bytes in use, spare capacity left out."""


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
