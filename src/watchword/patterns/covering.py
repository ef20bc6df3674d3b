"""Whether a pattern covers another: every text in which the narrower is found has the wider in it.

``song*e`` covers ``a song?blue``: its letters and gaps have places there (`sequences.containment`). If none are seen,
texts are made in which the narrower stands, with a letter that no pattern has for each wildcard; one without the wider
pattern refutes the covering.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from watchword.index.covering import Steps
from watchword.patterns.query import Pattern
from watchword.sequences.containment import ANY, RUN, Token, contains

_FRESH = range(0xE000, 0xF900)
"""Characters for private use."""


def implies(narrow: Pattern, wide: Pattern, steps: Steps) -> bool:
    """Return whether every text with `narrow` is seen to have `wide`."""
    letters = "\0".join(narrow.words)
    steps.spend(len(wide.words) + 1)
    return all(word in letters for word in wide.words) and contains(tokens(wide), tokens(narrow), steps)


def refutes(narrow: Pattern, wide: Pattern, steps: Steps, found: Callable[[Pattern, str], bool]) -> bool:
    """Return whether a text is found with `narrow` and without `wide`; `found` looks for a pattern in a text."""
    for text in _instances(narrow, wide):
        steps.spend(len(text) + 1)
        if found(narrow, text) and not found(wide, text):
            return True
    return False


def tokens(pattern: Pattern) -> list[Token]:
    """Return a pattern as a sequence with gaps.

    >>> from watchword.patterns.query import parse
    >>> tokens(parse("a?*b"))
    ['a', Wildcard(name='?'), Wildcard(name='*'), 'b']
    """
    made: list[Token] = []
    for gap, word in zip(pattern.gaps, (*pattern.words, ""), strict=True):
        made += [ANY] * gap.questions + [RUN] * gap.star + list(word)
    return made


def _instances(pattern: Pattern, other: Pattern) -> Iterator[str]:
    """Yield texts that have a pattern, and as little else as possible; those with long runs come last."""
    used = set("".join((*pattern.words, *other.words)))
    fresh = next(char for char in map(chr, _FRESH) if char not in used) if len(used) < len(_FRESH) else "\0"
    for run in (0, sum(gap.questions for gap in other.gaps) + sum(map(len, other.words)) + 1):
        gaps = [fresh * (gap.questions + run * gap.star) for gap in pattern.gaps]
        yield "".join(gap + word for gap, word in zip(gaps, (*pattern.words, ""), strict=True))
