"""What curves are like: the questions that several claims ask of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from watchword.papers.experiments.experiment import Outcome, Row, judged, not_shown

FULL = 10_000_000
"""Subscriptions of the thesis's tables."""

NOTHING_IS_COPIED = (
    "implementation: the count index copies nothing for an item here, which is most of the thesis's time"
)

Check = Callable[[Sequence[Row]], Outcome]


def at_full_size(check: Check) -> Check:
    """Let a check speak of ten million subscriptions only, which a smaller vocabulary answers otherwise.

    >>> check = at_full_size(lambda rows: judged(False, "12 % more nodes"))
    >>> check([{"subscriptions": 1000}]).verdict, check([{"subscriptions": 10_000_000}]).verdict
    ('not shown at this scale', 'does not hold')
    """

    def checked(rows: Sequence[Row]) -> Outcome:
        found = check(rows)
        if max(row.get("subscriptions") or 0 for row in rows) >= FULL:
            return found
        return not_shown(
            "it depends on how many terms there are: the head of a few thousand is steeper", found.measured
        )

    return checked


def apart(one: float, other: float) -> float:
    """Return by which share of the larger two values differ.

    >>> apart(4, 5)
    0.2
    """
    return abs(one - other) / max(one, other)


def spread(values: Sequence[float]) -> float:
    """Return by which share of the least value the greatest exceeds it.

    >>> spread([10, 15, 11])
    0.5
    """
    return max(values) / min(values) - 1


def linear(points: Mapping[int, float], what: str) -> Outcome:
    """Say whether values grow in proportion to where they stand, or a line does that need not begin at 0.

    The measure is the slope of the second half over that of the first.

    >>> linear({1: 10.0, 2: 20.0, 4: 41.0}, "bytes").verdict, linear({1: 1.0, 2: 4.0, 4: 16.0}, "steps").verdict
    ('holds', 'does not hold')
    """
    at, values = list(points), list(points.values())
    middle = len(at) // 2
    first = (values[middle] - values[0]) / (at[middle] - at[0])
    second = (values[-1] - values[middle]) / (at[-1] - at[middle])
    said = f"{what} rise {second / first:.2f} times as fast in the second half as in the first"
    return judged(0.75 < second / first < 1.33, said, weaker=0.5 < second / first < 2)


def grows(points: Mapping[float, float], what: str) -> str:
    """Return how much values grow from the first to the last, in words.

    >>> grows({3: 10.0, 12: 35.0}, "blocks")
    '3.5 times the blocks from 3 to 12'
    """
    (first, low), *_, (last, high) = points.items()
    return f"{high / low:.3g} times the {what} from {first:,} to {last:,}"
