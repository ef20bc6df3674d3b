"""Random subscriptions and events, and what a Spark job must find of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from tests.oracle import matches

WORDS = ["greece", "crisis", "bailout", "imf", "storm", "ferry", "sea", "bank", "vote", "goal", "ägäis", "東京"]
Found = list[tuple[Any, Any]]
BAD_CHANGES: list[tuple[list[tuple[str | None, str | None]], str]] = [
    ([("x", "imf"), ("x", None)], "'x': changed more than once"),
    ([(None, "imf")], "has no id"),
    ([("x", '"')], "'x'"),
]
"""Changes that an update refuses, and what it says of them."""


def subscriptions(count: int, seed: int = 3) -> dict[str, str]:
    draw = random.Random(seed)
    texts = []
    for _ in range(count):
        words = draw.sample(WORDS, draw.randint(1, 3))
        texts.append(draw.choice([" ", " OR ", " NOT "]).join(words))
    return {f"s{number}": text for number, text in enumerate(texts)}


def texts(count: int, seed: int = 4) -> list[str | None]:
    draw = random.Random(seed)
    drawn = [" ".join(draw.choices(WORDS, k=draw.randint(0, 9))) for _ in range(count)]
    return [None if draw.random() < 0.05 else text for text in drawn]


def expected(subscribed: Mapping[Any, str], events: Iterable[tuple[Any, str | None]]) -> Found:
    """Return the pairs, by brute force."""
    pairs = [
        (event, key)
        for event, text in events
        if text is not None
        for key, subscription in subscribed.items()
        if matches(subscription, text)
    ]
    return sorted(pairs)


def found(hits: Any, event: str = "n") -> Found:
    return sorted((row[event], row["subscription"]) for row in hits.collect())
