"""Bytes of an index after many single changes: at most one and a half times those of an index that is built anew."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from watchword import KeywordIndex, PathIndex, PatternIndex, PredicateIndex, PropertyIndex
from watchword.index import Index

HELD, CHANGES, STEP = 6000, 6000, 430
MOST = 1.5
PROPERTIES = [f"p{number}" for number in range(30)]


class Words:
    """Subscriptions of drawn words, seeded; each has a word or a number that no other ever had."""

    def __init__(self) -> None:
        self._draw = random.Random(2026)
        self._last = 0

    def word(self) -> str:
        return f"w{self._draw.randrange(3000)}"

    def new(self) -> int:
        self._last += 1
        return self._last

    def keywords(self) -> str:
        return f"{self.word()} {self.word()} n{self.new()}"

    def booleans(self) -> str:
        return f"{self.word()} AND ({self.word()} OR n{self.new()}) NOT {self.word()}"

    def patterns(self) -> str:
        return f"{self.word()}*{self.word()} ?n{self.new()}"

    def paths(self) -> str:
        return "/" + "/".join(f"e{self._draw.randrange(200)}" for _ in range(4))

    def predicates(self) -> str:
        return f"a = '{self.word()}' AND b > {self.new()}"

    def properties(self) -> str:
        return " ".join(f"{name}={self._draw.randrange(2)}" for name in self._draw.sample(PROPERTIES, 4))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "write", "options"),
    [
        (KeywordIndex, Words.keywords, {}),
        (KeywordIndex, Words.booleans, {}),
        (PatternIndex, Words.patterns, {}),
        (PathIndex, Words.paths, {}),
        (PredicateIndex, Words.predicates, {}),
        (PropertyIndex, Words.properties, {"properties": PROPERTIES}),
    ],
    ids=["keywords", "booleans", "patterns", "paths", "predicates", "properties"],
)
def test_changes_leave_little_behind(kind: type[Index[int]], write: Callable[[Words], str], options: Any) -> None:
    words = Words()
    index = kind({number: write(words) for number in range(HELD)}, **options)
    worst = 0.0
    for number in range(CHANGES):
        del index[number]
        index[number + HELD] = write(words)
        if number % STEP == STEP - 1:
            rebuilt = kind(dict(index.items()), **options)
            worst = max(worst, index.stats().bytes / rebuilt.stats().bytes)
    assert worst <= MOST


@pytest.mark.parametrize("kind", [KeywordIndex, PatternIndex])
def test_what_is_gone_is_given_back(kind: type[Index[int]]) -> None:
    """Of 6,000 subscriptions 2,000 are left: neither the rows, nor the ids and texts of the others stay."""
    index = kind({number: f"w{number % 300} v{number % 700}" for number in range(6000)})
    for number in range(4000):
        del index[number]
    rebuilt = kind(dict(index.items())).stats()
    assert index.stats().bytes <= MOST * rebuilt.bytes
    assert index.stats().catalog_bytes <= 2 * rebuilt.catalog_bytes
