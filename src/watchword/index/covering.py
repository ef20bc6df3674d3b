"""Covering: whether everything that satisfies one subscription satisfies another, for `covers` and its relatives.

    compare_texts("ferry", "ferry AND storm")     covers: who hears of a ferry hears of a ferry in a storm
    compare_texts("ferry", "ferries")             neither: there is an event for each that the other misses

An answer is proven for every event that there can be, not tried on some. For `NEITHER` an event against either
direction was made and matched. `UNKNOWN` says that neither a proof nor such events were found. Proving may take long,
so its steps are limited.

Covering is meant as in publish/subscribe, and as the thesis defines it for an item and a subscription (Definition 1):
the wider covers the narrower. For two subscriptions the thesis writes the relation the other way round (section 2.3),
where the one with more terms covers.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from watchword.errors import OptionError

MOST_STEPS = 100_000
"""How many steps a proof may take: parts of the two texts looked at, or pairs of their atoms compared. That is about a
tenth of a second; a comparison is a proof for either direction, and two counter-examples if neither holds."""


class Covering(StrEnum):
    """How one subscription relates to another; true where it is proven to cover it.

    >>> bool(Covering.EQUAL), bool(Covering.COVERS), bool(Covering.COVERED), bool(Covering.UNKNOWN)
    (True, True, False, False)
    """

    EQUAL = "equal"
    """Every event satisfies both or none."""
    COVERS = "covers"
    """Every event that satisfies the other satisfies this one; whether the reverse holds, too, is not proven."""
    COVERED = "covered"
    """Every event that satisfies this one satisfies the other; whether the reverse holds, too, is not proven."""
    NEITHER = "neither"
    """An event satisfies this one alone, and another event the other one alone."""
    UNKNOWN = "cannot tell"
    """Nothing of the above is proven."""

    def __bool__(self) -> bool:
        return self in (Covering.EQUAL, Covering.COVERS)

    @property
    def mirrored(self) -> Covering:
        """Return the same relation, seen from the other subscription."""
        return {Covering.COVERS: Covering.COVERED, Covering.COVERED: Covering.COVERS}.get(self, self)


class OutOfStepsError(Exception):
    """A proof took more steps than it may."""


class Steps:
    """How many steps a comparison may still take."""

    def __init__(self, limit: Any) -> None:
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise OptionError(f"steps must be a positive integer, not {limit!r}")
        self.left = limit

    def spend(self, count: int = 1) -> None:
        """Take steps; raises `OutOfStepsError` if there are none left."""
        self.left -= count
        if self.left < 0:
            raise OutOfStepsError
