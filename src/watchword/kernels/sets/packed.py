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

from watchword.kernels.int_set import set_gather, set_has, set_table
from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import prefetch
from watchword.kernels.sets.delta import is_among, match_delta
from watchword.kernels.tombstones import is_dead

# A block with this many groups per term of the item is searched rather than read.
_SEARCH = 24

# Groups that wait for their entries to arrive in the cache.
_WAITING = 32


@inline
def is_gone(dead, dead_high, high, payload):
    """Say whether a row of the base has a tombstone; payloads from `high` on have a bitmap of their own."""
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

    An item's terms may repeat, and be -1 where they are unknown.

    Memory is asked for ahead of time: the starts of the next item's terms, the blocks of this item's, and the
    entries of matching groups, which wait until a handful of them are on the way. `marks`
    is a bitmap of the item's terms by their last twelve bits; it turns most groups away before the term set is asked.
    """
    table = set_table(item_offsets)
    known = np.empty(len(table), np.int32)
    ordered = np.empty(len(table), np.int32)
    marks = np.empty(64, np.uint64)
    bases = np.empty(len(table), np.int64)
    waits = np.empty((3, _WAITING), np.int64)
    some_dead = len(dead) + len(dead_high) > 0
    keys = len(starts) - 1
    operations = 0
    for item in range(first, len(item_offsets) - 1):
        if item + 2 < len(item_offsets):
            for i in range(item_offsets[item + 1], item_offsets[item + 2]):
                prefetch(starts, min(max(np.int64(item_terms[i]), 0), keys))
        mask, count = set_gather(table, item_terms, item_offsets[item], item_offsets[item + 1], known)
        marks[:] = 0
        blocks = 0
        for i in range(count):
            term = min(np.int64(known[i]), keys)
            bases[blocks] = starts[term]
            prefetch(arena, bases[blocks])
            blocks += starts[min(term + 1, keys)] > starts[term]
            marks[(known[i] >> 6) & 63] |= np.uint64(1) << np.uint64(known[i] & 63)
        fill = used
        spent = 0
        waiting = 0
        is_sorted = False
        for i in range(blocks):
            base = bases[i]
            singles, groups = np.int64(arena[base]), np.int64(arena[base + 1])
            base += 2
            if fill + singles > len(payloads):
                return item, used, operations
            for k in range(singles):
                payloads[fill + k] = arena[base + k]
            fill += singles
            seconds = base + singles
            if groups <= _SEARCH * count:
                spent += 1 + groups
                for k in range(groups):
                    second = arena[seconds + k]
                    waits[0, waiting], waits[1, waiting], waits[2, waiting] = seconds, groups, k
                    waiting += np.int64((marks[(second >> 6) & 63] >> np.uint64(second & 63)) & np.uint64(1))
                    if waiting == _WAITING:
                        fill = _marked(arena, waits, waiting, table, mask, payloads, fill)
                        waiting = 0
                        if fill < 0:
                            return item, used, operations
                continue
            spent += 1 + count
            if not is_sorted:
                ordered[:count] = known[:count]
                ordered[:count].sort()
                is_sorted = True
            low = np.int64(0)
            for k in range(count):
                low = _search(arena, seconds, low, groups, ordered[k])
                if low == groups:
                    break
                waits[0, waiting], waits[1, waiting], waits[2, waiting] = seconds, groups, low
                waiting += arena[seconds + low] == ordered[k]
                if waiting == _WAITING:
                    fill = _marked(arena, waits, waiting, table, mask, payloads, fill)
                    waiting = 0
                    if fill < 0:
                        return item, used, operations
        fill = _marked(arena, waits, waiting, table, mask, payloads, fill)
        if fill < 0:
            return item, used, operations
        if some_dead:
            fill = _bury(dead, dead_high, high, payloads, used, fill)
        for i in range(count):
            term = known[i]
            if term < len(item_counts):
                item_counts[term] += 1
            if term < len(heads) and heads[term] >= 0:
                fill, work = match_delta(heads[term], pool, table, mask, payloads, fill)
                spent += work
                if fill < 0:
                    return item, used, operations
        used = fill
        ends[item] = used
        operations += spent
    return len(item_offsets) - 1, used, operations


@kernel
def _marked(arena, waits, count, table, mask, payloads, fill):
    """Match the groups that wait: where the seconds of their block begin, how many there are, and which one it is.

    Returns the new fill, or -1. The entries of groups whose second term is in the item are asked for all at once.
    """
    kept = 0
    for i in range(count):
        seconds, groups, group = waits[0, i], waits[1, i], waits[2, i]
        if set_has(table, mask, arena[seconds + group]):
            at = seconds + groups + group
            waits[0, kept] = seconds + 2 * groups + (arena[at - 1] if group else 0)
            waits[1, kept] = seconds + 2 * groups + arena[at]
            prefetch(arena, waits[0, kept])
            kept += 1
    for i in range(kept):
        at, stop = waits[0, i], waits[1, i]
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
        if not is_gone(dead, dead_high, high, payloads[k]):
            payloads[kept] = payloads[k]
            kept += 1
    return kept


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
            same = same and is_among(rest if rest >= 0 else ~rest, terms)
            if rest < 0:
                break
        if same and size == len(terms):
            return True
    return False
