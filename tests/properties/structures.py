"""A duel of any structure over properties against plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from watchword.arrays import offsets_of
from watchword.index.hits import Hits
from watchword.properties.bits import Bits
from watchword.sets.rows import Rows


def rows_of(lists: Iterable[Sequence[int]]) -> Rows:
    """Return lists of literals as rows."""
    lists = [list(literals) for literals in lists]
    return Rows(offsets_of([len(row) for row in lists]), int32(literal for row in lists for literal in row))


def int32(values: Iterable[int]) -> Any:
    return np.array(list(values), np.int32)


def found(hits: Hits) -> list[list[int]]:
    """Return each event's payloads, sorted; a payload reported twice shows."""
    return [sorted(hits.payloads[a:b].tolist()) for a, b in pairwise(hits.offsets.tolist())]


def literals(text: str) -> list[int]:
    """Return the literals of a ternary string."""
    return [2 * place + int(value) for place, value in enumerate(text) if value != "*"]


def holds(row: Sequence[int], event: Sequence[int]) -> bool:
    return all(event[literal >> 1] == literal & 1 for literal in row)


class _Duel:
    """One structure beside a dict; every step is done to both."""

    def __init__(self, make: Callable[[], Any], seed: int, width: int) -> None:
        self.make, self.width = make, width
        self.structure = make()
        self.random = random.Random(seed)
        self.rows: dict[int, list[int]] = {}
        self.next_payload = 0

    def row(self) -> list[int]:
        """Draw a row; some share most of their literals, some are equal."""
        stars = self.random.choice([0.5, 0.9, 0.98])
        chances = [stars, (1 - stars) / 2, (1 - stars) / 2]
        row = literals("".join(self.random.choices("*01", chances, k=self.width)))
        return row or [self.random.randrange(2 * self.width)]

    def payload(self) -> int:
        self.next_payload += self.random.choice([1, 1, 1, 5])
        return self.next_payload

    def add(self) -> None:
        rows = {self.payload(): self.row() for _ in range(self.random.choice([0, 1, 5, 400]))}
        self.structure.add(rows_of(rows.values()), int32(rows))
        self.rows |= rows

    def remove(self) -> None:
        share = self.random.choice([0.05, 0.3, 0.9, 1.0])
        for payload in self.random.sample(sorted(self.rows), int(share * len(self.rows))):
            self.structure.remove(int32(self.rows.pop(payload)), payload)

    def refuse(self) -> None:
        """Literals without their payload, a payload without its literals: nothing may change."""
        wrong = [(self.row(), self.next_payload + 1)]
        for payload in self.random.sample(sorted(self.rows), min(3, len(self.rows))):
            row = self.rows[payload]
            wrong += [(row[1:], payload), ([*row, 2 * self.width], payload), (row, payload + 10**6)]
            wrong += [(other, payload) for other in [self.row()] if other != row]
        for row, payload in wrong:
            if row:
                try:
                    self.structure.remove(int32(row), payload)
                except KeyError:
                    continue
                raise AssertionError(f"removed {payload} with the literals {row}, which it does not have")

    def renumber(self) -> None:
        below = self.random.randint(0, self.next_payload + 1)
        changed = list(range(below))
        self.random.shuffle(changed)
        self.structure.renumber(int32(changed))
        self.rows = {changed[p] if p < below else p: row for p, row in self.rows.items()}

    def reopen(self) -> None:
        self.structure.condense()
        arrays = {name: array.copy() for name, array in self.structure.arrays().items()}
        self.structure = self.make()
        self.structure.restore(arrays)

    def match(self) -> None:
        chances = (0.0, 0.02, 0.1, 0.5, 0.9, 1.0)
        events = [[int(self.random.random() < chance) for _ in range(self.width)] for chance in chances]
        expected = [sorted(p for p, row in self.rows.items() if holds(row, event)) for event in events]
        assert found(self.structure.match(Bits.of(np.array(events, np.uint8)))) == expected


def duel(make: Callable[[], Any], seed: int, width: int, steps: int = 40) -> None:
    """Interleave adding, removing, renumbering, reopening and matching, at random; in the end all rows go."""
    both = _Duel(make, seed, width)
    kinds = [both.add, both.add, both.remove, both.refuse, both.renumber, both.reopen]
    for _ in range(steps):
        both.random.choice(kinds)()
        both.match()
    for payload, row in both.rows.items():
        both.structure.remove(int32(row), payload)
    both.rows.clear()
    both.match()
    assert both.structure.stats()["postings"] == 0
    both.add()
    both.match()
