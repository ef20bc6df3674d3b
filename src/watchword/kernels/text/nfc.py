"""Normalization Form C of a run of text: marks in order, and united with their letters (Unicode, section 3.11).

A letter "o" with a circumflex and a dot below can be written in five ways: "o" and the marks in either order, "ô" and a
dot, "ọ" and a circumflex, or "ộ". It is taken apart, its marks are put in order of their combining classes (220 for the
dot, 230 for the circumflex), and what unites is united: always "ộ". Most runs need none of this: `scan.fold_run`
notices where one does.

Arrays: `points`, the code points, and `classes`, their combining classes; the class 0 ends a sequence of marks.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.text.characters import CLASS_SHIFT, POINT, entry_of

_L, _V, _T, _S = 0x1100, 0x1161, 0x11A7, 0xAC00  # where the letters of Hangul begin, by their places, and the syllables
_VS, _TS, _LS = 21, 28, 19  # how many there are, the last of them with "none"
_FEW = 32


@kernel
def take_apart(point, points, count, unicode):
    """Append the decomposition of a code point, which may be itself; returns the new count."""
    syllable = point - _S
    if 0 <= syllable < _LS * _VS * _TS:
        points[count] = _L + syllable // (_VS * _TS)
        points[count + 1] = _V + syllable % (_VS * _TS) // _TS
        if syllable % _TS == 0:
            return count + 2
        points[count + 2] = _T + syllable % _TS
        return count + 3
    first = count
    points[first] = point
    count += 1
    while True:
        found = _parts(points[first], unicode.pairs)
        if found < 0:
            return count
        for k in range(count, first + 1, -1):
            points[k] = points[k - 1]
        points[first], points[first + 1] = found >> 21, found & POINT
        count += 1


@kernel
def compose(points, count, unicode):
    """Compose `count` decomposed code points to Normalization Form C, in place; returns their new number."""
    classes = np.empty(count, np.int64)
    for k in range(count):
        classes[k] = (entry_of(points[k], unicode) >> CLASS_SHIFT) & 0xFF
    _put_in_order(points, classes, count)
    fill = 0
    starter = -1  # where the last code point of class zero was put
    before = -1  # the class of what was kept last since then, -1 for nothing
    for k in range(count):
        if starter >= 0 and before < classes[k]:
            united = _united(points[starter], points[k], unicode.pairs)
            if united >= 0:
                points[starter] = united
                continue
        points[fill] = points[k]
        if classes[k] == 0:
            starter, before = fill, -1
        else:
            before = classes[k]
        fill += 1
    return fill


@kernel
def _put_in_order(points, classes, count):
    """Sort each sequence of marks by class, stably."""
    first = 0
    for k in range(count + 1):
        if k < count and classes[k] != 0:
            continue
        if k - first > _FEW:  # a hostile text: no quadratic sorting
            _count_sort(points, classes, first, k)
        else:
            for i in range(first + 1, k):
                at, point, rank = i, points[i], classes[i]
                while at > first and classes[at - 1] > rank:
                    points[at], classes[at] = points[at - 1], classes[at - 1]
                    at -= 1
                points[at], classes[at] = point, rank
        first = k + 1


@kernel
def _count_sort(points, classes, first, stop):
    """Sort a sequence of marks by class, stably, by a counting sort."""
    places = np.zeros(257, np.int64)
    for k in range(first, stop):
        places[classes[k] + 1] += 1
    for rank in range(1, 257):
        places[rank] += places[rank - 1]
    marks, ranks = points[first:stop].copy(), classes[first:stop].copy()
    for k in range(stop - first):
        at = first + places[ranks[k]]
        points[at], classes[at] = marks[k], ranks[k]
        places[ranks[k]] += 1


@kernel
def _united(first, second, pairs):
    """Return the composition of two code points, or -1."""
    if 0 <= first - _L < _LS and 0 <= second - _V < _VS:
        return _S + ((first - _L) * _VS + second - _V) * _TS
    if 0 <= first - _S < _LS * _VS * _TS and (first - _S) % _TS == 0 and 0 < second - _T < _TS:
        return first + second - _T
    found = _look_up((first << 21) | second, pairs, 0, len(pairs) >> 1)
    return found & POINT if found >= 0 else np.int64(-1)


@kernel
def _parts(point, pairs):
    """Return the two parts of a code point, ``first << 21 | second``, or -1."""
    found = _look_up(point, pairs, len(pairs) >> 1, len(pairs))
    return found & ((1 << 42) - 1) if found >= 0 else np.int64(-1)


@kernel
def _look_up(key, pairs, low, high):
    """Return the first of ``pairs[low:high]`` that begins with `key`, or -1.

    A pair is a key of 42 bits and a value of 21, a code point a key of 21 bits and a value of 42.
    """
    shift, end = 21 if low == 0 else 42, high
    while low < high:
        middle = (low + high) >> 1
        if pairs[middle] >> shift < key:
            low = middle + 1
        else:
            high = middle
    if low < end and pairs[low] >> shift == key:
        return pairs[low]
    return np.int64(-1)
