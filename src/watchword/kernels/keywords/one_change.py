"""One subscription of plain words, stored or removed by one call.

A text is *plain* if it is ASCII words between spaces or AND (`keywords.query.plain_words`): ``Greece AND crisis``
has the words ``greece`` and ``crisis``. For any other text they return -1 or False and change nothing.

Their state is one array of handles, `CHANGE_KINDS`: the strings of a vocabulary, and how often each is used; counts,
delta and base of the packed index; buffers for words, their borders and their numbers; and the limits: terms in a
text, bytes in a term, and whether `and`, `or` and `not` are words.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.handles import arrays_at, bytes_at
from watchword.kernels.jit import brief, kernel
from watchword.kernels.sets.delta import count_and_add, has_atoms
from watchword.kernels.sets.packed import Packed, has_row
from watchword.kernels.text.plain_rows import AND, LOWER, NO_OPERATOR, operator_at
from watchword.kernels.text.vocabulary import STRING_KINDS, StringTable, find_at, home_bucket, intern_many, string_key

_SPACE = 32

CHANGE_KINDS = (
    *STRING_KINDS,
    *(np.int32, np.int32, np.int32, np.int32, np.int32, np.int32, np.int32),
    *(np.uint8, np.int64, np.int32, np.int64),
)


@brief
def add_text(text, state, slot, mark, size, share):
    """Store a text, given as bytes, under a slot. The vocabulary has `size` strings, and the delta ends at `mark`.

    Returns the new mark and the new size. The mark is -1, and nothing is stored, if the text is not plain, or there is
    no room.
    """
    table, blob, offsets, uses, rows, items, heads, pool, _, _, folded, cuts, numbers, limits = arrays_at(
        state, 0, CHANGE_KINDS
    )
    count = _cut(bytes_at(text, np.uint8), limits, folded, cuts)
    if count == 0:
        return np.int64(-1), size
    known = StringTable(table, blob, offsets)
    if not _are_known(folded, cuts, count, known, numbers):
        done, size = intern_many(folded, cuts[: count + 1], 0, size, known, numbers)
        if done < count:
            return np.int64(-1), size
    if size > len(uses):
        return np.int64(-1), size
    atoms = numbers[: _distinct(numbers, count)]
    mark = np.int64(count_and_add(atoms, slot, (rows, items), share, (heads, pool), mark))
    if mark >= 0:
        for atom in atoms:
            uses[atom] += 1
    return mark, size


@brief
def remove_text(text, state, slot, record):
    """Remove a text, given as bytes, from the record of its slot in the delta.

    If `record` is -1 the row is in the base, and the caller sets its tombstone. Returns whether the row was found;
    False changes nothing, and is also returned for a text that is not plain.
    """
    table, blob, offsets, uses, rows, _, _, pool, starts, arena, folded, cuts, numbers, limits = arrays_at(
        state, 0, CHANGE_KINDS
    )
    count = _cut(bytes_at(text, np.uint8), limits, folded, cuts)
    if count == 0 or not _are_known(folded, cuts, count, StringTable(table, blob, offsets), numbers):
        return False
    atoms = numbers[: _distinct(numbers, count)]
    if record < 0:
        if not has_row(Packed(starts, arena), atoms, slot):
            return False
    else:
        if not has_atoms(pool, record, atoms):
            return False
        pool[record + 1] = -1
    for atom in atoms:
        uses[atom] -= 1
        rows[atom] -= 1
    return True


@kernel
def _cut(text, limits, folded, cuts):
    """Write the folded words of a plain text, concatenated, and their borders. Returns the number of words; 0 if the
    text is not plain, too long for `folded`, or exceeds a limit."""
    count = fill = at = 0
    cuts[0] = 0
    joins = False  # whether a word stands before, which AND would join to another
    if len(text) > len(folded):
        return 0
    while at < len(text):
        if text[at] == _SPACE:
            at += 1
            continue
        begin = at
        while at < len(text) and text[at] != _SPACE:
            byte = text[at]
            is_upper = 65 <= byte <= 90
            if not (is_upper or 97 <= byte <= 122 or 48 <= byte <= 57 or byte == 95):
                return 0
            folded[fill + at - begin] = byte | 32 if is_upper else byte
            at += 1
        operator = operator_at(text, begin, at)
        if operator == NO_OPERATOR or (operator == LOWER and limits[2]):
            fill += at - begin
            count += 1
            cuts[count] = fill
            joins = True
            if count > limits[0] or at - begin > limits[1]:
                return 0
        elif operator == AND and joins:
            joins = False
        else:
            return 0
    return count if joins else 0


@kernel
def _are_known(folded, cuts, count, known, numbers):
    """Write the numbers of words; returns whether all have one."""
    for k in range(count):
        key = string_key(folded, cuts[k], cuts[k + 1])
        number = find_at(key, home_bucket(key, known.table), folded, cuts[k], cuts[k + 1], known)
        if number < 0:
            return False
        numbers[k] = number
    return True


@kernel
def _distinct(numbers, count):
    """Remove repetitions from the first `count` numbers, in place; returns the number that remains."""
    kept = 0
    for k in range(count):
        is_new = True
        for j in range(kept):
            is_new &= numbers[j] != numbers[k]
        if is_new:
            numbers[kept] = numbers[k]
            kept += 1
    return kept
