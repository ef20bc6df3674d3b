"""Random queries of Lucene and Elasticsearch over random documents, against a judge that knows these only."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.predicates.dialects import search_judge
from tests.predicates.dialects.search_strategies import FIELDS, MAPPING, clauses, document, query, simple_parts
from watchword import PredicateIndex
from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.predicates import from_elasticsearch, from_lucene

documents = st.lists(document, min_size=1, max_size=6)


def test_examples_of_the_judge() -> None:
    assert doctest.testmod(search_judge).failed == 0


def found(text: str, events: list[dict]) -> list[bool]:
    index = PredicateIndex({"q": text})
    return [index.match(event) == ["q"] for event in events]


@pytest.mark.slow
@given(clauses, documents, st.booleans())
@settings(max_examples=150, deadline=None)
def test_lucene_has_the_answers_of_its_parser(drawn: list, events: list[dict], requires: bool) -> None:
    text = search_judge.lucene_text(drawn)
    wanted = [search_judge.lucene(drawn, event, "t", requires) for event in events]
    try:
        made = from_lucene(text, fields=FIELDS, default_field="t", default_operator="AND" if requires else "OR")
    except SubscriptionSyntaxError as error:
        assert "matches nothing" in error.reason and not any(wanted), text
        return
    assert found(made, events) == wanted, (text, made)


@pytest.mark.slow
@given(query, documents)
@settings(max_examples=250, deadline=None)
def test_elasticsearch_has_the_answers_of_its_queries(drawn: dict, events: list[dict]) -> None:
    made = from_elasticsearch(drawn, mapping=MAPPING)
    assert found(made, events) == [search_judge.answers(drawn, event) for event in events], made


ODD = st.one_of(st.text(max_size=20), st.text("ab'\"*?~^$,()OF 2-_%!\\:/.ANDORT", max_size=20))


@pytest.mark.slow
@given(ODD)
@settings(max_examples=60, deadline=None)
def test_any_text_makes_a_subscription_that_an_index_takes(text: str) -> None:
    """A text that is asked for as a whole, or by its words, is found in itself."""
    asked = [
        {name: {field: text}}
        for field in ("t", "k", "u")
        for name in ("match", "match_phrase", "term", "prefix", "wildcard")
    ]
    strings = [
        {name: {"query": text, "fields": ["t", "k"]}} for name in ("query_string", "simple_query_string", "multi_match")
    ]
    for one in [*asked, *strings]:
        try:
            made = from_elasticsearch(one, mapping={"t": "text", "k": "keyword"})
        except SubscriptionError:
            continue
        index = PredicateIndex({"q": made}, reading={"*": {"min_plain": 1}})
        [(name, body)] = one.items()
        if name in ("match", "match_phrase") or (name == "term" and "t" not in body):
            assert index.match({next(iter(body)): text}) == ["q"] or "_id" in made, (one, made)


@pytest.mark.slow
@given(simple_parts, documents)
@settings(max_examples=60, deadline=None)
def test_signs_are_read_from_left_to_right(drawn: list, events: list[dict]) -> None:
    text = " ".join(f"{sign * bool(at)} {'-' * negated}{word}" for at, (sign, negated, word) in enumerate(drawn))
    made = from_elasticsearch({"simple_query_string": {"query": text, "fields": ["t"]}}, mapping=MAPPING)
    assert found(made, events) == [search_judge.signs(drawn, event, "t") for event in events], (text, made)
