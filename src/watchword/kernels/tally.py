"""How often numbers occur."""

from __future__ import annotations

from watchword.kernels.jit import kernel


@kernel
def tally(counts, numbers, by):
    """Add `by` to ``counts[number]`` for every number, which may repeat. Both are int32 arrays."""
    for number in numbers:
        counts[number] += by
