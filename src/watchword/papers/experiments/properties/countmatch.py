"""CountMatch as the paper has it (section 3): a star is a predicate that every event satisfies, and is counted.

The index's own method ``count`` has no postings for stars, and so has nothing to update for them; the paper's updates
the counter of every subscription that has a star at a property, at each property. Of two properties:

>>> rows = np.array([list(b"*1"), list(b"00")], np.uint8)
>>> match = CountMatch(rows)
>>> events = np.array([list(b"01")], np.uint8)
>>> match(events).payloads.tolist(), match(events).operations
([0], 3)

The event has 0, a star, 1 and a star to offer: the first subscription is counted twice, and found, the second once.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import UInt8
from watchword.index.hits import Hits
from watchword.sets.count import Count
from watchword.sets.rows import Rows

_ZERO, _STAR = ord("0"), ord("*")


class CountMatch:
    """Counters of all subscriptions, and a list for each property and each of 0, 1 and the star: atoms 3 p to 3 p + 2.

    Subscriptions and events are matrices of characters (`workloads.properties`).
    """

    def __init__(self, subscriptions: UInt8) -> None:
        count, width = subscriptions.shape
        signs = np.where(subscriptions == _STAR, 2, subscriptions.astype(np.int32) - _ZERO)
        self._count = Count()
        self._count.add(_rows(3 * np.arange(width) + signs), np.arange(count, dtype=np.int32))

    def __call__(self, events: UInt8) -> Hits:
        """Return what events satisfy, and the counters updated for all of them."""
        places = 3 * np.arange(events.shape[1])
        own = places + events.astype(np.int32) - _ZERO
        stars = np.broadcast_to(places + 2, own.shape)
        return self._count.match(_rows(np.sort(np.concatenate([own, stars], axis=1), axis=1)))


def _rows(atoms: object) -> Rows:
    matrix = np.asarray(atoms, np.int32)
    return Rows(np.arange(len(matrix) + 1, dtype=np.int64) * matrix.shape[1], matrix.ravel())
