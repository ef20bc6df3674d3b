"""Texts that are read without the parser become the trees that the parser makes; all others are left to it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from watchword import KeywordIndex, PredicateIndex, SubscriptionSyntaxError
from watchword.predicates.leaves import Leaves
from watchword.predicates.literals import Limits
from watchword.predicates.query import PredicateParser
from watchword.predicates.readers.doors import BUILT_IN, doors_of
from watchword.predicates.readers.reading import Reading
from watchword.sets.boolean import And, Not, Or

LIMITS = Limits(clauses=256, depth=4, predicates=12, literal=40)
READINGS = [Reading(), Reading([("t",)])]

names = st.sampled_from(["a", "b.c", "été", "null", "HAS", "has", "KIND", '"x ""y"" z"', '"in".b', "a.IN", "MATCHES.x"])
texts = st.sampled_from(["''", "'x'", "'it''s'", "'2024-01-01'", "'x AND y'", "'a_%'", "'ſK'", "')'", f"'{'y' * 39}'"])
numbers = st.sampled_from(["0", "-0.0", "2.50", "7.", "1e5", "+1", "1.2.3", "12345678901234567", "٣", "0x1"])
literals = st.one_of(texts, texts, numbers, st.sampled_from(["TRUE", "false", "NULL", "b"]))
spaces = st.sampled_from(["", " ", " ", " ", "\n\t "])
signs = st.sampled_from(["=", "!=", "<>", "<", "<=", ">", ">=", "==", "=~", "!"])
words = st.sampled_from(
    [
        "HAS",
        "STARTS WITH",
        "ENDS  WITH",
        "starts with",
        "LIKE",
        "ILIKE",
        "MATCHES",
        "MATCHES PATTERN",
        "KIND OF",
        "IN CIDR",
        "CONTAINS",
        "ſTARTS WITH",
        "HAS HAS",
    ]
)
tails = st.sampled_from(["", "", "", " IGNORING CASE", " ESCAPE '!'", " ignoring case", "IGNORING CASE", " IGNORING"])
lists = st.lists(literals, min_size=1, max_size=4).map(" , ".join)
predicates = st.one_of(
    st.tuples(names, spaces, signs, spaces, literals, tails).map("".join),
    st.tuples(names, spaces, words, spaces, texts, tails).map("".join),
    st.tuples(words, spaces, texts, tails).map("".join),
    st.tuples(names, st.just(" IN "), spaces, st.just("("), lists, st.just(")"), tails).map("".join),
    st.tuples(
        names, st.sampled_from([" EXISTS", " IS MISSING", " IS NULL", " BETWEEN 1 AND 2", " BETWEEN'x'AND 'y'"]), tails
    ).map("".join),
    st.sampled_from(
        ["EXISTS a", "ANY a (b = 1)", "a", "(", ")", "a =", "'x'", "NOT", "a = 'x", '"a = 1', "10.0.0.0/8"]
    ),
)
queries = st.recursive(
    predicates,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from([" AND ", " OR ", " and ", " ", ")AND(", " NOT "]), inner).map("".join),
        inner.map("NOT {}".format),
        inner.map("({})".format),
        inner.map(" ( {} ) ".format),
    ),
    max_leaves=6,
)


def same(tree: Any) -> Any:
    """Return a tree in a form that compares: And and Or of the same parts are equal as tuples."""
    if isinstance(tree, And | Or):
        return type(tree).__name__, [same(part) for part in tree.parts]
    return ("Not", same(tree.part)) if isinstance(tree, Not) else tree


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(queries, st.sampled_from(READINGS), st.booleans())
@example("a = 1 AND (b HAS 'x' OR NOT c.d IN (1, 'y'))", READINGS[0], False)
@example("NOT NOT NOT NOT (a = 1)", READINGS[0], False)
@example("a STARTS WITH '' AND HAS 'x'", READINGS[1], True)
def test_a_tree_is_the_parsers(text: str, reading: Reading, again: bool) -> None:
    leaves = Leaves(LIMITS, BUILT_IN, reading, lambda predicate: predicate)
    found = leaves.tree(text)
    if again:
        found = leaves.tree(text)  # from leaves that are remembered
    if found is not None:
        assert same(found) == same(PredicateParser(text, LIMITS, None, BUILT_IN, reading).tree())


@pytest.mark.parametrize("within", ["NOT (storm OR fog)", "ferry NOT (storm OR fog)", "NOT (ferry storm) OR NOT fog"])
def test_searches_with_negated_parentheses_are_read_and_checked(within: str) -> None:
    text = f"a = 1 AND b MATCHES '{within}'"
    schema = {"attributes": {"a": "number", "b": "text"}}
    events = [{"a": 1, "b": words} for words in ("ferry", "storm", "fog", "ferry storm", "ferry storm fog", "")]
    for options in ({}, {"schema": schema}):
        index = PredicateIndex({"one": text, "two": f"a = 2 OR {text}"}, **options)
        wanted = [KeywordIndex({"k": within}).match(event["b"]) != [] for event in events]
        assert [index.match(event) == ["one", "two"] for event in events] == wanted
        assert not any(index.match({**event, "a": 3}) for event in events)


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        " ( a ENDS WITH 'x' IGNORING CASE )  ",
        "a = 1 AND (b HAS 'x' OR NOT \"c d\".e IN ('2024-01-01', 'y')) OR NOT NOT HAS 'it''s'",
        "a IS MISSING and b EXISTS or not c LIKE '%x!_' ESCAPE '!' AND c MATCHES 'ferry NOT storm'",
        "a BETWEEN 1 AND 2 AND b BETWEEN 'x' AND 'y' IGNORING CASE OR NOT a BETWEEN '2024-01-01' AND '2024-02-01'",
        "a = TRUE OR b.c IN (TRUE, 7, -1.50) OR a != '2024-01-01' IGNORING CASE OR a < 'x'",
    ],
)
def test_ordinary_texts_need_no_parser(text: str) -> None:
    reading = READINGS[1]
    found = Leaves(LIMITS, BUILT_IN, reading, lambda predicate: predicate).tree(text)
    assert found is not None
    assert same(found) == same(PredicateParser(text, LIMITS, None, BUILT_IN, reading).tree())


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "a",
        "()",
        "(a = 1",
        "a = 1)",
        "a = 1 AND",
        "AND a = 1",
        "a = 1 b = 2",
        "a = 1 NOT b = 2",
        "NOT",
        "a HAS ''",
        "a = 1 OR OR b = 1",
        "(a = 1)(b = 1)",
        "HAS HAS 'x'; ",
        "EXISTS a",
        "ANY a (b = 1)",
        "null = 1",
        "a.b.not = 1",
    ],
)
def test_the_rest_is_the_parsers(text: str) -> None:
    assert Leaves(LIMITS, BUILT_IN, READINGS[1], lambda predicate: predicate).tree(text) is None


def test_what_is_remembered_has_a_bound() -> None:
    """A leaf counts for its characters and 64 more: ``a = 1`` and ``b = 1`` for 138."""
    made: list[str] = []
    limits = Limits(clauses=256, depth=4, predicates=12, literal=1000)
    leaves = Leaves(limits, BUILT_IN, READINGS[0], lambda one: made.append(one.attribute[0]), remembered=138)
    for text in ["a = 1", "b = 1 OR a = 1", "c = 1", "a = 1 AND c = 1"]:
        leaves.tree(text)
    assert made == ["a", "b", "c", "a"]
    long = "x" * 300
    assert leaves.tree(f"{long} = 1 AND a = 1") is not None
    assert leaves.tree(f'"{long}".in = 1') is None
    assert made[-2:] == [long, "a"]


def test_limits_hold_for_texts_that_are_not_parsed() -> None:
    """Tried at n and n + 1, one by one and in bulk: parentheses, predicates, literals, clauses, steps."""
    kept_and_refused = [
        ({"max_depth": 2}, "((a = 1 OR a = 2))", "(NOT (a = 1 OR a = 2))"),
        ({"max_depth": 2}, "NOT (a = 1 OR a = 2) OR NOT NOT a = 3", "a = 1 OR NOT (a = 1 OR NOT a = 2)"),
        ({"max_predicates": 3}, "a = 1 OR b IN (2, 3, 3)", "a = 1 OR b IN (2, 3, 4)"),
        ({"max_literal": 5}, "a = 'thr' OR b = 1", "a = 'four' OR b = 1"),
        ({"max_clauses": 2}, "a = 1 OR a = 2", "a = 1 OR a = 2 OR a = 3"),
        ({"max_work": 53}, "a = 1 OR a = 2 OR a = 1", "a = 1 OR a = 2 OR a = 1 OR a = 1"),
    ]
    for options, kept, refused in kept_and_refused:
        (name,) = options
        index = PredicateIndex({"s": kept}, **options)
        index["t"] = kept
        assert index.match({"a": 1, "b": 1}) == index.match({"a": 1, "b": 1})
        with pytest.raises(SubscriptionSyntaxError, match=name):
            index["u"] = refused
        with pytest.raises(SubscriptionSyntaxError, match=name):
            index.update({"u": refused, "v": kept})
        assert list(index) == ["s", "t"]


def test_the_word_of_an_operator_is_an_attribute_only_where_the_parser_says_so() -> None:
    """``DIVISIBLE BY 7`` is an operator of an index that names it, and may begin a text without an attribute."""
    doors = doors_of(("tests.predicates.divisible:Divisible",))
    text = "DIVISIBLE = 1 OR a = 2"
    assert Leaves(LIMITS, BUILT_IN, READINGS[0], lambda predicate: predicate).tree(text) is not None
    assert Leaves(LIMITS, doors, READINGS[0], lambda predicate: predicate).tree(text) is None
    index = PredicateIndex({"s": text}, operators=["tests.predicates.divisible:Divisible"])
    assert index.match({"DIVISIBLE": 1}) == ["s"]


def test_a_schema_checks_texts_that_are_not_parsed() -> None:
    index = PredicateIndex(schema={"attributes": {"name": "text", "price": "number"}})
    for update in (index.__setitem__, lambda key, text: index.update({key: text})):
        update("s", "name HAS 'R' OR price > 20")
        with pytest.raises(SubscriptionSyntaxError, match="pricy") as caught:
            update("t", "name HAS 'R' OR pricy > 20")
        assert caught.value.position == 16
    assert index.match({"name": "RBS", "price": 21}) == ["s"]


def test_predicates_that_no_clause_asks_for_are_not_numbered() -> None:
    """In ``a = 1 OR (a = 1 AND b = 2)`` the first clause decides; `b` is read in no event."""
    for index in (PredicateIndex({"s": "a = 1 OR (a = 1 AND b = 2)"}), PredicateIndex()):
        index["s"] = "a = 1 OR (a = 1 AND b = 2)"
        assert [predicate.path for predicate in index._plugged.fields.all] == [("a",)]
        assert index.stats().atoms == 1
