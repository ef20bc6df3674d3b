"""Whether words stand in an event as a chain or a phrase with a slop asks (`keywords.proximity`).

An event is a row of numbers (`kernels.text.positions`). The operands of a check, as `Chain.operands` writes them::

    CHAIN   parts, then by part: its link, alternatives, then by alternative: flags, names, the atoms of its words
            2 * distance + 1 if the left part comes first; 0 for the first part       FIRST 1, LAST 2
    SLOPPY  slop, names, the atoms of its words

``debt NEAR/3 (crisis OR "crisis talks")`` with debt 4, crisis 5 and talks 6 is ``CHAIN 2  0 1 0 1 4  6 2 0 1 5 0 2 5
6``.

A part is found where one of its alternatives stands. For the next part only the positions count at which the spots of a
part begin and end: a spot fits if the nearest end on its left, or the nearest beginning on its right, is near enough.
So a chain takes steps in proportion to the parts and the length of the event.

A phrase with a slop holds at a *shift* s if for each word number i a position p of its own can be chosen with
``s <= p - i <= s + slop``; of the positions that are left, the first that fits is always a good choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from watchword.kernels.int_set import set_has, set_slot
from watchword.kernels.jit import kernel
from watchword.kernels.text.positions import BORDER, POSITION, text_end

CHAIN, SLOPPY = range(2)
FIRST, LAST = 1, 2

MOST_SLOPPY = 32
"""How many words a phrase with a slop may have."""

_NONE = -(1 << 30)


def atoms_of(operands: Sequence[int]) -> Iterator[int]:
    """Yield the atoms of a check, some perhaps several times.

    >>> list(atoms_of([CHAIN, 2, 0, 1, 0, 1, 4, 6, 2, 0, 1, 5, 0, 2, 5, 6])), list(atoms_of([SLOPPY, 3, 2, 8, 9]))
    ([4, 5, 5, 6], [8, 9])
    """
    if operands[0] == SLOPPY:
        yield from operands[3 : 3 + operands[2]]
        return
    at = 2
    for _ in range(operands[1]):
        alternatives = operands[at + 1]
        at += 2
        for _ in range(alternatives):
            names = operands[at + 1]
            yield from operands[at + 2 : at + 2 + names]
            at += 2 + names


POSITIONS, NEXTS, HEADS, TEXTS, ENDS, BEGINS, LEFTS, RIGHTS, SPOTS = range(9)
"""The rows of the room for an event whose words are located. By number in its row: the position, the next number of the
same atom. By slot of the atoms' set: the first number of the atom. By position: the number of the text; whether a spot
ends, or begins, here; the nearest end at or before it, and the nearest beginning at or behind it. And room for
spots."""


@kernel
def located_room(table):
    """Return room for events whose atoms go into a set of this size."""
    return np.empty((9, len(table) + 2 * MOST_SLOPPY), np.int32)


@kernel
def locate(atoms, start, stop, table, mask, room):
    """Locate the words of the event ``atoms[start:stop]``; returns its number of positions."""
    size = text_end(atoms, start, stop)
    text = 0
    for at in range(size):
        room[POSITIONS, at] = at
        text += atoms[start + at] == BORDER
        room[TEXTS, at] = text
    room[TEXTS, size] = text + 1
    position = 0
    for at in range(size, stop - start):
        if atoms[start + at] <= POSITION:
            position = POSITION - atoms[start + at]
        room[POSITIONS, at] = position
    room[HEADS, : mask + 1] = -1
    for at in range(stop - start - 1, -1, -1):
        if atoms[start + at] >= 0:
            slot = set_slot(table, mask, atoms[start + at])
            room[NEXTS, at] = room[HEADS, slot]
            room[HEADS, slot] = at
    return size


@kernel
def stands(program, at, atoms, start, size, stop, table, mask, room):
    """Return whether the check whose operands begin at `at` holds in the event, which has `size` positions."""
    if program[at] == SLOPPY:
        return _is_sloppy(program, at + 1, size, table, mask, room)
    parts = program[at + 1]
    at += 2
    for part in range(parts):
        link, alternatives = program[at], program[at + 1]
        at += 2
        if part > 0:
            _look_around(size, room)
        room[ENDS, : size + 1] = 0
        room[BEGINS, : size + 1] = 0
        found = False
        for _ in range(alternatives):
            flags, names = program[at], program[at + 1]
            event = atoms, start, size, stop
            found |= _mark(program, at + 2, names, flags, link, part > 0, event, table, mask, room)
            at += 2 + names
        if not found:
            return False
    return True


@kernel
def _look_around(size, room):
    """Write by position the nearest end of a spot at or before it, and the nearest beginning at or behind it."""
    nearest = _NONE
    for at in range(size):
        if room[ENDS, at]:
            nearest = at
        room[LEFTS, at] = nearest
    nearest = -_NONE
    for at in range(size - 1, -1, -1):
        if room[BEGINS, at]:
            nearest = at
        room[RIGHTS, at] = nearest


@kernel
def _mark(program, at, names, flags, link, is_linked, event, table, mask, room):
    """Mark where words stand side by side and fit to the part before; returns whether they do anywhere.

    `event` has the atoms, its start, its number of positions and its stop.
    """
    atoms, start, size, stop = event
    found = False
    spot = _first(program[at], table, mask, room)
    while spot >= 0:
        first = room[POSITIONS, spot]
        last = first + names - 1
        spot = room[NEXTS, spot]
        if last >= size or room[TEXTS, last] != room[TEXTS, first]:
            continue
        if flags & FIRST and first > 0 and atoms[start + first - 1] != BORDER:
            continue
        if flags & LAST and last + 1 < size and atoms[start + last + 1] != BORDER:
            continue
        k = 1
        while k < names and _has(program[at + k], first + k, atoms, start, size, stop):
            k += 1
        if k < names or (is_linked and not _fits(first, last, link, size, room)):
            continue
        room[BEGINS, first] = room[ENDS, last] = 1
        found = True
    return found


@kernel
def _fits(first, last, link, size, room):
    """Return whether a spot is as near to one of the part before as a link says."""
    distance = link >> 1
    if first > 0:
        left = room[LEFTS, first - 1]
        if left >= first - distance and room[TEXTS, left] == room[TEXTS, first]:
            return True
    if link & 1 == 0 and last + 1 < size:
        right = room[RIGHTS, last + 1]
        if right <= last + distance and room[TEXTS, right] == room[TEXTS, last]:
            return True
    return False


@kernel
def _first(atom, table, mask, room):
    """Return the first number in the row of an atom, or -1."""
    return room[HEADS, set_slot(table, mask, atom)] if set_has(table, mask, atom) else np.int32(-1)


@kernel
def _has(atom, position, atoms, start, size, stop):
    """Return whether an atom, a term or a family, stands at a position."""
    if atoms[start + position] == atom:
        return True
    at = start + size
    while at < stop and atoms[at] != POSITION - position:
        at += 1
    at += 1
    while at < stop and atoms[at] >= 0:
        if atoms[at] == atom:
            return True
        at += 1
    return False


@kernel
def _is_sloppy(program, at, size, table, mask, room):
    """Return whether the words of a phrase stand so that their moves differ by at most its slop, all in one text."""
    slop, names = np.int64(program[at]), program[at + 1]
    at += 2
    fill = 0
    starts, cursors, chosen = np.empty(names, np.int64), np.empty(names, np.int64), np.empty(names, np.int64)
    for k in range(names):
        earlier = k
        for j in range(k):
            if program[at + j] == program[at + k]:
                earlier = j
                break
        if earlier < k:
            starts[k] = starts[earlier]
            continue
        starts[k] = fill
        spot = _first(program[at + k], table, mask, room)
        if spot < 0:
            return False
        while spot >= 0:
            room[SPOTS, fill] = room[POSITIONS, spot]
            fill, spot = fill + 1, room[NEXTS, spot]
        room[SPOTS, fill] = size  # behind the last
        fill += 1
    begin = 0
    while begin < size:
        end = begin
        while end < size and room[TEXTS, end] == room[TEXTS, begin]:
            end += 1
        cursors[:] = starts
        shift = begin - names
        while shift < end:
            latest = _NONE
            for k in range(names):
                spot = cursors[k]
                while room[SPOTS, spot] < max(shift + k, begin):
                    spot += 1
                cursors[k] = spot
                chosen[k] = _untaken(program, at, k, spot, size, chosen, room)
                if chosen[k] >= end:
                    latest = size
                    break
                latest = max(latest, chosen[k] - k)
            if latest == size:
                break
            if latest <= shift + slop:
                return True
            shift = max(shift + 1, latest - slop)
        begin = end
    return False


@kernel
def _untaken(program, at, number, spot, size, chosen, room):
    """Return the first position from a spot on that no earlier word of the phrase has chosen; `size` for none."""
    while True:
        position = room[SPOTS, spot]
        if position == size:
            return position
        taken = False
        for j in range(number):
            taken |= chosen[j] == position and program[at + j] == program[at + number]
        if not taken:
            return position
        spot += 1
