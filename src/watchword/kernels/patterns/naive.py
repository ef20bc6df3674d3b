"""Each pattern by itself against each text (Wang and Jacobsen 2004, section 4: the naive engine).

Layout: patterns as in `watchword.patterns.rows`; a removed one has the payload -1.

Words that only `?` part are a *segment*: of fixed length, so that its earliest position leaves most room to all that
follow. Placing segment after segment as early as they go finds an instance if there is one, without ever going back.
``pie*tea`` is two segments, ``song?blue`` is one, of nine characters.

To step over characters in constant time, a text's characters are numbered once: `numbers` gives the number of the
character that starts at a byte, `starts` the byte of a number. For "aéb", the bytes 61 c3 a9 62, that is::

    numbers  [0, 1, -, 2, 3]      the third byte starts no character; behind the last one comes the length
    starts   [0, 1, 3, 4]

Cost: the product of rows and texts, times the length of a segment where a text keeps nearly matching it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8
from watchword.kernels.jit import inline, kernel, leaf


class NaiveRows(NamedTuple):
    """The patterns and their payloads."""

    offsets: Int64
    word_offsets: Int64
    data: UInt8
    gaps: Int32
    payloads: Int32


@inline
def _number(text, numbers, starts):
    """Number the characters of a text; return how many there are."""
    chars = 0
    for at in range(len(text)):
        if text[at] & 0xC0 != 0x80:
            numbers[at] = chars
            starts[chars] = at
            chars += 1
    numbers[len(text)] = chars
    starts[chars] = len(text)
    return chars


@inline
def _segment_end(text, numbers, starts, chars, at, row, first, last, rows):
    """Return the character behind the segment's words `first` to `last` if they stand at byte `at`, else -1."""
    for word in range(first, last):
        if word > first:
            char = numbers[at] + (rows.gaps[word + row] >> 1)
            if char > chars:
                return -1
            at = starts[char]
        begin = rows.word_offsets[word]
        length = rows.word_offsets[word + 1] - begin
        if at + length > len(text):
            return -1
        for k in range(length):
            if text[at + k] != rows.data[begin + k]:
                return -1
        at += length
    return numbers[at]


@leaf
def _holds(text, numbers, starts, chars, row, rows):
    """Say whether the text has an instance of a row, and count the positions tried."""
    gaps = rows.gaps
    tried = free = 0
    first, stop = rows.offsets[row], rows.offsets[row + 1]
    while first < stop:
        last = first + 1
        while last < stop and gaps[last + row] & 1 == 0:
            last += 1
        lead = rows.data[rows.word_offsets[first]]
        char = free + (gaps[first + row] >> 1)
        free = -1
        while char < chars and free < 0:
            at = starts[char]
            if text[at] == lead:
                tried += 1
                free = _segment_end(text, numbers, starts, chars, at, row, first, last, rows)
            char += 1
        if free < 0:
            return False, tried
        first = last
    return free + (gaps[stop + row] >> 1) <= chars, tried


@kernel
def match(data, text_offsets, rows, first, used, offsets, payloads):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks. Operations: positions tried, and rows."""
    texts = len(text_offsets) - 1
    longest = 0
    for text in range(first, texts):
        longest = max(longest, text_offsets[text + 1] - text_offsets[text])
    numbers = np.empty(longest + 1, np.int64)
    starts = np.empty(longest + 1, np.int64)
    row_payloads = rows.payloads
    operations = 0
    for event in range(first, texts):
        text = data[text_offsets[event] : text_offsets[event + 1]]
        chars = _number(text, numbers, starts)
        fill, spent = used, 0
        for row in range(len(row_payloads)):
            if row_payloads[row] < 0:
                continue
            held, tried = _holds(text, numbers, starts, chars, row, rows)
            spent += tried + 1
            if held:
                if fill == len(payloads):
                    return event, used, operations
                payloads[fill] = row_payloads[row]
                fill += 1
        used = fill
        offsets[event + 1] = used
        operations += spent
    return texts, used, operations
