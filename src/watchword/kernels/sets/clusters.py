"""Clusters: rows with the same access atom and the same number of atoms, stored in columns (Pereira et al. 2000; notes
of Wang, Quan and Zhao 2019, section 2.2 and Figure 3).

The rows 7 4 9, 7 2 9 and 7, with payloads 10, 11 and 12, the access atom first: one is a cluster without columns, the
other two one of two columns. The access atom, which a whole cluster shares, is in its record only:

                 v_s            v_s     v_1    v_2
    words        12  .  .  . | 10  11 |  4  2 |  9  9      v_s: payloads; v_i: the i-th atom behind the access atom
    cluster       0             1
    clusters      7 0 1 4 0 0 -1 .     7 2 2 2 4 2 0 .
    heads        heads[7] = 1, and -1 for every other atom
    state        10 2 -1 2 7

Layout: a cluster's record is eight words of `clusters`: its access atom, its number of columns, its number of rows, how
many rows its block has room for, the block's address and class (see `blocks`), the next cluster with the same access
atom or -1, and one word that keeps records from crossing cache lines. Column `i` is ``words[start + i * capacity :]``
up to its size; column 0 is v_s. ``heads[atom]`` is the first cluster of an access atom, or -1. Records given back are a
chain through NEXT.
``state``: words used, clusters used, first free cluster, live clusters, atoms in rows.

Invariant: a live cluster has a row, and no other cluster has its access atom and number of columns. `heads` is longer
than any atom of any row, also those in columns: a bitmap as long has a place for each.

Cost: a row goes behind the last of its cluster; a full cluster moves to a block twice as large. Taking a row out is a
scan of v_s, and moves the cluster's last row into its place.
"""

from __future__ import annotations

from typing import NamedTuple

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.size_classes import WORDS_END as WORDS_END
from watchword.kernels.size_classes import block_class, block_words, give_block, take_block

CLUSTERS_END, CLUSTER_FREE, CLUSTERS_LIVE, ATOMS_LIVE = range(1, 5)
ATOM, COLUMNS, SIZE, CAPACITY, START, BLOCK, NEXT = range(7)
RECORD = 8


class ClusterStore(NamedTuple):
    """All clusters; `state` holds the figures named above."""

    words: Int32
    clusters: Int32
    heads: Int32
    bins: Int32
    state: Int64


class Groups(NamedTuple):
    """Rows to be added: the rows ``order[borders[g] : borders[g + 1]]`` belong to one cluster."""

    borders: Int64
    order: Int64
    offsets: Int64
    atoms: Int32
    payloads: Int32


@leaf
def find_cluster(clusters, heads, atom, columns):
    """Return the position in `clusters` of the record with this access atom and number of columns, or -1."""
    if not 0 <= atom < len(heads):
        return -1
    cluster = heads[atom]
    while cluster >= 0 and clusters[RECORD * cluster + COLUMNS] != columns:
        cluster = clusters[RECORD * cluster + NEXT]
    return RECORD * cluster if cluster >= 0 else -1


@leaf
def _group(store, groups, group):
    """Return the access atom of a group, its number of columns, and the position of its cluster, or -1."""
    row = groups.order[groups.borders[group]]
    atom = groups.atoms[groups.offsets[row]]
    columns = groups.offsets[row + 1] - groups.offsets[row] - 1
    return atom, columns, find_cluster(store.clusters, store.heads, atom, columns)


@leaf
def _wider(size, more, columns):
    """Return the class of a block for `size` + `more` rows, and at least twice `size`."""
    return block_class((columns + 1) * max(size + more, 2 * size))


@kernel
def room_wanted(store, groups):
    """Return the number of free words at the end that all groups need."""
    clusters, wanted = store.clusters, 0
    for group in range(len(groups.borders) - 1):
        more = groups.borders[group + 1] - groups.borders[group]
        _, columns, at = _group(store, groups, group)
        size = clusters[at + SIZE] if at >= 0 else 0
        if at < 0 or size + more > clusters[at + CAPACITY]:
            wanted += block_words(_wider(size, more, columns))
    return wanted


@kernel
def add_groups(store, groups):
    """Add groups of rows; there must be room for their words, and for a record for each."""
    clusters = store.clusters
    for group in range(len(groups.borders) - 1):
        begin, end = groups.borders[group], groups.borders[group + 1]
        atom, columns, at = _group(store, groups, group)
        if at < 0:
            at = _new_cluster(store, atom, columns)
        if clusters[at + SIZE] + end - begin > clusters[at + CAPACITY]:
            _move(store, at, _wider(clusters[at + SIZE], end - begin, columns))
        _write_rows(store, at, groups, begin, end)


@leaf
def _new_cluster(store, atom, columns):
    """Add an empty cluster at the head of its access atom's list; returns its position."""
    clusters, heads, state = store.clusters, store.heads, store.state
    cluster = state[CLUSTER_FREE]
    if cluster >= 0:
        state[CLUSTER_FREE] = clusters[RECORD * cluster + NEXT]
    else:
        cluster = state[CLUSTERS_END]
        state[CLUSTERS_END] += 1
    state[CLUSTERS_LIVE] += 1
    at = RECORD * cluster
    clusters[at : at + RECORD] = 0
    clusters[at + ATOM], clusters[at + COLUMNS], clusters[at + NEXT] = atom, columns, heads[atom]
    heads[atom] = cluster
    return at


@leaf
def _move(store, at, block):
    """Move a cluster into a larger block."""
    words, clusters, bins = store.words, store.clusters, store.bins
    start, capacity, old = clusters[at + START], clusters[at + CAPACITY], clusters[at + BLOCK]
    copy_cluster(clusters, at, words, words, take_block(words, bins, store.state, block), block)
    if capacity > 0:
        give_block(words, bins, start, old)


@leaf
def copy_cluster(clusters, at, words, target, address, block):
    """Copy a cluster's columns into a block of `target`, and update its record."""
    start, size, capacity = clusters[at + START], clusters[at + SIZE], clusters[at + CAPACITY]
    width = clusters[at + COLUMNS] + 1
    room = block_words(block) // width
    for column in range(width):
        for row in range(size):
            target[address + column * room + row] = words[start + column * capacity + row]
    clusters[at + START], clusters[at + CAPACITY], clusters[at + BLOCK] = address, room, block


@leaf
def _write_rows(store, at, groups, begin, end):
    """Append rows to a cluster."""
    words, clusters = store.words, store.clusters
    columns, capacity = clusters[at + COLUMNS], clusters[at + CAPACITY]
    place = clusters[at + START] + clusters[at + SIZE]
    for i in range(begin, end):
        row = groups.order[i]
        words[place] = groups.payloads[row]
        first = groups.offsets[row]
        for column in range(1, columns + 1):
            words[place + column * capacity] = groups.atoms[first + column]
        place += 1
    clusters[at + SIZE] += end - begin
    store.state[ATOMS_LIVE] += (end - begin) * (columns + 1)


@kernel
def renumber(store, payloads):
    """Replace every payload `p` below ``len(payloads)`` by ``payloads[p]``."""
    words, clusters = store.words, store.clusters
    for at in range(0, RECORD * store.state[CLUSTERS_END], RECORD):
        start = clusters[at + START]
        for place in range(start, start + clusters[at + SIZE]):
            if words[place] < len(payloads):
                words[place] = payloads[words[place]]
