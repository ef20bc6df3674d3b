"""A hash table of nodes: intervals of labels whose length is a power of two.

The node of a level and a prefix contains every label `x` with ``x >> level == prefix``. A span is stored under the
smallest node that contains it: the labels [200, 400] under level 9, prefix 0 (labels 0 to 511). A label lies in one
node of each level, so the spans that may hold for a value are found by as many probes as levels are in use; no span is
cut into pieces, and none is kept twice.

Layout: `keys` (int64) has two words a slot, ``field << 8 | level`` (-1 for none) and the prefix; `values` (int32) has
the node's value, the head of its block or list. A power of two of slots, linear probing, at most two thirds full;
nothing is deleted.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.jit import kernel, leaf

Table = tuple[Int64, Int32]


def new_nodes(slots: int = 16) -> Table:
    """Return an empty table with `slots` slots, a power of two."""
    return np.full(2 * slots, -1, np.int64), np.full(slots, -1, np.int32)


def has_room(values: Int32, needed: int) -> bool:
    """Return whether a table with these values takes `needed` entries."""
    return 2 * len(values) // 3 >= needed


def roomy_nodes(keys: Int64, values: Int32, needed: int) -> Table:
    """Return the table if it has room for `needed` entries, else a larger copy."""
    slots = len(values)
    while 2 * slots // 3 < needed:
        slots *= 2
    if slots == len(values):
        return keys, values
    grown = new_nodes(slots)
    _copy_nodes(keys, values, *grown)
    return grown


# Unsigned: for numba, a signed product never overflows, and what does is undefined.
_OWNERS, _PREFIXES = np.uint64(0x4F1BBCDCBFA53E0B), np.uint64(0x1E3779B97F4A7C15)


@leaf
def node_level(low, high):
    """Return the level of the smallest node that contains both ends of a span; 9 for 200 and 400."""
    level = np.int64(0)
    differ = low ^ high
    while differ:
        differ >>= 1
        level += 1
    return level


@leaf
def _home(owner, prefix, mask):
    mixed = np.uint64(owner) * _OWNERS ^ np.uint64(prefix) * _PREFIXES
    return np.int64((mixed ^ (mixed >> np.uint64(29))) & np.uint64(mask))


@leaf
def find_node(keys, values, field, level, prefix):
    """Return the value of a node, -1 if it is not in the table."""
    owner = np.int64(field) << 8 | level
    mask = len(values) - 1
    slot = _home(owner, prefix, mask)
    while keys[2 * slot] != -1:
        if keys[2 * slot] == owner and keys[2 * slot + 1] == prefix:
            return np.int64(values[slot])
        slot = (slot + 1) & mask
    return np.int64(-1)


@leaf
def put_node(keys, values, owner, prefix, value):
    """Set the value of a node; returns its old value, -1 if it is new. `owner` is ``field << 8 | level``."""
    mask = len(values) - 1
    slot = _home(owner, prefix, mask)
    while keys[2 * slot] != -1:
        if keys[2 * slot] == owner and keys[2 * slot + 1] == prefix:
            before = np.int64(values[slot])
            values[slot] = value
            return before
        slot = (slot + 1) & mask
    keys[2 * slot] = owner
    keys[2 * slot + 1] = prefix
    values[slot] = value
    return np.int64(-1)


@kernel
def _copy_nodes(keys, values, new_keys, new_values):
    for slot in range(len(values)):
        if keys[2 * slot] != -1:
            put_node(new_keys, new_values, keys[2 * slot], keys[2 * slot + 1], values[slot])
