"""The short way through the commonest predicates finds what the parser finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword import PredicateIndex
from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.plain import MOST, plain_conjunction, plain_predicate, plain_search
from watchword.predicates.query import Limits, parse
from watchword.predicates.readers.reading import Reading

LIMITS = Limits(256, 64, 1024, 65536)
names = st.sampled_from(["a", "b.c", "été", "and", "NULL", "x.in", "_1", "starts"])
signs = st.sampled_from(["=", "!=", "<>", "<", "<=", ">", ">=", " = ", "  >"])
literals = st.sampled_from(
    [
        "0",
        "-0",
        "-0.0",
        "2.0",
        "1.50",
        "0.1",
        "999999999999999",
        "''",
        "'x'",
        "'2024-01-01'",
        "'2024-01-01 '",
        "'٣'",
        "'5'",
    ]
)
numbers = st.sampled_from(["0", "-1", "2.50", "7.0", "123456789012345"])


@given(names, signs, literals)
def test_it_finds_what_the_parser_finds(name: str, sign: str, literal: str) -> None:
    text = name + sign + literal
    found = plain_predicate(text)
    if found is not None:
        (clause,) = parse(f"({text})", LIMITS)  # parentheses are the parser's business
        assert clause.required == (found,) and not clause.forbidden


@pytest.mark.parametrize(
    "text", ["and = 1", "a = 1 AND b = 2", "a IN (1)", "a = 'it''s'", "a = 1e5", '"a" = 1', "a = 1 "]
)
def test_the_rest_is_the_parsers(text: str) -> None:
    assert plain_predicate(text) is None


texts = st.sampled_from(["x AND y = 1", " and ", "x  AND y", "AND", "it''s", "a\nb"])
predicates = st.one_of(
    st.builds("{} {} {}".format, names, signs, literals),
    st.builds("{} BETWEEN {} AND {}".format, names, numbers, numbers),
    st.builds("{} {} '{}'".format, names, signs, texts),
    st.sampled_from(["a IN (1)", "a EXISTS", "NOT a = 1", "(a = 1)", "a = 'x", "x'", ""]),
)
joints = st.sampled_from([" AND ", " and ", "  And  ", " OR ", " ", "AND"])


@settings(max_examples=300)
@given(st.lists(st.tuples(predicates, joints), min_size=1, max_size=5), st.booleans())
def test_conjunctions_are_those_of_the_parser(parts: list[tuple[str, str]], again: bool) -> None:
    parts = parts * (1 + again)
    text = "".join(predicate + joint for predicate, joint in parts)[: -len(parts[-1][1])]
    found = plain_conjunction(text)
    if found is not None:
        (clause,) = parse(f"({text})", LIMITS)
        assert clause.required == tuple(dict.fromkeys(found)) and not clause.forbidden
        assert parse(text, LIMITS) == [clause]


def test_plain_conjunctions_are_found() -> None:
    """Also with BETWEEN and in any case; not more than `MOST`, nor a text that holds an AND."""
    text = "a = 1 and b BETWEEN 2 AND 3 AND c.d != 'x' AND a = 1"
    assert [one.written for one in plain_conjunction(text) or []] == ["= 1", "BETWEEN 2 AND 3", "!= 'x'", "= 1"]
    assert len(plain_conjunction(" AND ".join(["a BETWEEN 1 AND 2"] * MOST)) or []) == MOST
    assert plain_conjunction(" AND ".join(["a BETWEEN 1 AND 2"] * (MOST + 1))) is None
    assert plain_conjunction("a = 1 AND b = 'x  and y = 2'") is None


def test_limits_hold_for_plain_conjunctions() -> None:
    """Tried at n and n + 1: predicates, where BETWEEN is two, and steps of work."""
    PredicateIndex(max_predicates=3)["s"] = "a = 1 AND b BETWEEN 2 AND 3"
    with pytest.raises(SubscriptionSyntaxError, match="max_predicates=3"):
        PredicateIndex(max_predicates=3)["s"] = "a = 1 AND b BETWEEN 2 AND 3 AND c = 1"
    with pytest.raises(SubscriptionSyntaxError, match="max_literal=5"):
        PredicateIndex(max_literal=5)["s"] = "a = 1 AND b = 'four'"


def test_a_schema_checks_plain_conjunctions() -> None:
    index = PredicateIndex(schema={"attributes": {"name": "text", "price": "number"}})
    index["s"] = "name = 'RBS' AND price > 20"
    with pytest.raises(SubscriptionSyntaxError, match="pricy"):
        index["t"] = "name = 'RBS' AND pricy > 20"
    assert index.match({"name": "RBS", "price": 21}) == ["s"]


READINGS = [
    Reading([("t",)]),
    Reading([("t",)], {"*": {"stop_words": ["x"]}}),
    Reading([("t",)], {"b.c": {"literal_operators": True}, "a": {"stemmer": "english"}}),
]
words = st.lists(
    st.sampled_from(["x", "Y", "x", "and", "AND", "OR", "not", "running", "a_b", "éa", "7", "x*", "NEAR", "y" * 1025])
)


@pytest.mark.parametrize("reading", READINGS)
@given(st.sampled_from(["", "a ", "b.c  ", "and ", "t "]), words, st.sampled_from(["", " "]))
def test_searches_for_words_are_what_the_parser_finds(
    reading: Reading, name: str, words: list[str], space: str
) -> None:
    text = f"{name}MATCHES{space} '{space}{(' ' + space).join(words)}'"
    found = plain_search(text, LIMITS, reading)
    if found is not None:
        (clause,) = parse(f"({text})", LIMITS, reading=reading)
        assert clause.required == tuple(found) and not clause.forbidden and not clause.rest


def test_a_search_without_an_attribute_needs_the_option_text() -> None:
    assert plain_search("MATCHES 'x'", LIMITS, Reading()) is None
    assert plain_search("MATCHES 'x'", LIMITS, READINGS[0]) is not None
    assert plain_search("MATCHES 'x y z'", Limits(256, 64, 2, 65536), READINGS[0]) is None
