"""The delta of the packed index: rows added since, in linked lists by their rarest atom.

    record in `pool` (int32)    next  payload  key  count  other atom × count

`next` is -1 for the last, `payload` -1 once the row was removed. `heads[a]` is the newest record of key `a`, -1 for
none; lists lead from newer to older records, so from higher to lower positions in the pool. Rows {7, 9} as 11 and {7}
as 10, both with the key 7, added in this order::

    pool   -1 11 7 1 9    0 10 7 0        heads[7] = 5
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.int_set import set_has
from watchword.kernels.jit import kernel


class Delta(NamedTuple):
    """The lists of records."""

    heads: Int32
    pool: Int32


class Counts(NamedTuple):
    """The number of rows, and of items, that have each atom."""

    rows: Int32
    items: Int32


@kernel
def match_delta(record, pool, table, mask, payloads, fill):
    """Match the records of one key from `record` on; returns the new fill, or -1, and the records read."""
    work = 0
    while record >= 0:
        work += 1
        payload = pool[record + 1]
        if payload >= 0:
            holds = True
            for k in range(record + 4, record + 4 + pool[record + 3]):
                if not set_has(table, mask, pool[k]):
                    holds = False
                    break
            if holds:
                if fill == len(payloads):
                    return np.int64(-1), work
                payloads[fill] = payload
                fill += 1
        record = np.int64(pool[record])
    return np.int64(fill), work


@kernel
def count_and_add(atoms, payload, counts, share, delta, fill):
    """Count the atoms of one row, and add it to the delta. Returns the new fill; -1, without counting, if there is no
    room."""
    counts, delta = Counts(*counts), Delta(*delta)  # given as plain tuples
    if fill + 3 + len(atoms) > len(delta.pool):
        return -1
    for atom in atoms:
        if atom >= min(len(counts.rows), len(counts.items), len(delta.heads)):
            return -1
    for atom in atoms:
        counts.rows[atom] += 1
    return _add_record(atoms, payload, counts, share, delta, fill)


@kernel
def _add_record(atoms, payload, counts, share, delta, fill):
    """Add one row, for which there must be room, under its rarest atom: the one with the least ``items + share *
    rows``. Returns the new fill."""
    heads, pool = delta
    key = -1
    least = np.inf
    for atom in atoms:
        weight = counts.items[atom] + share * counts.rows[atom]
        if weight < least:
            least = weight
            key = atom
    pool[fill] = heads[key]
    pool[fill + 1] = payload
    pool[fill + 2] = key
    pool[fill + 3] = len(atoms) - 1
    heads[key] = fill
    fill += 4
    for atom in atoms:
        if atom != key:
            pool[fill] = atom
            fill += 1
    return fill


@kernel
def add_records(row_offsets, atoms, payloads, counts, share, delta, fill, records):
    """Add many rows, counted before, for which there must be room; writes the pool position of each to `records`.

    Returns the new fill.
    """
    for row in range(len(row_offsets) - 1):
        records[row] = fill
        row_atoms = atoms[row_offsets[row] : row_offsets[row + 1]]
        fill = _add_record(row_atoms, payloads[row], counts, share, delta, fill)
    return fill


@kernel
def live_rows(delta, begin, end, offsets, atoms, payloads):
    """Write the live records of ``pool[begin:end]`` in CSR form; returns the numbers of rows and atoms."""
    heads, pool = delta
    rows = 0
    fill = 0
    write = len(offsets) > 1
    for key in range(len(heads)):
        record = heads[key]
        while record >= begin:
            if record < end and pool[record + 1] >= 0:
                if write:
                    payloads[rows] = pool[record + 1]
                    atoms[fill] = key
                    for k in range(pool[record + 3]):
                        atoms[fill + 1 + k] = pool[record + 4 + k]
                fill += 1 + pool[record + 3]
                rows += 1
                if write:
                    offsets[rows] = fill
            record = pool[record]
    return rows, fill


@kernel
def has_atoms(pool, record, atoms):
    """Return whether a record has exactly these atoms."""
    if pool[record + 3] + 1 != len(atoms) or not is_among(pool[record + 2], atoms):
        return False
    for k in range(pool[record + 3]):
        if not is_among(pool[record + 4 + k], atoms):
            return False
    return True


@kernel
def is_among(atom, atoms):
    """Return whether an atom is in a short array."""
    for other in atoms:
        if other == atom:
            return True
    return False
