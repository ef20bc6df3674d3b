"""Brute force over stored rows (Kourdounakis 2011, section 2.1, Algorithm 1), and the upkeep of the store.

The rows of Table 2.1, S1 to S6, as they lie:

    row          0        1       2        3       4       5
    starts       0        3       5        8      10      12
    sizes        3        2       3        2       2       3
    payloads     1        2       3        4       5       6
    pool      1 2 4  |  1 24 | 1 2 3  |  1 12  |  2 4  | 2 3 13

The item {1, 2, 3} fails row 0 at its third atom, row 1 at its second, and finds row 2: 3 + 2 + 3 membership tests so
far, 15 in all (Example 2.2). Rows that come rarest atom first, as 4 2 1 and 24 1, fail at their first, and take 8.

Layout: row `r` has the atoms ``pool[starts[r] : starts[r] + sizes[r]]``; a free row has ``sizes[r] == 0``. `payloads`
holds what a row hands back; free rows are chained through it (see `free_rows`).

Cost of matching: one membership test per atom up to the first that the item lacks, for every row.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int16, Int32, Int64
from watchword.kernels.int_set import set_fill, set_has, set_table
from watchword.kernels.jit import inline, kernel


class StoredRows(NamedTuple):
    """Rows by their numbers."""

    starts: Int64
    sizes: Int16
    payloads: Int32
    pool: Int32


@inline
def row_tests(table, mask, pool, start, size):
    """Test a row's atoms in order; return the tests made, negated where an atom is missing."""
    tests = 0
    missing = False
    while tests < size and not missing:
        missing = not set_has(table, mask, pool[start + tests])
        tests += 1
    return -tests if missing else tests


@kernel
def match(item_offsets, item_atoms, rows, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: membership tests."""
    starts, sizes, pool = rows.starts, rows.sizes, rows.pool
    table = set_table(item_offsets)
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        mask = set_fill(table, item_atoms, item_offsets[item], item_offsets[item + 1])
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
            if fill == len(payloads):
                return item, used, operations
            payloads[fill] = rows.payloads[row]
            fill += 1
        offsets[item + 1] = used = fill
        operations += spent
    return len(item_offsets) - 1, used, operations


@kernel
def squeeze(starts, sizes, pool, packed):
    """Copy the atoms of all rows to `packed`, without gaps and in the order of the rows."""
    end = 0
    for row in range(len(sizes)):
        start = starts[row]
        starts[row] = end
        for i in range(sizes[row]):
            packed[end] = pool[start + i]
            end += 1
