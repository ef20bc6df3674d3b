"""Keywords with gaps between them, put together along a line.

A line is a text, whose places are characters, or a path through a tree, whose places are elements. A *sequence* is
keywords with a gap before each of them and one behind the last:

    begins[k], stops[k]   keyword k occurs and ends at ``ends[begins[k]:stops[k]]``, ascending; an end is the place
                          behind the last one that it covers
    lengths[k]            how many places an occurrence covers
    least[k], most[k]     how many places lie between keyword k - 1 and keyword k, at least and at most; `ANY` for no
                          upper limit. Gap 0 starts where the line does, the last one ends where the line does, at
                          `limit`.

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


@kernel
def lower_bound(ends, begin, stop, wanted):
    """Return the first of ``ends[begin:stop]`` that is not below `wanted`, as an index; `stop` if there is none."""
    step = np.int64(1)
    high = begin
    while high < stop and ends[high] < wanted:
        begin = high + 1
        high += step
        step *= 2
    high = min(high, stop)
    while begin < high:
        middle = (begin + high) >> 1
        if ends[middle] < wanted:
            begin = middle + 1
        else:
            high = middle
    return begin


@kernel
def fits(count, begins, stops, lengths, least, most, ends, limit, reached, spare):
    """Say whether a sequence of `count` keywords, at least one, fits. `reached` and `spare` hold as many as `ends`."""
    begin = lower_bound(ends, begins[0], stops[0], least[0] + lengths[0])
    stop = stops[0]
    if most[0] != ANY:
        stop = lower_bound(ends, begin, stop, most[0] + lengths[0] + 1)
    now = ends  # the reachable ends are now[begin:stop]
    for k in range(1, count):
        if begin == stop:
            return False
        first = lower_bound(ends, begins[k], stops[k], now[begin] + least[k] + lengths[k])
        if most[k] == ANY:
            now, begin, stop = ends, first, stops[k]
        else:
            fill = _reach(now, begin, stop, ends, first, stops[k], lengths[k], least[k], most[k], spare)
            now, begin, stop = spare, np.int64(0), fill
            reached, spare = spare, reached
    if most[count] != ANY:
        begin = lower_bound(now, begin, stop, limit - most[count])
    return begin < stop and now[begin] + least[count] <= limit


@kernel
def _reach(now, begin, stop, ends, first, last, length, least, most, out):
    """Write those of ``ends[first:last]`` that start `least` to `most` behind one of ``now[begin:stop]``."""
    fill = np.int64(0)
    if 8 * (stop - begin) < last - first:
        for i in range(begin, stop):
            low = now[i] + least + length
            first = lower_bound(ends, first, last, low)
            while first < last and ends[first] <= now[i] + most + length:
                out[fill] = ends[first]
                fill += 1
                first += 1
        return fill
    for j in range(first, last):
        start = ends[j] - length
        if 8 * (last - first) < stop - begin:
            begin = lower_bound(now, begin, stop, start - most)
        while begin < stop and now[begin] < start - most:
            begin += 1
        if begin == stop:
            break
        if now[begin] <= start - least:
            out[fill] = ends[j]
            fill += 1
    return fill
