"""What subscriptions leave behind when they go: names of atoms, which an index forgets from time to time."""

from __future__ import annotations

import pytest

from watchword import KeywordIndex, PredicateIndex
from watchword.index import Index


@pytest.mark.parametrize("replaces", [False, True], ids=["another-id", "same-id"])
@pytest.mark.parametrize(
    ("kind", "method", "text", "event"),
    [
        (KeywordIndex, "auto", "common word{}", "a common word{}"),
        (KeywordIndex, "trie", "common word{}", "a common word{}"),
        (PredicateIndex, "auto", "a = 'common' AND b = 'word{}'", '{{"a": "common", "b": "word{}"}}'),
    ],
    ids=["keywords-auto", "keywords-trie", "predicates-auto"],
)
def test_names_that_nobody_asks_for_are_forgotten(
    kind: type[Index[int]], method: str, text: str, event: str, replaces: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, "patience", 50)
    index = kind({number: text.format(number) for number in range(10)}, method=method)
    known = []
    for number in range(10, 700):
        if replaces:
            index[number % 10] = text.format(number)
        else:
            del index[number - 10]
            index[number] = text.format(number)
        assert index.match(event.format(number)) == [number % 10 if replaces else number]
        assert index.match(event.format(number - 10)) == []
        known.append(len(index._plugged.vocabulary))  # type: ignore[attr-defined]
    assert max(known) < 300
    assert len(index) == 10
