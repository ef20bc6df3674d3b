"""What people match many patterns with today: Hyperscan, and Python's `re`.

Hyperscan (``pip install hyperscan``) is run in block mode and reports each pattern once per text. Its own work is in C,
but each match it reports is a call of a Python function, so scanning is measured three ways: collecting ids, as one
would use it; with a callback that does nothing; and without a callback, when nothing is reported at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.data.patterns import expression

try:
    import hyperscan
except ImportError:
    hyperscan = None

MISSING = "Hyperscan's rows are left out: pip install hyperscan"
Pairs = set[tuple[int, int]]


def installed() -> bool:
    """Say whether there is a Hyperscan to compare with."""
    return hyperscan is not None


class Hyperscan:
    """A database of patterns, numbered from 0."""

    def __init__(self, patterns: Sequence[str], *, ascii_only: bool) -> None:
        flags = hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_DOTALL
        flags |= 0 if ascii_only else hyperscan.HS_FLAG_UTF8
        expressions = [expression(pattern).encode() for pattern in patterns]
        self.database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self.database.compile(
            expressions=expressions, ids=list(range(len(expressions))), elements=len(expressions), flags=flags
        )

    @property
    def size(self) -> int:
        """The size of the database."""
        return int(self.database.size())

    def ways(self) -> dict[str, Callable[[Sequence[bytes]], object]]:
        """Return the ways to scan texts that are measured."""
        return {
            "hyperscan, ids collected": self.found,
            "hyperscan, empty callback": lambda texts: self._scan(texts, _ignore),
            "hyperscan, no callback": lambda texts: self._scan(texts, None),
        }

    def found(self, texts: Sequence[bytes]) -> list[list[int]]:
        """Return the numbers of the patterns that each text matches."""
        scan, answers = self.database.scan, []
        for text in texts:
            numbers: list[int] = []
            scan(text, _collect, context=numbers)
            answers.append(numbers)
        return answers

    def pairs(self, texts: Sequence[bytes]) -> Pairs:
        """Return what is found as pairs of text and pattern."""
        return {(event, number) for event, numbers in enumerate(self.found(texts)) for number in numbers}

    def _scan(self, texts: Sequence[bytes], callback: Any) -> None:
        scan = self.database.scan
        for text in texts:
            scan(text, callback)


def _collect(number: int, start: int, end: int, flags: int, context: Any) -> None:
    context.append(number)


def _ignore(*_: object) -> None:
    return None


class Alternation:
    """One regular expression of all patterns: tells whether a text matches any, not which."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.compiled = re.compile("|".join(map(expression, patterns)), re.DOTALL)

    def any(self, texts: Sequence[str]) -> list[bool]:
        """Say of each text whether a pattern matches it."""
        search = self.compiled.search
        return [search(text) is not None for text in texts]


class OneByOne:
    """A regular expression for each pattern, tried in turn: the same answer as an index."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.searches = [re.compile(expression(pattern), re.DOTALL).search for pattern in patterns]

    def pairs(self, texts: Sequence[str]) -> Pairs:
        """Return what is found as pairs of text and pattern."""
        return {
            (event, number)
            for event, text in enumerate(texts)
            for number, search in enumerate(self.searches)
            if search(text)
        }
