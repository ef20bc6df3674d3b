"""Whether everything that has one pattern has another: patterns, forms of texts, and paths, as sequences with gaps.

``song*e`` is found wherever ``a song?blue`` is: its letters have places among those of the other, in order, and each
of its gaps spans as many characters as it asks for. A sequence is a list of tokens: anchors (a letter, a step with a
name), `ANY` (exactly one of anything), `RUN` (any number, also none), and the edges of a whole text, `START` and `END`.
Only anchors of the other sequence are taken for granted, so the containment that is found is certain; one may be
missed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from watchword.index.covering import Steps


class Wildcard(NamedTuple):
    """One of the tokens that stand for something else."""

    name: str


class Edge(NamedTuple):
    """An anchor that takes no room: where a whole text begins or ends."""

    name: str


ANY, RUN = Wildcard("?"), Wildcard("*")
START, END = Edge("start"), Edge("end")

Token = Any


class Gap(NamedTuple):
    """At least `fewest` tokens, or exactly as many if it has no `run`."""

    fewest: int
    run: bool


def contains(
    wide: Sequence[Token],
    narrow: Sequence[Token],
    steps: Steps,
    fits: Callable[[Token, Token], bool] = lambda one, other: bool(one == other),
    *,
    rooted: bool = False,
) -> bool:
    """Return whether every instance of `narrow` has one of `wide` in it, as far as that can be seen.

    `fits` says whether an anchor of `wide` is satisfied wherever one of `narrow` is. With `rooted` both begin at the
    same place; else `wide` may begin anywhere in `narrow`, and end anywhere.

    >>> letters = lambda text: [{"?": ANY, "*": RUN}.get(letter, letter) for letter in text]
    >>> contains(letters("s?b*e"), letters("a s?blue"), Steps(1000))
    True
    >>> contains(letters("s?b"), letters("s*b"), Steps(1000))
    False
    """
    anchors, gaps = _taken_apart(wide)
    if not rooted:
        gaps[0] = gaps[0]._replace(run=True)
    solid = [token is not RUN and not isinstance(token, Edge) for token in narrow]
    before = list(accumulate(solid, initial=0))  # how many tokens, runs and edges aside, stand before each
    ends = [0]
    for anchor, gap in zip(anchors, gaps, strict=False):
        steps.spend(len(narrow) + 1)
        reached = set(ends)
        ends = [
            at + 1
            for at, token in enumerate(narrow)
            if not isinstance(token, Wildcard) and fits(anchor, token) and _spans(gap, at, ends, reached, before)
        ]
        if not ends:
            return False
    return before[-1] - before[ends[0]] >= gaps[-1].fewest


def _spans(gap: Gap, at: int, ends: list[int], reached: set[int], before: list[int]) -> bool:
    """Return whether a gap can end before the token `at`, and begin at one of `ends`."""
    if gap.run:
        return ends[0] <= at and before[at] - before[ends[0]] >= gap.fewest
    start = at - gap.fewest
    return start in reached and before[at] - before[start] == gap.fewest


def _taken_apart(tokens: Sequence[Token]) -> tuple[list[Token], list[Gap]]:
    """Return the anchors of a sequence, and the gap before each and behind the last."""
    anchors, gaps = [], [Gap(0, False)]
    for token in tokens:
        if token is ANY:
            gaps[-1] = Gap(gaps[-1].fewest + 1, gaps[-1].run)
        elif token is RUN:
            gaps[-1] = Gap(gaps[-1].fewest, True)
        else:
            anchors.append(token)
            gaps.append(Gap(0, False))
    return anchors, gaps
