"""Keywords with gaps between them, put together along a line.

A line is a text, whose places are characters, or a path through a tree, whose places are elements. A *sequence* is
keywords with a gap before each of them and one behind the last:

    sequence   int64, a row for each of these, a column for each keyword k:
      BEGIN, STOP   keyword k occurs and ends at ``ends[0, BEGIN:STOP]``, ascending; an end is the place behind the
                    last one that it covers
      LENGTH        how many places an occurrence covers
      LEAST, MOST   how many places lie between keyword k - 1 and keyword k, at least and at most; `ANY` for no upper
                    limit. Gap 0 starts where the line does; the gap in the column behind the last keyword ends where
                    the line does, at `limit`.
    ends       int64, three rows: the ends, and two of the same length for the work

The sequence fits if there is one choice of an occurrence for each keyword such that all gaps hold. `fits` goes through
the keywords once and keeps which occurrences can be reached: behind a gap without an upper limit that is every one from
some place on, so only that place is kept and found by binary search; behind another it is a list, made by walking the
list before it and the occurrences side by side, or by searching from the shorter of the two. Nothing is tried twice:
the cost is at most the number of occurrences of all keywords, whatever the number of ways to choose.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel

ANY = -1
BEGIN, STOP, LENGTH, LEAST, MOST = 0, 1, 2, 3, 4


@kernel
def lower_bound(ends, row, begin, stop, wanted):
    """Return the first of ``ends[row, begin:stop]`` that is not below `wanted`, as an index; `stop` if none is."""
    step = np.int64(1)
    high = begin
    while high < stop and ends[row, high] < wanted:
        begin = high + 1
        high += step
        step *= 2
    high = min(high, stop)
    while begin < high:
        middle = (begin + high) >> 1
        if ends[row, middle] < wanted:
            begin = middle + 1
        else:
            high = middle
    return begin


@kernel
def fits(count, sequence, ends, limit):
    """Say whether a sequence of `count` keywords, at least one, fits."""
    row = 0  # the reachable ends are ends[row, begin:stop]
    least = sequence[LEAST, 0] + sequence[LENGTH, 0]
    stop = sequence[STOP, 0]
    begin = lower_bound(ends, row, sequence[BEGIN, 0], stop, least)
    if sequence[MOST, 0] != ANY:
        stop = lower_bound(ends, row, begin, stop, sequence[MOST, 0] + sequence[LENGTH, 0] + 1)
    for k in range(1, count):
        if begin == stop:
            return False
        least = ends[row, begin] + sequence[LEAST, k] + sequence[LENGTH, k]
        first = lower_bound(ends, 0, sequence[BEGIN, k], sequence[STOP, k], least)
        if sequence[MOST, k] == ANY:
            row, begin, stop = 0, first, sequence[STOP, k]
        else:
            other = 2 if row == 1 else 1
            begin, stop = np.int64(0), _reach(sequence, k, ends, row, begin, stop, first, other)
            row = other
    if sequence[MOST, count] != ANY:
        begin = lower_bound(ends, row, begin, stop, limit - sequence[MOST, count])
    return begin < stop and ends[row, begin] + sequence[LEAST, count] <= limit


@kernel
def _reach(sequence, k, ends, row, begin, stop, first, out):
    """Write to row `out` the ends of keyword `k` from `first` on that one of ``ends[row, begin:stop]`` reaches."""
    last = sequence[STOP, k]
    least, most = sequence[LEAST, k] + sequence[LENGTH, k], sequence[MOST, k] + sequence[LENGTH, k]
    fill = np.int64(0)
    if 8 * (stop - begin) < last - first:
        for i in range(begin, stop):
            first = lower_bound(ends, 0, first, last, ends[row, i] + least)
            while first < last and ends[0, first] <= ends[row, i] + most:
                ends[out, fill] = ends[0, first]
                fill += 1
                first += 1
        return fill
    for j in range(first, last):
        if ends[row, begin] < ends[0, j] - most:
            begin = lower_bound(ends, row, begin, stop, ends[0, j] - most)
            if begin == stop:
                break
        if ends[row, begin] <= ends[0, j] - least:
            ends[out, fill] = ends[0, j]
            fill += 1
    return fill
