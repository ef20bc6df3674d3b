"""A draft, and what it would have brought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Draft:
    """A subscription that is being written."""

    language: str
    text: str


@dataclass(frozen=True)
class Hit:
    """An item that the draft finds. `places` are (attribute or None, start, end) in characters of the event's text."""

    id: str
    title: str
    link: str
    published: datetime | None
    why: str
    places: Sequence[tuple[str | None, int, int]]


@dataclass(frozen=True)
class Near:
    """An item that one part of the draft keeps out: `failed` is the part, `why` says what it met or missed."""

    id: str
    title: str
    link: str
    failed: str
    why: str
    is_far: bool = False
    """Whether it has nothing that the draft asks for: without the part that failed, NOT alone is left of the draft."""


class Like(NamedTuple):
    """Another subscription, the draft's relation to it, and the share of the items of either that both find."""

    id: str
    relation: str
    """The draft ``equals``, ``covers`` or is ``covered by`` it (proven from the texts), or ``resembles`` it (on these
    items). What covers finds whatever the other finds, and perhaps more."""
    share: float


@dataclass(frozen=True)
class Preview:
    """What a draft would have brought from the newest items of the archive."""

    total: int
    """The items that it finds."""
    days: Sequence[tuple[date, int]]
    """The items by the day on which they were archived, in UTC; each day is there, the oldest first."""
    sample: Sequence[Hit]
    """The newest items that it finds."""
    near: Sequence[Near]
    """The newest items that one part keeps out: it asks for words that they lack, or have in other places, or forbids
    theirs. Far ones come last."""
    without: Sequence[tuple[str, int]]
    """For each part that AND joins, the items that the draft finds without it."""
    like: Sequence[Like]
    """Other subscriptions that find the same or much of it, the most similar first."""
    warnings: Sequence[str]
    """Remarks to read before it is saved."""
    archived: int
    """The items of these days that the table has."""
    looked: int
    """The items that were looked at: fewer than `archived` if the time ended before."""
    since: datetime | None
    """When the oldest item was seen that was looked at."""
    seconds: float
    complete: bool
    """Whether all items were looked at; all figures are those of `looked` items."""
    found: pa.Table | None = None
    """The newest items that it finds, the newest first: what tells when each came, and its story."""
