from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.patterns.structures import duel, filled, found, int32, matching, patterns_of, regex, strings
from watchword.patterns.keyed.structure import KeyedPatterns


class Eager(KeyedPatterns):
    """Packs nearly everything at once, so that the base is tested more than the delta."""

    delta_rows = 2


class Background(KeyedPatterns):
    """Packs in a thread, whatever the size."""

    delta_rows = 8
    background_rows = 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("alphabet", ["a", "ab", "abé東"])
@pytest.mark.parametrize("make", [KeyedPatterns, Eager, Background])
def test_duel(make, alphabet, seed):
    duel(make, seed, alphabet)


def test_the_publication_of_section_3_3_2():
    for make in (KeyedPatterns, Eager):
        index = filled(make(), "song?blue", "pie*tea", "berry", "applepie", "blueberrypie")
        assert matching(index, "welikeapplepieandtea") == [1, 3]


@pytest.mark.slow
def test_changes_while_packing_are_kept():
    generator = random.Random(7)
    index, expected = Background(), {}
    for payload in range(2_000):
        pattern = "".join(generator.choices("ab?*", k=5)) + "a"
        index.add(patterns_of([pattern]), int32([payload]))
        expected[payload] = pattern
        if generator.random() < 0.4:
            gone = generator.choice(list(expected))
            index.remove(patterns_of([expected.pop(gone)]), gone)
            if generator.random() < 0.3:  # the same payload again, as when a subscription is replaced
                expected[gone] = "b" + pattern
                index.add(patterns_of([expected[gone]]), int32([gone]))
        if payload % 97 == 0:
            time.sleep(0.002)
        if payload % 50 == 0:
            text = "".join(generator.choices("ab", k=12))
            wanted = sorted(number for number, pattern in expected.items() if regex(pattern).search(text))
            assert matching(index, text) == wanted
    assert len(index) == len(expected)


def test_several_threads_match_at_once():
    generator = random.Random(3)
    patterns = ["".join(generator.choices("abc?*", k=6)) + "a" for _ in range(500)]
    index = Eager()
    index.add(patterns_of(patterns), int32(range(500)))
    texts = strings(*("".join(generator.choices("abc", k=40)) for _ in range(200)))
    expected = found(index.match(texts))
    with ThreadPoolExecutor(4) as threads:
        assert all(found(hits) == expected for hits in threads.map(index.match, [texts] * 8))


def test_figures():
    index = Eager()
    index.add(patterns_of(["she", "he", "hers", "she*he"]), int32(range(4)))
    stats = index.stats()
    assert (stats["nodes"], stats["postings"]) == (3, 4)
    index.remove(patterns_of(["he"]), 1)
    assert (index.stats()["postings"], index.stats()["tombstones"]) == (3, 1)
    index.condense()
    assert (index.stats()["nodes"], index.stats()["tombstones"]) == (3, 0)
