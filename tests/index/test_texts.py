"""Several texts as one event: the same for columns, structs and mappings, and nothing spans two texts."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from tests import oracle
from tests.contract.cases import found
from watchword import EventError, KeywordIndex, PatternIndex
from watchword.index.places import Occurrence
from watchword.index.texts import together

WORDS = ["debt", "crisis", "greece", "imf", "tea"]
SEARCHES = {
    "and": "debt crisis",
    "phrase": '"debt crisis"',
    "not": "debt NOT imf",
    "or": '"greece debt" OR "imf tea"',
    "long": '"debt crisis greece"',
}


def drawn(count: int) -> list[dict[str, str | None]]:
    random_ = random.Random(12)

    def text() -> str | None:
        return None if random_.random() < 0.2 else " ".join(random_.choices(WORDS, k=random_.randint(0, 4)))

    return [{"title": text(), "body": text(), "more": text()} for _ in range(count)]


def columns(events: list[dict[str, str | None]]) -> pa.Table:
    return pa.table({name: pa.array([event[name] for event in events], pa.string()) for name in events[0]})


def satisfies(text: str, event: dict[str, str | None]) -> bool:
    """Ask the oracle about the terms of all texts, with a term nobody asks for between them."""
    texts = [text for text in event.values() if text is not None]
    return bool(texts) and oracle.matches(text, " zzz ".join(texts))


@pytest.mark.parametrize("options", [{}, {"method": "trie"}, {"stemmer": "english"}], ids=str)
def test_keywords(options: dict[str, Any]) -> None:
    events = drawn(100)
    index = KeywordIndex(SEARCHES, **options)
    expected = [sorted(key for key, text in SEARCHES.items() if satisfies(text, event)) for event in events]
    table = columns(events)
    assert found(index.match_many(table, column=table.column_names), len(events)) == expected
    assert found(index.match_many(events), len(events)) == expected
    assert [sorted(index.match(event)) for event in events] == expected
    for event, keys in zip(events[:40], expected, strict=False):
        assert [key for key in sorted(SEARCHES) if index.explain(event, key)] == keys


@pytest.mark.parametrize("options", [{}, {"method": "nfa"}, {"ignore_case": True}], ids=str)
def test_patterns(options: dict[str, Any]) -> None:
    patterns = {"gap": "debt*crisis", "one": "t?a", "any": "*", "long": "?" * 12, "no": "greece?imf?greece?tea"}
    events = drawn(100)
    index = PatternIndex(patterns, **options)

    def holds(pattern: str, event: dict[str, str | None]) -> bool:
        return any(oracle.matches_pattern(pattern, text) for text in event.values() if text is not None)

    expected = [sorted(key for key, pattern in patterns.items() if holds(pattern, event)) for event in events]
    table = columns(events)
    assert found(index.match_many(table, column=table.column_names), len(events)) == expected
    assert found(index.match_many(events), len(events)) == expected
    assert [sorted(index.match(event)) for event in events] == expected
    for event, keys in zip(events[:40], expected, strict=False):
        assert [key for key in sorted(patterns) if index.explain(event, key)] == keys


def test_an_event_without_any_text_is_null() -> None:
    index = PatternIndex({"any": "*"})
    table = pa.table({"title": ["", None], "body": pa.array([None, None], pa.string())})
    assert index.match_many(table, column=["title", "body"]).to_pydict() == {"event": [0], "subscription": ["any"]}
    assert index.stats().nulls == 1


def test_columns_of_different_types() -> None:
    title = pa.array(["tea", None, "pie"]).dictionary_encode()
    body = pa.array([None, b"tea", b"tea"])
    events = together({"title": title, "body": body, "none": pa.nulls(3)})
    index = KeywordIndex({"tea": "tea", "both": "tea pie"})
    assert found(index.match_many(events[1:]), 2) == [["tea"], ["both", "tea"]]
    views = together({name: pa.array(["tea", None, "pie"], pa.string_view()) for name in ("title", "body")})
    assert found(index.match_many(views), 3) == [["tea"], [], []] and views.null_count == 1


def test_what_is_refused_has_its_place() -> None:
    index = KeywordIndex({"tea": "tea"})
    patterns = PatternIndex({"tea": "tea"})
    bad = together({"title": pa.array([None, b"a", b"a"]), "body": pa.array([b"b", b"b", b"\xff"])})
    for one in (index, patterns):
        with pytest.raises(EventError, match="UTF-8") as refusal:
            one.match_many(bad)
        assert refusal.value.position == 2
        with pytest.raises(EventError, match="'price' is of int64 and has no texts"):
            one.match_many(pa.array([{"price": 5, "text": "tea"}]))
        with pytest.raises(EventError, match="'price' is int, and") as refusal:
            one.match_many(["tea", {"text": "tea"}, {"text": "tea", "price": 5}])
        assert refusal.value.position == 2
    assert patterns.occurrences({"title": "tea", "body": None, "note": "a tea"}) == [
        Occurrence("tea", 0, 3, "title"),
        Occurrence("tea", 2, 5, "note"),
    ]
    atoms = index.atoms(together({"title": pa.array(["tea pie", None]), "body": pa.array(["cup", "tea"])}))
    assert atoms is not None and atoms.offsets.tolist() == [0, 3, 4] and atoms.atoms[0] == atoms.atoms[3]
