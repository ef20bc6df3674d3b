"""Pieces of an index's state: saved, opened, renumbered and weighed by the index, all alike."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from watchword.arrays import Arrays, Int32


class Part(ABC):
    """A named piece of a language's state. The index saves, opens, renumbers and weighs all of them alike."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the whole state as flat arrays for a snapshot, without unused room at their ends.

        They may share memory with this part; whoever asks has made sure that it is not changed meanwhile.
        """

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned, in a part that is still empty.

        The arrays may be private memory maps: reading one page costs one page, writing is allowed and stays in this
        process.
        """

    def prepare(self) -> None:  # noqa: B027  (most parts have nothing to prepare)
        """Do the slow work of `renumber` and `condense` ahead, while other threads may read but none may change."""

    def condense(self) -> None:  # noqa: B027
        """Bring the state into the form that is saved; called before `arrays`, while no thread reads."""

    def renumber(self, payloads: Int32) -> None:  # noqa: B027  (most parts have no payloads)
        """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``; larger ones stay."""

    @property
    @abstractmethod
    def bytes(self) -> int:
        """Return the bytes in use, spare capacity left out."""


class Counters(Part):
    """Integers that their owner keeps in a dictionary, beside its larger parts.

    It does not know the owner, who has this part: two objects that know each other keep their memory, here that of a
    whole index, until Python looks for cycles.

    >>> counts = {"plain": 1}
    >>> counters = Counters(counts)
    >>> counts["plain"] += 1
    >>> counters.arrays()
    {'plain': array([2])}
    """

    def __init__(self, counts: dict[str, int]) -> None:
        self._counts = counts

    def arrays(self) -> Arrays:
        """Return one array of one number for each."""
        return {name: np.array([count], np.int64) for name, count in self._counts.items()}

    def restore(self, arrays: Arrays) -> None:
        """Give the owner what `arrays` returned."""
        for name in self._counts:
            self._counts[name] = int(arrays[name][0])

    @property
    def bytes(self) -> int:
        """Return eight bytes for each."""
        return 8 * len(self._counts)
