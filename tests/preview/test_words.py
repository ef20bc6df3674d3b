"""Words of the items, and those that are nearly a word."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa

from watchword.preview.words import Words, count_words, distances, words_of


def edits(one: str, other: str) -> int:
    """Return the edits between two words, one cell after another."""
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        before, row[0] = row[0], at
        for place, known in enumerate(other, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != known))
    return row[-1]


def test_distances_are_those_of_one_pair_after_another() -> None:
    draw = random.Random(3)
    words = ["".join(draw.choices("abé東", k=6)) for _ in range(50)]
    codes = np.array([[*map(ord, word)] for word in words])
    for word in ["abab", "abéab東", "bbbbbbbb", "z"]:
        assert distances(word, codes).tolist() == [edits(word, other) for other in words]


def test_words_are_counted_once_an_item() -> None:
    rows = pa.table({"title": ["Ferry ferry", "FERRY", ""], "text": ["ferry", None, "tea"]})
    words = count_words(rows)
    assert {word: words._counts[word] for word in ("ferry", "tea")} == {"ferry": 2, "tea": 1}
    assert words_of(rows) is words_of(rows) and words_of(rows.slice(0)) is not words_of(rows)
    assert "ferry" not in count_words(rows.slice(0, 0))


def test_short_words_have_few_neighbours() -> None:
    words = Words(["tea", "team", "ten", "to", "東京都"], [5, 4, 3, 2, 1])
    assert (
        words.nearest("tee") == ["tea", "ten"] and words.nearest("te") == [] and words.nearest("tea") == ["team", "ten"]
    )
    assert words.nearest("東京") == [] and words.nearest("x" * 1000) == []
