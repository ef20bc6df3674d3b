"""Records of any length in one int32 array, with free lists by length.

Layout: `words` (int32) holds the records end to end. ``bins[s]`` is the address of the first free record of
`s` words, or -1; a free record's first word is the address of the next. ``state[WORDS_END]`` is the first word
never used, ``state[WORDS_LIVE]`` the words in records that are in use; the owner keeps its own figures behind.

Invariant: every word below the end belongs to exactly one record, in use or free. Taking and giving back cost
a few steps; a free record is reused for its own length only, never split or joined.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel

WORDS_END = 0
WORDS_LIVE = 1


@kernel
def take(words, bins, state, size):
    """Return the address of a record of `size` words, whatever they hold. The caller has seen to the room."""
    state[WORDS_LIVE] += size
    address = bins[size]
    if address >= 0:
        bins[size] = words[address]
    else:
        address = state[WORDS_END]
        state[WORDS_END] += size
    return address


@kernel
def give_back(words, bins, state, address, size):
    """Put a record on the free list of its length."""
    state[WORDS_LIVE] -= size
    words[address] = bins[size]
    bins[size] = address
