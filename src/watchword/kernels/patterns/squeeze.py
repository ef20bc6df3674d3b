"""Rows of words with gaps, moved together where rows were removed.

Of ``song?blue`` (payload 0), ``pie*tea`` (removed, payload -1) and ``berry`` (payload 2) stay the words song, blue and
berry: `offsets` from 0, 2, 4, 5 to 0, 2, 3, `gaps` from 0 2 0, 0 1 0, 0 0 to 0 2 0, 0 0. Layout:
`watchword.patterns.rows`. Cost: a copy of what stays.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel


@kernel
def squeeze(offsets, word_offsets, data, chars, gaps, payloads):
    """Close the gaps that rows with the payload -1 leave, in place; return the rows, words and bytes that stay."""
    rows = words = fill = 0
    stop = offsets[0]
    for row in range(len(payloads)):
        start, stop = stop, offsets[row + 1]
        if payloads[row] < 0:
            continue
        for word in range(start, stop):
            low, high = word_offsets[word], word_offsets[word + 1]
            gaps[words + rows] = gaps[word + row]
            word_offsets[words] = fill
            chars[words] = chars[word]
            for at in range(low, high):
                data[fill] = data[at]
                fill += 1
            words += 1
        gaps[words + rows] = gaps[stop + row]
        payloads[rows] = payloads[row]
        rows += 1
        offsets[rows] = words
    word_offsets[words] = fill
    return rows, words, fill
