"""The packed index: conjunctions under their rarest atom, grouped by their second rarest.

Each conjunction is stored once, under its rarest atom (its key); under that atom, conjunctions with the same
second-rarest atom lie together. An item looks only into the blocks of its own atoms, and there only into the groups
whose second atom it has. Suppose greece is 7, crisis 9, imf 4 and debt 2, rarest first in this order, and the
subscriptions are

    10  greece                      11  greece AND crisis
    12  greece AND crisis AND imf   13  greece AND debt

All four lie in the block of 7 (`arena`, int32, from ``starts[7]`` on):

    1 2   10   2 9      1 4    13           11  ~12 ~4
    S G   S×   seconds  ends   of group 2   of group 9

    block    S  G  payload × S  second × G  end × G  entries
             S rows have no other atom. G groups share their second atom; the seconds ascend. The entries of
             group g lie between end g-1 (0 for the first) and end g, counted in words from the first entry.
    entry    payload                        a row of two atoms: it matches when the group does
             ~payload  third … ~last        a longer row: the rest of its atoms, the last one complemented

``starts[t + 1]`` is where the block of atom `t` ends; an atom that is no row's key has an empty block. So a block is
read from front to back: one cache miss for an atom, one more for a group whose second atom is in the item. A word below
0 where an entry starts is a longer row, and inside it the end of the row; payloads and atoms are never negative.

Cost of an item: its atoms, plus the groups under them, or, where a block has very many groups, a binary search for each
of the item's atoms. The thesis (section 5.1.2) mentions keying on one atom, after Yan and Garcia-Molina, without
building it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.growing import copy_into
from watchword.kernels.handles import arrays_at
from watchword.kernels.int_set import set_gather, set_has, set_table
from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import inline, kernel
from watchword.kernels.sets.delta import is_among, match_delta
from watchword.kernels.tombstones import Dead, drop_dead

# A block with this many groups per atom of the item is searched rather than read.
_SEARCH = 24

# Groups that wait for their entries to arrive in the cache.
_WAITING = 32

_PLACE = 0xFFFFFFFF

# Words of an arena above which blocks are prefetched one item ahead; words prefetched of a block, and of a cache line.
_LARGE, _FRONT, _LINE = 1 << 18, 64, 16


class Packed(NamedTuple):
    """The blocks of all keys."""

    starts: Int32
    arena: Int32


STATE_KINDS = (np.int32, np.int32, np.int32, np.int32, np.uint8, np.uint8, np.int32, np.int32)


@kernel
def match(item_offsets, item_atoms, state, first, used, offsets, payloads):
    """Match items from `first` on (the protocol of `collect`).

    `state` are the handles of `Packed`, `Delta`, `Dead` and `Counts`. The atoms of items are counted in `Counts.items`,
    unless it is empty.

    An item's atoms may repeat, and may be -1 (unknown).

    Memory is prefetched: the starts of the next item's atoms, the blocks of this item, and the entries of matching
    groups, which wait until a handful of them are on the way. In an index larger than a processor's own cache three
    items are under way: the starts of the item after the next are prefetched, and one block of the next item for each
    block of this item that is read. Ten million subscriptions: 4.7 microseconds an item instead of
    6.2; with all blocks of the next item prefetched at once, 4.8; an index that fits the cache becomes a seventh
    slower.

    `marks` is a bitmap of the item's atoms by their last twelve bits; it refuses most groups before the atom set is
    searched.

    A waiting group is one number, its block's number above the position of its second atom: each word written per group
    costs more than the test of the bitmap.
    """
    starts, arena, heads, pool, dead_slots, dead_clauses, _, item_counts = arrays_at(state, 0, STATE_KINDS)
    dead = Dead(dead_slots, dead_clauses)
    table = set_table(item_offsets)
    known = np.empty(len(table), np.int32)
    ordered = np.empty(len(table), np.int32)
    marks = np.empty(64, np.uint64)
    bases = np.empty(len(table), np.int64)
    blocks_of = np.empty((2, len(table)), np.int64)  # where a block's seconds begin, and how many there are
    waits = np.empty((2, _WAITING), np.int64)
    some_dead = len(dead.slots) + len(dead.clauses) > 0
    keys, last = len(starts) - 1, len(item_offsets) - 1
    is_large = len(arena) > _LARGE
    ahead = 2 if is_large else 1
    for i in range(item_offsets[first], item_offsets[min(first + 1, last)] if is_large else 0):
        _ask_for_block(starts, arena, item_atoms[i])
    operations = 0
    for item in range(first, last):
        for i in range(item_offsets[min(item + ahead, last)], item_offsets[min(item + ahead + 1, last)]):
            prefetch(starts, min(max(np.int64(item_atoms[i]), 0), keys))
        asked, asked_stop = item_offsets[item + 1], item_offsets[min(item + ahead, last)]
        mask, count = set_gather(table, item_atoms, item_offsets[item], item_offsets[item + 1], known)
        marks[:] = 0
        blocks = 0
        for i in range(count):
            atom = min(np.int64(known[i]), keys)
            bases[blocks] = starts[atom]
            if not is_large:
                prefetch(arena, bases[blocks])
            blocks += starts[min(atom + 1, keys)] > starts[atom]
            marks[(known[i] >> 6) & 63] |= np.uint64(1) << np.uint64(known[i] & 63)
        fill = used
        spent = 0
        waiting = 0
        is_sorted = False
        for i in range(blocks):
            if asked < asked_stop:
                _ask_for_block(starts, arena, item_atoms[asked])
                asked += 1
            base = bases[i]
            singles, groups = np.int64(arena[base]), np.int64(arena[base + 1])
            base += 2
            if fill + singles > len(payloads):
                return item, used, operations
            for k in range(singles):
                payloads[fill + k] = arena[base + k]
            fill += singles
            seconds = base + singles
            blocks_of[0, i], blocks_of[1, i] = seconds, groups
            if groups <= _SEARCH * count:
                spent += 1 + groups
                for place in range((i << 32) + seconds, (i << 32) + seconds + groups):
                    second = arena[place & _PLACE]
                    waits[0, waiting] = place
                    waiting += np.int64((marks[(second >> 6) & 63] >> np.uint64(second & 63)) & np.uint64(1))
                    if waiting == _WAITING:
                        fill = _marked(arena, waits, waiting, blocks_of, table, mask, payloads, fill)
                        waiting = 0
                        if fill < 0:
                            return item, used, operations
                continue
            spent += 1 + count
            if not is_sorted:
                copy_into(ordered, 0, known, 0, count)
                ordered[:count].sort()
                is_sorted = True
            low = np.int64(0)
            for k in range(count):
                low = _search(arena, seconds, low, groups, ordered[k])
                if low == groups:
                    break
                waits[0, waiting] = (i << 32) + seconds + low
                waiting += arena[seconds + low] == ordered[k]
                if waiting == _WAITING:
                    fill = _marked(arena, waits, waiting, blocks_of, table, mask, payloads, fill)
                    waiting = 0
                    if fill < 0:
                        return item, used, operations
        while asked < asked_stop:
            _ask_for_block(starts, arena, item_atoms[asked])
            asked += 1
        fill = _marked(arena, waits, waiting, blocks_of, table, mask, payloads, fill)
        if fill < 0:
            return item, used, operations
        if some_dead:
            fill = drop_dead(dead, payloads, used, fill)
        for i in range(count):
            atom = known[i]
            if atom < len(item_counts):
                item_counts[atom] += 1
            if atom < len(heads) and heads[atom] >= 0:
                fill, work = match_delta(heads[atom], pool, table, mask, payloads, fill)
                spent += work
                if fill < 0:
                    return item, used, operations
        used = fill
        offsets[item + 1] = used
        operations += spent
    return last, used, operations


@inline
def _ask_for_block(starts, arena, atom):
    """Prefetch the front of an atom's block, which most often is the whole block."""
    key = min(max(np.int64(atom), 0), len(starts) - 1)
    at, stop = np.int64(starts[key]), np.int64(starts[min(key + 1, len(starts) - 1)])
    stop = min(stop, at + _FRONT)
    while at < stop:
        prefetch(arena, at)
        at += _LINE


@kernel
def _marked(arena, waits, count, blocks_of, table, mask, payloads, fill):
    """Match the waiting groups whose second atom is in the item.

    Returns the new fill, or -1. Their entries are prefetched all at once.
    """
    kept = 0
    for i in range(count):
        place, block = waits[0, i] & _PLACE, waits[0, i] >> 32
        if set_has(table, mask, arena[place]):
            seconds, groups = blocks_of[0, block], blocks_of[1, block]
            at = place + groups
            waits[0, kept] = seconds + 2 * groups + (arena[at - 1] if place > seconds else 0)
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
    """Return the first group from `low` on whose second atom is not below `wanted`, galloping."""
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
def has_row(packed, atoms, payload):
    """Return whether the base has a row with this payload and exactly these atoms; looks into their blocks."""
    starts, arena = packed
    for key in atoms:
        if key >= len(starts) - 1 or starts[key] == starts[key + 1]:
            continue
        base = np.int64(starts[key])
        singles, groups = np.int64(arena[base]), np.int64(arena[base + 1])
        seconds = base + 2 + singles
        if len(atoms) == 1:
            for at in range(base + 2, seconds):
                if arena[at] == payload:
                    return True
            continue
        for second in atoms:
            group = _search(arena, seconds, np.int64(0), groups, second)
            if group < groups and arena[seconds + group] == second:
                ends = seconds + groups + group
                begin = seconds + 2 * groups + (arena[ends - 1] if group else 0)
                if _group_has(arena, begin, seconds + 2 * groups + arena[ends], atoms, payload):
                    return True
    return False


@kernel
def _group_has(arena, at, stop, atoms, payload):
    while at < stop:
        word = arena[at]
        at += 1
        size = 2
        same = word == payload or ~word == payload
        while word < 0:
            rest = arena[at]
            at += 1
            size += 1
            same = same and is_among(rest if rest >= 0 else ~rest, atoms)
            if rest < 0:
                break
        if same and size == len(atoms):
            return True
    return False
