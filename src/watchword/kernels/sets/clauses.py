"""Checks what a row of atoms cannot express: forbidden atoms, phrases, several clauses of one subscription.

A structure finds *payloads*. Below `FIRST_CLAUSE` a payload is the slot of a subscription that is one conjunction of
atoms, and needs nothing more. From there on it is `FIRST_CLAUSE` plus the number of a clause that needs a check:

    entries[4 * c:]     slot, shared, start, stop: the subscription's slot, -1 where a number is free; 1 where the
                        subscription has other clauses too, so that it may be found twice; and its place in
    program[start:stop] the remaining checks, each a head word and its operands. Before them stand the terms of the
                        structure's row, and their number last.

    head               operands
    2 * n, n ≥ 1       n terms, which must be adjacent in the item
    2 * n + 1          n terms, which must not
    -n, n ≥ 2          n literals (``term << 1 | negated``): one must hold
    ELSE               a distance: where to go on, in words from here, if a later check fails; 0: the clause fails
    SKIP               a distance: where to go on, in words from here
    SEE                the number of another clause, whose program this clause shares
    SOME               n, k and n literals: k of them must hold
    ZERO               a level of counts, whose counter becomes 0
    HIT                a level, k and a distance: the counter grows by 1; where to go on once it is k
    FAIL               a check that fails
    PROXIMITY          n, and n words about where terms stand (`proximity`), which must be so
    PROXIMITY + 1      the same, which must not be so

`sets.programs` writes programs, and has an example. An item is the sequence of its terms, which may repeat, -1 for
unknown ones.

Cost: two cache misses for a clause, its entry and its program; both are prefetched several clauses ahead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32
from watchword.kernels.growing import copy_into
from watchword.kernels.int_set import set_capacity, set_gather, set_has, set_slot, set_table
from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.sets.proximity import locate, located_room, stands
from watchword.kernels.tombstones import FIRST_CLAUSE


@kernel
def distinct(offsets, numbers, set_offsets, terms):
    """Write each row's known terms (not negative), once each and in order of first sight, in CSR form."""
    table = set_table(offsets)
    set_offsets[0] = fill = 0
    for row in range(len(offsets) - 1):
        _, count = set_gather(table, numbers, offsets[row], offsets[row + 1], terms[fill:])
        fill += count
        set_offsets[row + 1] = fill
    return fill


class ClauseArrays(NamedTuple):
    """The entries of a clause table, and the numbers of the clauses without a required atom."""

    entries: Int32
    program: Int32
    always: Int32


CLAUSE_KINDS = (np.int32, np.int32, np.int32)

SLOT, SHARED, START, STOP = range(4)
ENTRY_WORDS = 4

SEE, ELSE, SKIP = 0, 1, -1
SOME, ZERO, HIT, FAIL, PROXIMITY = range(1 << 20, (1 << 20) + 5)

LEVELS = 128
"""The levels of counts inside of counts; parentheses are at most 100 deep."""

_AHEAD = 8


@kernel
def check_clauses(item_offsets, item_atoms, found, clauses, rare, first, used, offsets, result):
    """Replace the payloads found for items by slots, each once an item (the protocol of `collect`).

    `found` are offsets and payloads, `clauses` the fields of `ClauseArrays`; the clauses without a required atom are
    checked against every item. An empty `program` says that the structure has run the programs. `rare` is None if no
    program has a head from `SOME` on, else any array: what these heads do makes the others slower by a quarter, so the
    kernel is compiled without them, too.

    Slots that may be found twice go through a set. Sorting an item's slots instead takes longer than finding them.
    """
    found_offsets, payloads = found
    entries, program, always = clauses
    table = set_table(item_offsets)
    known = np.empty(len(table), np.int32)
    heads = np.empty(len(table), np.int32)
    nexts = np.empty(len(table), np.int32)
    seen = np.empty(64, np.int32)
    counters = np.empty(LEVELS, np.int32)
    room = located_room(table) if rare is not None else np.empty((0, 0), np.int32)
    for item in range(first, len(item_offsets) - 1):
        begin, inside = found_offsets[item], found_offsets[item + 1] - found_offsets[item]
        count = inside + len(always)
        if used + count > len(result):
            return item, used, 0
        start, stop = item_offsets[item], item_offsets[item + 1]
        mask = seen_mask = np.int64(-1)
        chained = False
        size = np.int64(-1)  # of the item in positions, once it is located
        fill = used
        for k in range(count):
            payload = payloads[begin + k] if k < inside else always[k - inside] + FIRST_CLAUSE
            _ask_ahead(payloads, begin + k, entries, program)
            if payload < FIRST_CLAUSE:
                result[fill] = payload
                fill += 1
                continue
            if mask < 0 and len(program) > 0:
                mask, _ = set_gather(table, item_atoms, start, stop, known)
            entry = ENTRY_WORDS * (np.int64(payload) - FIRST_CLAUSE)
            at, end = np.int64(entries[entry + START]), np.int64(entries[entry + STOP])
            if len(program) == 0:
                end = at
            otherwise = np.int64(-1)
            while 0 <= at < end:
                head = np.int64(program[at])
                if head == ELSE:
                    otherwise = at + program[at + 1] if program[at + 1] else np.int64(-1)
                    at += 2
                elif head == SKIP:
                    at += program[at + 1]
                elif head == SEE:
                    other = ENTRY_WORDS * np.int64(program[at + 1])
                    at, end = np.int64(entries[other + START]), np.int64(entries[other + STOP])
                elif head < 0:
                    present = False
                    for j in range(at + 1, at + 1 - head):
                        if set_has(table, mask, program[j] >> 1) != program[j] & 1:
                            present = True
                            break
                    at = at + 1 - head if present else otherwise
                elif rare is not None and head >= SOME:
                    if head == SOME:
                        j, stop_at, wanted = at + 3, at + 3 + program[at + 1], program[at + 2]
                        while wanted > 0 and j < stop_at:
                            wanted -= set_has(table, mask, program[j] >> 1) != program[j] & 1
                            j += 1
                        at = np.int64(stop_at) if wanted == 0 else otherwise
                    elif head >= PROXIMITY:
                        if size < 0:
                            size = locate(item_atoms, start, stop, table, mask, room)
                        near = stands(program, at + 2, item_atoms, start, size, stop, table, mask, room)
                        at = at + 2 + program[at + 1] if near != head - PROXIMITY else otherwise
                    else:
                        at = count_step(head, program, at, counters, otherwise)
                else:
                    terms = head >> 1
                    present = True
                    for j in range(at + 1, at + 1 + terms):
                        if not set_has(table, mask, program[j]):
                            present = False
                            break
                    if present and terms > 1:
                        if not chained:
                            _chain(start, stop, item_atoms, table, mask, heads, nexts)
                            chained = True
                        first_place = heads[set_slot(table, mask, program[at + 1])]
                        present = _adjacent(program, at + 1, terms, start, stop, item_atoms, first_place, nexts)
                    at = at + 1 + terms if present != head & 1 else otherwise
            if at < 0:
                continue
            slot = entries[entry + SLOT]
            if entries[entry + SHARED]:
                if seen_mask < 0:
                    seen_mask = set_capacity(count) - 1
                    if seen_mask >= len(seen):
                        seen = np.empty(seen_mask + 1, np.int32)
                    seen[: seen_mask + 1] = -1
                place = set_slot(seen, seen_mask, slot)
                if seen[place] == slot:
                    continue
                seen[place] = slot
            result[fill] = slot
            fill += 1
        used = fill
        offsets[item + 1] = used
    return len(item_offsets) - 1, used, 0


@leaf
def count_step(head, program, at, counters, otherwise):
    """Do ZERO, HIT or FAIL; returns where to go on."""
    if head == ZERO:
        counters[program[at + 1]] = 0
        return at + 2
    if head == FAIL:
        return otherwise
    level = program[at + 1]
    counters[level] += 1
    return at + program[at + 3] if counters[level] == program[at + 2] else at + 4


@kernel
def _ask_ahead(payloads, at, entries, program):
    """Prefetch the entry of a later clause, and the program of a nearer one."""
    if at + 2 * _AHEAD < len(payloads):
        prefetch(entries, ENTRY_WORDS * max(np.int64(payloads[at + 2 * _AHEAD]) - FIRST_CLAUSE, 0))
        near = ENTRY_WORDS * max(np.int64(payloads[at + _AHEAD]) - FIRST_CLAUSE, 0)
        prefetch(program, np.int64(entries[near + START]))


@kernel
def live_clauses(entries, count, program, result):
    """Concatenate the programs of live clauses among the first `count`, and update their entries; returns the end."""
    fill = np.int64(0)
    for clause in range(count):
        entry = ENTRY_WORDS * clause
        if entries[entry + SLOT] >= 0:
            start, stop = np.int64(entries[entry + START]), np.int64(entries[entry + STOP])
            begin = start - 1 - program[start - 1]
            copy_into(result, fill, program, begin, stop)
            entries[entry + START], entries[entry + STOP] = fill + start - begin, fill + stop - begin
            fill += stop - begin
    return fill


@kernel
def renumber_atoms(starts, stops, program, numbers):
    """Replace every atom `a` of clauses by ``numbers[a]``, in place."""
    for clause in range(len(starts)):
        at = starts[clause]
        for k in range(at - 1 - program[at - 1], at - 1):
            program[k] = numbers[program[k]]
        while at < stops[clause]:
            size = program[at] >> 1
            for k in range(at + 1, at + 1 + size):
                program[k] = numbers[program[k]]
            at += 1 + size


@kernel
def named_atoms(starts, stops, program, atoms):
    """Write the distinct atoms of each clause, clause after clause; returns their number."""
    fill = 0
    for clause in range(len(starts)):
        first, at = fill, starts[clause]
        for k in range(at - 1 - program[at - 1], at - 1):
            atoms[fill] = program[k]
            fill += 1
        while at < stops[clause]:
            size = program[at] >> 1
            for k in range(at + 1, at + 1 + size):
                is_new = True
                for other in range(first, fill):
                    is_new &= atoms[other] != program[k]
                atoms[fill] = program[k]
                fill += is_new
            at += 1 + size
    return fill


@kernel
def _chain(begin, end, sequences, table, mask, heads, nexts):
    """Link the positions of each term of the item, ascending; `heads` by the term's slot in the set."""
    heads[: mask + 1] = -1
    for at in range(end - 1, begin - 1, -1):
        if sequences[at] >= 0:
            slot = set_slot(table, mask, sequences[at])
            nexts[at - begin] = heads[slot]
            heads[slot] = at - begin


@kernel
def _adjacent(program, start, size, begin, end, sequences, head, nexts):
    """Return whether an atom's terms are adjacent in the item; `head` is the first position of its first term."""
    at = np.int64(head)
    while at >= 0:
        if begin + at + size <= end:
            k = 1
            while k < size and sequences[begin + at + k] == program[start + k]:
                k += 1
            if k == size:
                return True
        at = np.int64(nexts[at])
    return False


@kernel
def sort_terms(offsets, terms, ranks, sign):
    """Sort every row by ``sign * ranks[term]``, in place."""
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        if end - begin <= 32:
            for i in range(begin + 1, end):
                term = terms[i]
                j = i - 1
                while j >= begin and sign * ranks[terms[j]] > sign * ranks[term]:
                    terms[j + 1] = terms[j]
                    j -= 1
                terms[j + 1] = term
        else:
            keys = np.empty(end - begin, np.int64)
            for i in range(begin, end):
                keys[i - begin] = (np.int64(sign * ranks[terms[i]]) << 32) | np.int64(terms[i])
            keys.sort()
            for i in range(begin, end):
                terms[i] = keys[i - begin] & 0xFFFFFFFF
