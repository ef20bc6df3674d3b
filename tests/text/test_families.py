"""Families of words: kernels against plain Python, by every door, at every limit and one beyond."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests import oracle
from watchword import KeywordIndex, PredicateIndex, SubscriptionSyntaxError
from watchword.strings import from_texts
from watchword.text import families as module
from watchword.text.families import MARK, Families, FamilyCache, has_word
from watchword.text.vocabulary import Vocabulary

LETTERS = "abé東🙂"


def found(names: list[str], words: list[str]) -> list[set[str]]:
    """Return the families of each word, as the kernels see it."""
    families = Families()
    for atom, name in enumerate(names):
        families.add(atom, name)
    known = FamilyCache(families, Vocabulary()).find(from_texts(words))
    begins, counts = known.others.spans[2 * known.words], known.others.spans[2 * known.words + 1]
    return [
        {names[atom] for atom in known.atoms[begin : begin + count].tolist()}
        for begin, count in zip(begins.tolist(), counts.tolist(), strict=True)
    ]


def expected(names: list[str], words: list[str]) -> list[set[str]]:
    return [{name for name in names if has_word(name, word)} for word in words]


def forms(draw: random.Random) -> str:
    size = draw.randint(1, 12)
    form = "".join(draw.choice(LETTERS + "aab??*") for _ in range(size))
    return MARK + (form if set(form) - set("?*") and set(form) & set("?*") else form.replace("?", "a") + "*a")


def edited(draw: random.Random) -> str:
    edits = draw.randint(1, 2)
    return MARK + "".join(draw.choice(LETTERS + "aab") for _ in range(draw.randint(edits + 1, 12))) + f"~{edits}"


@pytest.mark.parametrize("seed", range(6))
def test_random_families_have_the_words_that_plain_python_says(seed: int) -> None:
    draw = random.Random(seed)
    names = list(dict.fromkeys(draw.choice((forms, edited))(draw) for _ in range(60)))
    words = ["".join(draw.choice(LETTERS + "aab") for _ in range(draw.randint(1, 13))) for _ in range(400)]
    assert found(names, words) == expected(names, words)
    assert sum(map(len, expected(names, words))) > 100


def test_every_short_word_within_edits_of_every_other() -> None:
    words = ["".join(letters) for size in range(1, 5) for letters in product("ab", repeat=size)]
    names = [f"{MARK}{word}~{edits}" for word in words for edits in (1, 2) if len(word) > edits]
    assert found(names, words) == expected(names, words)


def by_all_edits(word: str) -> Iterator[str]:
    """Yield what one insertion, deletion, replacement or swap makes of a word."""
    for at in range(len(word) + 1):
        yield word[:at] + "x" + word[at:]
        if at < len(word):
            yield word[:at] + word[at + 1 :]
            yield word[:at] + "x" + word[at + 1 :]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


@pytest.mark.slow
@pytest.mark.parametrize("word", ["ferry", "harbourmaster", "a" * 64, "abcdefghij" * 6 + "wxyz"])
def test_all_words_made_by_edits_are_found(word: str) -> None:
    once = set(by_all_edits(word))
    assert all(found([f"{MARK}{word}~1"], sorted(once)))
    draw = random.Random(len(word))
    twice = {two for one in draw.sample(sorted(once), 3) for two in by_all_edits(one)}
    names = [f"{MARK}{word}~2", f"{MARK}{word}~1"]
    assert found(names, sorted(twice)) == expected(names, sorted(twice))


def test_the_longest_words() -> None:
    assert KeywordIndex({"s": "a" * 64 + "~1"}).match("a" * 65) == ["s"]
    with pytest.raises(SubscriptionSyntaxError, match="2 to 64 characters"):
        KeywordIndex({"s": "a" * 65 + "~1"})
    index = KeywordIndex({"s": "ab*", "t": "*ba", "u": "b?a*~0"})
    assert index.match("ab" + "b" * 1022) == ["s"] and index.match("ab" + "b" * 1023) == []
    assert index.match("b" * 1022 + "ba") == ["t"] and index.match("b" * 1023 + "ba") == []
    assert index.match("é" * 511 + "ba") == ["t"] and index.match("é" * 511 + "bba") == []
    assert not oracle.matches("*ba", "é" * 511 + "bba")


@pytest.mark.parametrize("least", [1, 2, 3])
def test_the_least_plain_characters(least: int) -> None:
    index, plain = KeywordIndex(min_plain=least), "é" * least
    for form in (f"{plain}*", f"*{plain}", f"{plain[:-1]}*{plain[-1]}", f"?{plain}?~0"):
        index.check(form)
    few = "é" * (least - 1)
    for form in (f"{few}*", f"*{few}", f"{few}?*~0") if few else ():
        with pytest.raises(SubscriptionSyntaxError, match=f"{least - 1} plain character"):
            index.check(f"sea {form}")


def events_of(text: str) -> Iterator[tuple[str, object]]:
    """Yield a text in every form in which an event can come."""
    terms = oracle.terms(text)
    yield "text", pa.array([text])
    yield "large", pa.array([text], pa.large_string())
    yield "view", pa.array([text], pa.string_view())
    yield "binary", pa.array([text.encode()])
    yield "dictionary", pa.array([text]).dictionary_encode()
    yield "list", [text]
    yield "terms", [terms]
    yield "terms in Arrow", pa.array([terms])
    yield "coded terms", pa.ListArray.from_arrays(pa.array([0, len(terms)]), pa.array(terms).dictionary_encode())
    yield "struct", pa.array([{"title": text, "body": ""}])
    yield "mapping", [{"title": text, "body": "x"}]


SEARCHES = {"a": "ferr*", "b": "harbor~1", "c": "st?rm NOT fo*", "d": "ferry", "e": "the BEFORE/1 harb*", "f": "*東*é"}


@pytest.mark.parametrize("options", [{}, {"stemmer": "english"}, {"stop_words": ("the",)}, {"fold_accents": True}])
def test_every_form_of_an_event_has_the_same_families(options: dict[str, object]) -> None:
    index = KeywordIndex({key: text for key, text in SEARCHES.items() if key != "f"}, **options)
    for text in ("Ferries in the harbour", "FERRY, storm", "the harbor", "fog and storm", "", "ferr farr"):
        want = [key for key, query in SEARCHES.items() if key != "f" and oracle.matches(query, text, **options)]
        assert index.match(text) == want
        for form, events in events_of(text):
            if "terms" in form and options:
                continue  # lists of terms are taken as they are, and so are not analysed
            assert sorted(index.match_many(events)["subscription"].to_pylist()) == want, (form, text)
            assert index.match_many(events).equals(index.match_many(events)), form


def test_a_stem_that_a_subscription_names_has_the_families_of_each_word() -> None:
    index = KeywordIndex({"stem": "running", "family": "runn*", "edits": "runs~1"}, stemmer="english")
    assert index.match("run") == ["stem", "edits"]
    assert index.match("running") == ["stem", "family"]
    assert index.match("run running runs") == ["stem", "family", "edits"]


def test_a_term_that_is_called_like_a_family_is_none() -> None:
    index = KeywordIndex({"a": "ferr*"})
    assert index.match([MARK + "ferr*"]) == [] and index.match([MARK + "ferr*", "ferry"]) == ["a"]
    assert index.match_many(pa.array([[MARK + "ferr*"]])).num_rows == 0


def test_families_that_come_later_are_found_in_words_that_were_seen_before() -> None:
    index, text = KeywordIndex({"sea": "sea"}), "the sea ferry and the seas"
    assert index.match(text) == ["sea"]
    index["a"] = "ferr*"
    assert index.match(text) == ["sea", "a"]
    index["b"] = "sea~1 BEFORE/1 ferr?~0"
    assert index.match(text) == ["sea", "a", "b"]
    del index["a"]
    assert index.match(text) == ["sea", "b"]
    index["a"] = "*ea*"
    index["ferry"] = "ferry"
    assert index.match(text) == ["sea", "b", "a", "ferry"]


def test_what_is_remembered_is_forgotten_beyond_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORDS", 50)
    monkeypatch.setattr(module, "ATOMS", 30)
    index = KeywordIndex({"a": "w1*", "b": "w?2", "c": "w33~1"})
    for turn in range(3):
        for number in range(200):
            word = f"w{number}"
            want = [key for key in index if oracle.matches(index[key], word)]
            assert index.match(word) == want, (turn, word)


def test_churn_leaves_no_more_than_a_rebuilt_index_needs() -> None:
    index = KeywordIndex({"kept": "keep*"})
    for number in range(3000):
        index["s"] = f"word{number}*"
    assert len(index._plugged.families) <= 600
    assert index.match("word2999x keeper") == ["kept", "s"]


@pytest.mark.slow
def test_threads_that_match_while_families_come() -> None:
    index = KeywordIndex({f"s{number}": f"w{number}*" for number in range(50)})
    texts = [" ".join(f"w{number}x" for number in range(first, first + 5)) for first in range(45)]
    faults: list[object] = []

    def match() -> None:
        for turn in range(200):
            first = turn % 45
            got = [key for key in index.match(texts[first]) if key.startswith("s")]
            want = [f"s{number}" for number in range(50) if oracle.matches(f"w{number}*", texts[first])]
            if got != want:
                faults.append((first, got, want))

    threads = [threading.Thread(target=match) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(300):
        index[f"n{number % 40}"] = f"n{number}x* OR w{number % 50}~1"
    for thread in threads:
        thread.join()
    assert not faults


def test_a_snapshot_has_its_families(tmp_path: Path) -> None:
    index = KeywordIndex(SEARCHES)
    index.save(tmp_path / "index")
    opened = KeywordIndex.open(tmp_path / "index", verify=True)
    for text in ("ferries", "the harbour", "storm", "x東yé"):
        assert opened.match(text) == index.match(text) == [k for k, q in SEARCHES.items() if oracle.matches(q, text)]
    opened["g"] = "stor* OR farr?~0"
    assert opened.match("farry storm") == ["c", "g"]


def test_families_in_combined_subscriptions() -> None:
    rules = {"a": "body MATCHES 'ferr* NOT fo*' AND n > 2", "b": "MATCHES 'harbor~1' OR 2 OF (n = 1, n = 3, x = 'y')"}
    index = PredicateIndex(rules, text=["title", "body"])
    events = [
        {"title": None, "body": "ferries", "n": 3, "x": None},
        {"title": None, "body": "ferries in fog", "n": 3, "x": "y"},
        {"title": "harbour", "body": "", "n": 0, "x": "z"},
        {"title": None, "body": None, "n": 5, "x": None},
    ]
    want = [["a"], ["b"], ["b"], []]
    assert [index.match(event) for event in events] == want
    pairs = index.match_many(pa.Table.from_pylist(events))
    assert sorted(zip(*pairs.to_pydict().values(), strict=True)) == [(0, "a"), (1, "b"), (2, "b")]


def test_the_kernel_stops_without_room_and_goes_on() -> None:
    names = [f"{MARK}{'a' * size}*" for size in range(1, 12)] * 1
    words = ["a" * size for size in range(1, 40)] * 40
    assert found(names, words) == expected(names, words)
    assert np.mean([len(one) for one in expected(names, words)]) > 8
