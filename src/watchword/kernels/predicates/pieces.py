"""Cuts conjunctions at their ANDs, in bulk, so that each distinct piece is parsed once.

``a = 'v1' AND b BETWEEN 1 AND 5`` has the pieces ``a = 'v1'`` and ``b BETWEEN 1 AND 5``. An AND in quotes or in
parentheses does not cut, nor does the AND of a BETWEEN. A text with OR or NOT outside of parentheses is no
conjunction, and is left to the parser.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel, leaf

_QUOTE, _NAME_QUOTE, _OPEN, _CLOSE = 39, 34, 40, 41


@leaf
def _is_word(byte):
    return byte >= 128 or byte == 95 or 48 <= byte <= 57 or 97 <= byte | 32 <= 122


@leaf
def _is_space(byte):
    return byte == 32 or 9 <= byte <= 13


@leaf
def _spells(data, start, stop, word):
    """Return whether ``data[start:stop]`` spells `word`, which is in lower case, in any case."""
    if stop - start != len(word):
        return False
    for k in range(len(word)):
        if data[start + k] | 32 != word[k]:
            return False
    return True


@kernel
def cut(data, offsets, words, plain, piece_rows, pieces, piece_offsets):
    """Write the trimmed pieces of all rows, concatenated, and each row's number of pieces; 0 if it is no conjunction.

    `words` has the bytes of and, or, not, between, each padded to seven. Returns the number of pieces.
    """
    count = np.int64(0)
    fill = np.int64(0)
    for row in range(len(offsets) - 1):
        first, first_fill = count, fill
        begin = offsets[row]
        stop = offsets[row + 1]
        at = begin
        depth = 0
        between = False
        plain[row] = True
        while at <= stop and plain[row]:
            end = at
            if at < stop and _is_word(data[at]):
                while at < stop and _is_word(data[at]):
                    at += 1
                if depth == 0:
                    if _spells(data, end, at, words[3, :7]):
                        between = True
                    elif _spells(data, end, at, words[1, :2]) or _spells(data, end, at, words[2, :3]):
                        plain[row] = False
                    elif _spells(data, end, at, words[0, :3]):
                        if between:
                            between = False
                        else:
                            count, fill = _put(data, begin, end, pieces, piece_offsets, count, fill)
                            plain[row] = fill > piece_offsets[count - 1]
                            begin = at
                continue
            if at == stop:
                count, fill = _put(data, begin, end, pieces, piece_offsets, count, fill)
                plain[row] = plain[row] and fill > piece_offsets[count - 1] and depth == 0
                break
            byte = data[at]
            if byte in (_QUOTE, _NAME_QUOTE):
                at += 1
                while at < stop and data[at] != byte:
                    at += 1
                plain[row] = at < stop
            depth += (byte == _OPEN) - (byte == _CLOSE)
            plain[row] = plain[row] and depth >= 0
            at += 1
        if not plain[row]:
            count, fill = first, first_fill
        piece_rows[row] = count - first
    return count


@leaf
def _put(data, begin, end, pieces, piece_offsets, count, fill):
    """Append a trimmed piece; returns the new count and fill."""
    while begin < end and _is_space(data[begin]):
        begin += 1
    while begin < end and _is_space(data[end - 1]):
        end -= 1
    for k in range(begin, end):
        pieces[fill] = data[k]
        fill += 1
    piece_offsets[count + 1] = fill
    return count + 1, fill


@kernel
def shape_of(data):
    """Return the line breaks in JSON texts, the lines that begin with ``{``, and the deepest nesting of brackets, those
    inside strings counted. The two lines ``{"a": [1]}`` and ``null`` give 1, 1 and 2."""
    breaks = objects = depth = deepest = 0
    begins = True
    for byte in data:
        breaks += byte == 10 or byte == 13
        depth += (byte == 123) + (byte == 91) - (byte == 125) - (byte == 93)
        if byte == 10:
            depth = 0
            begins = True
        elif begins and byte != 32 and byte != 9 and byte != 13:
            objects += byte == 123
            begins = False
        deepest = max(deepest, depth)
    return breaks, objects, deepest
