"""A duel of any structure over properties against plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tests.sets.structures import Duel, found
from watchword.properties.bits import Bits


def literals(text: str) -> list[int]:
    """Return the literals of a ternary string."""
    return [2 * place + int(value) for place, value in enumerate(text) if value != "*"]


def holds(row: Sequence[int], event: Sequence[int]) -> bool:
    return all(event[literal >> 1] == literal & 1 for literal in row)


class _PropertyDuel(Duel):
    """A row is literals, and is satisfied where each property is as its literal says."""

    sizes = (0, 1, 5, 400)

    def __init__(self, make: Callable[[], Any], seed: int, width: int) -> None:
        super().__init__(make(), seed)
        self.make, self.width = make, width

    def row(self) -> list[int]:
        """Draw a row; some share most of their literals, some are equal."""
        stars = self.random.choice([0.5, 0.9, 0.98])
        chances = [stars, (1 - stars) / 2, (1 - stars) / 2]
        row = literals("".join(self.random.choices("*01", chances, k=self.width)))
        return row or [self.random.randrange(2 * self.width)]

    def longer(self, row: list[int]) -> list[int]:
        return [*row, 2 * self.width]

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
    """Interleave adding, removing, renumbering, reopening and matching, at random."""
    _PropertyDuel(make, seed, width).run(steps)
