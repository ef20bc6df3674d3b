"""Two sets of hits as one."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel


@kernel
def interleave(offsets, payloads, more_offsets, more_payloads, result):
    """Write the hits of each event, those of `offsets` first; both are of the same events."""
    fill = first = second = np.int64(0)
    for event in range(1, len(offsets)):
        while first < offsets[event]:
            result[fill] = payloads[first]
            fill += 1
            first += 1
        while second < more_offsets[event]:
            result[fill] = more_payloads[second]
            fill += 1
            second += 1


@kernel
def append_prefixes(offsets, payloads, sorted_payloads, new_offsets, result):
    """Write the hits of each event, and behind them the first of `sorted_payloads`, as many as `new_offsets` leaves."""
    start = np.int64(0)
    fill = np.int64(0)
    for event in range(1, len(offsets)):
        for k in range(start, offsets[event]):
            result[fill] = payloads[k]
            fill += 1
        start = offsets[event]
        for k in range(new_offsets[event] - fill):
            result[fill] = sorted_payloads[k]
            fill += 1
