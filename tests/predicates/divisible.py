"""An operator of one's own: ``n DIVISIBLE BY 7``. All that a reader needs is here, and nothing of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from watchword.arrays import Arrays
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.query import PredicateParser
from watchword.predicates.readers.reader import AttributeReader, Surroundings


class Divisible(AttributeReader):
    """Finds the divisors of whole numbers."""

    name = "DIVISIBLE BY"
    example = "DIVISIBLE BY 7"

    def __init__(self, path: Path, surroundings: Surroundings) -> None:
        self._atoms: dict[int, list[int]] = {}

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Predicate:
        token = parser.advance()
        if not token.text.isdecimal() or int(token.text) == 0:
            raise parser.error("expected a whole number above 0 after DIVISIBLE BY", token)
        return parser.read_by(cls, path, (int(token.text),), str(int(token.text)), token)

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        for atom, predicate in zip(atoms, predicates, strict=True):
            self._atoms.setdefault(predicate.constants[0], []).append(atom)

    def points(self, values: list[Any]) -> list[int]:
        return [atom for value in values for by in self._atoms if _divides(by, value) for atom in self._atoms[by]]

    def holds(self, predicate: Predicate, value: Any) -> bool:
        return _divides(predicate.constants[0], value)

    def arrays(self) -> Arrays:
        pairs = [(by, atom) for by, atoms in self._atoms.items() for atom in atoms]
        return {"pairs": np.array(pairs, np.int64).reshape(-1)}

    def restore(self, arrays: Arrays) -> None:
        self._atoms = {}
        for by, atom in arrays["pairs"].reshape(-1, 2).tolist():
            self._atoms.setdefault(by, []).append(atom)

    @property
    def bytes(self) -> int:
        return 16 * sum(map(len, self._atoms.values()))


def _divides(by: int, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value % by == 0
