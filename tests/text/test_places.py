"""Each term of a text stands where the text, cut there, has that term: through folding, stems and CJK pairs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from watchword.text.analyzer import Analyzer
from watchword.text.folding import Folding
from watchword.text.places import TermsOfText, term_places

OPTIONS = [
    {},
    {"fold_accents": True},
    {"cjk": "bigrams"},
    {"fold_accents": True, "cjk": "bigrams"},
    {"stop_words": ("the", "of", "é", "b")},
    {"stemmer": "english", "cjk": "bigrams"},
]
TRICKY = (
    "aBbeEoß İiıﬁﬃ½℀①² 東京都にがか\u3099\u00ad\u200d\ufe0f\u0301\u0323\u0308ÅéŁø 🙂☀#_9\u20e3각ᄀ\u1161\u11a8Ａｱ"
    "ﾞハ\uff9f\u0fb2\u0f81\ud800Ǆ‼\u0338=<กำहिन\u09c7\u09be㍇"
)
tricky = st.text(st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=())), max_size=30)


def analyzer(options: dict) -> Analyzer:
    return Analyzer(
        options.get("stop_words", ()),
        options.get("stemmer"),
        Folding(options.get("fold_accents", False), options.get("cjk")),
    )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(text=tricky)
@settings(max_examples=150)
def test_each_place_has_its_term_and_no_term_is_missing(options: dict, text: str) -> None:
    found = term_places(text, analyzer(options))
    assert [place.term for place in found] == oracle.terms(text, **options)
    assert [place.start for place in found] == sorted(place.start for place in found)
    for place in found:
        inside = oracle.terms(text[place.start : place.end], **options)
        several = any(len(oracle.terms(char, **options)) > 1 for char in text[place.start : place.end])
        assert place.term in inside if several else inside == [place.term]


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        ("", {}, []),
        ("-- ☀\ufe0f", {}, []),
        ("ferry", {}, ["ferry"]),
        ("🙂 ferry🙂storm", {}, ["ferry", "storm"]),
        ("co\u00adoperate\u00ad, \u00adso", {}, ["co\u00adoperate", "so"]),
        ("ﬁsh İstanbul Straße", {}, ["ﬁsh", "İstanbul", "Straße"]),
        ("cafe\u0301 e\u0301", {"fold_accents": True}, ["cafe\u0301", "e\u0301"]),
        ("\u0301a", {}, ["a"]),
        ("in 東京都!", {}, ["in", "東京都"]),
        ("in 東京都!", {"cjk": "bigrams"}, ["in", "東京", "京都"]),
        ("iPhone東京", {"cjk": "bigrams"}, ["iPhone", "東京"]),
        ("ハ\uff9fンド", {"cjk": "bigrams"}, ["ハ\uff9fン", "ンド"]),
        ("x½y", {}, ["x½", "½y"]),
        ("a\ud800b", {}, ["a", "b"]),
        ("The cats of Rome", {"stop_words": ("the", "of"), "stemmer": "english"}, ["cats", "Rome"]),
    ],
)
def test_places_at_the_edges(text: str, options: dict, found: list[str]) -> None:
    assert [text[place.start : place.end] for place in term_places(text, analyzer(options))] == found


def test_a_phrase_has_a_place_wherever_its_terms_stand_side_by_side_in_one_text() -> None:
    plain = Analyzer()
    terms = TermsOfText([term_places("a b a b", plain), term_places("b", plain), term_places("a", plain)])
    assert terms.find(("a", "b")) == [(0, 0, 3), (0, 4, 7)]
    assert terms.find(("b", "a")) == [(0, 2, 5)] and terms.find(("b", "b")) == [] and terms.find(("c",)) == []
    assert terms.find(("b",), 2) == [(0, 2, 3), (0, 6, 7)]
    assert terms.has(("a",)) and terms.has(("a", "b")) and not terms.has(("b", "b")) and not terms.has(("c",))


def test_ten_thousand_marks_and_a_long_text_are_placed_in_linear_time() -> None:
    text = "a" + "\u0301\u0323" * 5_000 + " b" + "東" * 5_000
    found = term_places(text, Analyzer(folding=Folding(cjk="bigrams")))
    assert (found[0].start, found[0].end) == (0, 10_001) and len(found) == 2 + 4_999
