"""Cluster propagation (Pereira et al. 2000; notes of Wang, Quan and Zhao 2019, Figure 3), and its variant without.

The cluster of access atom 7 with the rows 7 4 9, 7 2 9, 7 4 3 and 7 4 9, and the item {7, 4, 9}:

    v_s      10  11  12  13
    v_1       4   2   4   4      all four rows are checked; 0, 2 and 3 are alive
    v_2       9   9   3   9      these three are; 0 and 3 are left, and the payloads 10 and 13 found

which are seven predicates checked. Non-propagation (section 2.2.3) checks every row in every column, eight in all, and
finds the rows for which as many hold as there are columns: it counts 2 1 1 2.

Layout: the columns of `clusters`; ``holds[atom]`` is 1 for the atoms of the item, a byte each, because a byte is read
without shifting. A cluster is read in tiles of `TILE` rows, so that `alive` stays in the nearest cache,
however large the cluster.

Invariant: between items nothing holds. Cost: the first column of every cluster of the item's atoms, and as much of the
others as is alive; without propagation, all of the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int16, Int32, UInt8
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.clusters import CAPACITY, COLUMNS, NEXT, RECORD, SIZE, START

TILE = 4096


class ClusterIndex(NamedTuple):
    """The arrays of matching; `holds`, `alive` and `counts` belong to one batch."""

    words: Int32
    clusters: Int32
    heads: Int32
    holds: UInt8
    alive: Int32
    counts: Int16
    propagating: bool


@leaf
def _keep_all(alive, rows):
    """Mark all rows of a tile alive: a cluster without columns matches whenever its access atom holds."""
    for row in range(rows):
        alive[row] = row
    return rows


@leaf
def _propagate(index, column, capacity, columns, rows):
    """Check a tile column by column, each for the rows still alive; returns their number, and the checks made."""
    words, holds, alive = index.words, index.holds, index.alive
    left = 0
    for row in range(rows):
        alive[left] = row
        left += holds[np.uint32(words[column + row])]
    checks = rows
    for _ in range(1, columns):
        column += capacity
        checks += left
        kept = 0
        for i in range(left):
            row = alive[i]
            alive[kept] = row
            kept += holds[np.uint32(words[column + row])]
        left = kept
    return left, checks


@leaf
def _check_all(index, column, capacity, columns, rows):
    """Count the true atoms of every row of a tile; returns the number of rows that match, and the checks made."""
    words, holds, alive, counts = index.words, index.holds, index.alive, index.counts
    counts[:rows] = 0
    for _ in range(columns):
        for row in range(rows):
            counts[row] += holds[np.uint32(words[column + row])]
        column += capacity
    left = 0
    for row in range(rows):
        alive[left] = row
        left += counts[row] == columns
    return left, columns * rows


@leaf
def _find(index, at, fill, payloads):
    """Write the payloads of a cluster's matching rows from `fill` on; returns the new fill and the checks made.

    The fill keeps counting when the buffer is full.
    """
    words, clusters, alive = index.words, index.clusters, index.alive
    start, size, capacity = clusters[at + START], clusters[at + SIZE], clusters[at + CAPACITY]
    columns, spent = clusters[at + COLUMNS], 0
    for tile in range(start, start + size, TILE):
        rows = min(TILE, start + size - tile)
        if columns == 0:
            left, checks = _keep_all(alive, rows), 0
        elif index.propagating:
            left, checks = _propagate(index, tile + capacity, capacity, columns, rows)
        else:
            left, checks = _check_all(index, tile + capacity, capacity, columns, rows)
        spent += checks
        for i in range(left):
            if fill < len(payloads):
                payloads[fill] = words[tile + alive[i]]
            fill += 1
    return fill, spent


@leaf
def _mark(holds, atoms, begin, end, value):
    """Set ``holds`` of an item's atoms to `value`, 1 or 0."""
    for i in range(begin, end):
        if 0 <= atoms[i] < len(holds):
            holds[atoms[i]] = value


@kernel
def match(item_offsets, item_atoms, index, first, used, offsets, payloads):
    """Match items from `first` on; `index.hits.Step` has the rules. Operations: predicates checked."""
    clusters, heads, holds = index.clusters, index.heads, index.holds
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        begin, end = item_offsets[item], item_offsets[item + 1]
        _mark(holds, item_atoms, begin, end, 1)
        fill, spent = used, 0
        for i in range(begin, end):
            atom = item_atoms[i]
            cluster = heads[atom] if 0 <= atom < len(heads) else -1
            while cluster >= 0:
                fill, checks = _find(index, RECORD * cluster, fill, payloads)
                spent += checks
                cluster = clusters[RECORD * cluster + NEXT]
        _mark(holds, item_atoms, begin, end, 0)
        if fill > len(payloads):
            return item, used, operations
        offsets[item + 1] = used = fill
        operations += spent
    return len(item_offsets) - 1, used, operations
