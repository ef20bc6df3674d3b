"""Two sets of hits as one."""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel


@kernel
def interleave(ends, payloads, more_ends, more_payloads, result):
    """Write the hits of each event, those of `ends` first; both are of the same events."""
    fill = first = second = np.int64(0)
    for event in range(len(ends)):
        while first < ends[event]:
            result[fill] = payloads[first]
            fill += 1
            first += 1
        while second < more_ends[event]:
            result[fill] = more_payloads[second]
            fill += 1
            second += 1
