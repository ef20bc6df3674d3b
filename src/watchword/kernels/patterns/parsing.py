r"""From the texts of patterns to words and gaps, without an object per row.

Texts come as UTF-8 in one run, cut by `text_offsets`; valid, because `folding.measure` has looked at them. What a gap
is, and how words and gaps lie in the arrays, is said in `watchword.patterns.rows`: a gap is ``2 * questions + star``.
The texts ``*so\*ng?b``, ``??`` and ``tea`` become::

    rows      [0, 2]                  the patterns are those of the texts 0 and 2
    words     so*ng, b, tea           with the gaps 0 2 0 and 0 0: a star at an end asks nothing
    blanks    [1], minimums [2]       the text 1 has no word, and asks for two characters

The wildcards `?` and `*` and the escape `\` are single bytes that occur inside no other character, so one pass over
bytes is enough: a word begins at the first byte that is none of them, and ends before the next wildcard.
"""

from __future__ import annotations

from watchword.kernels.jit import kernel

QUESTION, STAR, ESCAPE = 63, 42, 92


@kernel
def parse(data, text_offsets, rows, offsets, word_offsets, out, chars, gaps, blanks, minimums):
    """Parse every text; return how many have words, how many have none, and the number of words.

    Text ``rows[i]`` is pattern `i` of the output; text ``blanks[i]`` has wildcards only and asks for ``minimums[i]``
    characters. The first text that is empty or ends in a lone escape makes the first number ``-1 - text``. There is
    room for a word in every second byte of a text.
    """
    kept = blank = words = fill = 0
    offsets[0] = 0
    word_offsets[0] = 0
    for row in range(len(text_offsets) - 1):
        at, end = text_offsets[row], text_offsets[row + 1]
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
                    word_offsets[words] = fill
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
            word_offsets[words] = fill
        if words == first:
            blanks[blank] = row
            minimums[blank] = gap >> 1
            blank += 1
            continue
        gaps[first + kept] &= ~1
        gaps[words + kept] = gap & ~1
        rows[kept] = row
        kept += 1
        offsets[kept] = words
    return kept, blank, words
