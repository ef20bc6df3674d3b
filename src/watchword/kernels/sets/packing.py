"""Into the packed form and back; `packed` has the layout.

Rows come in CSR form. Their terms are put into order, rarest first; the rows are sorted by their first two terms,
with two stable counting sorts; then the blocks are measured and written, front to back.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel
from watchword.kernels.sets.packed import is_gone


@kernel
def sort_rows(offsets, terms, row_counts, rows, item_counts, prior):
    """Put each row's terms into order, rarest first; rarity as expected in items (`rarity`)."""
    share = prior / max(rows, 1)
    for row in range(len(offsets) - 1):
        for i in range(offsets[row] + 1, offsets[row + 1]):
            term = terms[i]
            weight = item_counts[term] + share * row_counts[term]
            j = i - 1
            while j >= offsets[row]:
                other = terms[j]
                its = item_counts[other] + share * row_counts[other]
                if its < weight or (its == weight and other < term):
                    break
                terms[j + 1] = other
                j -= 1
            terms[j + 1] = term


@kernel
def sort_by(keys, order, width):
    """Return `order` stably sorted by `keys[order]`, which lie in ``[0, width)``."""
    counts = np.zeros(width + 1, np.int64)
    for key in keys:
        counts[key + 1] += 1
    for k in range(width):
        counts[k + 1] += counts[k]
    result = np.empty_like(order)
    for row in order:
        key = keys[row]
        result[counts[key]] = row
        counts[key] += 1
    return result


@kernel
def row_keys(offsets, terms, rank, width):
    """Return the term at `rank` of each row plus one, 0 where the row is shorter."""
    keys = np.zeros(len(offsets) - 1, np.int32)
    for row in range(len(keys)):
        at = offsets[row] + rank
        if at < offsets[row + 1]:
            keys[row] = terms[at] + 1
    return keys


@kernel
def measure(offsets, terms, order, starts):
    """Fill `starts` for rows in `order` (by first, then second term); return the words of the arena."""
    total = np.int64(0)
    term = 0
    starts[0] = 0
    at = 0
    while at < len(order):
        first = terms[offsets[order[at]]]
        while term < first:
            term += 1
            starts[term] = total
        total += 2
        second = np.int32(-1)
        while at < len(order) and terms[offsets[order[at]]] == first:
            row = order[at]
            size = offsets[row + 1] - offsets[row]
            if size == 1:
                total += 1
            else:
                if terms[offsets[row] + 1] != second:
                    second = terms[offsets[row] + 1]
                    total += 2
                total += size - 1
            at += 1
        if total > 2147483647:
            return total
        term += 1
        starts[term] = total
    while term < len(starts) - 1:
        term += 1
        starts[term] = total
    return total


@kernel
def pack(offsets, terms, payloads, order, arena):
    """Write the blocks of all rows, in `order`, into `arena`."""
    base = np.int64(0)
    at = 0
    while at < len(order):
        first = terms[offsets[order[at]]]
        singles = 0
        groups = 0
        end = at
        second = np.int32(-1)
        while end < len(order) and terms[offsets[order[end]]] == first:
            row = order[end]
            if offsets[row + 1] - offsets[row] == 1:
                singles += 1
            elif terms[offsets[row] + 1] != second:
                second = terms[offsets[row] + 1]
                groups += 1
            end += 1
        arena[base] = singles
        arena[base + 1] = groups
        for k in range(singles):
            arena[base + 2 + k] = payloads[order[at + k]]
        at += singles
        seconds = base + 2 + singles
        entries = seconds + 2 * groups
        fill = entries
        for group in range(groups):
            second = terms[offsets[order[at]] + 1]
            stop = at
            while stop < end and terms[offsets[order[stop]] + 1] == second:
                stop += 1
            arena[seconds + group] = second
            fill = _pack_group(offsets, terms, payloads, order, at, stop, arena, fill)
            arena[seconds + groups + group] = fill - entries
            at = stop
        base = fill
    return base


@kernel
def _pack_group(offsets, terms, payloads, order, at, stop, arena, fill):
    for k in range(at, stop):
        row = order[k]
        if offsets[row + 1] - offsets[row] == 2:
            arena[fill] = payloads[row]
            fill += 1
    for k in range(at, stop):
        row = order[k]
        last = offsets[row + 1] - 1
        if last - offsets[row] > 1:
            arena[fill] = ~payloads[row]
            fill += 1
            for i in range(offsets[row] + 2, last):
                arena[fill] = terms[i]
                fill += 1
            arena[fill] = ~terms[last]
            fill += 1
    return fill


@kernel
def unpack(starts, arena, dead, dead_high, high, offsets, terms, payloads):
    """Write the live rows back in CSR form; returns the rows and terms (counted only, if arrays are short)."""
    rows = 0
    fill = 0
    write = len(offsets) > 1
    for term in range(len(starts) - 1):
        base = starts[term]
        if base == starts[term + 1]:
            continue
        singles, groups = arena[base], arena[base + 1]
        seconds = base + 2 + singles
        entries = seconds + 2 * groups
        for k in range(singles):
            payload = arena[base + 2 + k]
            if not is_gone(dead, dead_high, high, payload):
                if write:
                    payloads[rows] = payload
                    terms[fill] = term
                    offsets[rows + 1] = fill + 1
                fill += 1
                rows += 1
        at = entries
        for group in range(groups):
            stop = entries + arena[seconds + groups + group]
            while at < stop:
                word = arena[at]
                payload = word if word >= 0 else ~word
                keep = not is_gone(dead, dead_high, high, payload)
                start = fill
                if write and keep:
                    terms[fill] = term
                    terms[fill + 1] = arena[seconds + group]
                fill += 2
                at += 1
                if word < 0:
                    while True:
                        word = arena[at]
                        at += 1
                        if write and keep:
                            terms[fill] = word if word >= 0 else ~word
                        fill += 1
                        if word < 0:
                            break
                if keep:
                    if write:
                        payloads[rows] = payload
                        offsets[rows + 1] = fill
                    rows += 1
                else:
                    fill = start
    return rows, fill
