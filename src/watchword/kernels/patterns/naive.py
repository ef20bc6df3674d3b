"""Each pattern by itself against each text (Wang and Jacobsen 2004, section 4: the naive engine).

Layout: row `r` has the words ``offsets[r]`` to ``offsets[r + 1]``; word `w` is ``pool[cuts[w]:cuts[w + 1]]``, and the
gap before it ``gaps[w + r]``, the one behind the last ``gaps[offsets[r + 1] + r]`` (`watchword.patterns.structure`).
A removed row has the payload -1.

Words that only `?` part are a *segment*: of fixed length, so that its earliest place leaves most room to all that
follow. Placing segment after segment as early as they go finds an instance if there is one, without ever going back.
To step over characters in constant time, a text's characters are numbered once: `place` gives the number of the
character that starts at a byte, `begin` the byte of a number.

Cost: the product of rows and texts, times the length of a segment where a text keeps nearly matching it.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel


@inline
def _number(data, start, end, place, begin):
    """Number the characters of a text; return how many there are."""
    chars = 0
    for at in range(start, end):
        if data[at] & 0xC0 != 0x80:
            place[at - start] = chars
            begin[chars] = at - start
            chars += 1
    place[end - start] = chars
    begin[chars] = end - start
    return chars


@inline
def _segment_end(data, start, size, place, begin, chars, at, row, first, last, cuts, pool, gaps):
    """Return the character behind the segment's words `first` to `last` if they stand at byte `at`, else -1."""
    for word in range(first, last):
        if word > first:
            char = place[at] + (gaps[word + row] >> 1)
            if char > chars:
                return -1
            at = begin[char]
        length = cuts[word + 1] - cuts[word]
        if at + length > size:
            return -1
        for k in range(length):
            if data[start + at + k] != pool[cuts[word] + k]:
                return -1
        at += length
    return place[at]


@kernel
def _holds(data, start, size, place, begin, chars, row, offsets, cuts, pool, gaps):
    """Say whether the text has an instance of a row, and count the places tried."""
    tried = free = 0
    first, stop = offsets[row], offsets[row + 1]
    while first < stop:
        last = first + 1
        while last < stop and gaps[last + row] & 1 == 0:
            last += 1
        lead = pool[cuts[first]]
        char = free + (gaps[first + row] >> 1)
        free = -1
        while char < chars and free < 0:
            at = begin[char]
            if data[start + at] == lead:
                tried += 1
                free = _segment_end(data, start, size, place, begin, chars, at, row, first, last, cuts, pool, gaps)
            char += 1
        if free < 0:
            return False, tried
        first = last
    return free + (gaps[stop + row] >> 1) <= chars, tried


@kernel
def naive_match(first, used, data, offsets, rows, cuts, pool, gaps, payloads, ends, found):
    """Match texts from `first` on; see `Step` for the buffer's rules. Operations: places tried, and rows."""
    texts = len(offsets) - 1
    longest = 0
    for text in range(first, texts):
        longest = max(longest, offsets[text + 1] - offsets[text])
    place = np.empty(longest + 1, np.int64)
    begin = np.empty(longest + 1, np.int64)
    operations = 0
    for text in range(first, texts):
        start, end = offsets[text], offsets[text + 1]
        chars = _number(data, start, end, place, begin)
        fill, spent = used, 0
        for row in range(len(payloads)):
            if payloads[row] < 0:
                continue
            held, tried = _holds(data, start, end - start, place, begin, chars, row, rows, cuts, pool, gaps)
            spent += tried + 1
            if held:
                if fill == len(found):
                    return text, used, operations
                found[fill] = payloads[row]
                fill += 1
        used = fill
        ends[text] = used
        operations += spent
    return texts, used, operations


@kernel
def squeeze(offsets, cuts, pool, chars, gaps, payloads):
    """Close the gaps that removed rows left, in place; return the rows, words and bytes that stay."""
    rows = words = fill = 0
    stop = offsets[0]
    for row in range(len(payloads)):
        start, stop = stop, offsets[row + 1]
        if payloads[row] < 0:
            continue
        for word in range(start, stop):
            low, high = cuts[word], cuts[word + 1]
            gaps[words + rows] = gaps[word + row]
            cuts[words] = fill
            chars[words] = chars[word]
            for at in range(low, high):
                pool[fill] = pool[at]
                fill += 1
            words += 1
        gaps[words + rows] = gaps[stop + row]
        payloads[rows] = payloads[row]
        rows += 1
        offsets[rows] = words
    cuts[words] = fill
    return rows, words, fill
