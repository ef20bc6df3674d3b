"""Blocks: pieces of one int32 array in size classes, four to each doubling, with a free list for each class.

    class     0   1   2   3   4   5   6   7   8   9  10  11  12
    words     4   5   6   7   8  10  12  14  16  20  24  28  32

Blocks of class 0, 4 and 0 were taken, for lists of 3, 8 and 4 numbers, and the first was given back:

    words     -1  .  .  . | 9  8  7  6  5  4  3  2 | 6  6  6  6       addresses 0, 4 and 12
    bins       0 -1 -1 -1 -1 …                                        bins[0] = 0: a free block of class 0
    state     16                                                      words ever used

Layout: ``bins[c]`` is the address of the first free block of class `c`, or -1; a free block's first word is the address
of the next. ``state[WORDS_END]`` is the first word never used; the owner keeps its own figures behind it.

Invariant: every word below the end belongs to exactly one block, in use or free. Cost: taking and giving back are a few
steps; a block is at most a quarter larger than was asked for, or four words. `arena` has a free list for every length
instead, which is right for short records, and no table could have for lists of millions.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel

WORDS_END = 0
CLASSES = 4 * 29
"""Addresses are int32: the last class has 7 << 28 words."""


@kernel
def block_words(block):
    """Return the words of a block of this class."""
    return (4 + (block & 3)) << (block >> 2)


@kernel
def block_class(size):
    """Return the least class whose blocks have `size` words."""
    doublings = 0
    while 7 << doublings < size:
        doublings += 1
    steps = -(-size >> doublings) - 4
    return 4 * doublings + max(0, steps)


@kernel
def take_block(words, bins, state, block):
    """Return the address of a block of this class, whatever it holds. The caller has seen to the room."""
    address = bins[block]
    if address >= 0:
        bins[block] = words[address]
    else:
        address = state[WORDS_END]
        state[WORDS_END] += block_words(block)
    return address


@kernel
def give_block(words, bins, address, block):
    """Put a block on the free list of its class."""
    words[address] = bins[block]
    bins[block] = address
