"""The delta by itself: ordinary patterns beside such with long or many words."""

from __future__ import annotations

import random

import pytest

from tests.patterns.structures import found, int32, patterns_of, regex, strings
from watchword.patterns.keyed.delta import LONG, PatternDelta


def pattern(generator: random.Random) -> str:
    if generator.random() < 0.3:
        return generator.choice(["a" * (LONG + generator.randint(1, 9)), "?".join("a" * (LONG + 3)) + "*b"])
    return "".join(generator.choices("ab?*", k=generator.randint(0, 6))) + "a"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_duel(seed):
    generator = random.Random(seed)
    delta, expected = PatternDelta(), {}
    for payload in range(60):
        expected[payload] = pattern(generator)
        delta.add(patterns_of([expected[payload]]), int32([payload]))
        if generator.random() < 0.3:
            gone = generator.choice(list(expected))
            with pytest.raises(KeyError):
                delta.remove(patterns_of([expected[gone] + "b"]), gone)
            delta.remove(patterns_of([expected.pop(gone)]), gone)
        texts = ["a" * generator.choice([3, LONG, LONG + 30]) + "b" * generator.randint(0, 2) for _ in range(3)]
        asked = {number: regex(text) for number, text in expected.items()}
        wanted = [[number for number, expression in asked.items() if expression.search(text)] for text in texts]
        assert found(delta.match(strings(*texts))) == wanted
    assert (len(delta), delta.came) == (len(expected), 60)
