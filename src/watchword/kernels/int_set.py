"""An int set: non-negative numbers in one small hash table, filled once and then asked many times.

It answers "does the item hold this atom?" in the inner loops of matching; patterns ask it for words. The set {4, 2, 7}
in a table of sixteen slots; the search for 5 begins at slot 10, finds it empty, and is over:

    slot     0   1   2   3   4   5   6   7   8   9  10  11  12  13  14  15
    table   -1  -1  -1  -1  -1  -1  -1  -1   7  -1  -1   4  -1   2  -1  -1         mask = 15

Layout: an int32 table whose used part is a power of two, at most a quarter full; -1 marks an empty slot. The search
for a number starts at the slot that its product with an odd constant names, low bits aside, and goes on to the next
slot while another number stands there.

Invariant: between the first slot of a number's search and its own lies no empty slot. Cost: filling is O(numbers), a
test is O(1): with three slots in four empty, most tests look at one slot. (Kourdounakis 2011, section 2.1, asks for
exactly this look-up in its inner loop.)

How a kernel uses it: it makes the `table` once per batch with room for the longest item (`set_table`), then per item
``mask = set_fill(table, numbers, first, last)``, then ``set_has(table, mask, number)``. A shorter item uses, and
clears, only the front of the table.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel

_MULTIPLIER = 2654435769  # 2**32 divided by the golden ratio, made odd
_SHIFT = 15


@kernel
def set_capacity(count):
    """Return the number of slots for `count` numbers: a power of two, at least four times `count`."""
    capacity = 4
    while capacity < 4 * count:
        capacity *= 2
    return capacity


@kernel
def set_table(offsets):
    """Return a table that is large enough for every item between these offsets."""
    longest = 0
    for item in range(len(offsets) - 1):
        longest = max(longest, offsets[item + 1] - offsets[item])
    return np.empty(set_capacity(longest), np.int32)


@inline
def set_slot(table, mask, number):
    """Return the slot that has the non-negative `number`, or the empty one where it would go."""
    slot = ((np.int64(number) * _MULTIPLIER) >> _SHIFT) & mask
    while table[slot] != -1 and table[slot] != number:
        slot = (slot + 1) & mask
    return slot


@kernel
def set_fill(table, numbers, first, last):
    """Make `table` the set of ``numbers[first:last]``; return the mask that `set_has` wants."""
    mask = set_capacity(last - first) - 1
    table[: mask + 1] = -1
    for i in range(first, last):
        table[set_slot(table, mask, numbers[i])] = numbers[i]
    return mask


@kernel
def set_gather(table, numbers, first, last, known):
    """Fill the set with numbers that may repeat, or be -1 for unknown; put each known one into `known`, once.

    Returns the mask and how many they are. `known` keeps the order of first sight.
    """
    mask = set_capacity(last - first) - 1
    table[: mask + 1] = -1
    end = 0
    for i in range(first, last):
        known[end] = numbers[i]
        end += numbers[i] >= 0
    count = 0
    for i in range(end):
        slot = set_slot(table, mask, known[i])
        known[count] = known[i]
        count += table[slot] == -1
        table[slot] = known[i]
    return mask, count


@inline
def set_has(table, mask, number):
    """Return whether the non-negative `number` is in the set."""
    return table[set_slot(table, mask, number)] == number
