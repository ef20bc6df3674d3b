"""One text at a time goes its own way through the kernels, and must answer as a batch of one does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

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


def test_more_clauses_than_a_buffer_has_room_for():
    """Each is found twice or three times, and told once; some of what is found is forbidden."""
    texts = {n: ('greece OR imf OR "debt crisis"', "greece OR imf NOT debt", "NOT debt")[n % 3] for n in range(6000)}
    index = KeywordIndex(texts)
    everybody = list(range(6000))
    assert both(index, "greece, imf") == (everybody, everybody)
    some = [n for n in everybody if n % 3 < 2]
    assert both(index, "greece, imf: a debt crisis") == (some, some)
    first = [n for n in everybody if n % 3 == 0]
    assert both(index, "imf: a debt") == (first, first)


def test_threads_that_ask_at_once_for_clauses_without_a_term():
    for _ in range(20):
        index = KeywordIndex({n: f"NOT t{n}" for n in range(300)})
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(index.match, ["t7"] * 8)) == [[n for n in range(300) if n != 7]] * 8


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
