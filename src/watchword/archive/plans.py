"""Decisions about pieces, over the list alone: which are merged, mapped, read and removed. Nothing here touches a file.

Pieces have three sizes: small ones (a batch), middle ones, and large ones, which are left alone. `MERGED` of one size
become one, and when a day is over, its small and middle ones do. A day at ten items a second, in batches
of 100, has at most 7 small ones, 7 middle ones and about 100 large ones; each item is written three times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby, pairwise
from typing import NamedTuple

from watchword.archive.limits import NEWEST
from watchword.archive.pieces import Piece

MERGED = 8
"""Pieces of one size that become one."""
SIZES = ((1_024, 4 << 20), (8_192, 32 << 20))
"""Items and bytes from which a piece is middle-sized, and large."""


class Removed(NamedTuple):
    """The numbers of removed files and bytes."""

    files: int
    bytes: int


def size_class(piece: Piece) -> int:
    """Return 0 for a small piece, 1 for a middle one, 2 for a large one."""
    return sum(piece.items >= items or piece.raw >= raw for items, raw in SIZES)


def mergeable(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces of one day that are to become one, in the order of their rows; none if there is nothing to merge.

    They follow one another in time, so that pieces do not come to overlap: only a run without a larger piece inside is
    merged.
    """
    days: dict[date, list[Piece]] = {}
    for piece in in_order(pieces):
        days.setdefault(piece.day, []).append(piece)
    today = max(days, default=None)
    for day, some in days.items():
        for size in (0, 1):
            for run in _runs(some, size):
                of_this_size = sum(size_class(piece) == size for piece in run)
                if of_this_size >= MERGED or (day != today and size == 1 and len(run) > 1):
                    return run
    return []


def _runs(pieces: list[Piece], size: int) -> list[list[Piece]]:
    """Return the runs of pieces that are at most of a size."""
    small = groupby(pieces, lambda piece: size_class(piece) <= size)
    return [list(run) for is_small, run in small if is_small]


def in_order(pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces in the order in which they were seen; of two at one time the one that was written first."""
    return sorted(pieces, key=lambda one: (one.first, one.name))


def recent(pieces: Iterable[Piece], count: int = NEWEST) -> list[Piece]:
    """Return the pieces that have the newest `count` items, in the order in which they were seen.

    Writers may give times that go back, so pieces may overlap. A piece is left out only if `count` items are certainly
    newer than all of it.
    """
    chosen: list[Piece] = []
    for piece in sorted(pieces, key=lambda one: (one.last, one.name), reverse=True):
        if sum(one.items for one in chosen if one.first >= piece.last) >= count:
            break
        chosen.append(piece)
    return in_order(chosen)


def is_ascending(pieces: Sequence[Piece]) -> bool:
    """Return whether each piece was seen after the one before, so that they need not be sorted."""
    return all(before.last <= after.first for before, after in pairwise(pieces))


def expired(pieces: Iterable[Piece], now: datetime, days: float, most: int) -> list[Piece]:
    """Return the pieces to remove: those seen before `days` ago, then the oldest beyond `most` bytes in all."""
    kept: list[Piece] = []
    gone: list[Piece] = []
    before = round((now - timedelta(days=days)).timestamp() * 1e6)
    for piece in sorted(pieces, key=lambda one: (one.last, one.name)):
        (gone if piece.last < before else kept).append(piece)
    total = sum(piece.bytes for piece in kept)
    for piece in kept:
        if total <= most:
            break
        gone.append(piece)
        total -= piece.bytes
    return gone
