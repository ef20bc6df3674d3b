"""A duel of any `SetStructure` against set inclusion in plain Python, and the thesis's example."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
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


class Duel(ABC):
    """One structure beside a dict; every step is done to both. What a row is, and what it satisfies, is left open."""

    sizes = (0, 1, 5, 150)
    """How many rows are added at once."""

    def __init__(self, structure: Any, seed: int) -> None:
        self.structure = structure
        self.random = random.Random(seed)
        self.rows: dict[int, list[int]] = {}
        self.next_payload = 0

    @abstractmethod
    def row(self) -> list[int]:
        """Draw a row."""

    @abstractmethod
    def longer(self, row: list[int]) -> list[int]:
        """Return a row with a number besides that nobody has."""

    @abstractmethod
    def reopen(self) -> None:
        """Replace the structure by one that has its arrays."""

    @abstractmethod
    def match(self) -> None:
        """Draw events, and compare what the structure finds with what the dict says."""

    def payload(self) -> int:
        self.next_payload += self.random.choice([1, 1, 1, 5])
        return self.next_payload

    def add(self) -> None:
        rows = {self.payload(): self.row() for _ in range(self.random.choice(self.sizes))}
        self.structure.add(rows_of(rows.values()), int32(rows))
        self.rows |= rows

    def remove(self) -> None:
        share = self.random.choice([0.05, 0.3, 0.9, 1.0])
        for payload in self.random.sample(sorted(self.rows), int(share * len(self.rows))):
            self.structure.remove(int32(self.rows.pop(payload)), payload)

    def refuse(self) -> None:
        """A row without its payload, a payload without its row: nothing may change."""
        wrong = [(self.row(), self.next_payload + 1)]
        for payload in self.random.sample(sorted(self.rows), min(3, len(self.rows))):
            row = self.rows[payload]
            wrong += [(row[1:], payload), (self.longer(row), payload), (row, payload + 10**6)]
            wrong += [(other, payload) for other in [self.row()] if set(other) != set(row)]
        for row, payload in wrong:
            if row:
                try:
                    self.structure.remove(int32(row), payload)
                except KeyError:
                    continue
                raise AssertionError(f"removed {payload} with the row {row}, which it does not have")

    def renumber(self) -> None:
        below = self.random.randint(0, self.next_payload + 1)
        changed = list(range(below))
        self.random.shuffle(changed)
        self.structure.renumber(int32(changed))
        self.rows = {changed[p] if p < below else p: row for p, row in self.rows.items()}

    def run(self, steps: int, *others: Callable[[], None]) -> None:
        """Do all of that, and `others`, at random, and match after each step; in the end all rows go."""
        kinds = [self.add, *others, self.remove, self.refuse, self.renumber, self.reopen]
        for _ in range(steps):
            self.random.choice(kinds)()
            self.match()
        for payload, row in self.rows.items():
            self.structure.remove(int32(row), payload)
        self.rows.clear()
        self.match()
        left = self.structure.stats()
        assert left.get("postings", 0) == 0 and left.get("blocks", 0) == 0
        self.add()
        self.match()


class _SetDuel(Duel):
    """A row is a set of atoms, and is satisfied where all of them are."""

    def __init__(self, structure: SetStructure, seed: int, terms: int, options: dict[str, Any]) -> None:
        super().__init__(structure, seed)
        self.options = options
        # Gaps in the atom numbers: small ones, and for every other seed one that makes the numbers sparse,
        # so that adding takes the paths for few rows as well as those for many.
        self.vocabulary = sorted(self.random.sample(range(3 * terms), terms))
        if seed % 2:
            self.vocabulary.append(40_000)

    def ordered(self, atoms: list[int]) -> list[int]:
        if self.structure.order is None:
            return self.random.sample(atoms, len(atoms))
        return sorted(atoms, reverse=self.structure.order == "reverse-rank")

    def row(self) -> list[int]:
        size = min(self.random.choice([1, 1, 2, 2, 3, 4, 7, 30]), len(self.vocabulary))
        return self.ordered(self.random.sample(self.vocabulary, size))

    def longer(self, row: list[int]) -> list[int]:
        return self.ordered([*row, 41_000])

    def add_singly(self) -> None:
        for _ in range(self.random.randint(1, 10)):
            payload, row = self.payload(), self.row()
            self.structure.add_one(int32(row), payload)
            self.rows[payload] = row

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

    `make` is called without arguments; `options` are handed to every copy.
    """
    both = _SetDuel(make(), seed, terms, options)
    both.run(steps, both.add_singly)
