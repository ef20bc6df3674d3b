"""What an index says of itself and of a match: its figures, and why an event satisfies a subscription."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Stats:
    """What an index holds and takes.

    `bytes` is the index without ids and texts (those are `catalog_bytes`). `operations_per_match` is the mean
    over the `events` matched since the index was made or opened, in the unit `operation`; `details` has the
    method's own figures.
    """

    language: str
    method: str
    subscriptions: int
    clauses: int
    atoms: int
    nodes: int
    postings: int
    bytes: int
    catalog_bytes: int
    operation: str
    operations_per_match: float
    details: Mapping[str, float] = field(default_factory=dict)
    events: int = 0


@dataclass(frozen=True)
class ClauseReport:
    """How one clause of a subscription fared: atoms that it asked for and missed, or forbade and met."""

    text: str
    missing: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        """Say whether nothing failed."""
        return not self.missing and not self.forbidden

    def __str__(self) -> str:
        if self.held:
            return self.text
        reasons = [f"missing {', '.join(self.missing)}"] if self.missing else []
        reasons += [f"forbidden {', '.join(self.forbidden)}"] if self.forbidden else []
        return f"{'; '.join(reasons)} in: {self.text}"


@dataclass(frozen=True)
class Explanation:
    """Why an event matches a subscription, or does not. True where it matches."""

    subscription: str
    clauses: tuple[ClauseReport, ...]

    @property
    def matched(self) -> bool:
        """Say whether a clause held."""
        return any(clause.held for clause in self.clauses)

    @property
    def nearest(self) -> ClauseReport | None:
        """Return a clause that held, or else the one with the fewest failures; None if there is no clause."""
        return min(self.clauses, key=lambda c: len(c.missing) + len(c.forbidden), default=None)

    def __bool__(self) -> bool:
        return self.matched

    def __str__(self) -> str:
        if self.nearest is None:
            return "no match: the subscription contradicts itself"
        if self.matched:
            return f"match: {self.nearest}"
        tail = f" (nearest of {len(self.clauses)} clauses)" if len(self.clauses) > 1 else ""
        return f"no match: {self.nearest}{tail}"
