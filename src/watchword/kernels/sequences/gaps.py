"""Keywords with gaps between them, put together along a line.

A line is a text, whose positions are characters, or a path through a tree, whose positions are elements. A *sequence*
is keywords with a gap before each of them and one behind the last. The pattern ``song?blue`` and the text "a song
blue", in which song ends at position 6 and blue at 11::

                 song  blue  behind
    BEGIN           0     1              ends[0] = [6, 11]
    STOP            1     2
    LENGTH          4     4
    LEAST           0     1       0
    MOST          ANY     1     ANY      it starts and ends anywhere; between the two lies one character

    sequence   int64, a row for each of these, a column for each keyword k:
      BEGIN, STOP   keyword k occurs and ends at ``ends[0, BEGIN:STOP]``, ascending; an end is the position behind the
                    last one that it covers
      LENGTH        how many positions an occurrence covers
      LEAST, MOST   how many positions lie between keyword k - 1 and keyword k, at least and at most; `ANY` for no upper
                    limit. Gap 0 starts where the line does; the gap in the column behind the last keyword ends where
                    the line does, at `limit`.
    ends       int64, three rows: the ends, and two of the same length for the work

The sequence fits if there is one choice of an occurrence for each keyword such that all gaps hold. Keywords between
which no gap is open (`ANY`) make a *segment*. A segment that ends earlier leaves more room for the rest, so each is
placed as early as it goes, from the first on, and nothing is ever taken back:

- where all gaps of a segment are exact, its keyword with the fewest occurrences leads, and the others are looked for
  at their distances, each from where it was found before: a position costs one look if the first keyword asked fails;
- else the ends that can be reached are kept as a list, keyword by keyword, and the first of the last list is taken.

Cost: a binary search for a keyword between open gaps; in a segment at most its keywords times the occurrences of the
rarest, or the occurrences of all, whatever the number of ways to choose. Trying all choices, as a regular expression
does, would take their product.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import leaf

ANY = -1
BEGIN, STOP, LENGTH, LEAST, MOST = 0, 1, 2, 3, 4
_NOWHERE = -1
_EVERYWHERE = 1 << 62


@leaf
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


@leaf
def fits(count, sequence, ends, limit):
    """Say whether a sequence of `count` keywords, at least one, fits. It may change what `sequence` says of BEGIN."""
    first = 0
    low = sequence[LEAST, 0]  # where the segment may start, at least and at most
    high = _EVERYWHERE if sequence[MOST, 0] == ANY else sequence[MOST, 0]
    while True:
        last = first + 1
        is_exact = True
        while last < count and sequence[MOST, last] != ANY:
            is_exact = is_exact and sequence[LEAST, last] == sequence[MOST, last]
            last += 1
        earliest_end = np.int64(0)  # the last segment may have to reach the end of the line
        if last == count and sequence[MOST, count] != ANY:
            earliest_end = limit - sequence[MOST, count]
        if is_exact:
            end = _place(first, last, sequence, ends, low, high, earliest_end)
        else:
            end = _reach(first, last, sequence, ends, low, high, earliest_end)
        if end == _NOWHERE:
            return False
        if last == count:
            return end + sequence[LEAST, count] <= limit
        first, low, high = last, end + sequence[LEAST, last], _EVERYWHERE


@leaf
def _place(first, last, sequence, ends, low, high, earliest_end):
    """Return the earliest end of keywords at exact distances that start from `low` to `high` and end from
    `earliest_end` on."""
    lead, fewest = first, sequence[STOP, first] - sequence[BEGIN, first]
    span = before = sequence[LENGTH, first]  # from the segment's start to its end, and to the end of the lead
    for k in range(first + 1, last):
        span += sequence[LEAST, k] + sequence[LENGTH, k]
        if sequence[STOP, k] - sequence[BEGIN, k] < fewest:
            lead, fewest, before = k, sequence[STOP, k] - sequence[BEGIN, k], span
    low = max(low, earliest_end - span)
    at = lower_bound(ends, 0, sequence[BEGIN, lead], sequence[STOP, lead], low + before)
    while at < sequence[STOP, lead]:
        start = ends[0, at] - before
        if start > high:
            return np.int64(_NOWHERE)
        if _holds(first, last, lead, sequence, ends, start):
            return start + span
        at += 1
    return np.int64(_NOWHERE)


@leaf
def _holds(first, last, lead, sequence, ends, start):
    """Say whether all keywords but the lead, which does, stand at their distances from `start`."""
    end = start - sequence[LEAST, first]
    for k in range(first, last):
        end += sequence[LEAST, k] + sequence[LENGTH, k]
        if k == lead:
            continue
        at = lower_bound(ends, 0, sequence[BEGIN, k], sequence[STOP, k], end)
        sequence[BEGIN, k] = at  # later starts come later
        if at == sequence[STOP, k] or ends[0, at] != end:
            return False
    return True


@leaf
def _reach(first, last, sequence, ends, low, high, earliest_end):
    """As `_place`, for any gaps that have an upper limit."""
    row = 0  # the ends reached are ends[row, begin:stop]
    stop = sequence[STOP, first]
    begin = lower_bound(ends, row, sequence[BEGIN, first], stop, low + sequence[LENGTH, first])
    if high != _EVERYWHERE:
        stop = lower_bound(ends, row, begin, stop, high + sequence[LENGTH, first] + 1)
    for k in range(first + 1, last):
        least, most = sequence[LEAST, k] + sequence[LENGTH, k], sequence[MOST, k] + sequence[LENGTH, k]
        out = 2 if row == 1 else 1
        fill = np.int64(0)
        for j in range(sequence[BEGIN, k], sequence[STOP, k]):
            while begin < stop and ends[row, begin] < ends[0, j] - most:
                begin += 1
            if begin == stop:
                break
            if ends[row, begin] <= ends[0, j] - least:
                ends[out, fill] = ends[0, j]
                fill += 1
        row, begin, stop = out, np.int64(0), fill
    begin = lower_bound(ends, row, begin, stop, earliest_end)
    return ends[row, begin] if begin < stop else np.int64(_NOWHERE)
