"""One text at a time goes a shorter way, and must answer as a batch of one does."""

from __future__ import annotations

import pytest

from watchword import PatternIndex

TEXTS = ["", "a song, blue", "song\ud800blue", "pie and tea", "tea and pie", "ßongéblue sing song?blue", "pie" * 3_000]


def both(index, text):
    """Return what `match` says, and what a batch of one says."""
    return index.match(text), sorted(index.match_many([text])["subscription"].to_pylist())


@pytest.mark.parametrize("options", [{}, {"ignore_case": True}], ids=["as it is", "ignoring case"])
def test_answers_are_those_of_a_batch(options, tmp_path):
    index = PatternIndex({1: "song?blue", 2: "pie*tea", 3: "pie", 4: "?????"}, **options)
    index.save(tmp_path / "index")  # which packs
    for found in (index, PatternIndex.open(tmp_path / "index")):
        for text in TEXTS:
            one, many = both(found, text)
            assert one == many
    assert index.match("pie and tea") == [2, 3, 4]


def test_every_change_is_seen_by_the_next_text(tmp_path):
    index = PatternIndex({number: f"word{number}" for number in range(1_000)})
    assert index.match("word77 word7") == [7, 77]
    del index[7]
    assert index.match("word77 word7") == [77]
    index[2_000] = "word7"
    assert index.match("word77 word7") == [77, 2_000]
    index.save(tmp_path / "index")
    assert index.match("word77 word7") == [77, 2_000]


def test_more_matches_than_a_buffer_has_room_for(tmp_path):
    index = PatternIndex(dict.fromkeys(range(3000), "tea"))
    index.save(tmp_path / "index")
    assert index.match("a cup of tea") == list(range(3_000))
    assert index.match("coffee") == []
