"""A pattern searched for in a text, word by word, from left to right: each word as far to the left as it fits.

``pie*te?a`` in "a pie, tea, ten apples": pie, the first segment, is found at 2. Behind it te is found at 7, but "a"
does not stand one character behind; te is searched for again, found at 12, and "a" stands at 16, not at 15; then te is
nowhere: no.

Words between which no `*` stands are placed together, as one segment of fixed length in characters; that an earlier
position of a segment leaves more room for the rest is why the first that fits decides. The time may be the product of
text and pattern, so it is metered: `steps` counts about the nanoseconds; at the limit the answer is `UNDECIDED`, as it
is for words of more than `FAR` bytes.

A body is as in `key_store`, and words have heads as in `word_heads`.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.intrinsics import bytes_between, trailing_zeros
from watchword.kernels.jit import inline
from watchword.kernels.patterns.keyed.grams import FAR
from watchword.kernels.patterns.keyed.word_heads import size_of, spelling_of, stands_at

NO, YES, UNDECIDED = 0, 1, 2
_TOO_LONG = -2


@inline
def holds(data, begin, stop, store, body, steps, limit):
    """Say whether ``data[begin:stop]`` holds an instance of the pattern: `NO`, `YES` or `UNDECIDED`."""
    arena, heads, spelled = store.arena, store.heads, store.spelled
    count = np.int64(arena[body + 1])
    low = _behind(data, begin, stop, np.int64(arena[body + 2]) >> 1)
    first = np.int64(0)
    while first < count:
        if low < 0:
            return NO
        last = first + 1
        while last < count and not arena[body + 2 + 3 * last] & 1:
            last += 1
        word = np.int64(arena[body + 3 + 3 * first])
        spelling, size = spelling_of(heads, word), size_of(heads, word)
        if size > FAR:
            return UNDECIDED
        end = np.int64(-1)
        while end < 0:
            position = _find(data, low, stop, spelled, spelling, size)
            steps[0] += 8 + ((position - low if position >= 0 else stop - low) >> 4)
            if position < 0:
                return NO
            if steps[0] > limit:
                return UNDECIDED
            end = position + size
            if last > first + 1:
                end = _rest(data, end, stop, store, body, first + 1, last, steps)
                if end == _TOO_LONG:
                    return UNDECIDED
            low = position + 1
        low = _behind(data, end, stop, np.int64(arena[body + 2 + 3 * last]) >> 1)
        first = last
    return YES if low >= 0 else NO


@inline
def _rest(data, at, stop, store, body, first, last, steps):
    """Return where the words from `first` to `last` end if each stands at its distance behind `at`, else -1, or
    `_TOO_LONG`."""
    arena, heads = store.arena, store.heads
    for k in range(first, last):
        gap = np.int64(arena[body + 2 + 3 * k]) >> 1
        at = _behind(data, at, stop, gap)
        word = np.int64(arena[body + 3 + 3 * k])
        size = size_of(heads, word)
        steps[0] += gap + 8
        if size > FAR:
            return np.int64(_TOO_LONG)
        if at < 0 or at + size > stop or not stands_at(data, at, store.spelled, spelling_of(heads, word), size):
            return np.int64(-1)
        at += size
    return at


@inline
def _behind(data, at, stop, count):
    """Return the position so many characters behind `at`, or -1 if they are not there."""
    while count > 0:
        if at >= stop:
            return np.int64(-1)
        at += 1
        while at < stop and data[at] & 0xC0 == 0x80:
            at += 1
        count -= 1
    return at


@inline
def _find(data, low, stop, spelled, spelling, size):
    """Return the first position from `low` on where a word of so many bytes stands, or -1.

    Positions are looked at by sixty-four, for two bytes of the word, while as many bytes lie behind.
    """
    far = min(size - 1, np.int64(3))
    one, two = spelled[spelling], spelled[spelling + far]
    at = low
    while at + size <= stop and at + 67 <= len(data):
        possible = bytes_between(data, at, one, one) & bytes_between(data, at + far, two, two)
        while possible:
            position = at + trailing_zeros(possible)
            if position + size > stop:
                return np.int64(-1)
            if stands_at(data, position, spelled, spelling, size):
                return position
            possible &= possible - np.uint64(1)
        at += 64
    while at + size <= stop:
        if stands_at(data, at, spelled, spelling, size):
            return at
        at += 1
    return np.int64(-1)
