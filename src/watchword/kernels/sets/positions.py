"""Where an atom stands in an item: a small hash table, made afresh for each item, for the walk of the tries.

The item {24, 1, 12}, with 24 at position 0, in a table of eight slots; 0 marks an empty slot:

    slot     0  1  2  3  4  5  6  7
    slots    0  3  0  1  0  0  0  2         mask = 7; 12, 24 and 1 in slots 1, 3 and 7, each as 1 + its position

Layout: `slots` (int32) holds 1 + the position of an atom within its item, or 0; linear probing, at most half full. The
atoms themselves stay in the item. Cost: filling is O(atoms), a look-up is two reads. `int_set` is its sibling that says
only whether a number is there, with a single read.

The table lives in its kernel call, so that threads share nothing; it is as long as the longest item of the batch needs,
and a shorter item uses, and clears, only its front.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.jit import kernel, leaf


class Item(NamedTuple):
    """The item ``atoms[start:end]`` of a batch, and the table of its positions."""

    atoms: Int32
    start: int
    end: int
    slots: Int32
    mask: int


@kernel
def new_slots(item_offsets):
    """Return a table that any of the items can use."""
    longest = 1
    for item in range(len(item_offsets) - 1):
        longest = max(longest, item_offsets[item + 1] - item_offsets[item])
    size = 4
    while size < 2 * longest:
        size *= 2
    return np.zeros(size, np.int32)


@leaf
def _slot(atom, mask):
    return ((np.int64(atom) * 0x9E3779B1) >> 16) & mask


@leaf
def fill_slots(slots, atoms, start, end):
    """Put the item ``atoms[start:end]`` into the table; returns the mask of the part of the table that it uses."""
    size = 4
    while size < 2 * (end - start):
        size *= 2
    slots[:size] = 0
    mask = size - 1
    for position in range(start, end):
        slot = _slot(atoms[position], mask)
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = position - start + 1
    return mask


@leaf
def position_of(item, atom):
    """Return the index in ``item.atoms`` at which the item has `atom`, or -1."""
    slot = _slot(atom, item.mask)
    while item.slots[slot] != 0:
        position = item.start + item.slots[slot] - 1
        if item.atoms[position] == atom:
            return position
        slot = (slot + 1) & item.mask
    return np.int64(-1)
