"""Words in an order and at a distance, for intervals and spans, as NEAR and BEFORE.

A *part* is one of some alternatives, each a word or words side by side. Parts stand in order, and a number limits the
words between all of them together. Of two parts that is ``a BEFORE/4 b`` for three words between; of more, each way to
share the words between out, as long as these are few: ``a BEFORE/1 b BEFORE/2 c OR a BEFORE/2 b BEFORE/1 c``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from watchword.keywords.proximity import MOST_DISTANCE
from watchword.predicates.dialects.searches.refused import Refused

MOST_ORDERS = 64
"""How many orders of words, with the ways to share out what stands between them, are written for one condition."""


MOST_LETTERS = 1 << 14
"""How many characters words in an order may have together."""


class Part(NamedTuple):
    """Alternatives, as keywords write them; `words` are all words in them."""

    alternatives: tuple[str, ...]
    words: frozenset[str]

    def __str__(self) -> str:
        return self.alternatives[0] if len(self.alternatives) == 1 else f"({' OR '.join(self.alternatives)})"


def one_of(parts: Sequence[Part]) -> Part:
    """Return the alternatives of several parts as one."""
    alternatives = dict.fromkeys(text for part in parts for text in part.alternatives)
    return Part(tuple(alternatives), frozenset().union(*(part.words for part in parts)))


def in_order(parts: Sequence[Part], between: int | None) -> list[str]:
    """Return chains of parts in order, with at most `between` words between them; None for any number.

    >>> a, b, c = (Part((word,), frozenset(word)) for word in "abc")
    >>> in_order([a, b], 3), in_order([a, b, c], 1)
    (['a BEFORE/4 b'], ['a BEFORE/1 b BEFORE/2 c', 'a BEFORE/2 b BEFORE/1 c'])
    """
    if between is None:
        return [f" BEFORE/{MOST_DISTANCE} ".join(map(str, parts))]
    if between >= MOST_DISTANCE:
        raise Refused(f"words are at most {MOST_DISTANCE:,} places apart; leave the limit out, or write a smaller one")
    written: list[str] = []
    if sum(len(text) for part in parts for text in part.alternatives) > MOST_LETTERS:
        raise Refused(f"words in an order have at most {MOST_LETTERS:,} characters; ask for fewer")
    for shares in _shares(between, len(parts) - 1):
        if len(written) == MOST_ORDERS:
            raise Refused(
                f"{len(parts)} parts with {between} words between them can stand in more than {MOST_ORDERS} ways; ask "
                "for fewer parts, or for fewer words between them"
            )
        chained = [str(parts[0])]
        chained += [f"BEFORE/{share + 1} {part}" for share, part in zip(shares, parts[1:], strict=True)]
        written.append(" ".join(chained))
    return written


def _shares(total: int, places: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share a number out over some places.

    >>> list(_shares(2, 2)), list(_shares(5, 0))
    ([(0, 2), (1, 1), (2, 0)], [()])
    """
    if places <= 1:
        yield (total,) * places
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _shares(total - first, places - 1))


def in_any_order(parts: Sequence[Part], between: int) -> list[str]:
    """Return chains of parts in any order, with at most `between` words between them.

    >>> a, b = (Part((word,), frozenset(word)) for word in "ab")
    >>> in_any_order([a, b], 3)
    ['a NEAR/4 b']
    """
    seen: set[str] = set()
    for part in parts:
        if seen & part.words:
            raise Refused("the same word in two parts may be one place or two; ask for it once, or for an order")
        seen |= part.words
    if len(parts) == 2 and between < MOST_DISTANCE:
        return [f"{parts[0]} NEAR/{between + 1} {parts[1]}"]
    written: list[str] = []
    for order in permutations(parts):
        written += in_order(order, between)
        if len(written) > MOST_ORDERS:
            raise Refused(
                f"{len(parts)} parts can stand in more than {MOST_ORDERS} orders; ask for fewer parts, for one order, "
                "or for words anywhere"
            )
    return written
