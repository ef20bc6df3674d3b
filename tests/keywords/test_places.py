"""`occurrences` and `places` of keywords: every word and phrase that is asked for, in every part that holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.strategies import keyword_queries, phrases
from watchword import EventError, KeywordIndex, OptionError, SubscriptionSyntaxError
from watchword.index.places import MOST_PLACES, Occurrence, Place

texts = phrases(0, 8)


def asked(tree: tuple, texts: oracle.Texts, negated: bool = False) -> Iterator[tuple]:
    """Yield the leaves that are asked for in the parts of the oracle's tree that hold."""
    operator, *parts = tree
    if oracle._holds(tree, texts) == negated:
        return
    if operator in ("and", "or", "not", "some"):
        for part in parts[operator == "some" :]:
            yield from asked(part, texts, negated != (operator == "not"))
    elif not negated:
        yield tree


def spots(leaf: tuple, texts: oracle.Texts) -> set[tuple[int, int]]:
    """Return the positions of the words that a leaf is satisfied by: first, and behind."""
    if leaf[0] == "slop":
        places = [[at for at, (term, _) in enumerate(texts[0]) if term == word] for word in leaf[2:]]
        chosen = [spot for spot in product(*places) if len(set(spot)) == len(spot)]
        moves = {spot: [at - place for place, at in enumerate(spot)] for spot in chosen}
        held = [spot for spot in chosen if max(moves[spot]) - min(moves[spot]) <= leaf[1]]
        return {(at, at + 1) for spot in held for at in spot}
    if leaf[0] == "chain":
        choices = [{spot for one in leaves for spot in oracle._spots(one, texts)} for leaves in leaf[2:]]
        held = [row for row in product(*choices) if all(map(oracle._linked, leaf[1], row, row[1:]))]
        return {spot[1:] for row in held for spot in row}
    return {spot[1:] for spot in oracle._spots(leaf, texts)}


@pytest.mark.slow
@given(query=keyword_queries, text=texts)
@settings(max_examples=150)
def test_a_match_has_all_places_of_what_it_asks_for_and_anything_else_has_none(query: str, text: str) -> None:
    index = KeywordIndex({"s": query})
    found, texts = index.occurrences(text), [oracle.words_of(text)]
    wanted = set(asked(oracle.parse(query), texts)) if oracle.matches(query, text) else set()
    slops = {leaf for leaf in wanted if leaf[0] == "slop"}  # of each window the words that were chosen are marked
    exact = [one for one in found if '"~' not in (one.atom or "")]
    assert len(exact) == sum(len(spots(leaf, texts)) for leaf in wanted - slops)
    assert {oracle.parse(one.atom) for one in found} == wanted
    for one in found:
        inside = spots(oracle.parse(one.atom), texts)
        before = len(oracle.terms(text[: one.start]))
        assert (before, before + len(oracle.terms(text[one.start : one.end]))) in inside
    assert [tuple(one)[1:] for one in found] == sorted(tuple(one)[1:] for one in found)
    assert KeywordIndex().places(text, query) == [Place(*tuple(one)[1:], None, None, one.atom) for one in found]


def test_words_of_several_texts_have_the_name_of_their_text_in_the_order_of_the_event() -> None:
    index = KeywordIndex({"s": 'ferry "in storm"'})
    event = {"title": "A Ferry in", "body": None, "note": b"caf\xc3\xa9 storm: ferry in storm", "last": "in"}
    assert index.occurrences(event) == [
        Occurrence("s", 2, 7, "title", None, "ferry"),
        Occurrence("s", 12, 17, "note", None, "ferry"),
        Occurrence("s", 18, 26, "note", None, '"in storm"'),
    ]
    assert index.occurrences({"title": "ferry in", "note": "storm"}) == []


def test_places_in_a_list_of_terms_are_positions_of_the_list() -> None:
    index = KeywordIndex({"s": 'ferry OR "debt crisis"'})
    for event in (["debt", "crisis", "ferry"], ("debt", "crisis", "ferry"), iter(["debt", "crisis", "ferry"])):
        assert index.occurrences(event) == [
            Occurrence("s", 0, 2, atom='"debt crisis"'),
            Occurrence("s", 2, 3, atom="ferry"),
        ]


def test_the_same_places_whatever_the_method() -> None:
    texts = {"s1": "greece AND (crisis OR bailout) NOT imf", "s2": '"debt crisis"', "s3": "NOT imf", "s4": "gone"}
    event = "Greece: a debt crisis"
    expected = [Occurrence("s1", 0, 6, atom="greece"), Occurrence("s2", 10, 21, atom='"debt crisis"')]
    expected += [Occurrence("s1", 15, 21, atom="crisis")]
    for method in KeywordIndex.methods:
        assert KeywordIndex(texts, method=method).occurrences(event) == expected


def test_a_text_of_many_ors_that_is_not_multiplied_out_has_places_too() -> None:
    either = [f"({' OR '.join(f'{name}{number}' for number in range(40))})" for name in "ab"]
    index = KeywordIndex({"s": f"{either[0]} AND {either[1]} AND c"})
    assert [one.atom for one in index.occurrences("c b7 a3 a39 a40")] == ["c", "b7", "a3", "a39"]


def test_stems_and_stop_words() -> None:
    index = KeywordIndex({"s": '"cancelled ferries" OR running'}, stemmer="english", stop_words=["the", "of"])
    text = "Cancels the ferry; runs"
    assert [text[one.start : one.end] for one in index.occurrences(text)] == ["Cancels the ferry", "runs"]
    assert [one.atom for one in index.occurrences(text)] == ['"cancel ferri"', "run"]


def test_the_first_places_of_each_subscription_are_returned_up_to_the_limit() -> None:
    index = KeywordIndex({"a": "tea", "b": "tea OR pie"})
    event = "pie " + "tea " * (MOST_PLACES + 1)
    assert MOST_PLACES == 1000
    found = index.occurrences(event)
    assert [sum(one.id == id for one in found) for id in "ab"] == [1000, 1000]
    assert found[0] == Occurrence("b", 0, 3, atom="pie") and found[1] == Occurrence("a", 4, 7, atom="tea")
    assert len(index.occurrences(event, 1001)) == 2002 and len(index.occurrences(event, 5000)) == 1001 + 1002
    assert index.occurrences(event, 1) == [found[0], found[1]]
    assert len(index.places(event, "tea", 7)) == 7


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, None, "3"])
def test_what_is_no_limit_is_refused(limit: Any) -> None:
    for ask in (lambda: KeywordIndex().occurrences("a", limit), lambda: KeywordIndex().places("a", "a", limit)):
        with pytest.raises(OptionError, match="limit must be a positive integer, not"):
            ask()


def test_what_is_no_event_and_no_text_is_refused_as_elsewhere() -> None:
    index = KeywordIndex({"s": "tea"})
    for event in (None, 5, b"\xff", {"a": 5}, ["a", None]):
        with pytest.raises(EventError):
            index.occurrences(event)
        with pytest.raises(EventError):
            index.places(event, "tea")
    for text in ("", "(", None, 5, "a AND"):
        with pytest.raises(SubscriptionSyntaxError):
            index.places("tea", text)  # type: ignore[arg-type]
    assert index.occurrences("") == [] == index.occurrences({}) == index.occurrences([])
    assert index.places("", "tea") == []


def test_an_occurrence_is_a_tuple_of_three_that_knows_its_text() -> None:
    one = Occurrence("s", 1, 2, "body", 0, "tea")
    id, start, end = one
    assert (id, start, end, one.attribute, one.member, one.atom) == ("s", 1, 2, "body", 0, "tea")
    assert one == Occurrence("s", 1, 2, "body", 0, "tea") and one != Occurrence("s", 1, 2, "title", 0, "tea")
    assert Occurrence("s", 1, 2) == ("s", 1, 2) and hash(Occurrence("s", 1, 2)) == hash(("s", 1, 2))
    assert repr(one) == "Occurrence(id='s', start=1, end=2, attribute='body', member=0, atom='tea')"
    assert repr(Occurrence("s", 1, 2)) == "Occurrence(id='s', start=1, end=2)"
