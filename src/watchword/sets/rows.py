"""Rows of atom numbers: conjunctions of subscriptions, or the atoms that hold in events.

The rows {4, 2} and {7} and the empty row are

    offsets  [0, 2, 3, 3]     int64
    atoms    [4, 2, 7]        int32
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.sets import clauses as kernels


class Rows(NamedTuple):
    """Row `i` has the atoms ``atoms[offsets[i]:offsets[i + 1]]``."""

    offsets: Int64
    atoms: Int32

    def __len__(self) -> int:
        return len(self.offsets) - 1


def one_row(atoms: Int32) -> Rows:
    """Return `atoms` as a batch of one row."""
    return Rows(np.array([0, len(atoms)], np.int64), atoms)


def joined(parts: list[tuple[Rows, Int32]]) -> tuple[Rows, Int32]:
    """Return several sets of rows with payloads as one, concatenated; if only one has rows it is returned itself."""
    parts = [part for part in parts if len(part[0])] or parts[:1]
    if len(parts) == 1:
        return parts[0]
    offsets = [np.zeros(1, np.int64)]
    before = 0
    for rows, _ in parts:
        offsets.append(rows.offsets[1:] + before)
        before += len(rows.atoms)
    atoms = np.concatenate([rows.atoms for rows, _ in parts])
    return Rows(np.concatenate(offsets), atoms), np.concatenate([payloads for _, payloads in parts])


def written(kernel: Callable[..., tuple[int, int]]) -> tuple[Rows, Int32]:
    """Run a kernel twice: first it counts its rows and atoms, then it writes them; returns rows and payloads."""
    count, size = kernel(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32))
    offsets = np.zeros(count + 1, np.int64)
    atoms = np.empty(size, np.int32)
    payloads = np.empty(count, np.int32)
    kernel(offsets, atoms, payloads)
    return Rows(offsets, atoms), payloads


def distinct(rows: Rows) -> Rows:
    """Return the known atoms (not negative) of each row, each once, in order of first occurrence."""
    offsets = np.empty(len(rows) + 1, np.int64)
    atoms = np.empty(len(rows.atoms), np.int32)
    count = kernels.distinct(rows.offsets, rows.atoms, offsets, atoms)
    return Rows(offsets, atoms[:count])
