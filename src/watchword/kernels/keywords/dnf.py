"""From codes of AND, OR, NOT and parentheses to clauses, many rows in one call: `sets.dnf` for small rows.

A row has codes (`kernels.text.boolean_rows`) and the numbers of its terms. Its distinct atoms are numbered from 0, and
a clause under construction, a *draft*, is two words of bits: its required atoms and its forbidden atoms. The
row ``a AND (b OR "c d") NOT a`` has the codes ``1 AND OPEN 1 OR 2 CLOSE NOT 1`` and the atoms a = 0, b = 1, "c d" = 2;
the drafts of its parts, and what they multiply into::

    a             required 001
    (b OR "c d")  required 010   required 100       a AND (…): required 011, required 101
    NOT a         forbidden 001                     everything contradicts itself: no draft is left

Drafts lie on a stack. In a parenthesis that is not negated the drafts of a conjunction's factors are multiplied, and
conjunctions lie beside each other, which is what OR means; in a negated one it is the other way about (De Morgan).
The drafts of the current conjunction lie above those of the earlier conjunctions::

    stack    … | conjunctions before | factors before, multiplied | the last factor |
               outer                 inner                        operand           top

A row with more than `MOST_DRAFTS` drafts at any moment, or deeper than `MOST_DEPTH`, or with an error in it, is left
to the parser, which knows limits and messages. What comes out has the layout of `kernels.sets.clauses`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int64, UInt64
from watchword.kernels.growing import copy_into, with_room
from watchword.kernels.intrinsics import trailing_zeros
from watchword.kernels.jit import kernel
from watchword.kernels.text.boolean_rows import AND, CLOSE, MOST_TERMS, NOT, OPEN, OR
from watchword.kernels.text.plain_rows import CODED, OTHER, PLAIN

MOST_DRAFTS = 32
"""The same as `sets.factoring.FEW`, so that both make the same clauses of a row."""

MOST_DEPTH = 15

MOST_WORK = 1 << 20
"""More steps than `sets.dnf` takes for any row that is not left to it."""


class _Drafts(NamedTuple):
    """Drafts on a stack, and room to multiply them."""

    required: UInt64
    forbidden: UInt64
    spare: UInt64


class _Frames(NamedTuple):
    """The open parentheses around a code: the start of each one's drafts, whether it has any, whether it is negated."""

    outer: Int64
    inner: Int64
    has_outer: Int64
    has_inner: Int64
    negated: Int64
    depth: Int64


@kernel
def drafts_of(codes, begin, end, atoms, limits, stack):
    """Put the drafts of a row onto the empty stack, without covered ones; returns their number, -1 for the parser.

    ``atoms[i]`` is the number of the row's `i`-th atom.
    """
    most_drafts, most_depth = limits
    frames = _new_frames()
    level, top, atom = 0, np.int64(0), 0
    depth, negated = 0, 0  # of the NOTs that stand before the next factor
    wanted = True  # an operand must follow
    _open(frames, 0, 0, 0, 0)
    for at in range(begin, end):
        code = codes[at]
        if code == NOT:
            wanted = True
            negated ^= 1
            depth += 1
            if frames.depth[level] + depth > most_depth:
                return np.int64(-1)
            continue
        if code == OPEN:
            inside = frames.depth[level] + depth + 1
            if inside > most_depth:
                return np.int64(-1)
            _open(frames, level + 1, top, frames.negated[level] ^ negated, inside)
            level += 1
            wanted, negated, depth = True, 0, 0
            continue
        if code > 0:
            bit = np.uint64(1) << np.uint64(atoms[atom])
            is_forbidden = frames.negated[level] ^ negated
            stack.required[top] = np.uint64(0) if is_forbidden else bit
            stack.forbidden[top] = bit if is_forbidden else np.uint64(0)
            atom += 1
            operand = top
            top += 1
        else:
            if wanted:
                return np.int64(-1)
            if code == AND:
                wanted = True
                continue
            top = _end_conjunction(frames, level, top, most_drafts, stack)
            if top < 0 or (code == CLOSE and level == 0):  # a parenthesis that was never opened
                return np.int64(-1)
            if code == OR:
                wanted = True
                continue
            operand = frames.outer[level]
            level -= 1
        wanted, negated, depth = False, 0, 0
        if frames.has_inner[level]:
            top = _joined(frames.negated[level] == 0, frames.inner[level], operand, top, most_drafts, stack)
            if top < 0:
                return top
        frames.has_inner[level] = 1
    if wanted or level > 0:
        return np.int64(-1)
    top = _end_conjunction(frames, 0, top, most_drafts, stack)
    return _without_covered(stack, top) if top >= 0 else top


@kernel
def _new_frames():
    size = MOST_DEPTH + 2
    return _Frames(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
    )


@kernel
def _open(frames, level, top, negated, depth):
    frames.outer[level] = frames.inner[level] = top
    frames.has_outer[level] = frames.has_inner[level] = 0
    frames.negated[level] = negated
    frames.depth[level] = depth


@kernel
def _end_conjunction(frames, level, top, most_drafts, stack):
    """Join the current conjunction to the earlier ones; returns the new top, or -1."""
    if frames.has_outer[level]:
        top = _joined(frames.negated[level] == 1, frames.outer[level], frames.inner[level], top, most_drafts, stack)
    frames.has_outer[level], frames.has_inner[level] = 1, 0
    frames.inner[level] = top
    return top


@kernel
def _joined(by_product, left, right, top, most_drafts, stack):
    """Multiply the drafts from `left` on by the drafts from `right` on, or keep both side by side; each draft once.

    Returns the new top, or -1 if they are too many.
    """
    required, forbidden, spare = stack
    count = top - left
    if by_product:
        count = (right - left) * (top - right)
    if count > most_drafts:
        return np.int64(-1)
    if by_product:
        count = 0
        for i in range(left, right):
            for j in range(right, top):
                one, other = required[i] | required[j], forbidden[i] | forbidden[j]
                spare[2 * count], spare[2 * count + 1] = one, other
                count += (one & other) == 0
        for k in range(count):
            required[left + k], forbidden[left + k] = spare[2 * k], spare[2 * k + 1]
    fill = left
    for k in range(left, left + count):
        is_new = True
        for other in range(left, fill):
            is_new &= required[other] != required[k] or forbidden[other] != forbidden[k]
        required[fill], forbidden[fill] = required[k], forbidden[k]
        fill += is_new
    return fill


@kernel
def _without_covered(stack, count):
    """Drop each draft that asks for all atoms of another draft; returns the number that remains."""
    required, forbidden, spare = stack
    kept = 0
    for i in range(count):
        is_covered = False
        for j in range(count):
            if i != j:
                is_covered |= required[j] & ~required[i] == 0 and forbidden[j] & ~forbidden[i] == 0
        spare[2 * kept], spare[2 * kept + 1] = required[i], forbidden[i]
        kept += not is_covered
    for k in range(kept):
        required[k], forbidden[k] = spare[2 * k], spare[2 * k + 1]
    return np.int64(kept)


@kernel
def new_drafts():
    """Return an empty stack, with room for three operands of `MOST_DRAFTS` drafts at each level."""
    size = 3 * (MOST_DEPTH + 2) * MOST_DRAFTS
    return _Drafts(np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty(4 * MOST_DRAFTS, np.uint64))


@kernel
def clauses_of(codes, code_offsets, rows, row_offsets, numbers, limits, forms):
    """Return the clauses of the rows that are `CODED`, as the fields of `sets.clauses.CheckedClauses`.

    `codes` are those of `rows`; row `r` has the terms ``numbers[row_offsets[r]:row_offsets[r + 1]]``, which are
    overwritten by -1. A row that turns out to be plain gets its distinct terms back there and becomes `PLAIN`, one for
    the parser becomes `OTHER`. `limits` are the most drafts and the most depth.
    """
    owners, shared = np.empty(1024, np.int32), np.empty(1024, np.uint8)
    starts, stops = np.empty(1024, np.int64), np.empty(1024, np.int64)
    program = np.empty(1 << 14, np.int32)
    stack, atoms, begins = new_drafts(), np.empty(MOST_TERMS, np.int64), np.empty(2 * MOST_TERMS, np.int64)
    count = fill = 0
    for k in range(len(rows)):
        row = rows[k]
        if forms[row] != CODED:
            continue
        first, last = row_offsets[row], row_offsets[row + 1]
        begin, end = code_offsets[k], code_offsets[k + 1]
        drafts = np.int64(-1)
        if _number_atoms(codes, begin, end, numbers, first, last, begins, atoms):
            drafts = drafts_of(codes, begin, end, atoms, limits, stack)
        owners, shared = with_room(owners, count, count + MOST_DRAFTS), with_room(shared, count, count + MOST_DRAFTS)
        starts, stops = with_room(starts, count, count + MOST_DRAFTS), with_room(stops, count, count + MOST_DRAFTS)
        program = with_room(program, fill, fill + MOST_DRAFTS * (3 * MOST_TERMS + 1))
        for draft in range(drafts):
            required, forbidden = stack.required[draft], stack.forbidden[draft]
            starts[count] = _write_row(required, begins, numbers, program, fill)
            stops[count] = _write_program(required, forbidden, begins, numbers, program, starts[count])
            owners[count], shared[count] = row, drafts > 1
            fill = stops[count]
            count += 1
        numbers[first:last] = -1
        if drafts < 0:
            forms[row] = OTHER
        elif drafts == 1 and starts[count - 1] == stops[count - 1]:
            count -= 1
            fill = starts[count] - 1 - program[starts[count] - 1]
            copy_into(numbers, first, program, fill, starts[count] - 1)
            forms[row] = PLAIN
    return owners[:count], shared[:count], starts[:count], stops[:count], program[:fill]


@kernel
def _number_atoms(codes, begin, end, numbers, first, last, begins, atoms):
    """Set ``atoms[i]`` to the number of a row's `i`-th atom, whose terms are ``begins[2 * number + 1]`` numbers from
    ``begins[2 * number]`` on; False where a term was dropped.
    """
    count = seen = 0
    at = first
    for k in range(begin, end):
        size = np.int64(codes[k])
        if size <= 0:
            continue
        number = 0
        while number < count and not _is_same(numbers, at, size, begins[2 * number], begins[2 * number + 1]):
            number += 1
        if number == count:
            begins[2 * count], begins[2 * count + 1] = at, size
            count += 1
        atoms[seen] = number
        seen += 1
        at += size
    for k in range(first, last):
        if numbers[k] < 0:
            return False
    return at == last


@kernel
def _is_same(numbers, at, size, other, other_size):
    if size != other_size:
        return False
    for k in range(size):
        if numbers[at + k] != numbers[other + k]:
            return False
    return True


@kernel
def _write_row(required, begins, numbers, program, fill):
    """Write the distinct terms of a clause's row, then their number; returns the new fill."""
    first = fill
    while required != 0:
        atom = trailing_zeros(required)
        required &= required - np.uint64(1)
        for k in range(begins[2 * atom], begins[2 * atom] + begins[2 * atom + 1]):
            is_new = True
            for other in range(first, fill):
                is_new &= program[other] != numbers[k]
            program[fill] = numbers[k]
            fill += is_new
    program[fill] = fill - first
    return fill + 1


@kernel
def _write_program(required, forbidden, begins, numbers, program, fill):
    """Write the program of a clause: its phrases, then its forbidden atoms; returns the new fill."""
    for is_forbidden in range(2):
        bits = forbidden if is_forbidden else required
        while bits != 0:
            atom = trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            begin, size = begins[2 * atom], begins[2 * atom + 1]
            if is_forbidden or size > 1:
                program[fill] = 2 * size + is_forbidden
                copy_into(program, fill + 1, numbers, begin, begin + size)
                fill += 1 + size
    return fill
