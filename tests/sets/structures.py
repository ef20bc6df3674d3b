"""A duel of any `SetStructure` against set inclusion in plain Python, and the thesis's example."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from watchword.arrays import offsets_of
from watchword.index.hits import Hits
from watchword.sets.rows import Rows
from watchword.sets.structure import SetStructure

TABLE_2_1 = {1: (1, 2, 4), 2: (1, 24), 3: (1, 2, 3), 4: (1, 12), 5: (2, 4), 6: (2, 3, 13)}
"""The thesis's example: subscription number to atoms. Atom numbers are ranks: t1 is the most frequent."""


def rows_of(lists: Iterable[Sequence[int]]) -> Rows:
    """Return lists of atoms as rows."""
    lists = [list(atoms) for atoms in lists]
    offsets = offsets_of([len(atoms) for atoms in lists])
    return Rows(offsets, np.array([atom for atoms in lists for atom in atoms], np.int32))


def int32(values: Iterable[int]) -> Any:
    return np.array(list(values), np.int32)


def found(hits: Hits) -> list[list[int]]:
    """Return each item's payloads, sorted; a payload reported twice shows."""
    return [sorted(hits.payloads[a:b].tolist()) for a, b in pairwise(hits.offsets.tolist())]


def table_2_1(structure: SetStructure) -> SetStructure:
    """Add Table 2.1, atoms in the structure's order."""
    rarest_first = structure.order == "reverse-rank"
    rows = [sorted(atoms, reverse=rarest_first) for atoms in TABLE_2_1.values()]
    structure.add(rows_of(rows), int32(TABLE_2_1))
    return structure


def reopened(structure: SetStructure, **options: Any) -> SetStructure:
    """Return an independent copy by way of a snapshot's arrays."""
    structure.condense()
    arrays = {name: array.copy() for name, array in structure.arrays().items()}
    copy = type(structure)(**options)
    copy.restore(arrays)
    return copy


class _Duel:
    """One structure beside a dict; every step is done to both."""

    def __init__(self, structure: SetStructure, seed: int, terms: int, options: dict[str, Any]) -> None:
        self.structure, self.options = structure, options
        self.random = random.Random(seed)
        # Gaps in the atom numbers: small ones, and for every other seed one that makes the numbers sparse,
        # so that adding takes the paths for few rows as well as those for many.
        self.vocabulary = sorted(self.random.sample(range(3 * terms), terms))
        if seed % 2:
            self.vocabulary.append(40_000)
        self.rows: dict[int, list[int]] = {}
        self.next_payload = 0

    def ordered(self, atoms: list[int]) -> list[int]:
        if self.structure.order is None:
            return self.random.sample(atoms, len(atoms))
        return sorted(atoms, reverse=self.structure.order == "reverse-rank")

    def row(self) -> list[int]:
        size = min(self.random.choice([1, 1, 2, 2, 3, 4, 7, 30]), len(self.vocabulary))
        return self.ordered(self.random.sample(self.vocabulary, size))

    def payload(self) -> int:
        self.next_payload += self.random.choice([1, 1, 1, 5])
        return self.next_payload

    def add_many(self) -> None:
        rows = {self.payload(): self.row() for _ in range(self.random.choice([0, 1, 5, 150]))}
        self.structure.add(rows_of(rows.values()), int32(rows))
        self.rows |= rows

    def add_singly(self) -> None:
        for _ in range(self.random.randint(1, 10)):
            payload, row = self.payload(), self.row()
            self.structure.add_one(int32(row), payload)
            self.rows[payload] = row

    def remove(self) -> None:
        share = self.random.choice([0.05, 0.3, 0.9, 1.0])
        for payload in self.random.sample(sorted(self.rows), int(share * len(self.rows))):
            self.structure.remove(int32(self.rows.pop(payload)), payload)

    def refuse(self) -> None:
        """Atoms without their payload, a payload without its atoms: nothing may change."""
        wrong = [(self.row(), self.next_payload + 1)]
        for payload in self.random.sample(sorted(self.rows), min(3, len(self.rows))):
            row = self.rows[payload]
            wrong += [(row[1:], payload), (self.ordered([*row, 41_000]), payload), (row, payload + 10**6)]
            wrong += [(other, payload) for other in [self.row()] if set(other) != set(row)]
        for atoms, payload in wrong:
            if atoms:
                try:
                    self.structure.remove(int32(atoms), payload)
                except KeyError:
                    continue
                raise AssertionError(f"removed {payload} with the atoms {atoms}, which it does not have")

    def renumber(self) -> None:
        below = self.random.randint(0, self.next_payload + 1)
        changed = list(range(below))
        self.random.shuffle(changed)
        self.structure.renumber(int32(changed))
        self.rows = {changed[p] if p < below else p: row for p, row in self.rows.items()}

    def reopen(self) -> None:
        self.structure = reopened(self.structure, **self.options)

    def match(self) -> None:
        sizes = [self.random.choice([0, 1, 3, 10, len(self.vocabulary)]) for _ in range(6)]
        pool = [*self.vocabulary, 50_000, 2_000_000_000]
        items = [self.ordered(self.random.sample(pool, min(size, len(pool)))) for size in sizes]
        expected = [sorted(p for p, row in self.rows.items() if set(row) <= set(item)) for item in items]
        assert found(self.structure.match(rows_of(items))) == expected


def duel(make: Callable[[], SetStructure], seed: int, terms: int = 40, steps: int = 60, **options: Any) -> None:
    """Interleave adding many and few, removing, renumbering, reopening and matching, at random.

    `make` is called without arguments; `options` are handed to every copy. In the end all rows go.
    """
    both = _Duel(make(), seed, terms, options)
    kinds = [both.add_many, both.add_singly, both.remove, both.refuse, both.renumber, both.reopen]
    for _ in range(steps):
        both.random.choice(kinds)()
        both.match()
    for payload, row in both.rows.items():
        both.structure.remove(int32(row), payload)
    both.rows.clear()
    both.match()
    left = both.structure.stats()
    assert left.get("postings", 0) == 0 and left.get("blocks", 0) == 0
    both.add_many()
    both.match()
