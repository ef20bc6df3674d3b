"""What a structure finds for a batch of events, and the buffer that it is collected in.

Every method of every language stores subscriptions under *payloads*, int32 numbers that it hands back untouched when
an event satisfies them.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from watchword.arrays import Int32, Int64, resized
from watchword.kernels.merge import interleave


class Hits(NamedTuple):
    """The payloads found for a batch of events.

    Event `i` found ``payloads[ends[i - 1]:ends[i]]`` (from 0 for the first), each payload once, in no promised
    order. `operations` is the method's unit of work summed over the batch: membership tests, postings, counter
    decrements, nodes visited.
    """

    ends: Int64
    payloads: Int32
    operations: int


class Step(Protocol):
    """A kernel bound to its arrays: match events from `first` on, as far as the buffer reaches.

    It writes the payloads of event `i` behind those of event ``i - 1``, starting at ``used``, and
    ``ends[i]``. An event whose payloads do not fit is left out whole, and with it all that follow.
    Returns the first event not done, the buffer's new fill and the operations spent on the events done.
    """

    def __call__(self, first: int, used: int, ends: Int64, payloads: Int32) -> tuple[int, int, int]: ...


def collect(count: int, step: Step, per_event: int = 16) -> Hits:
    """Run `step` over `count` events, with a buffer that grows until everything fits."""
    ends = np.empty(count, np.int64)
    payloads = np.empty(max(1024, count * per_event), np.int32)
    first = used = operations = 0
    while first < count:
        reached, used, spent = step(first, used, ends, payloads)
        operations += spent
        if reached < count:
            payloads = resized(payloads, 2 * len(payloads))
        first = reached
    return Hits(ends, payloads[:used], operations)


def merged(hits: Hits, more: Hits) -> Hits:
    """Return what two structures found for the same events."""
    payloads = np.empty(len(hits.payloads) + len(more.payloads), np.int32)
    interleave(hits.ends, hits.payloads, more.ends, more.payloads, payloads)
    return Hits(hits.ends + more.ends, payloads, hits.operations + more.operations)
