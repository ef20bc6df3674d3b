"""The examples of docs/terms.md run as printed, and what it promises holds for indexes."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pyarrow as pa
import pytest

from watchword import KeywordIndex, OptionError, SubscriptionSyntaxError
from watchword.keywords.options import OPTIONS

GUIDE = Path(__file__).parents[2] / "docs" / "terms.md"


def test_examples() -> None:
    ran = doctest.testfile(str(GUIDE), module_relative=False)
    assert (ran.failed, ran.attempted > 12) == (0, True)


def test_links_and_limits() -> None:
    text = GUIDE.read_text(encoding="utf-8")
    titles = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)$", text, re.M)}
    assert set(re.findall(r"\(#([\w-]+)\)", text)) <= titles
    assert f"`max_term_bytes` bytes ({OPTIONS['max_term_bytes'].default:,})" in text
    assert f"`max_terms` ({OPTIONS['max_terms'].default:,})" in text


@pytest.mark.parametrize("method", ["auto", "brute", "trie"])
def test_the_options_are_saved_with_the_index(tmp_path: Path, method: str) -> None:
    texts = {"coffee": "CAFE noir", "tokyo": "東京", "tower": '"東京タワー" OR łódź'}
    index = KeywordIndex(texts, method=method, fold_accents=True, cjk="bigrams")
    index.save(tmp_path / "index")
    for held in (index, KeywordIndex.open(tmp_path / "index")):
        assert held.match("Café, noir") == held.match("noir cafe\u0301") == ["coffee"]
        assert held.match("東京都に行く") == ["tokyo"]
        assert held.match_many(pa.array(["新東京タワーへ", "LODZ", "京東"]))["subscription"].to_pylist() in (
            ["tokyo", "tower", "tower"],
            ["tower", "tokyo", "tower"],
        )
        assert not held.explain("京都", "tokyo") and held.explain("Lódz", "tower")


def test_without_the_options_accents_and_runs_count() -> None:
    index = KeywordIndex({"coffee": "cafe", "tokyo": "東京"})
    assert index.match("café 東京都") == []
    assert index.match("cafe 東京") == ["coffee", "tokyo"]


@pytest.mark.parametrize("text", ["京", "greece 京", "greece OR NOT か", "“京”"])
def test_half_a_pair_is_refused(text: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match="at least two"):
        KeywordIndex({"s": text}, cjk="bigrams")
    with pytest.raises(SubscriptionSyntaxError, match="at least two"):
        KeywordIndex(pa.table({"id": ["s"], "subscription": [text]}), cjk="bigrams")
    assert len(KeywordIndex({"s": text})) == 1


def test_options_out_of_range() -> None:
    for options in ({"cjk": "trigrams"}, {"fold_accents": 1}, {"literal_operators": "yes"}):
        with pytest.raises(OptionError):
            KeywordIndex(**options)
