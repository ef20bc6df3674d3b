"""An arena: records of any length in one int32 array, with a free list for each length.

Two records of three words and one of two were taken; the first was given back, then the third:

    words     -1  .  . | 9  8  7 | -1  .         addresses 0, 3 and 6; only the record at 3 is in use
    bins      -1 -1  6  0                        bins[2] = 6, bins[3] = 0: a free record of two words, one of three
    state      8  3                              words ever used, words in use

Layout: `words` (int32) holds the records end to end. ``bins[s]`` is the address of the first free record of `s` words,
or -1; a free record's first word is the address of the next. ``state[WORDS_END]`` is the first word never used,
``state[WORDS_LIVE]`` the words in records that are in use; the owner keeps its own figures behind these two.

Invariant: every word below the end belongs to exactly one record, in use or free. Cost: taking and giving back are a
few steps. A free record is reused for its own length only, never split or joined: lengths are few here, and a record
that goes is soon followed by one of its length.
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
