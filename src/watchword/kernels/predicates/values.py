"""Looks up whole columns of values: the constant that each equals, and its label among the breakpoints.

A number is a pair ``(near, rest)``: the nearest double, and the exact value minus it. Pairs compare as the
numbers do, since rounding never swaps two numbers: ``2**53 + 1`` is ``(2.0**53, 1)``, just above ``(2.0**53, 0)``.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel, leaf


@leaf
def first_not_below(near, rest, constants_near, constants_rest):
    """Return the position of the first ascending constant not below a number, by a branch-free binary search."""
    at, size = 0, len(constants_near)
    while size > 1:
        half = size >> 1
        at += half if _is_below(constants_near[at + half - 1], constants_rest[at + half - 1], near, rest) else 0
        size -= half
    return at + (size > 0 and _is_below(constants_near[at], constants_rest[at], near, rest))


@inline
def _is_below(near, rest, other_near, other_rest):
    return (near < other_near) | ((near == other_near) & (rest < other_rest))


@kernel
def find_numbers(near, rest, constants_near, constants_rest, found):
    """Write the position of the ascending constant that each number equals, or -1. `rest` is empty if all are 0."""
    exact = len(rest) > 0
    for i in range(len(near)):
        more = rest[i] if exact else np.int64(0)
        at = first_not_below(near[i], more, constants_near, constants_rest)
        equal = at < len(constants_near) and constants_near[at] == near[i] and constants_rest[at] == more
        found[i] = at if equal else -1


@kernel
def label_numbers(near, rest, breaks_near, breaks_rest, labels, first, placed):
    """Write the label of each number; `first` is the label of numbers below all breakpoints."""
    exact = len(rest) > 0
    for i in range(len(near)):
        more = rest[i] if exact else np.int64(0)
        at = first_not_below(near[i], more, breaks_near, breaks_rest)
        if at < len(breaks_near) and breaks_near[at] == near[i] and breaks_rest[at] == more:
            placed[i] = labels[at]
        else:
            placed[i] = labels[at - 1] + 1 if at else first


@leaf
def _order(data, start, stop, other, other_start, other_stop):
    """Return -1, 0 or 1 if a string is below, equal to or above another, by its bytes."""
    size, other_size = stop - start, other_stop - other_start
    for k in range(min(size, other_size)):
        if data[start + k] != other[other_start + k]:
            return -1 if data[start + k] < other[other_start + k] else 1
    return (size > other_size) - (size < other_size)


@leaf
def label_of_text(data, start, stop, breaks, break_offsets, labels, first):
    """Return the label of ``data[start:stop]``; `first` is the label of texts below all breakpoints."""
    low, high = 0, len(break_offsets) - 1
    while low < high:  # the first breakpoint above
        middle = (low + high) >> 1
        order = _order(data, start, stop, breaks, break_offsets[middle], break_offsets[middle + 1])
        if order == 0:
            return labels[middle]
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return labels[low - 1] + 1 if low else first


@kernel
def label_texts(data, offsets, breaks, break_offsets, labels, first, placed):
    """Write the label of each text; `first` is the label of texts below all breakpoints."""
    for i in range(len(offsets) - 1):
        placed[i] = label_of_text(data, offsets[i], offsets[i + 1], breaks, break_offsets, labels, first)


@kernel
def known_atoms(term_offsets, terms, atoms, offsets, points):
    """Write ``atoms[t]`` for each term `t` of each text, and where each text's begin; unknown terms, below 0, and terms
    without an atom, -1, are left out. Returns the number of points."""
    fill = 0
    for text in range(len(term_offsets) - 1):
        offsets[text] = fill
        for k in range(term_offsets[text], term_offsets[text + 1]):
            point = atoms[terms[k]] if terms[k] >= 0 else np.int32(-1)
            points[fill] = point
            fill += point >= 0
    offsets[len(term_offsets) - 1] = fill
    return fill
