"""Where in a text its terms stand, in characters, through folding and stems.

A text is cut where all that a character folds to separates terms. Between two cuts stands one term, or several that
share a place: ``℀`` folds to ``a/c``, and pairs of CJK characters overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from watchword.kernels.text.characters import SEPARATOR
from watchword.text.analyzer import Analyzer

_WORDS = re.compile(r"\w+", re.ASCII)


class Place(NamedTuple):
    """A term of a text, and the characters ``text[start:end]`` that it comes from."""

    term: str
    start: int
    end: int


def term_places(text: str, analyzer: Analyzer) -> list[Place]:
    """Return the terms of a text, in order, each with its place.

    >>> term_places("Die Straße!", Analyzer())
    [Place(term='die', start=0, end=3), Place(term='strasse', start=4, end=10)]
    """
    return [
        Place(term, start, end) for start, end in _pieces(text, analyzer) for term in analyzer.terms(text[start:end])
    ]


def _pieces(text: str, analyzer: Analyzer) -> Iterator[tuple[int, int]]:
    """Yield the borders of the pieces between separating characters."""
    if text.isascii():
        yield from (found.span() for found in _WORDS.finditer(text))
        return
    known: dict[str, bool] = {}
    start = -1
    for at, char in enumerate(text):
        separates = known.get(char)
        if separates is None:
            folded = analyzer.folding.char(char)
            separates = known[char] = bool(folded) and all(analyzer.folding.kind(one) == SEPARATOR for one in folded)
        if separates and start >= 0:
            yield start, at
            start = -1
        elif not separates and start < 0:
            start = at
    if start >= 0:
        yield start, len(text)
