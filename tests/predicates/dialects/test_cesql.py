"""Expressions of CESQL: the specification's cases, random ones against a judge that knows CESQL only, and errors."""

from __future__ import annotations

import doctest
import json
from importlib import import_module
from random import Random
from typing import Any

import pytest

from tests.predicates.dialects import cesql_judge, cesql_rules
from tests.predicates.dialects.cesql_cases import BASE, CASES, ERRORS, PARSE
from watchword import PredicateIndex
from watchword.errors import SubscriptionSyntaxError
from watchword.predicates import from_cesql
from watchword.predicates.dialects.cesql import syntax, trees

ALL = [(group, *case) for group, cases in CASES.items() for case in cases]
TWO = "two attributes cannot be compared"
MODULES = ("comparing", "constants", "integers", "syntax", "trees", "views")


@pytest.mark.parametrize("module", ["", *(f".{name}" for name in MODULES)])
def test_examples(module: str) -> None:
    outcome = doctest.testmod(import_module(f"watchword.predicates.dialects.cesql{module}"))
    assert outcome.attempted and not outcome.failed


def test_examples_of_the_judge() -> None:
    assert doctest.testmod(cesql_judge).attempted and not doctest.testmod(cesql_judge).failed


def passes(expression: str, event: dict[str, Any]) -> bool:
    return PredicateIndex({"rule": from_cesql(expression)}).match(event) == ["rule"]


def literal(result: Any) -> str:
    return cesql_judge.literal(result)


def is_two(expression: str) -> bool:
    """Say whether an expression of the cases compares two attributes, which is the one thing that cannot be said."""
    return "ttl" in expression or "source IN" in expression


@pytest.mark.parametrize(
    ("expression", "result", "event"), [case[1:] for case in ALL if case[2] not in ERRORS and not is_two(case[1])]
)
def test_cases_of_the_specification(expression: str, result: Any, event: dict[str, Any]) -> None:
    event = BASE | event
    if isinstance(result, bool):
        assert passes(expression, event) is result
    else:
        assert passes(f"({expression}) = {literal(result)}", event)


@pytest.mark.parametrize(("expression", "event"), [(case[1], case[3]) for case in ALL if case[2] in ERRORS])
def test_an_error_passes_no_event(expression: str, event: dict[str, Any]) -> None:
    try:
        assert not passes(expression, BASE | event)
    except SubscriptionSyntaxError as error:
        assert error.position < len(expression) or CASES["parse"] == [(expression, PARSE, {})]


@pytest.mark.parametrize("expression", [case[1] for case in ALL if is_two(case[1])])
def test_two_attributes_are_refused(expression: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=TWO):
        from_cesql(expression)


def test_how_many_cases_are_said() -> None:
    assert len(ALL) == 261
    assert sum(is_two(case[1]) for case in ALL) == 6


def checked(seed: int, rules: int, events: int) -> tuple[int, int]:
    """Compare random expressions with the judge over random events; return how many were said, and how many hits."""
    random = Random(seed)
    expressions: list[tuple] = []
    texts: list[str] = []
    given = [cesql_rules.event(random) for _ in range(events)]
    for _ in range(rules):
        expression = cesql_rules.condition(random)
        try:
            texts.append(from_cesql(cesql_judge.written(expression)))
            expressions.append(expression)
        except SubscriptionSyntaxError as error:
            if "no event passes" in error.reason:
                assert not any(cesql_judge.passes(expression, event) for event in given), cesql_judge.written(
                    expression
                )
            else:
                assert "cannot be" in error.reason, cesql_judge.written(expression)
    index = PredicateIndex(enumerate(texts))
    hits = 0
    for event in given:
        expected = [at for at, one in enumerate(expressions) if cesql_judge.passes(one, event)]
        found = index.match(event)
        wrong = sorted(set(found) ^ set(expected))
        assert not wrong, (cesql_judge.written(expressions[wrong[0]]), texts[wrong[0]], event)
        hits += len(found)
    table = index.match_many([json.dumps(event) for event in given])
    assert table.num_rows == hits
    return len(texts), hits


@pytest.mark.parametrize("seed", range(3))
def test_random_expressions(seed: int) -> None:
    said, hits = checked(seed, rules=150, events=40)
    assert said > 75
    assert hits > 500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_many_random_expressions(seed: int) -> None:
    assert checked(seed, rules=600, events=120)[0] > 300


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("type = 'it\\'s'", "type = 'it''s'"),
        ('type = "say \\"a\\""', "type = 'say \"a\"'"),
        ("subject != 'a'", "subject != 'a'"),
        ("NOT (subject = 'a')", "subject != 'a'"),
        ("hop NOT IN ('a', 'b')", "hop LIKE '%' AND NOT hop IN ('a', 'b')"),
        ("id = 'x' OR source = 'y'", "id = 'x' OR source = 'y'"),
        ("a = 'x' OR b = 'y'", "a = 'x' OR a EXISTS AND b = 'y'"),
        ("hop = 1 + 2 * 3", "hop AS INTEGER = 7"),
        ("7 > hop", "hop AS INTEGER < 7"),
        ("hop = '5'", "hop IN ('5', 5)"),
        ("time = '2018-04-26'", "time LIKE '2018-04-26'"),
        ("type LIKE 'a\\%\\_\\b%'", r"type STARTS WITH 'a%_\b'"),
        ("LENGTH(type) >= 2", "type LIKE '__%'"),
        ("LOWER(type) LIKE '%err%'", "type HAS 'err' IGNORING CASE"),
        ("flag", "flag = TRUE"),
        ("Hop = 'A'", "hop = 'A'"),
        ("IS_INT(hop)", "hop AS INTEGER"),
        ("TRUE", "id EXISTS OR id IS MISSING"),
        ("1 = 2", "id EXISTS AND id IS MISSING"),
        ("false AND (1 / 0 = 1)", "id EXISTS AND id IS MISSING"),
    ],
)
def test_texts(expression: str, text: str) -> None:
    assert from_cesql(expression) == text
    PredicateIndex({"rule": text})


@pytest.mark.parametrize(
    ("expression", "position", "message"),
    [
        ("", 0, "expected a value, not the end"),
        ("a = ", 4, "expected a value, not the end"),
        ("a = 'x", 4, "never closed"),
        ("a == 5", 2, "== is no operator of CESQL; write ="),
        ("a = 1 && b = 2", 6, "write AND"),
        ("a = 1 AND b = 2 OR c = 3", 16, "AND and OR side by side have two meanings"),
        ("(a = 1", 6, r"a \) is missing"),
        ("a = 1)", 5, "expected an operator or the end"),
        ("a IN ()", 6, "at least one member"),
        ("a IN (1,)", 8, "expected a value"),
        ("a LIKE b", 7, "text in quotes"),
        ("a = 'it''s'", 8, r"written \\'"),
        ("a_b = 1", 0, "letters and digits"),
        ("a = 2147483648", 4, "between -2147483648 and 2147483647"),
        ("EXISTS 'a'", 7, "EXISTS wants the name"),
        ("FOO(a) = 1", 0, "there is no function FOO"),
        ("LEFT(a) = 'x'", 0, "LEFT has 2 arguments"),
        ("a < b", 2, TWO),
        ("a + 1 = 2", 2, "arithmetic with an attribute"),
        ("-a = 2", 0, "arithmetic with an attribute"),
        ("TRIM(a) = 'x'", 0, "trim the attribute before"),
        ("ABS(a) < 5", 0, "a > -5 AND a < 5"),
        ("CONCAT(a, b) = 'x'", 0, "its part of the text"),
        ("LOWER(a) = 'straße'", 9, "more than two cases"),
        ("a LIKE '%5'", 2, "a may be an integer"),
        ("LENGTH(a) = 5000", 10, "LENGTH above 1000"),
        ("data = 'x'", 0, "not for its data"),
        ("'abc'", 0, "a String; a filter has to be a Boolean"),
        ("INT(a)", 0, "an Integer; a filter has to be a Boolean"),
        ("NOT a = 'x'", 6, "NOT binds tighter"),
        ("a = 1 / 0", 6, "division by 0"),
        ("a = 'x' AND 'y'", 12, "neither true nor false"),
        ("(" * 65 + "TRUE" + ")" * 65, 64, "deeper than 64"),
        ("NOT " * 65 + "TRUE", 256, "deeper than 64"),
        ("a = '" + "x" * syntax.MAX_CHARACTERS + "'", 0, "at most 65,536 characters"),
        (" XOR ".join(f"a{at} = 'x'" for at in range(20)), None, "more than 16,384 predicates"),
        ("a ~ 'x'", 2, "means nothing in CESQL"),
    ],
)
def test_what_is_refused(expression: str, position: int | None, message: str) -> None:
    with pytest.raises(SubscriptionSyntaxError, match=message) as caught:
        from_cesql(expression)
    assert position is None or caught.value.position == position


@pytest.mark.parametrize("expression", [b"\xff", 5, None, ["a"]])
def test_what_is_no_text(expression: Any) -> None:
    with pytest.raises(SubscriptionSyntaxError):
        from_cesql(expression)
    assert from_cesql(b"a = 'x'") == "a = 'x'"


@pytest.mark.slow
def test_bounds_hold() -> None:
    assert trees.MAX_PREDICATES == 16_384
    wide = " OR ".join(f"id = '{at}'" for at in range(2_000))
    assert from_cesql(wide).count("id = ") == 2_000
    with pytest.raises(SubscriptionSyntaxError, match="more than 16,384"):
        from_cesql(" OR ".join(f"a{at} = 'x'" for at in range(1_000)))


def test_a_missing_attribute_is_an_error() -> None:
    for expression in ("hop = 'a'", "hop != 'a'", "NOT (hop = 'a')", "hop NOT LIKE 'a'", "NOT (hop < 5)", "NOT hop"):
        for event in ({}, {"hop": None}, {"hop": []}):
            assert not passes(expression, BASE | event)
    assert passes("NOT (EXISTS hop)", BASE)
    assert passes("EXISTS hop OR id = 'A234-1234-1234'", BASE)
    assert not passes("hop = 'a' OR id = 'A234-1234-1234'", BASE)
    assert passes("id = 'A234-1234-1234' OR hop = 'a'", BASE)
