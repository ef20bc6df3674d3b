"""Cutting the texts of plain paths into steps: those without tests, attributes and white space, in ASCII.

``/nitf//*/em`` is cut into three steps, two of them with names, which are numbered as they come::

    steps  [1<<1, 0<<1|1, 2<<1]      names  nitfem      name_offsets  [0, 4, 6]

A name is a run of letters, digits and ``_ - .``, with one colon between two such runs where `qualified`, and begins
with a letter or ``_``; a `*` stands alone. What is written otherwise is left to the parser, which says what it is, or
what is wrong.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64, UInt8
from watchword.kernels.jit import kernel, leaf


class Cut(NamedTuple):
    """Where steps and names are written; `name_offsets` begins with 0."""

    steps: Int32
    names: UInt8
    name_offsets: Int64


_SLASH, _STAR, _COLON, _UNDERSCORE = ord("/"), ord("*"), ord(":"), ord("_")
_NOTHING, _BEGINNING, _INNER = range(3)


@leaf
def _kind(byte):
    """Say whether a byte may begin a name, or stand further in, or neither."""
    lower = byte | 32
    if 97 <= lower <= 122 or byte == _UNDERSCORE:
        return _BEGINNING
    if 48 <= byte <= 57 or byte == 45 or byte == 46:
        return _INNER
    return _NOTHING


@leaf
def _name_end(data, at, end, qualified):
    """Return where the name that begins at `at` ends, or -1."""
    if at == end or _kind(data[at]) != _BEGINNING:
        return np.int64(-1)
    colons = 0
    while at < end:
        if data[at] == _COLON:
            colons += 1
            if not qualified or colons > 1 or at + 1 == end or _kind(data[at + 1]) != _BEGINNING:
                return np.int64(-1)
        elif _kind(data[at]) == _NOTHING:
            break
        at += 1
    return np.int64(at)


@leaf
def _cut_row(data, at, end, qualified, cut, step, name):
    """Write the steps of one path from `step` on, and its names from `name` on; returns the new fills, or -1 twice if
    the path is not plain."""
    first = step
    while at < end:
        descendant = 1
        if data[at] == _SLASH:
            descendant = 1 if at + 1 < end and data[at + 1] == _SLASH else 0
            at += 1 + descendant
        elif step > first:
            return np.int64(-1), np.int64(-1)
        if at < end and data[at] == _STAR:
            cut.steps[step] = descendant
            at += 1
        else:
            stop = _name_end(data, at, end, qualified)
            if stop < 0:
                return np.int64(-1), np.int64(-1)
            fill = cut.name_offsets[name]
            for k in range(at, stop):
                cut.names[fill] = data[k]
                fill += 1
            name += 1
            cut.name_offsets[name] = fill
            cut.steps[step] = name << 1 | descendant
            at = stop
        step += 1
    return (np.int64(step), np.int64(name)) if step > first else (np.int64(-1), np.int64(-1))


@kernel
def cut_paths(data, offsets, qualified, limits, cut, counts):
    """Cut all plain paths, and write how many steps each has: -1 for one that is not plain or beyond its limits, of
    bytes and of steps; returns the number of steps and of names."""
    steps = names = np.int64(0)
    for row in range(len(counts)):
        begin, end = offsets[row], offsets[row + 1]
        counts[row] = -1
        if end - begin <= limits[0]:
            step, name = _cut_row(data, begin, end, qualified, cut, steps, names)
            if step >= 0 and step - steps <= limits[1]:
                counts[row] = step - steps
                steps, names = step, name
    return steps, names
