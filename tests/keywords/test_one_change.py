"""Plain words go their own way into an index and out of it, and must leave it as the general way does."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from tests.contract.test_interruptions import Interruption, lines_of
from watchword import KeywordIndex, SubscriptionError
from watchword.keywords.language import Keywords
from watchword.keywords.one_change import LONGEST
from watchword.sets.packed import PackedRows


class General(Keywords):
    """Keywords that know the general way only."""

    def __init__(self, method: str, options: Any) -> None:
        super().__init__(method, options)
        self.one_change = None


class GeneralIndex(KeywordIndex):
    """An index that knows the general way only."""

    plug = General


WORDS = ["greece", "crisis", "Imf", "DEBT", "a_1", "x" * 7, "y" * 8, "z" * 40, "and1", "nearly", "ORs", "9"]
ODD = [
    *("and", "or", "not", "AND", "OR", "NOT", "NEAR", "XOR", "AND AND", "ONEAR", "ANDNOT"),
    *(
        "straße",
        "\N{KELVIN SIGN}",
        '"debt crisis"',
        "(imf)",
        "-imf",
        "c++",
        "w*",
        "a\tb",
        "",
        "\ud800",
        "caf\N{LATIN SMALL LETTER E WITH ACUTE}",
    ),
]


def drawn_text(chance: random.Random) -> str:
    """Return a text that is plain, or nearly."""
    words = [
        chance.choice(WORDS) if chance.random() < 0.8 else f"t{chance.randrange(400)}"
        for _ in range(chance.randint(0, 5))
    ]
    if chance.random() < 0.3:
        words.insert(chance.randint(0, len(words)), chance.choice(ODD))
    joined = "".join(word + chance.choice([" ", " ", "  ", " AND ", "  AND   "]) for word in words)
    return joined.strip() if chance.random() < 0.8 else joined


def tried(change: Any, *arguments: Any) -> str:
    """Return what a change raises."""
    try:
        change(*arguments)
    except (SubscriptionError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def same_state(one: KeywordIndex, other: KeywordIndex) -> None:
    """Compare everything that a snapshot keeps, byte by byte."""
    (_, arrays), (_, expected) = one._packed_state(), other._packed_state()
    assert arrays.keys() == expected.keys()
    for name, array in arrays.items():
        assert np.array_equal(array, expected[name]), name


OPTIONS: list[dict[str, Any]] = [
    {},
    {"fold_accents": True, "cjk": "bigrams"},
    {"literal_operators": True},
    {"stemmer": "english", "stop_words": ["nearly"]},
    {"max_terms": 3, "max_term_bytes": 8},
]


@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "plain")
def test_a_life_is_the_same_either_way(options, kind, monkeypatch):
    monkeypatch.setattr(PackedRows, "delta_rows", 40)
    monkeypatch.setattr(KeywordIndex, "patience", 30)
    chance = random.Random(f"{options} {kind}")
    start = {kind(number): chance.choice(WORDS[:3]) + f" t{number}" for number in range(60)}
    quick, general = KeywordIndex(start, **options), GeneralIndex(start, **options)
    for step in range(1500):
        key: Any = kind(chance.randrange(140))
        if chance.random() < 0.02:
            key = chance.choice([True, None, 2**63, -(2**63), "\ud800", "é", 1.0])
        if chance.random() < 0.55:
            text: Any = drawn_text(chance) if chance.random() < 0.99 else chance.choice([None, 5, b"greece"])
            assert tried(quick.__setitem__, key, text) == tried(general.__setitem__, key, text)
        else:
            assert tried(quick.__delitem__, key) == tried(general.__delitem__, key)
        if step % 7 == 0:
            event = " ".join([*chance.sample(WORDS, 4), drawn_text(chance), f"t{chance.randrange(400)}"])
            assert quick.match(event) == general.match(event)
        if step % 100 == 0:
            assert dict(quick) == dict(general)
            assert quick.stats() == general.stats()
        if step % 500 == 499:
            same_state(quick, general)


def test_the_quick_way_is_taken(monkeypatch):
    """The duel above would also pass if it never were."""
    index = KeywordIndex({number: f"greece t{number}" for number in range(100)})
    index[1000] = "greece makes room"  # a new word finds none in arrays that were made by loading
    del index[1000]
    monkeypatch.setattr(Keywords, "compile_one", lambda self, text: pytest.fail(f"{text} was parsed"))
    for text in ("greece", "Greece AND t5", " t7  t7 crisis ", "x" * 40 + " AND t1", "t9 AND t8 AND t7"):
        index[1000] = text
        del index[1000]
    del index[5]  # from the base
    assert index.match("greece t5 t6") == [6]


@pytest.mark.parametrize("aside", [True, False])
def test_while_the_index_is_packed_aside(aside, monkeypatch):
    monkeypatch.setattr(PackedRows, "delta_rows", 30)
    monkeypatch.setattr(PackedRows, "background_rows", 0 if aside else 1 << 30)
    chance = random.Random(aside)
    index = KeywordIndex({number: f"t{number % 10} u{number % 7}" for number in range(100)})
    model = dict(index)
    for step in range(3000):
        key = chance.randrange(200)
        if key in model:
            del index[key], model[key]
        else:
            model[key] = index[key] = f"t{chance.randrange(10)} AND u{chance.randrange(7)}"
        if step % 50 == 0:
            terms = {f"t{chance.randrange(10)}", f"u{chance.randrange(7)}", f"u{chance.randrange(7)}"}
            found = {key for key, text in model.items() if terms.issuperset(text.replace(" AND ", " ").split())}
            assert set(index.match(" ".join(terms))) == found


def test_a_text_of_any_length():
    index = KeywordIndex({1: "greece"})
    for number, size in enumerate((LONGEST - 7, LONGEST - 6, 4 * LONGEST), start=2):
        text = "t " * (size // 2) + "greece"
        index[number] = text
        assert index[number] == text
    assert index.match("t greece") == [1, 2, 3, 4]
    for number in (2, 3, 4):
        del index[number]
    assert index.match("t greece") == [1]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("name", ["subscribe", "unsubscribe", "unsubscribe from the base"])
def test_whole_or_not_at_all_wherever_it_is_cut_off(name, error):
    before = {number: f"greece t{number}" for number in range(30)}

    def made() -> KeywordIndex:
        index = KeywordIndex({number: text for number, text in before.items() if number < 20})
        for number in range(20, 30):
            index[number] = before[number]
        return index

    def change(index: KeywordIndex) -> None:
        if name == "subscribe":
            index[30] = "greece new"
        else:
            del index[25 if name == "unsubscribe" else 5]

    after = dict(before) | {30: "greece new"}
    if name != "subscribe":
        after = {number: text for number, text in before.items() if number != (25 if name == "unsubscribe" else 5)}
    change(made())  # kernels are compiled
    fresh = made()
    seen = set()
    for point in range(1, lines_of(lambda: change(fresh)) + 1):
        index = made()
        with suppress(error), Interruption(error, point):
            change(index)
        left = dict(index)
        assert left in (before, after)
        seen.add(len(left))
        assert index.match("greece new " + " ".join(f"t{number}" for number in range(30))) == list(left)
        assert index.stats().atoms == len({word for text in left.values() for word in text.split()})
        if left == before:
            change(index)
        assert dict(index) == after
    assert len(seen) == 2
