"""One text at a time goes its own way through the kernels, and must answer as a batch of one does."""

from __future__ import annotations

import pytest

from watchword import KeywordIndex
from watchword.keywords.one_text import LONGEST


def both(index, text):
    """Return what `match` says, and what a batch of one says."""
    return index.match(text), sorted(index.match_many([text])["subscription"].to_pylist())


@pytest.fixture
def index():
    return KeywordIndex({1: "greece crisis", 2: '"debt crisis" NOT imf', 3: "straße", 4: "greece OR imf", 5: "NOT imf"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [5]),
        ("Greece: a crisis", [1, 4, 5]),
        ("a debt crisis", [2, 5]),
        ("a debt, and the IMF, and a crisis", [4]),
        ("STRASSE \ud800 greece", [3, 4, 5]),
        ("crisis of debt", [5]),
    ],
)
def test_answers_are_those_of_a_batch(index, text, expected):
    assert both(index, text) == (expected, expected)


def test_a_text_of_any_length(index):
    for size in (LONGEST - 14, LONGEST - 13, 4 * LONGEST):
        text = "x" * size + " greece crisis"
        assert both(index, text) == ([1, 4, 5], [1, 4, 5])


def test_more_matches_than_a_buffer_has_room_for():
    index = KeywordIndex(dict.fromkeys(range(5000), "greece"))
    assert index.match("greece") == list(range(5_000))
    assert index.match("imf") == []
    assert index.match("greece") == list(range(5_000))


def test_every_change_is_seen_by_the_next_text(index):
    assert index.match("imf") == [4]
    index[6] = "imf"
    assert index.match("imf") == [4, 6]
    del index[4]
    assert index.match("imf") == [6]
    index.update({number: f"term{number} imf" for number in range(100, 10_000)})  # packed anew, many new terms
    assert index.match("imf term9999 term100") == [6, 100, 9_999]
    del index[9_999]
    assert index.match("imf term9999 term100") == [6, 100]


def test_an_opened_index(index, tmp_path):
    index.save(tmp_path / "index")
    opened = KeywordIndex.open(tmp_path / "index")
    assert both(opened, "greece in a debt crisis") == ([1, 2, 4, 5], [1, 2, 4, 5])


def test_answers_are_not_in_a_buffer_that_the_next_text_uses(index):
    first, _ = index._plugged.find_one("greece crisis")
    before = sorted(first.tolist())
    index.match("imf")
    assert sorted(first.tolist()) == before


def test_events_are_counted(index):
    index.match("greece")
    index.match("imf")
    assert index.stats().operations_per_match > 0
