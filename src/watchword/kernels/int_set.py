"""A small set of terms, built once per item, that answers "does the item hold this term?".

Layout: open addressing with linear probing in an int32 table whose used part is a power of two, at most a
quarter full; -1 marks an empty slot. A term's search starts at the slot that its product with an odd constant
names, low bits aside.

Invariant: between a term's first slot and its own lies no empty slot. Cost: filling is O(terms), a test is
O(1): with three slots in four empty, most tests look at one slot (thesis, section 2.1, asks for exactly this
look-up in its inner loop).

How a kernel uses it: allocate ``table`` once per batch with the capacity of the longest item, then per item
``mask = set_fill(table, terms, first, last)`` and ``set_has(table, mask, term)``.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel

_MULTIPLIER = 2654435769  # 2**32 divided by the golden ratio, made odd
_SHIFT = 15


@kernel
def set_capacity(count):
    """Return the number of slots for `count` terms: a power of two, at least four times `count`."""
    capacity = 4
    while capacity < 4 * count:
        capacity *= 2
    return capacity


@kernel
def set_table(offsets):
    """Return a table that is large enough for every item of a batch in CSR form."""
    longest = 0
    for item in range(len(offsets) - 1):
        longest = max(longest, offsets[item + 1] - offsets[item])
    return np.empty(set_capacity(longest), np.int32)


@inline
def set_slot(table, mask, term):
    """Return the slot that has the non-negative `term`, or the empty one where it would go."""
    slot = ((np.int64(term) * _MULTIPLIER) >> _SHIFT) & mask
    while table[slot] != -1 and table[slot] != term:
        slot = (slot + 1) & mask
    return slot


@kernel
def set_fill(table, terms, first, last):
    """Make `table` the set of ``terms[first:last]``; return the mask that `set_has` wants."""
    mask = set_capacity(last - first) - 1
    table[: mask + 1] = -1
    for i in range(first, last):
        table[set_slot(table, mask, terms[i])] = terms[i]
    return mask


@kernel
def set_gather(table, terms, first, last, found):
    """As `set_fill`, of terms that repeat and may be unknown (-1): puts those known, once each, into `found`.

    Returns the mask and how many they are.
    """
    mask = set_capacity(last - first) - 1
    table[: mask + 1] = -1
    known = 0
    for i in range(first, last):
        found[known] = terms[i]
        known += terms[i] >= 0
    count = 0
    for i in range(known):
        slot = set_slot(table, mask, found[i])
        found[count] = found[i]
        count += table[slot] == -1
        table[slot] = found[i]
    return mask, count


@inline
def set_has(table, mask, term):
    """Return whether the non-negative `term` is in the set."""
    return table[set_slot(table, mask, term)] == term
