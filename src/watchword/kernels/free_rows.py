"""Row numbers given back: a chain through the payloads of the rows themselves.

A row number leads to its payload, ``payloads[row]``, which is never negative. A free row needs none, so its place in
the array names the next free row: it holds ``-2 - next``, and `next` is -1 at the end of the chain. Of the rows 0 to
4, row 1 was given back, and then row 3:

    row         0   1   2   3   4
    payloads   70  -1  72  -3  74     free = 3;  -2 - -3 = 1 comes next;  -2 - -1 = -1 is the end

Invariant: exactly the free rows have a negative payload. Cost: taking a row is O(1) and no memory is spent on the
chain; finding the row of a payload is a scan, for methods that have nothing else that could lead to it.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel


@kernel
def take_free(payloads, free, numbers):
    """Take ``len(numbers)`` rows off the chain that starts at `free`; return the new start."""
    for i in range(len(numbers)):
        numbers[i] = free
        free = -2 - payloads[free]
    return free


@kernel
def payload_row(payloads, payload):
    """Return the row of a payload, or -1."""
    for row in range(len(payloads)):
        if payloads[row] == payload:
            return row
    return -1
