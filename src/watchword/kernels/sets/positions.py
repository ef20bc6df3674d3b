"""Where a term stands in an item: a small hash table, made afresh for each item.

Layout: `slots` (int32) holds 1 + the place of a term within its item, or 0; linear probing, at most half full.
The terms themselves stay in the item. The table lives in its kernel call, so that threads share nothing; it is
as long as the longest item of the batch needs, and a shorter item uses, and clears, only its front.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel


@kernel
def new_slots(offsets):
    """Return a table that any of the items can use."""
    longest = 1
    for item in range(len(offsets) - 1):
        longest = max(longest, offsets[item + 1] - offsets[item])
    size = 4
    while size < 2 * longest:
        size *= 2
    return np.zeros(size, np.int32)


@kernel
def _slot(term, mask):
    return ((np.int64(term) * 0x9E3779B1) >> 16) & mask


@kernel
def fill_slots(slots, terms, start, end):
    """Enter the item ``terms[start:end]``; returns the mask that `position` wants."""
    size = 4
    while size < 2 * (end - start):
        size *= 2
    slots[:size] = 0
    mask = size - 1
    for place in range(start, end):
        slot = _slot(terms[place], mask)
        while slots[slot] != 0:
            slot = (slot + 1) & mask
        slots[slot] = place - start + 1
    return mask


@kernel
def position(slots, mask, terms, start, term):
    """Return the index in `terms` at which the item that starts at `start` has `term`, or -1."""
    slot = _slot(term, mask)
    while slots[slot] != 0:
        place = start + slots[slot] - 1
        if terms[place] == term:
            return place
        slot = (slot + 1) & mask
    return -1
