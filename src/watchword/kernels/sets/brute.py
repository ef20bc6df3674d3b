"""Brute force over stored rows (Kourdounakis 2011, section 2.1, Algorithm 1), and the upkeep of the store.

Layout: row `r` has the terms ``pool[starts[r] : starts[r] + sizes[r]]``; a free row has ``sizes[r] == 0``.
`payloads` holds what a row hands back; in a free row it is ``-2 - next``, where `next` is the next free row
or -1, so every free row has a negative payload and they form a chain.

Cost of matching: one membership test per term up to the first that the item lacks, for every row.
"""

from __future__ import annotations

from watchword.kernels.int_set import set_fill, set_has, set_table
from watchword.kernels.jit import inline, kernel


@inline
def row_tests(table, mask, pool, start, size):
    """Test a row's terms in order; return the tests made, negated where a term is missing."""
    tests = 0
    missing = False
    while tests < size and not missing:
        missing = not set_has(table, mask, pool[start + tests])
        tests += 1
    return -tests if missing else tests


@kernel
def brute_match(first, used, offsets, terms, starts, sizes, payloads, pool, ends, found):
    """Match items from `first` on; see `Step` for the buffer's rules. Operations: membership tests."""
    table = set_table(offsets)
    operations = 0
    for item in range(first, len(offsets) - 1):
        mask = set_fill(table, terms, offsets[item], offsets[item + 1])
        fill, spent = used, 0
        for row in range(len(sizes)):
            size = sizes[row]
            if size == 0:
                continue
            tests = row_tests(table, mask, pool, starts[row], size)
            if tests < 0:
                spent -= tests
                continue
            spent += tests
            if fill == len(found):
                return item, used, operations
            found[fill] = payloads[row]
            fill += 1
        used = fill
        ends[item] = used
        operations += spent
    return len(offsets) - 1, used, operations


@kernel
def payload_row(payloads, payload):
    """Return the row of a payload, or -1."""
    for row in range(len(payloads)):
        if payloads[row] == payload:
            return row
    return -1


@kernel
def take_free(payloads, free, numbers):
    """Take ``len(numbers)`` rows off the chain that starts at `free`; return the new start."""
    for i in range(len(numbers)):
        numbers[i] = free
        free = -2 - payloads[free]
    return free


@kernel
def squeeze(starts, sizes, pool, packed):
    """Copy the terms of all rows to `packed`, without gaps and in the order of the rows."""
    end = 0
    for row in range(len(sizes)):
        start = starts[row]
        starts[row] = end
        for i in range(sizes[row]):
            packed[end] = pool[start + i]
            end += 1
