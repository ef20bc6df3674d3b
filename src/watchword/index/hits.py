"""What a structure finds for a batch of events, and the buffer in which it is collected.

Every method of every language stores subscriptions under *payloads*, int32 numbers that it hands back untouched when
an event satisfies them. Two events; the first found the payloads 7 and 3::

    Hits(offsets=[0, 2, 2], payloads=[7, 3], operations=12)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, distinct_numbers, resized
from watchword.kernels.merge import interleave


class Hits(NamedTuple):
    """The payloads found for a batch: event `i` found ``payloads[offsets[i]:offsets[i + 1]]``.

    Each payload once, in no promised order. `operations` is the method's unit of work summed over the batch:
    membership tests, postings, counter decrements, nodes visited.
    """

    offsets: Int64
    payloads: Int32
    operations: int

    @property
    def events(self) -> int:
        """Return the number of events."""
        return len(self.offsets) - 1


Step = Callable[[int, int, Int64, Int32], tuple[int, int, int]]
"""A kernel bound to its events and its state: ``step(first, used, offsets, payloads)`` matches events from `first` on,
as far as the buffer `payloads` reaches.

It writes the payloads of an event behind those of the event before, starting at ``payloads[used]``, and ``offsets[event
+ 1]``. An event whose payloads do not fit is left out whole, and with it all that follow. It returns the first event
not done, the buffer's new fill, and the operations spent on the events done. Every matching kernel has these four as
its last arguments, so that ``partial(kernel, events, state)`` is a step."""


def collect(count: int, step: Step, per_event: int = 16) -> Hits:
    """Run `step` over `count` events, with a buffer that grows until everything fits."""
    offsets = np.zeros(count + 1, np.int64)
    payloads = np.empty(max(1024, count * per_event), np.int32)
    first = used = operations = 0
    while first < count:
        reached, used, spent = step(first, used, offsets, payloads)
        operations += spent
        if reached < count:
            payloads = resized(payloads, 2 * len(payloads))
        first = reached
    return Hits(offsets, payloads[:used], operations)


def ordered(hits: Hits) -> Hits:
    """Return the payloads of each event in ascending order."""
    keys = _keys(hits, np.arange(hits.events))
    keys.sort()
    return hits._replace(payloads=_payloads(keys))


def united(hits: Hits, groups: Int64) -> Hits:
    """Return hits by event from hits by text; `groups` has the borders between the texts of events."""
    events = np.repeat(np.arange(len(groups) - 1), np.diff(groups))
    keys = distinct_numbers(_keys(hits, events))
    offsets = np.searchsorted(keys, np.arange(len(groups)) << 32)
    return Hits(offsets, _payloads(keys), hits.operations)


def _keys(hits: Hits, events: Int64) -> Int64:
    """Return event and payload of each pair in one number."""
    return np.repeat(events << 32, np.diff(hits.offsets)) | hits.payloads


def _payloads(keys: Int64) -> Int32:
    return (keys & 0xFFFFFFFF).astype(np.int32)


def merged(hits: Hits, more: Hits) -> Hits:
    """Return the hits of two structures for the same events together."""
    if not len(hits.payloads):
        return more._replace(operations=hits.operations + more.operations)
    payloads = np.empty(len(hits.payloads) + len(more.payloads), np.int32)
    interleave(hits.offsets, hits.payloads, more.offsets, more.payloads, payloads)
    return Hits(hits.offsets + more.offsets, payloads, hits.operations + more.operations)
