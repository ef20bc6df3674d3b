"""Families of words: which of them has a word, found by keys instead of one after the other.

``ferr*``, ``h*bour`` and ``ferry~1`` are *families*: sets of words that one word of a subscription stands for.
Characters are code points, `ONE` stands for ``?`` and `RUN` for ``*``. With ``h*bour`` as family 0 and ``sea~1`` as
family 1, atoms 7 and 9::

    records    7 0 6 0   9 6 3 1            atom, start and size in `codes`, edits (0: wildcards)
    codes      h RUN b o u r   s e a
    keys       suffix "bour"                where family 0 is filed: its longest plain piece, cut to `LONGEST_KEY`
               "sea", "ea", "sa", "se"      where family 1 is filed: the word with up to `edits` characters left out

A word has the family only if a key of the word is a key of the family: its own beginnings, ends and pieces, and the
word with some characters left out. For edits only the first `FRONT` characters of both count: whatever is edited behind
them or pushed over their end, it takes no more characters to be left out in front than there are edits. The families
under a key are compared with the word.

Layout: `table` has two words a bucket, a key and the number of its newest posting plus one (0: empty bucket); linear
probing, at most three quarters full. `postings` has two words each, a family and the next posting, or -1. Families only
come, and newer ones stand before older ones. `lengths[kind * (LONGEST_KEY + 1) + n]` says whether a key of this kind
has `n` characters, and with 0 for `n` whether there is one. `counts`: families, codes, postings, keys, most edits.

Cost of a word of n characters: a look for each length of its beginnings, ends and pieces, at most 10 n, and 29 for two
edits, 8 for one; and a comparison for each family that is found under a key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8, UInt32
from watchword.kernels.growing import copy_into
from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import kernel
from watchword.kernels.text.positions import POSITION, UNKNOWN
from watchword.kernels.text.utf8 import decode

ONE, RUN = -1, -2

LONGEST_KEY = 8
FRONT = 7
MOST_CHARACTERS = 64
"""The characters of the longest word with edits."""

LONGEST_WORD = 1024
"""The bytes of the longest word that has families."""

RECORD = 4
_ATOM, _START, _SIZE, _EDITS = range(RECORD)
FAMILIES, CODES, POSTINGS, KEYS, EDITS = range(5)
KINDS = 4
_PREFIX, _SUFFIX, _PIECE, _REST = range(KINDS)
MOST_KEYS = 32
"""The most keys of one family."""

STRIDE = MOST_CHARACTERS + 8
"""The length of a row of distances."""


class FamilyArrays(NamedTuple):
    """The arrays of the families of an index."""

    records: Int32
    codes: Int32
    table: UInt32
    postings: Int32
    lengths: UInt8
    counts: Int64


@kernel
def add_family(atom, codes, edits, families):
    """File a family of characters under its keys; returns False, and does nothing, if an array has no room."""
    records, stored, table, postings, lengths, counts = families
    number, start, size = counts[FAMILIES], counts[CODES], len(codes)
    room = RECORD * (number + 1) <= len(records) and start + size <= len(stored)
    room &= 2 * (counts[POSTINGS] + MOST_KEYS) <= len(postings) and 8 * (counts[KEYS] + MOST_KEYS) <= 3 * len(table)
    if not room:
        return False
    records[RECORD * number + _ATOM], records[RECORD * number + _START] = atom, start
    records[RECORD * number + _SIZE], records[RECORD * number + _EDITS] = size, edits
    for k in range(size):
        stored[start + k] = codes[k]
    counts[FAMILIES], counts[CODES] = number + 1, start + size
    counts[EDITS] = max(counts[EDITS], edits)
    if edits > 0:
        front = min(size, FRONT)
        for first in range(-1, front):
            _file(_key_without(codes, front, first, -1), number, table, postings, counts)
            for second in range(first + 1, front if edits > 1 and first >= 0 else 0):
                _file(_key_without(codes, front, first, second), number, table, postings, counts)
        return True
    kind, first, last = _longest_piece(codes)
    lengths[kind * (LONGEST_KEY + 1)] = lengths[kind * (LONGEST_KEY + 1) + last - first] = 1
    _file(_key(kind, codes, first, last), number, table, postings, counts)
    return True


@kernel
def fill_table(table, old):
    """Put the buckets of a smaller table into an empty one."""
    for at in range(0, len(old), 2):
        if old[at + 1] != 0:
            place = _bucket(old[at], table)
            while table[place + 1] != 0:
                place = (place + 2) & (len(table) - 1)
            table[place], table[place + 1] = old[at], old[at + 1]


@kernel
def _file(key, number, table, postings, counts):
    """Put a family under a key, unless it is there."""
    at = _bucket(key, table)
    while table[at + 1] != 0 and table[at] != key:
        at = (at + 2) & (len(table) - 1)
    newest = np.int64(table[at + 1]) - 1
    if newest >= 0 and postings[2 * newest] == number:
        return
    posting = counts[POSTINGS]
    postings[2 * posting], postings[2 * posting + 1] = number, newest
    counts[POSTINGS] = posting + 1
    counts[KEYS] += newest < 0
    table[at], table[at + 1] = key, np.uint32(posting + 1)


@kernel
def _longest_piece(codes):
    """Return the kind, start and end of the key of a word with wildcards: its longest run of plain characters."""
    best, kind, first = 0, _PIECE, 0
    start = 0
    for k in range(len(codes) + 1):
        if k < len(codes) and codes[k] >= 0:
            continue
        if k - start > best:
            best, first = k - start, start
        start = k + 1
    if first == 0:
        kind = _PREFIX
    elif first + best == len(codes):
        kind, first, best = _SUFFIX, max(first, len(codes) - LONGEST_KEY), min(best, LONGEST_KEY)
    return kind, first, first + min(best, LONGEST_KEY)


@kernel
def _key(kind, codes, first, last):
    """Return the key of ``codes[first:last]``."""
    value = _begun(kind)
    for k in range(first, last):
        value = _stirred(value, codes[k])
    return _ended(value)


@kernel
def _key_without(codes, front, first, second):
    """Return the key of the first `front` characters without those at two places; -1 is no place."""
    value = _begun(_REST)
    for k in range(front):
        if k != first and k != second:
            value = _stirred(value, codes[k])
    return _ended(value)


@kernel
def _begun(kind):
    return np.uint64(0x9E3779B97F4A7C15) + np.uint64(kind)


@kernel
def _stirred(value, code):
    value = (value ^ np.uint64(code)) * np.uint64(0xC2B2AE3D27D4EB4F)
    return value ^ (value >> np.uint64(29))


@kernel
def _ended(value):
    value *= np.uint64(0x9E3779B97F4A7C15)
    return np.uint32(value >> np.uint64(32))


@kernel
def _bucket(key, table):
    return (np.int64(key) << 1) & (len(table) - 1)


# words


class Scratch(NamedTuple):
    """Room for one word: its characters, rows of distances, and by family the word that was last compared with it."""

    characters: Int32
    rows: Int32
    compared: Int64


class Known(NamedTuple):
    """By word: the number of families that it was compared with in `since`, and two numbers in `spans`, where its own
    begin in the list of atoms, and how many it has."""

    since: Int32
    spans: Int32


@kernel
def learn(numbers, data, offsets, families, known, atoms, fill, scratch, first):
    """Look up the families of words that may have more of them than are known, from ``numbers[first]`` on.

    Word `n` is ``data[offsets[n]:offsets[n + 1]]``; -1 is no word. `fill` is the number of atoms in use. Returns where
    to go on once the atoms have more room, or the number of words.
    """
    total = families.counts[FAMILIES]
    for k in range(first, len(numbers)):
        word = np.int64(numbers[k])
        if word < 0 or known.since[word] == total:
            continue
        since, begin = np.int64(known.since[word]), fill[0]
        first_before, before = known.spans[2 * word], known.spans[2 * word + 1]
        if begin + before + total - since > len(atoms):
            return k
        copy_into(atoms, begin, atoms, first_before, first_before + before)
        stop = _families_of(data, offsets[word], offsets[word + 1], families, since, atoms, begin + before, scratch)
        known.since[word] = total
        if stop > begin + before:
            known.spans[2 * word], known.spans[2 * word + 1], fill[0] = begin, stop - begin, stop
    return len(numbers)


@kernel
def _families_of(data, start, stop, families, since, atoms, fill, scratch):
    """Append the atoms of a word's families from number `since` on; returns the end."""
    if stop - start > LONGEST_WORD:
        return fill
    codes, size = scratch.characters, 0
    at = start
    while at < stop:
        point, width = decode(data, at, stop, True)
        if width == 0:
            return fill
        codes[size] = point
        size, at = size + 1, at + width
    if size == 0:
        return fill
    scratch.compared[0] += 1
    lengths = families.lengths
    value = _begun(_PREFIX)
    for n in range(1, min(size, LONGEST_KEY) + 1):
        value = _stirred(value, codes[n - 1])
        if lengths[n]:
            fill = _compare(_ended(value), codes, size, families, since, atoms, fill, scratch)
    for n in range(1, min(size, LONGEST_KEY) + 1):
        if lengths[_SUFFIX * (LONGEST_KEY + 1) + n]:
            fill = _compare(_key(_SUFFIX, codes, size - n, size), codes, size, families, since, atoms, fill, scratch)
    if lengths[_PIECE * (LONGEST_KEY + 1)]:
        for first in range(size):
            value = _begun(_PIECE)
            for n in range(1, min(size - first, LONGEST_KEY) + 1):
                value = _stirred(value, codes[first + n - 1])
                if lengths[_PIECE * (LONGEST_KEY + 1) + n]:
                    fill = _compare(_ended(value), codes, size, families, since, atoms, fill, scratch)
    edits = families.counts[EDITS]
    if edits > 0 and size <= MOST_CHARACTERS + edits:
        front = min(size, FRONT)
        for first in range(-1, front):
            key = _key_without(codes, front, first, -1)
            fill = _compare(key, codes, size, families, since, atoms, fill, scratch)
            for second in range(first + 1, front if edits > 1 and first >= 0 else 0):
                key = _key_without(codes, front, first, second)
                fill = _compare(key, codes, size, families, since, atoms, fill, scratch)
    return fill


@kernel
def _compare(key, codes, size, families, since, atoms, fill, scratch):
    """Append the atoms of the families under a key that have the word; each family is compared once with a word."""
    records, stored, table, postings, _, _ = families
    at = _bucket(key, table)
    while table[at + 1] != 0 and table[at] != key:
        at = (at + 2) & (len(table) - 1)
    posting = np.int64(table[at + 1]) - 1
    while posting >= 0:
        family = postings[2 * posting]
        if family < since:
            break
        if scratch.compared[1 + family] != scratch.compared[0]:
            scratch.compared[1 + family] = scratch.compared[0]
            start, edits = records[RECORD * family + _START], records[RECORD * family + _EDITS]
            form = stored[start : start + records[RECORD * family + _SIZE]]
            if is_near(form, codes[:size], edits, scratch.rows) if edits > 0 else has_form(form, codes[:size]):
                atoms[fill] = records[RECORD * family + _ATOM]
                fill += 1
        posting = np.int64(postings[2 * posting + 1])
    return fill


@kernel
def has_form(form, codes):
    """Return whether a word has a form: `ONE` is any character, `RUN` any number of them."""
    at = k = 0
    run, kept = -1, 0
    while at < len(codes):
        if k < len(form) and (form[k] == ONE or form[k] == codes[at]):
            at, k = at + 1, k + 1
        elif k < len(form) and form[k] == RUN:
            run, kept = k, at
            k += 1
        elif run >= 0:
            kept += 1
            at, k = kept, run + 1
        else:
            return False
    while k < len(form) and form[k] == RUN:
        k += 1
    return k == len(form)


@kernel
def is_near(wanted, codes, edits, rows):
    """Return whether at most `edits` characters are inserted, deleted, replaced or swapped with their neighbour, each
    once at most, between two words (optimal string alignment)."""
    height, width = len(wanted), len(codes)
    if height - width > edits or width - height > edits:
        return False
    far, stride = edits + 1, STRIDE
    for j in range(width + 1):
        rows[j] = min(j, far)
    for i in range(1, height + 1):
        row, above, before = (i % 3) * stride, ((i + 2) % 3) * stride, ((i + 1) % 3) * stride
        low, high = max(1, i - edits), min(width, i + edits)
        rows[row + low - 1] = min(i, far) if low == 1 else far
        for j in range(low, high + 1):
            same = wanted[i - 1] == codes[j - 1]
            value = rows[above + j - 1] + (0 if same else 1)
            value = min(value, rows[row + j - 1] + 1)
            if j < i + edits:
                value = min(value, rows[above + j] + 1)
            if i > 1 and j > 1 and wanted[i - 1] == codes[j - 2] and wanted[i - 2] == codes[j - 1]:
                value = min(value, rows[before + j - 2] + 1)
            rows[row + j] = min(value, far)
    return rows[(height % 3) * stride + width] <= edits


# rows


@kernel
def rows_with_families(row_offsets, numbers, asked, words, terms, others, atoms):
    """Return rows of terms with the families of their words behind them (`kernels.text.positions`).

    ``asked[i]`` is the word of the term ``numbers[i]`` among `terms`; where that is `UNKNOWN`, its word is the one of
    `others` that comes next in `words`. A `BORDER` has no word.
    """
    offsets = np.zeros(len(row_offsets), np.int64)
    begins, counts = np.empty(len(asked), np.int32), np.empty(len(asked), np.int32)
    if len(words) == 0:
        words = np.zeros(1, np.int32)
    other, last = np.int64(0), len(words) - 1
    for row in range(len(row_offsets) - 1):
        more = np.int64(0)
        for k in range(row_offsets[row], row_offsets[row + 1]):
            word = np.int64(asked[k])  # no branch: whether a term is known cannot be foretold
            is_term, is_other = word >= 0, word == UNKNOWN
            here, there = 2 * max(word, 0), 2 * np.int64(words[min(other, last)])
            begin = terms.spans[here] * is_term + others.spans[there] * is_other
            count = terms.spans[here + 1] * is_term + others.spans[there + 1] * is_other
            prefetch(atoms, begin)
            other += is_other
            begins[k], counts[k] = begin, count
            more += count + (count > 0)
        offsets[row + 1] = offsets[row] + row_offsets[row + 1] - row_offsets[row] + more + (more > 0)
    made = np.empty(offsets[-1], np.int32)
    for row in range(len(row_offsets) - 1):
        begin, fill = row_offsets[row], offsets[row]
        size = row_offsets[row + 1] - begin
        copy_into(made, fill, numbers, begin, begin + size)
        fill += size
        for k in range(begin, begin + size):
            if counts[k] > 0:
                made[fill] = POSITION - (k - begin)
                copy_into(made, fill + 1, atoms, begins[k], begins[k] + counts[k])
                fill += 1 + counts[k]
        if fill < offsets[row + 1]:
            made[fill] = POSITION - size
    return offsets, made
