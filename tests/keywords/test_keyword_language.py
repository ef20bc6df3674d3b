"""The keyword language, by worked examples that every method must agree on."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle, strategies
from watchword import EventError, KeywordIndex, SubscriptionSyntaxError, methods
from watchword.errors import OptionError

METHODS = (
    "auto",
    "brute",
    "brute-ordered",
    "inverted",
    "count",
    "compact-count",
    "trie",
    "compact-trie",
    "poset",
)

every_method = pytest.mark.parametrize("method", METHODS)

# A query, texts that match it, texts that do not.
TRUTH = {
    "precedence": [
        ("a b OR c", ["a b", "b a", "c", "a c"], ["a", "b", ""]),
        ("c OR a b", ["a b", "c"], ["a", "b"]),
        ("a AND b OR c AND d", ["a b", "c d"], ["a c", "b d", "a d"]),
        ("a AND (b OR c) AND d", ["a b d", "a c d"], ["a b", "b d", "a d"]),
        ("NOT a b", ["b"], ["a b", "a", ""]),
        ("NOT (a b)", ["a", "b", "", "c"], ["a b", "b c a"]),
        ("NOT a OR b", ["b", "a b", ""], ["a"]),
        ("NOT a AND NOT b", ["", "c"], ["a", "b"]),
        ("a NOT (b OR c)", ["a", "a d"], ["a b", "a c", ""]),
        ("a OR b NOT c", ["a c", "b", "a"], ["b c", "c"]),
        ("((a)) OR ((b AND (c)))", ["a", "b c"], ["b", "c"]),
        ("a(b)c", ["a b c"], ["a b", "abc"]),
        ("(a)OR(b)", ["a", "b"], ["c"]),
    ],
    "operators are upper case": [
        ("a And b", ["a and b"], ["a b"]),
        ("or", ["this or that"], ["this"]),
        ('"AND"', ["a and b"], ["a b"]),
        ("NOTa", ["nota"], ["a", ""]),
        ("a ANDb", ["a andb"], ["a b"]),
    ],
    "phrases": [
        ('"new york"', ["New York City", "in new-york"], ["york new", "new south york", "newyork", ""]),
        ('"a b a"', ["x a b a", "a b a b a"], ["a b", "b a a", "a b b a"]),
        ('"a a"', ["a a", "b a a"], ["a", "a b a"]),
        ('"a"', ["a"], ["b"]),
        ('"a b" c', ["c a b", "a b c"], ["a c b", "a b"]),
        ('"a b" OR "b c"', ["a b", "b c"], ["a c", "b a", "c b"]),
        ('NOT "a b"', ["b a", "a", "", "a x b"], ["a b", "x a b"]),
        ('a b -"a b"', ["b a", "a x b"], ["a b", "a b a", "a"]),
        ('"a (b"', ["a b"], ["b a"]),
        ('"a OR b"', ["a or b"], ["a", "a b"]),
        ('a"b c"d', ["b c d a"], ["a b d c"]),
    ],
    "words of several terms": [
        ("new-york", ["New York", "new/york"], ["york new", "newyork"]),
        ("don't", ["I don't", "don t"], ["dont", "t don"]),
        ("a.b,c", ["x a b c"], ["a b", "a c b"]),
        ("-new-york", ["york new", ""], ["new york"]),
        ("x_1", ["X_1"], ["x 1", "x"]),
    ],
    "negation": [
        ("NOT imf", ["", "greece", "!"], ["imf", "the IMF"]),
        ("-imf", ["", "greece"], ["imf"]),
        ("NOT NOT imf", ["imf"], ["", "greece"]),
        ("NOT -imf", ["imf"], [""]),
        ("--imf", ["imf"], [""]),
        ("greece -imf", ["greece"], ["greece imf", ""]),
        ("greece-imf", ["greece imf"], ["greece", "imf greece"]),
        ("-(greece imf)", ["greece", ""], ["imf greece"]),
        ('-"greece imf"', ["imf greece"], ["greece imf"]),
        ("q NOT q", [], ["", "q", "p"]),
        ("q OR NOT q", ["", "q", "p"], []),
        ("-q -p", ["", "r"], ["q", "p", "p q"]),
    ],
    "what is dropped": [
        ("rock & roll", ["roll rock"], ["rock", "roll"]),
        ("rock - roll", ["roll rock"], ["rock"]),
        ("rock -- roll", ["roll rock"], ["rock"]),
        ("rock OR &", ["rock"], ["roll", ""]),
        ("& OR rock", ["rock"], [""]),
        ("rock AND NOT &", ["rock"], [""]),
        ("rock (& OR (... -))", ["rock"], [""]),
        ('rock -"?!"', ["rock"], [""]),
        ("rock rock", ["rock"], [""]),
    ],
    "Unicode": [
        ("STRASSE", ["Straße", "strasse", "STRAẞE"], ["strase"]),
        ("σίσυφος", ["ΣΊΣΥΦΟΣ", "Σίσυφος"], ["σισυφος"]),
        ("é", ["É", "é", "e\u0301", "e\u200d\u0301"], ["e", "\u0301", "e \u0301"]),
        ("e\u0301", ["E\u0301", "é"], ["e"]),
        ("breaking", ["‼\ufe0fBREAKING", "break\u00ading"], ["break ing"]),
        ("cooperate", ["co\u00adoperate", "ｃｏｏｐｅｒａｔｅ"], ["co-operate"]),
        ("☀\ufe0f sun", ["sun"], ["☀\ufe0f", "❤\ufe0f"]),
        ("ộ", ["o\u0302\u0323", "o\u0323\u0302", "ô\u0323", "Ọ\u0302"], ["o", "ô", "ọ"]),
        ("가", ["\u1100\u1161"], ["각"]),
        ("ﬁn", ["fin", "FIN"], ["fi"]),
        ("東京", ["東京 タワー"], ["東 京", "東京タワー"]),
        ("שלום", ["שלום!"], ["שלוםם"]),
        ("x\u3000OR\u00a0y", ["x", "y"], ["z"]),
        ("x y", ["x\ud800y"], ["xy"]),
        ("½", ["½ cup", "1 2", "1/2"], ["12", "2 1"]),
        ("x²", ["x2", "X₂"], ["x 2"]),
        ("“new york” «times square»", ["times square, new york"], ["york new times square"]),
        ("„new york” -“new york city”", ["new york"], ["new york city"]),
        ("🙂 smile", ["smile 🙃"], ["🙂"]),
    ],
}


@every_method
@pytest.mark.parametrize("chapter", TRUTH)
def test_language(method: str, chapter: str) -> None:
    queries = [query for query, _, _ in TRUTH[chapter]]
    index = KeywordIndex(zip(queries, queries, strict=True), method=method)
    for query, yes, no in TRUTH[chapter]:
        assert index[query] == query
        for text in [*yes, *no]:
            assert (query in index.match(text)) == (text in yes) == oracle.matches(query, text), (query, text)


def test_lone_surrogates_separate_words_of_a_subscription(tmp_path: Path) -> None:
    texts = {"s": "x\ud800y", "t": "\udfff z OR \ud83d", "u": '"x\ud800\udc00y"'}
    index = KeywordIndex(texts)
    index.save(tmp_path / "index")
    for held in (index, KeywordIndex.open(tmp_path / "index")):
        assert dict(held) == texts
        assert held.match("x y") == held.match("x\udfffy") == ["s", "u"]
        assert held.match("xy") == held.match("y x") == []
        assert held.match("z\ud800") == ["t"]
        held["s"] = held["u"] = "\ud800x"
        del held["t"]
        assert held.match("z x") == ["s", "u"] and dict(held) == {"s": "\ud800x", "u": "\ud800x"}


@every_method
def test_terms_already_analysed(method: str) -> None:
    index = KeywordIndex({"word": "greece", "phrase": '"new york"', "not": "NOT greece"}, method=method)
    assert index.match(["greece"]) == ["word"]
    assert index.match(("greece", "new", "york")) == ["word", "phrase"]
    assert index.match({"greece"}) == index.match(iter(["greece"])) == ["word"]
    assert index.match(["Greece"]) == ["not"], "used as they are"
    assert index.match(["new york", "new"]) == ["not"]
    assert index.match([]) == ["not"]
    assert index.match([""]) == ["not"]
    assert index.match(["york", "new", "york"]) == ["phrase", "not"]


@every_method
def test_stop_words(method: str) -> None:
    subscriptions = {1: "the bank OF england", 2: '"bank of england"', 3: "a OR the", 4: "bank NOT the"}
    index = KeywordIndex(subscriptions, method=method, stop_words=["the", "of"])
    assert index.match("The Bank of England") == [1, 2, 4]
    assert index.match("the bank in England") == [1, 4]
    assert index.match("bank england") == [1, 2, 4], "positions close up"
    assert index.match("a") == [3]
    assert index.match(["bank", "of", "england"]) == [1, 4], "terms already analysed are used as they are"
    for text in ("the", "NOT the", "(of OR the)", '"of the"', "-of"):
        with pytest.raises(SubscriptionSyntaxError):
            index[5] = text
    assert list(index.items()) == list(subscriptions.items())


@every_method
def test_stemming(method: str) -> None:
    index = KeywordIndex({1: "running cats", 2: '"fishing boats"', 3: "cat -dogs"}, method=method, stemmer="english")
    assert index.match("A cat runs") == [1, 3]
    assert index.match("the fished boat; a dog's cat") == [2]
    assert index.match(["run", "cat"]) == [1, 3]
    assert index.match(["running", "cats"]) == []
    assert index[1] == "running cats"


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "brute", "trie"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_analysis_agrees_with_the_oracle(method: str, data: st.DataObject) -> None:
    analysis = {"stop_words": ("greece", "é"), "stemmer": "english"}
    legal = strategies.keyword_queries.filter(lambda query: strategies.accepted(query, **analysis))
    texts = data.draw(st.lists(legal, min_size=1, max_size=8))
    index = KeywordIndex(enumerate(texts), method=method, **analysis)
    for event in data.draw(st.lists(strategies.keyword_events, min_size=1, max_size=4)):
        expected = [key for key, text in enumerate(texts) if oracle.matches(text, event, **analysis)]
        assert index.match(event) == expected


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(query=strategies.keyword_scraps, stop_words=st.sampled_from([(), ("the",)]))
def test_takes_what_the_oracle_takes(query: str, stop_words: tuple[str, ...]) -> None:
    index = KeywordIndex(stop_words=stop_words)
    if not strategies.accepted(query, stop_words=stop_words):
        with pytest.raises(SubscriptionSyntaxError) as refusal:
            index["s"] = query
        assert refusal.value.text == query and 0 <= refusal.value.position <= len(query)
        assert len(index) == 0
        return
    index["s"] = query
    for text in ("", "a", "b c", "a b c", "c the b a", "ab bc ca", "b the", "a a b b"):
        assert bool(index.match(text)) == oracle.matches(query, text, stop_words=stop_words), text


# Kourdounakis 2011, Table 2.1 (section 2.2 once writes S6 without t2) and the examples on it.
THESIS = {
    "S1": "t1 t2 t4",
    "S2": "t1 t24",
    "S3": "t1 t2 t3",
    "S4": "t1 t12",
    "S5": "t2 t4",
    "S6": "t2 t3 t13",
}
RANKING = [f"t{rank}" for rank in range(1, 25)]


@every_method
def test_thesis_examples(method: str) -> None:
    index = KeywordIndex(THESIS, method=method)
    assert index.match(["t12", "t1"]) == ["S4"]  # Example 2.1
    assert index.match(["t24"]) == []
    assert index.match(["t1", "t2", "t3"]) == ["S3"]  # Example 2.2
    assert index.match(["t1", "t24", "t12"]) == ["S2", "S4"]  # Example 2.4
    assert index.match(["t2", "t1", "t4"]) == ["S1", "S5"]  # Example 2.7
    assert index.match(["t1", "t2"]) == []
    assert index.match("T13 t3, t2; t2 t13") == ["S6"]


@pytest.mark.parametrize(
    ("options", "tests"),
    [({"method": "brute"}, 15), ({"method": "brute-ordered", "ranking": RANKING}, 8)],
    ids=["unordered", "ordered"],
)
def test_membership_tests_of_example_2_2(options: dict, tests: int) -> None:
    """The text says 10 for the unordered method; counting by its own Algorithm 1 gives 15."""
    index = KeywordIndex(THESIS, **options)
    assert index.match(["t1", "t2", "t3"]) == ["S3"]
    assert index.stats().operations_per_match == tests


@pytest.mark.parametrize("method", ["inverted", "count", "compact-count"])
def test_postings_of_example_2_3(method: str) -> None:
    index = KeywordIndex({key: text for key, text in THESIS.items() if key != "S3"}, method=method)
    before = index.stats().postings
    index["S3"] = THESIS["S3"]
    assert (before, index.stats().postings) == (12, 15)


def test_counter_decrements_of_example_2_4() -> None:
    index = KeywordIndex(THESIS, method="count")
    assert index.match(["t1", "t24", "t12"]) == ["S2", "S4"]
    assert index.stats().operations_per_match == 6


def test_nodes_of_figure_2_5() -> None:
    index = KeywordIndex(THESIS, method="trie", order="given", ranking=RANKING)
    assert index.stats().nodes in (10, 11)  # with or without the root


def test_explanations() -> None:
    index = KeywordIndex({"s": "greece (crisis OR bailout) NOT imf", "t": "alpha beta gamma OR delta epsilon"})
    held = index.explain("Greece: a crisis", "s")
    assert held and "crisis" in str(held) and len(held.clauses) == 2
    missing = index.explain("crisis and bailout", "s")
    assert not missing and "greece" in str(missing)
    forbidden = index.explain("IMF on Greece crisis", "s")
    assert not forbidden and "imf" in str(forbidden)
    assert "gamma" in str(index.explain("alpha beta", "t").nearest)
    assert "delta" in str(index.explain("epsilon alpha", "t").nearest)
    phrase = KeywordIndex({"p": '"new york" city'}).explain("york new city", "p")
    assert not phrase and "new york" in str(phrase)


def test_explanations_of_what_always_and_never_holds() -> None:
    index = KeywordIndex({"never": "q NOT q", "always": "q OR NOT q", "without": "NOT q"})
    for text in ("", "q", "p"):
        assert not index.explain(text, "never")
        assert index.explain(text, "always")
        assert bool(index.explain(text, "without")) == (text != "q")
        assert all(str(index.explain(text, key)) for key in index)


def test_the_methods_are_listed() -> None:
    assert sorted(methods("keywords")) == sorted(METHODS)


@cache
def wide() -> tuple[dict[int, str], list[list[str]], list[list[int]]]:
    """Return subscriptions and items over thousands of terms with a long tail, and the oracle's matches."""
    random_ = random.Random(24)
    vocabulary = [f"w{number}" for number in range(3000)]
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]

    def draw(count: int) -> list[str]:
        return random_.choices(vocabulary, weights, k=count)

    shapes = [
        "{}",
        "{} {}",
        "{} {}",
        "{} {} {}",
        "{} -{}",
        "{} {} OR {} {} {}",
        '"{} {}" OR {}',
        "{} ({} OR {}) {}",
    ]
    subscriptions = {}
    for number in range(2500):
        shape = random_.choice(shapes)
        subscriptions[number] = shape.format(*draw(shape.count("{}")))
    items = [draw(length) for length in (0, 1, 5, *[60] * 12, 500)]
    truth = [[key for key, text in subscriptions.items() if oracle.matches(text, item)] for item in items]
    return subscriptions, items, truth


@pytest.mark.slow
@every_method
def test_a_wide_vocabulary(method: str) -> None:
    subscriptions, items, truth = wide()
    assert sum(map(len, truth)) > 1000
    index = KeywordIndex(subscriptions, method=method)
    assert [index.match(item) for item in items] == truth
    for key in range(0, 2500, 3):
        del index[key]
    kept = [[key for key in keys if key % 3] for keys in truth]
    assert [index.match(item) for item in items] == kept
    for key in range(0, 2500, 3):
        index[key] = subscriptions[key]
    assert [sorted(index.match(item)) for item in items] == truth


def test_what_a_method_has_built_can_be_drawn() -> None:
    queries = {"s1": "greece crisis", "s2": "greece imf", "s3": "imf OR bailout"}
    assert KeywordIndex(queries, method="poset").draw().count("\n") == 3
    assert "not packed yet: crisis greece [0]" in KeywordIndex(queries).draw().splitlines()
    with pytest.raises(OptionError, match="compact-count is lists"):
        KeywordIndex(queries, method="compact-count").draw()


def test_entries_of_each_term_in_the_order_of_the_ranking() -> None:
    queries = {"s1": "greece crisis", "s2": "greece imf", "s3": "greece"}
    index = KeywordIndex(queries, method="compact-count", ranking=["imf", "greece"])
    assert index.per_term().to_pydict() == {"term": ["imf", "greece", "crisis"], "entries": [1, 3, 1]}
    with pytest.raises(OptionError, match="neither a list nor nodes"):
        KeywordIndex(queries).per_term()


def test_a_dictionary_whose_nulls_are_only_among_its_values() -> None:
    index = KeywordIndex({"a": "tea"})
    events = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 2]), pa.array([None, "tea", "pie"]))
    assert events.null_count == 0
    assert index.match_many(events).to_pylist() == [{"event": 1, "subscription": "a"}]
    assert index.stats().nulls == 2


def test_routing_names_the_event_that_has_no_text_among_its_texts() -> None:
    index = KeywordIndex({"a": "tea"})
    kind = pa.struct({"title": pa.string(), "body": pa.string()})
    good, bad = {"title": "tea", "body": "pie"}, {"title": b"\xff", "body": "x"}
    atoms = index.atoms(pa.array([good, {"title": None, "body": "tea"}], kind))
    assert atoms is not None and [int(size) for size in np.diff(atoms.offsets)] == [2, 1]
    raw = pa.struct({"title": pa.binary(), "body": pa.string()})
    with pytest.raises(EventError) as caught:
        index.atoms(pa.array([{"title": b"tea", "body": ""}, bad], raw))
    assert caught.value.position == 1
