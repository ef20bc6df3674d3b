"""The short way through the commonest predicates finds what the parser finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watchword.predicates.plain import plain_predicate, plain_search
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
