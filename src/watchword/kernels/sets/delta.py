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
    """How often atoms were seen: in rows, and in items."""

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
    """Count the atoms of one row, and add it. Returns the new fill, or -1 if there is no room; nothing is counted
    then."""
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
    """Add one row, for which there is room, under its rarest atom. Returns the new fill."""
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
    """Add many rows, whose atoms are counted and for which there is room; `records[i]` is where row `i` lies.

    Returns the new fill.
    """
    for row in range(len(row_offsets) - 1):
        records[row] = fill
        row_atoms = atoms[row_offsets[row] : row_offsets[row + 1]]
        fill = _add_record(row_atoms, payloads[row], counts, share, delta, fill)
    return fill


@kernel
def live_rows(delta, begin, end, offsets, atoms, payloads):
    """Write the live records that lie in ``pool[begin:end]`` in CSR form; returns the rows and atoms."""
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
    """Say whether a record has exactly these atoms."""
    if pool[record + 3] + 1 != len(atoms) or not is_among(pool[record + 2], atoms):
        return False
    for k in range(pool[record + 3]):
        if not is_among(pool[record + 4 + k], atoms):
            return False
    return True


@kernel
def is_among(atom, atoms):
    """Say whether a atom is in a short array."""
    for other in atoms:
        if other == atom:
            return True
    return False
