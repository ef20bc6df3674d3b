r"""From the texts of patterns to words and gaps, without an object per row.

Rows come as UTF-8 in one run, cut by `offsets`; valid, because `measure` has looked at them. What a
gap is, and how words and gaps lie in the arrays, is said in `watchword.patterns.structure`: a gap is ``2 * questions
+ star``.

The wildcards `?` and `*` and the escape `\` are single bytes that occur inside no other character, so one pass over
bytes is enough: a word begins at the first byte that is none of them, and ends before the next wildcard.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel

QUESTION, STAR, ESCAPE = 63, 42, 92


@kernel
def parse(data, offsets, rows, word_offsets, cuts, out, chars, gaps, blanks, minimums):
    """Parse every row; return how many have words, how many have none, and the number of words.

    Row ``rows[i]`` is pattern `i` of the output; row ``blanks[i]`` has wildcards only and asks for ``minimums[i]``
    characters. The first row that is empty or ends in a lone escape makes the first number ``-1 - row``. There is room
    for a word in every second byte of a row.
    """
    kept = blank = words = fill = 0
    word_offsets[0] = 0
    cuts[0] = 0
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        if at == end:
            return -1 - row, 0, 0
        first, start, size, gap = words, fill, 0, 0
        while at < end:
            byte = data[at]
            at += 1
            if byte in (QUESTION, STAR):
                if fill > start:
                    chars[words] = size
                    words += 1
                    cuts[words] = fill
                    start, size = fill, 0
                gap = gap + 2 if byte == QUESTION else gap | 1
                continue
            if byte == ESCAPE:
                if at == end:
                    return -1 - row, 0, 0
                byte = data[at]
                at += 1
            if fill == start:
                gaps[words + kept] = gap
                gap = 0
            out[fill] = byte
            fill += 1
            size += byte & 0xC0 != 0x80
        if fill > start:
            chars[words] = size
            words += 1
            cuts[words] = fill
        if words == first:
            blanks[blank] = row
            minimums[blank] = gap >> 1
            blank += 1
            continue
        gaps[first + kept] &= ~1
        gaps[words + kept] = gap & ~1
        rows[kept] = row
        kept += 1
        word_offsets[kept] = words
    return kept, blank, words
