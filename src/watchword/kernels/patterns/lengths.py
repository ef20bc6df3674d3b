"""Answers of two kinds for the same events, put together."""

from __future__ import annotations

from watchword.kernels.jit import kernel


@kernel
def append_prefixes(ends, payloads, more, new_ends, found):
    """Copy each event's payloads to `found`, and fill up with the first of `more`.

    Event `i` has ``payloads[ends[i - 1]:ends[i]]`` and gets ``found[new_ends[i - 1]:new_ends[i]]``.
    """
    start = fill = 0
    for event in range(len(ends)):
        for at in range(start, ends[event]):
            found[fill] = payloads[at]
            fill += 1
        start = ends[event]
        for at in range(new_ends[event] - fill):
            found[fill + at] = more[at]
        fill = new_ends[event]
