"""Values of many events, put together by event: a counting sort by owner, which keeps the order within an event.

With owners ``0 1 0`` and values ``5 6 7`` of two events, grouped is ``5 7 6`` and offsets ``0 2 3``.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel


@kernel
def group_by_owner(owners, values, offsets, grouped):
    """Write the values of each event one after the other, and where each event's begin. `owners` has the event of each
    value; `offsets` are zeros, one more than events."""
    for owner in owners:
        offsets[owner + 1] += 1
    for event in range(len(offsets) - 1):
        offsets[event + 1] += offsets[event]
    for k in range(len(owners)):
        grouped[offsets[owners[k]]] = values[k]
        offsets[owners[k]] += 1
    for event in range(len(offsets) - 1, 0, -1):
        offsets[event] = offsets[event - 1]
    offsets[0] = 0
