"""The packed index: conjunctions under their rarest term, grouped by their second rarest.

A row is stored once, in the *block* of its rarest term (its key); an item looks only into the blocks of its
own terms. `arena` (int32) holds the blocks one after another, `starts[t]` (int32) is where that of term `t`
begins, ``starts[t + 1]`` where it ends; a term that is nobody's key has an empty block.

    block    S  G  payload × S  second × G  end × G  entries
             S rows have no other term. G groups share their second term; the seconds ascend. The entries of
             group g lie between end g-1 (0 for the first) and end g, counted in words from the first entry.
    entry    payload                        a row of two terms: it matches when the group does
             ~payload  third … ~last        a longer row: the rest of its terms, the last one complemented

So a block is read from front to back: one cache miss for a term, one more for a group whose second term is in
the item. A word below 0 where an entry starts is a longer row, and inside it the end of the row; payloads and
terms are never negative.

Cost of an item: its terms, plus the groups under them, or, where a block has very many groups, a binary search
for each of the item's terms.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import prefetch
from watchword.kernels.termset import set_fill, set_has, set_table

# A block with this many groups per term of the item is searched rather than read.
_SEARCH = 24

# Groups that wait for their entries to arrive in the cache.
_WAITING = 32


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


@inline
def is_dead(dead, payload):
    """Look `payload` up in a bitmap that may be shorter than asked."""
    byte = payload >> 3
    return byte < len(dead) and (dead[byte] >> (payload & 7)) & 1


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
            if not _gone(dead, dead_high, high, payload):
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
                keep = not _gone(dead, dead_high, high, payload)
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


@inline
def _gone(dead, dead_high, high, payload):
    return is_dead(dead_high, payload - high) if payload >= high else is_dead(dead, payload)


@kernel
def match(
    first,
    used,
    item_offsets,
    item_terms,
    starts,
    arena,
    dead,
    dead_high,
    high,
    heads,
    pool,
    item_counts,
    ends,
    payloads,
):
    """Match items from `first` on (the protocol of `collect`); `item_counts` learns unless it is empty.

    Memory is asked for ahead of time: the starts of the next item's terms, the blocks of this item's, and the
    entries of matching groups, which wait in `begins` and `stops` until a handful of them are on the way.
    """
    table = set_table(item_offsets)
    ordered = np.empty(len(table), np.int32)
    begins = np.empty(_WAITING, np.int64)
    stops = np.empty(_WAITING, np.int64)
    some_dead = len(dead) + len(dead_high) > 0
    keys = len(starts) - 1
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        begin, end = item_offsets[item], item_offsets[item + 1]
        if item + 2 < len(item_offsets):
            for i in range(end, item_offsets[item + 2]):
                prefetch(starts, min(np.int64(item_terms[i]), keys))
        for i in range(begin, end):
            prefetch(arena, np.int64(starts[min(item_terms[i], keys)]))
        mask = set_fill(table, item_terms, begin, end)
        fill = used
        spent = 0
        waiting = 0
        is_sorted = False
        for i in range(begin, end):
            term = item_terms[i]
            if term >= keys or starts[term] == starts[term + 1]:
                continue
            base = np.int64(starts[term])
            singles, groups = np.int64(arena[base]), np.int64(arena[base + 1])
            base += 2
            if fill + singles > len(payloads):
                return item, used, operations
            for k in range(singles):
                payloads[fill + k] = arena[base + k]
            fill += singles
            seconds = base + singles
            wanted = end - begin if groups > _SEARCH * (end - begin) else groups
            spent += 1 + wanted
            if wanted < groups and not is_sorted:
                ordered[: end - begin] = item_terms[begin:end]
                ordered[: end - begin].sort()
                is_sorted = True
            low = np.int64(0)
            for k in range(wanted):
                if wanted == groups:
                    low = k
                    if not set_has(table, mask, arena[seconds + k]):
                        continue
                else:
                    low = _search(arena, seconds, low, groups, ordered[k])
                    if low == groups:
                        break
                    if arena[seconds + low] != ordered[k]:
                        continue
                at = seconds + groups + low
                begins[waiting] = seconds + 2 * groups + (arena[at - 1] if low else 0)
                stops[waiting] = seconds + 2 * groups + arena[at]
                prefetch(arena, begins[waiting])
                waiting += 1
                if waiting == _WAITING:
                    fill = _groups(arena, begins, stops, waiting, table, mask, payloads, fill)
                    waiting = 0
                    if fill < 0:
                        return item, used, operations
        fill = _groups(arena, begins, stops, waiting, table, mask, payloads, fill)
        if fill < 0:
            return item, used, operations
        if some_dead:
            fill = _bury(dead, dead_high, high, payloads, used, fill)
        for i in range(begin, end):
            term = item_terms[i]
            if term < len(item_counts):
                item_counts[term] += 1
            if term < len(heads) and heads[term] >= 0:
                fill, work = _match_delta(heads[term], pool, table, mask, payloads, fill)
                spent += work
                if fill < 0:
                    return item, used, operations
        used = fill
        ends[item] = used
        operations += spent
    return len(item_offsets) - 1, used, operations


@kernel
def _groups(arena, begins, stops, count, table, mask, payloads, fill):
    """Match the entries of groups whose first two terms are in the item. Returns the new fill, or -1."""
    for group in range(count):
        at, stop = begins[group], stops[group]
        if fill + stop - at > len(payloads):
            return np.int64(-1)
        while at < stop:
            word = arena[at]
            at += 1
            if word >= 0:
                payloads[fill] = word
                fill += 1
                continue
            holds = True
            rest = arena[at]
            while rest >= 0:
                holds = holds and set_has(table, mask, rest)
                at += 1
                rest = arena[at]
            at += 1
            payloads[fill] = ~word
            fill += holds and set_has(table, mask, ~rest)
    return fill


@kernel
def _search(arena, seconds, low, groups, wanted):
    """Return the first group from `low` on whose second term is not below `wanted`, galloping."""
    step = np.int64(1)
    high = low
    while high < groups and arena[seconds + high] < wanted:
        low = high + 1
        high += step
        step *= 2
    high = min(high, groups)
    while low < high:
        middle = (low + high) >> 1
        if arena[seconds + middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _bury(dead, dead_high, high, payloads, start, fill):
    """Drop the dead from ``payloads[start:fill]``; return the new fill."""
    kept = start
    for k in range(start, fill):
        if not _gone(dead, dead_high, high, payloads[k]):
            payloads[kept] = payloads[k]
            kept += 1
    return kept


# The delta: rows added since the base was packed, in linked lists by their rarest term.
# record in `pool`:  next  payload  key  count  other term × count      (next -1: last; payload -1: removed)
# `heads[t]` is the first record of term t, -1 for none.


@kernel
def _match_delta(record, pool, table, mask, payloads, fill):
    work = 0
    while record >= 0:
        work += 1
        payload = pool[record + 1]
        if payload >= 0:
            holds = True
            for k in range(record + 4, record + 4 + pool[record + 3]):
                if not set_has(table, mask, pool[k]):
                    holds = False
                    break
            if holds:
                if fill == len(payloads):
                    return np.int64(-1), work
                payloads[fill] = payload
                fill += 1
        record = np.int64(pool[record])
    return np.int64(fill), work


@kernel
def delta_add(offsets, terms, payloads, row_counts, item_counts, share, heads, pool, fill, records):
    """Add rows to the delta (room is there); `records[i]` is where row `i` lies. Returns the new fill."""
    for row in range(len(offsets) - 1):
        key = -1
        least = np.inf
        for i in range(offsets[row], offsets[row + 1]):
            term = terms[i]
            weight = item_counts[term] + share * row_counts[term]
            if weight < least:
                least = weight
                key = term
        pool[fill] = heads[key]
        pool[fill + 1] = payloads[row]
        pool[fill + 2] = key
        pool[fill + 3] = offsets[row + 1] - offsets[row] - 1
        heads[key] = fill
        records[row] = fill
        fill += 4
        for i in range(offsets[row], offsets[row + 1]):
            if terms[i] != key:
                pool[fill] = terms[i]
                fill += 1
    return fill


@kernel
def delta_rows(heads, pool, begin, end, offsets, terms, payloads):
    """Write the live records that lie in ``pool[begin:end]`` in CSR form; returns the rows and terms."""
    rows = 0
    fill = 0
    write = len(offsets) > 1
    for key in range(len(heads)):
        record = heads[key]
        while record >= begin:
            if record < end and pool[record + 1] >= 0:
                if write:
                    payloads[rows] = pool[record + 1]
                    terms[fill] = key
                    for k in range(pool[record + 3]):
                        terms[fill + 1 + k] = pool[record + 4 + k]
                fill += 1 + pool[record + 3]
                rows += 1
                if write:
                    offsets[rows] = fill
            record = pool[record]
    return rows, fill


@kernel
def delta_has(pool, record, terms):
    """Say whether a record has exactly these terms."""
    if pool[record + 3] + 1 != len(terms) or not _among(pool[record + 2], terms):
        return False
    for k in range(pool[record + 3]):
        if not _among(pool[record + 4 + k], terms):
            return False
    return True


@kernel
def base_has(starts, arena, terms, payload):
    """Say whether the base has a row with this payload and exactly these terms; looks into their blocks."""
    for key in terms:
        if key >= len(starts) - 1 or starts[key] == starts[key + 1]:
            continue
        base = np.int64(starts[key])
        singles, groups = np.int64(arena[base]), np.int64(arena[base + 1])
        seconds = base + 2 + singles
        if len(terms) == 1:
            for at in range(base + 2, seconds):
                if arena[at] == payload:
                    return True
            continue
        for second in terms:
            group = _search(arena, seconds, np.int64(0), groups, second)
            if group < groups and arena[seconds + group] == second:
                ends = seconds + groups + group
                begin = seconds + 2 * groups + (arena[ends - 1] if group else 0)
                if _group_has(arena, begin, seconds + 2 * groups + arena[ends], terms, payload):
                    return True
    return False


@kernel
def _group_has(arena, at, stop, terms, payload):
    while at < stop:
        word = arena[at]
        at += 1
        size = 2
        same = word == payload or ~word == payload
        while word < 0:
            rest = arena[at]
            at += 1
            size += 1
            same = same and _among(rest if rest >= 0 else ~rest, terms)
            if rest < 0:
                break
        if same and size == len(terms):
            return True
    return False


@kernel
def _among(term, terms):
    for other in terms:
        if other == term:
            return True
    return False
