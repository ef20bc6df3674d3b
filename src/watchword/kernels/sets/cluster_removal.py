"""Removes rows from `clusters`.

Row 7 4 9 with payload 10 is removed from the cluster of its access atom 7; the last row, 7 2 9, takes its place:

                v_s     v_1    v_2                     v_s     v_1    v_2
    words     10  11 |  4  2 |  9  9        becomes   11   . |  2  . |  9  .

If 7 2 9 is removed as well, its cluster's record and block become free. A free block waits for a cluster of its size;
when most words are free, `squeeze` copies all clusters into a new array.

Cost: a scan of v_s, for each atom that might be the row's access atom: the caller need not know which it was.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.clusters import (
    ATOM,
    ATOMS_LIVE,
    BLOCK,
    CAPACITY,
    CLUSTER_FREE,
    CLUSTERS_END,
    CLUSTERS_LIVE,
    COLUMNS,
    NEXT,
    RECORD,
    SIZE,
    START,
    WORDS_END,
    copy_cluster,
    find_cluster,
)
from watchword.kernels.size_classes import block_class, give_block, take_block


@kernel
def find_row(store, atoms, payload):
    """Return the cluster, and the row in it, with this payload and one of these atoms as its access atom.

    Only clusters whose rows have ``len(atoms)`` atoms are searched; the row's atoms are not compared. -1 and -1 if
    there is none.
    """
    words, clusters = store.words, store.clusters
    for i in range(len(atoms)):
        at = find_cluster(clusters, store.heads, atoms[i], len(atoms) - 1)
        if at >= 0:
            start = clusters[at + START]
            for row in range(clusters[at + SIZE]):
                if words[start + row] == payload:
                    return at, row
    return -1, -1


@kernel
def remove_row(store, at, row):
    """Remove a row from its cluster, and the cluster if it becomes empty."""
    words, clusters = store.words, store.clusters
    start, capacity, width = clusters[at + START], clusters[at + CAPACITY], clusters[at + COLUMNS] + 1
    last = clusters[at + SIZE] - 1
    for column in range(width):
        words[start + column * capacity + row] = words[start + column * capacity + last]
    clusters[at + SIZE] = last
    store.state[ATOMS_LIVE] -= width
    if last == 0:
        _drop_cluster(store, at)


@leaf
def _drop_cluster(store, at):
    """Unlink a cluster, and give back its block and its record."""
    clusters, heads, state = store.clusters, store.heads, store.state
    cluster, atom = at // RECORD, clusters[at + ATOM]
    if heads[atom] == cluster:
        heads[atom] = clusters[at + NEXT]
    else:
        before = heads[atom]
        while clusters[RECORD * before + NEXT] != cluster:
            before = clusters[RECORD * before + NEXT]
        clusters[RECORD * before + NEXT] = clusters[at + NEXT]
    give_block(store.words, store.bins, clusters[at + START], clusters[at + BLOCK])
    clusters[at + NEXT] = state[CLUSTER_FREE]
    state[CLUSTER_FREE] = cluster
    state[CLUSTERS_LIVE] -= 1


@kernel
def squeeze(store, packed):
    """Copy all clusters to `packed`, each into the smallest block that holds it, without gaps."""
    clusters, bins, state = store.clusters, store.bins, store.state
    bins[:] = -1
    state[WORDS_END] = 0
    for at in range(0, RECORD * state[CLUSTERS_END], RECORD):
        if clusters[at + SIZE] > 0:
            block = block_class((clusters[at + COLUMNS] + 1) * clusters[at + SIZE])
            copy_cluster(clusters, at, store.words, packed, take_block(packed, bins, state, block), block)
