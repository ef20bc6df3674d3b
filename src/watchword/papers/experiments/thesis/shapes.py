"""What curves are like: the questions that several claims ask of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from watchword.papers.experiments.checks import Check, check
from watchword.papers.experiments.experiment import Outcome, Row, not_shown
from watchword.papers.experiments.figures import Reading

FULL = 10_000_000
"""Subscriptions of the thesis's tables."""

NOTHING_IS_COPIED = (
    "implementation: the count index copies nothing for an item here, which is most of the thesis's time"
)


def at_full_size(check: Callable[[Sequence[Row]], Outcome]) -> Callable[[Sequence[Row]], Outcome]:
    """Let a check speak of ten million subscriptions only, which a smaller vocabulary answers otherwise.

    >>> from watchword.papers.experiments.experiment import judged
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


def linear(reading: Reading, what: str) -> Check:
    """Return the check that values grow in proportion to where they stand, or a line does that need not begin at 0.

    The measure is the slope of the second half over that of the first.

    >>> from watchword.papers.experiments.figures import read
    >>> check = linear(read("bytes", along="n"), "bytes")
    >>> check([{"n": n, "bytes": found} for n, found in ((1, 10.0), (2, 20.0), (4, 41.0))])
    Outcome(verdict='holds', measured='bytes rise 1.05 times as fast in the second half as in the first', why='')
    """
    return check(
        what + " rise {bend:.2f} times as fast in the second half as in the first",
        "0.75 < bend < 1.33",
        weaker="0.5 < bend < 2",
        bend=bend(reading),
    )


def bend(reading: Reading) -> Reading:
    """Return the slope of the second half of a curve over that of the first."""
    return reading.then(_bend)


def _bend(points: Mapping[int, float]) -> float:
    at, values = list(points), list(points.values())
    middle = len(at) // 2
    if len(at) < 3 or values[middle] == values[0]:
        raise LookupError("no slope in the first half")
    first = (values[middle] - values[0]) / (at[middle] - at[0])
    second = (values[-1] - values[middle]) / (at[-1] - at[middle])
    return second / first
