"""Into the packed form and back; `packed` has the layout.

Rows come in CSR form. Their atoms are put into order, rarest first; the rows are sorted by their first two atoms,
with two stable counting sorts, and moved into that order; then the blocks are measured and written, front to back.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import kernel
from watchword.kernels.tombstones import is_dead

_AHEAD = 16


@kernel
def sort_rows(offsets, atoms, counts, prior, result):
    """Sort each row's atoms, rarest first, by the expected number of items that have them: the items seen so far, plus
    `prior` items in which an atom is as frequent as in the rows."""
    row_counts, item_counts = counts
    share = prior / max(len(offsets) - 1, 1)
    for row in range(len(offsets) - 1):
        for i in range(offsets[row], offsets[row + 1]):
            atom = atoms[i]
            weight = item_counts[atom] + share * row_counts[atom]
            j = i - 1
            while j >= offsets[row]:
                other = result[j]
                its = item_counts[other] + share * row_counts[other]
                if its < weight or (its == weight and other < atom):
                    break
                result[j + 1] = other
                j -= 1
            result[j + 1] = atom


@kernel
def sort_by(keys, order, width):
    """Return `order` stably sorted by `keys[order]`, which lie in ``[0, width)``."""
    counts = np.zeros(width + 1, np.int64)
    for key in keys:
        counts[key + 1] += 1
    for k in range(width):
        counts[k + 1] += counts[k]
    result = np.empty_like(order)
    for row in order:
        key = keys[row]
        result[counts[key]] = row
        counts[key] += 1
    return result


@kernel
def row_keys(offsets, atoms, rank, width):
    """Return the atom at `rank` of each row plus one, 0 where the row is shorter."""
    keys = np.zeros(len(offsets) - 1, np.int32)
    for row in range(len(keys)):
        at = offsets[row] + rank
        if at < offsets[row + 1]:
            keys[row] = atoms[at] + 1
    return keys


@kernel
def take_rows(offsets, atoms, payloads, order, to_offsets, to_atoms, to_payloads):
    """Copy the rows in `order`, so that later passes read them front to back.

    The rows lie anywhere, so the offset of a row, and then the row itself, are prefetched before they are read.
    """
    fill = np.int64(0)
    to_offsets[0] = 0
    for at in range(len(order)):
        far, near = order[min(at + 2 * _AHEAD, len(order) - 1)], order[min(at + _AHEAD, len(order) - 1)]
        prefetch(offsets, far)
        prefetch(payloads, near)
        prefetch(atoms, offsets[near])
        row = order[at]
        for i in range(offsets[row], offsets[row + 1]):
            to_atoms[fill] = atoms[i]
            fill += 1
        to_offsets[at + 1] = fill
        to_payloads[at] = payloads[row]


@kernel
def measure(offsets, atoms, starts):
    """Fill `starts` for rows sorted by their first, then second atom; returns the number of words of the arena."""
    total = np.int64(0)
    atom = 0
    starts[0] = 0
    row, rows = 0, len(offsets) - 1
    while row < rows:
        first = atoms[offsets[row]]
        while atom < first:
            atom += 1
            starts[atom] = total
        total += 2
        second = np.int32(-1)
        while row < rows and atoms[offsets[row]] == first:
            size = offsets[row + 1] - offsets[row]
            if size == 1:
                total += 1
            else:
                if atoms[offsets[row] + 1] != second:
                    second = atoms[offsets[row] + 1]
                    total += 2
                total += size - 1
            row += 1
        if total > 2147483647:
            return total
        atom += 1
        starts[atom] = total
    while atom < len(starts) - 1:
        atom += 1
        starts[atom] = total
    return total


@kernel
def pack(offsets, atoms, payloads, arena):
    """Write the blocks of all rows, sorted by their first, then second atom, into `arena`."""
    base = np.int64(0)
    at = 0
    while at < len(payloads):
        first = atoms[offsets[at]]
        singles = 0
        groups = 0
        end = at
        second = np.int32(-1)
        while end < len(payloads) and atoms[offsets[end]] == first:
            if offsets[end + 1] - offsets[end] == 1:
                singles += 1
            elif atoms[offsets[end] + 1] != second:
                second = atoms[offsets[end] + 1]
                groups += 1
            end += 1
        arena[base] = singles
        arena[base + 1] = groups
        for k in range(singles):
            arena[base + 2 + k] = payloads[at + k]
        at += singles
        seconds = base + 2 + singles
        entries = seconds + 2 * groups
        fill = entries
        for group in range(groups):
            second = atoms[offsets[at] + 1]
            stop = at
            while stop < end and atoms[offsets[stop] + 1] == second:
                stop += 1
            arena[seconds + group] = second
            fill = _pack_group(offsets, atoms, payloads, at, stop, arena, fill)
            arena[seconds + groups + group] = fill - entries
            at = stop
        base = fill
    return base


@kernel
def _pack_group(offsets, atoms, payloads, at, stop, arena, fill):
    for row in range(at, stop):
        if offsets[row + 1] - offsets[row] == 2:
            arena[fill] = payloads[row]
            fill += 1
    for row in range(at, stop):
        last = offsets[row + 1] - 1
        if last - offsets[row] > 1:
            arena[fill] = ~payloads[row]
            fill += 1
            for i in range(offsets[row] + 2, last):
                arena[fill] = atoms[i]
                fill += 1
            arena[fill] = ~atoms[last]
            fill += 1
    return fill


@kernel
def unpack(packed, dead, offsets, atoms, payloads):
    """Write the live rows in CSR form; returns the numbers of rows and atoms (only counts, if arrays are too short)."""
    starts, arena = packed
    rows = 0
    fill = 0
    write = len(offsets) > 1
    for atom in range(len(starts) - 1):
        base = starts[atom]
        if base == starts[atom + 1]:
            continue
        singles, groups = arena[base], arena[base + 1]
        seconds = base + 2 + singles
        entries = seconds + 2 * groups
        for k in range(singles):
            payload = arena[base + 2 + k]
            if not is_dead(dead, payload):
                if write:
                    payloads[rows] = payload
                    atoms[fill] = atom
                    offsets[rows + 1] = fill + 1
                fill += 1
                rows += 1
        at = entries
        for group in range(groups):
            stop = entries + arena[seconds + groups + group]
            while at < stop:
                word = arena[at]
                payload = word if word >= 0 else ~word
                keep = not is_dead(dead, payload)
                start = fill
                if write and keep:
                    atoms[fill] = atom
                    atoms[fill + 1] = arena[seconds + group]
                fill += 2
                at += 1
                if word < 0:
                    while True:
                        word = arena[at]
                        at += 1
                        if write and keep:
                            atoms[fill] = word if word >= 0 else ~word
                        fill += 1
                        if word < 0:
                            break
                if keep:
                    if write:
                        payloads[rows] = payload
                        offsets[rows + 1] = fill
                    rows += 1
                else:
                    fill = start
    return rows, fill


@kernel
def renumber(packed, payloads):
    """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``, in place."""
    starts, arena = packed
    for atom in range(len(starts) - 1):
        base, stop = np.int64(starts[atom]), np.int64(starts[atom + 1])
        if base == stop:
            continue
        singles, groups = np.int64(arena[base]), np.int64(arena[base + 1])
        for at in range(base + 2, base + 2 + singles):
            if arena[at] < len(payloads):
                arena[at] = payloads[arena[at]]
        at = base + 2 + singles + 2 * groups
        while at < stop:
            word = arena[at]
            payload = word if word >= 0 else ~word
            if payload < len(payloads):
                arena[at] = payloads[payload] if word >= 0 else ~payloads[payload]
            at += 1
            if word < 0:
                while arena[at] >= 0:
                    at += 1
                at += 1
