"""The children of all the nodes of a trie, in one hash table.

A child is found by its parent and the first symbol on the way to it: an atom in the tries of sets, a character in those
of patterns. The trie of the words 1 2 and 1 3, whose nodes are 0 (the root), 1, 2 and 3, in a table of eight slots:

    slot       0   1   2   3   4      5      6      7
    keys       .   .   .   .   .  (1,2)  (1,3)  (0,1)      (node, symbol) as node << 32 | symbol
    values    -1  -1  -1  -1  -1      2      3      1      the child

The thesis gives every inner node a hash map of its own (Kourdounakis 2011, section 3.2.1). Ten million small maps would
each waste a header and spare slots, so here all of them share one table in flat arrays. A look-up still costs one probe
on average.

Layout: `keys` (int64, ``node << 32 | symbol``, or `EMPTY`) and `values` (int32), a power of two long, linear probing,
at most two thirds full. The first symbol of a node is stored here and nowhere else.

Invariant: between a key's home slot and the slot where it lies there is no empty slot. Deletion keeps it by shifting
later keys back, so that no tombstones gather.

Beside the table, owners keep *marks* for every inner node: bit ``symbol & 31`` is set for each child. A clear bit saves
the probe, which is a cache miss; a bit left over from a removed child only costs one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from watchword.kernels.jit import kernel

EMPTY = -(1 << 62)

# Unsigned: for numba, a signed product never overflows, and what does is undefined.
_NODES, _SYMBOLS = np.uint64(0x4F1BBCDCBFA53E0B), np.uint64(0x1E3779B97F4A7C15)

Table = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]


def new_table(slots: int = 16) -> Table:
    """Return an empty table with a power of two of slots."""
    return np.full(slots, EMPTY, np.int64), np.full(slots, -1, np.int32)


def roomy_table(keys: npt.NDArray[np.int64], values: npt.NDArray[np.int32], needed: int) -> Table:
    """Return the table itself if it may hold `needed` entries, else a copy that may."""
    slots = len(keys)
    while child_limit(slots) < needed:
        slots *= 2
    if slots == len(keys):
        return keys, values
    grown = new_table(slots)
    _copy_children(keys, values, *grown)
    return grown


def child_entries(keys: npt.NDArray[np.int64], values: npt.NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Return the entries as node, symbol and child, sorted by node and symbol."""
    taken = np.flatnonzero(keys != EMPTY)
    taken = taken[np.argsort(keys[taken])]
    nodes, symbols = keys[taken] >> 32, keys[taken] & 0xFFFFFFFF
    return list(zip(nodes.tolist(), symbols.tolist(), values[taken].tolist(), strict=True))


@kernel
def child_limit(slots):
    """Return how many entries a table of so many slots may hold."""
    return 2 * slots // 3


@kernel
def _home(key, mask):
    """Return the slot where the search for `key` starts."""
    mixed = np.uint64(key >> 32) * _NODES ^ np.uint64(key & 0xFFFFFFFF) * _SYMBOLS
    return np.int64((mixed ^ (mixed >> np.uint64(31))) & np.uint64(mask))


@kernel
def find_child(keys, values, node, symbol):
    """Return the child of `node` that starts with `symbol`, or -1."""
    key = (np.int64(node) << 32) + symbol
    mask = len(keys) - 1
    slot = _home(key, mask)
    while keys[slot] != EMPTY:
        if keys[slot] == key:
            return np.int64(values[slot])
        slot = (slot + 1) & mask
    return np.int64(-1)


@kernel
def put_child(keys, values, node, symbol, child):
    """Make `child` the child of `node` that starts with `symbol`, in place of one that is there."""
    key = (np.int64(node) << 32) + symbol
    mask = len(keys) - 1
    slot = _home(key, mask)
    while keys[slot] != EMPTY and keys[slot] != key:
        slot = (slot + 1) & mask
    keys[slot] = key
    values[slot] = child


@kernel
def drop_child(keys, values, node, symbol):
    """Delete an entry that is there, and shift back those behind it that may come nearer to their home."""
    key = (np.int64(node) << 32) + symbol
    mask = len(keys) - 1
    hole = _home(key, mask)
    while keys[hole] != key:
        hole = (hole + 1) & mask
    slot = (hole + 1) & mask
    while keys[slot] != EMPTY:
        if (slot - _home(keys[slot], mask)) & mask >= (slot - hole) & mask:
            keys[hole] = keys[slot]
            values[hole] = values[slot]
            hole = slot
        slot = (slot + 1) & mask
    keys[hole] = EMPTY
    values[hole] = -1


@kernel
def _copy_children(keys, values, new_keys, new_values):
    """Fill a larger, empty table with the entries of this one."""
    mask = len(new_keys) - 1
    for old in range(len(keys)):
        if keys[old] != EMPTY:
            slot = _home(keys[old], mask)
            while new_keys[slot] != EMPTY:
                slot = (slot + 1) & mask
            new_keys[slot] = keys[old]
            new_values[slot] = values[old]
