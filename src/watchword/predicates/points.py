"""The points of a snapshot by constant, looked up in the saved arrays; a `dict` to those who ask and add.

With ``name = 'RBS'`` saved as atom 0, ``get("RBS")`` is [0] and ``get("ACME")`` is (). After ``setdefault("RBS",
[]).append(7)``, for ``name IN ('RBS', 'ACME')``, ``get("RBS")`` is [0, 7].

The last answers are remembered, at most `REMEMBERED`: values of events repeat. So an opened index has no Python object
for a constant that no event names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from watchword.predicates.constants import Constants

FEW = 128
"""How many constants of a snapshot become Python objects when they are first asked for."""

REMEMBERED = 1 << 16


class SavedPoints:
    """Points by constant, of one kind of value: the saved points of a snapshot, and the points added since."""

    def __init__(self, saved: Constants) -> None:
        self._saved = saved
        self._changed: dict[Any, list[int]] = {}
        self._known: dict[Any, Sequence[int]] = {}

    def get(self, value: Any, default: Any = None) -> Sequence[int]:
        """Return the points of a value, () if it has none."""
        found = self._known.get(value)
        return self._search(value) if found is None else found

    def _search(self, value: Any) -> Sequence[int]:
        found = self._changed.get(value)
        if found is None:
            row = self._saved.find(value)
            found = [] if row < 0 else self._saved.points_of(row)
        if len(self._known) > REMEMBERED:
            self._known = {}
        self._known[value] = found
        return found

    def setdefault(self, value: Any, default: list[int]) -> list[int]:
        """Return the points of a constant, to which more are added."""
        found = self._changed.get(value)
        if found is None:
            found = self._changed[value] = [*self.get(value)] or default
            self._known[value] = found
        return found

    def listed(self) -> dict[Any, list[int]]:
        """Return the points by constant."""
        return self._saved.points() | self._changed


Points: TypeAlias = dict[Any, list[int]] | SavedPoints


def restored_points(saved: Constants) -> Points:
    """Return the points of a snapshot: a `dict` if they are few, the saved arrays if they are many."""
    return saved.points() if len(saved.offsets) <= FEW else SavedPoints(saved)


def listed_points(points: Points) -> dict[Any, list[int]]:
    """Return all points by constant."""
    return points.listed() if isinstance(points, SavedPoints) else points
