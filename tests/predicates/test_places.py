"""`occurrences` and `places` of predicates: every text that a rule found something in, and where."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings

from tests import oracle
from tests.predicate_oracle import matches
from tests.predicate_strategies import HIERARCHIES, events, queries
from watchword import EventError, PredicateIndex, SubscriptionSyntaxError
from watchword.index.places import Occurrence, Place
from watchword.predicates.predicate import values_at
from watchword.predicates.query import attribute_of

ITEM = {
    "title": "Ferry cancelled",
    "body": "A storm: the ferry stays. Straße, FERRY",
    "tags": ["sea", None, "harbour sea", 5],
    "price": 3,
    "order": {"note": "ferry"},
    "orders": [{"n": "x", "p": 1}, {"n": ["sea", "ferry"], "p": 7}, {"n": "sea", "p": 8}],
    "story": "<head><title/></head>",
    "raw": "caf\u00e9 ferry".encode(),
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("price = 3", []),
        ("price = 4 AND body HAS 'ferry'", []),
        ("price = 3 AND body HAS 'ferry'", ["body 13:18"]),
        ("body HAS 'ferry' IGNORING CASE", ["body 13:18", "body 34:39"]),
        ("body HAS 'ss' IGNORING CASE", ["body 30:31"]),
        ("body MATCHES 'ferry OR gone'", ["body 13:18", "body 34:39"]),
        ("body MATCHES '\"the ferry\" NOT gone'", ["body 9:18"]),
        ("body MATCHES 'NOT gone'", []),
        ("NOT body MATCHES 'gone'", []),
        ("NOT (NOT body MATCHES 'storm')", ["body 2:7"]),
        ("body MATCHES 'gone' OR title STARTS WITH 'Fer'", ["title 0:3"]),
        ("title STARTS WITH 'FER' IGNORING CASE AND title ENDS WITH 'led'", ["title 0:3", "title 12:15"]),
        ("title ENDS WITH 'LLED' IGNORING CASE", ["title 11:15"]),
        ("title LIKE 'F%d'", ["title 0:15"]),
        ("title LIKE 'F%x'", []),
        ("title ILIKE 'f%D'", ["title 0:15"]),
        ("title MATCHES PATTERN 'F?r*c'", ["title 0:7"]),
        ("title = 'Ferry cancelled' AND title != 'x' AND title > 'A' AND EXISTS title", ["title 0:15"]),
        ("title IN ('a', 'ferry CANCELLED') IGNORING CASE", ["title 0:15"]),
        ("title STARTS WITH ''", []),
        ("tags CONTAINS 'sea'", ["tags[0] 0:3"]),
        ("tags MATCHES 'sea'", ["tags[0] 0:3", "tags[1] 8:11"]),
        ("tags MATCHES 'harbour' AND tags = 5", ["tags[1] 0:7"]),
        ("order.note HAS 'err'", ["order.note 1:4"]),
        ("orders.n HAS 'ea'", ["orders.n[1] 1:3", "orders.n[3] 1:3"]),
        ("ANY orders (n HAS 'e' AND p < 8)", ["orders.n[1] 1:2", "orders.n[2] 1:2"]),
        ("ANY orders (n = 'sea' OR n = 'x')", ["orders.n[0] 0:1", "orders.n[1] 0:3", "orders.n[3] 0:3"]),
        ("ANY order (note HAS 'y')", ["order.note 4:5"]),
        ("NOT ANY orders (n = 'gone')", []),
        ("MATCHES 'ferry AND storm'", ["title 0:5", "body 2:7", "body 13:18", "body 34:39"]),
        ("HAS 'erry' AND price < 5", ["title 1:5", "body 14:18"]),
        ("raw MATCHES 'ferry'", ["raw 5:10"]),
        ("raw HAS 'é'", ["raw 3:4"]),
        ("story MATCHES PATH '//title' AND NOT body MATCHES PATH '//title'", ["story 6:14"]),
    ],
)
def test_where_each_predicate_holds(text: str, found: list[str]) -> None:
    index = PredicateIndex({"r": text}, text=["title", "body"])
    places = index.occurrences(ITEM)
    shown = [f"{one.attribute}{'' if one.member is None else [one.member]} {one.start}:{one.end}" for one in places]
    assert shown == found
    assert index.places(ITEM, text) == [Place(*tuple(one)[1:], one.attribute, one.member, one.atom) for one in places]


@pytest.mark.slow
@given(query=queries, event=events)
@settings(max_examples=150)
def test_places_are_in_the_texts_of_what_matches_and_nowhere_else(query: str, event: dict) -> None:
    index = PredicateIndex({"r": query}, hierarchies=HIERARCHIES)
    found = index.occurrences(event)
    if not matches(query, event, HIERARCHIES):
        assert found == []
    for one in found:
        values = list(values_at(event, attribute_of(one.attribute)))
        text = values[one.member or 0]
        assert isinstance(text, str) and 0 <= one.start < one.end <= len(text)
        cut, alone = text[one.start : one.end], one.atom.split(" ", 1)[0] == one.attribute
        asks = re.fullmatch(r"\S+ MATCHES '(.*)'", one.atom, re.DOTALL)
        if asks is not None:
            assert oracle.terms(cut) == oracle.terms(asks[1])
        elif alone and " LIKE " not in one.atom:  # what is cut out satisfies the predicate by itself
            assert matches(one.atom, {one.attribute: cut})


def test_words_are_read_by_the_options_of_their_attribute() -> None:
    reading = {"*": {"fold_accents": True}, "body": {"stemmer": "english"}, "note": {"ignore_case": True}}
    index = PredicateIndex({"r": "body MATCHES 'cafes' AND MATCHES 'cafe'"}, text=["body", "title"], reading=reading)
    event = {"title": "Café", "body": "cafe, cafés"}
    assert [tuple(one) for one in index.occurrences(event)] == [
        ("r", 0, 4),
        ("r", 0, 4),
        ("r", 0, 4),
        ("r", 6, 11),
    ]
    assert {one.attribute for one in index.occurrences(event)} == {"title", "body"}
    assert index.places({"note": "XSTRASSE"}, "note MATCHES PATTERN 'straße'") == [
        Place(1, 8, "note", None, "note MATCHES PATTERN 'straße'")
    ]


def test_json_texts_and_the_order_of_attributes_are_those_of_the_event() -> None:
    index = PredicateIndex({"r": "a = 'x' AND b = 'y'", "s": "b = 'y'"})
    found = index.occurrences('{"b": "y", "a": "x"}')
    assert [(one.id, one.attribute) for one in found] == [("r", "b"), ("s", "b"), ("r", "a")]
    assert found == index.occurrences(b'{"b": "y", "a": "x"}') and len(index.occurrences({"b": "y", "a": "x"}, 1)) == 2


def test_the_same_places_whatever_the_method() -> None:
    texts = {"r": "ANY orders (n HAS 'e' AND p < 8) AND title MATCHES 'ferry'", "s": "NOT title = 'x'"}
    found = [PredicateIndex(texts, method=method).occurrences(ITEM) for method in PredicateIndex.methods]
    assert all(one == found[0] for one in found) and len(found[0]) == 3


def test_what_is_no_event_and_no_text_is_refused_as_elsewhere() -> None:
    index = PredicateIndex({"r": "a = 'x'"})
    event: Any
    for event in (None, 5, "{", [1], {"a": object()}):
        with pytest.raises(EventError):
            index.occurrences(event)
        with pytest.raises(EventError):
            index.places(event, "a = 'x'")
    for text in ("", "a =", None, 5):
        with pytest.raises(SubscriptionSyntaxError):
            index.places({"a": "x"}, text)  # type: ignore[arg-type]
    assert index.occurrences({}) == [] == index.places({}, "a = 'x'") and index.places({"a": None}, "a = 'x'") == []


def test_two_thousand_objects_of_a_list_are_placed_in_linear_time() -> None:
    index = PredicateIndex({"r": "ANY o (n HAS 'x' AND p = 1)"})
    found = index.occurrences({"o": [{"n": ["y", "x"], "p": 1}] * 2_000}, 100_000)
    assert len(found) == 2_000 and found[-1] == Occurrence("r", 0, 1, "o.n", 3_999, "n HAS 'x'")
