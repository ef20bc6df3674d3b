"""What the language keeps beside a method's structure: subscriptions that ask nothing, and how often literals are used.

>>> blanks = Blanks()
>>> blanks.add(np.array([4, 9], np.int32))
>>> hits = blanks.extend(Hits(np.array([0, 1, 1]), np.array([7], np.int32), 0))
>>> hits.offsets.tolist(), hits.payloads.tolist()
([0, 3, 5], [7, 4, 9, 4, 9])
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Arrays, Int32
from watchword.index.hits import Hits
from watchword.kernels.merge import append_prefixes
from watchword.kernels.tally import tally
from watchword.parts import Part
from watchword.sets.numbering import renumber_payloads


class Blanks(Part):
    """The payloads of subscriptions that every event satisfies, such as ``***``."""

    def __init__(self) -> None:
        self._payloads: dict[int, None] = {}
        self._array: Int32 | None = None

    def __len__(self) -> int:
        return len(self._payloads)

    def add(self, payloads: Int32) -> None:
        """Add payloads that are not there yet."""
        self._array = None
        self._payloads.update(dict.fromkeys(payloads.tolist()))

    def remove(self, payload: int) -> None:
        """Remove a payload; raises `KeyError` if it is not there."""
        self._array = None
        del self._payloads[payload]

    def extend(self, hits: Hits) -> Hits:
        """Return the hits, and with them all payloads for each event."""
        held = self._held()
        offsets = hits.offsets + len(held) * np.arange(hits.events + 1)
        payloads = np.empty(offsets[-1], np.int32)
        append_prefixes(hits.offsets, hits.payloads, held, offsets, payloads)
        return Hits(offsets, payloads, hits.operations + hits.events)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads."""
        held = self._held().copy()
        renumber_payloads(held, payloads)
        self._payloads = {}
        self.add(held)

    def arrays(self) -> Arrays:
        """Return the payloads."""
        return {"payloads": self._held()}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.add(arrays["payloads"])

    @property
    def bytes(self) -> int:
        """Return four bytes for each."""
        return 4 * len(self)

    def _held(self) -> Int32:
        """Return the payloads as an array. Threads that race here make equal arrays."""
        held = self._array
        if held is None:
            held = self._array = np.fromiter(self._payloads, np.int32, len(self._payloads))
        return held


class Uses(Part):
    """How many subscriptions ask for each literal, and how many subscriptions there are."""

    def __init__(self, literals: int) -> None:
        self._counts: Int32 = np.zeros(literals, np.int32)
        self.subscriptions = 0

    def count(self, literals: Int32, subscriptions: int, by: int) -> None:
        """Count the literals of some subscriptions: `by` more, or less, of each."""
        tally(self._counts, literals, by)
        self.subscriptions += by * subscriptions

    @property
    def in_use(self) -> int:
        """Return how many literals are asked for."""
        return int(np.count_nonzero(self._counts))

    def arrays(self) -> Arrays:
        """Return the counts."""
        return {"counts": self._counts, "subscriptions": np.array([self.subscriptions], np.int64)}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._counts, self.subscriptions = np.asarray(arrays["counts"]), int(arrays["subscriptions"][0])

    @property
    def bytes(self) -> int:
        """Return four bytes for each literal."""
        return int(self._counts.nbytes)
