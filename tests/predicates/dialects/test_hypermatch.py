"""Rules of hypermatch: the library's own cases, random rules against a judge that knows hypermatch only, and errors."""

from __future__ import annotations

import doctest
import json
from random import Random
from typing import Any

import pytest

from tests.predicates.dialects import hypermatch_judge
from tests.predicates.dialects.hypermatch_cases import CASES, OTHERWISE, SIMPLE, SIMPLE_MATCHES, WRONG
from watchword import PredicateIndex
from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.predicates import from_hypermatch
from watchword.predicates.dialects import hypermatch
from watchword.predicates.dialects.aws import DEEPEST, PatternError

ALL = [case for cases in CASES.values() for case in cases]


@pytest.mark.parametrize("module", [hypermatch, hypermatch_judge])
def test_examples(module: object) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted and not outcome.failed


def matches(rule: dict[str, Any], event: dict[str, Any]) -> bool:
    return PredicateIndex({"rule": from_hypermatch(rule)}).match(event) == ["rule"]


@pytest.mark.parametrize(("rule", "event", "matched"), ALL)
def test_cases_of_the_library(rule: dict[str, Any], event: dict[str, Any], matched: bool) -> None:
    assert hypermatch_judge.answers(rule, event) is matched
    assert matches(rule, event) is matched


@pytest.mark.parametrize(("event", "expected"), SIMPLE_MATCHES)
def test_several_rules(event: dict[str, Any], expected: list[int]) -> None:
    index = PredicateIndex(enumerate(from_hypermatch(rule) for rule in SIMPLE))
    assert index.match(event) == expected


@pytest.mark.parametrize(("rule", "event", "matched"), OTHERWISE)
def test_what_is_answered_otherwise(rule: dict[str, Any], event: dict[str, Any], matched: bool) -> None:
    assert matches(rule, event) is not matched


@pytest.mark.parametrize(("rule", "message"), WRONG)
def test_what_the_library_refuses(rule: Any, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        from_hypermatch(rule)
    with pytest.raises(PatternError, match=message):
        from_hypermatch(json.dumps(rule))


@pytest.mark.parametrize(
    ("rule", "path", "message"),
    [
        ([], "", "JSON or a mapping"),
        ("[1]", "", r'such as \{"status"'),
        (b"\xff", "", "UTF-8"),
        ('{"a": {"equals": "x"}, "a": {"equals": "y"}}', "a", "twice"),
        ({"labels.*": {"equals": "x"}}, "labels.*", "name the keys"),
        ({5: {"equals": "x"}}, "5", "a text of at least one character"),
        ({"a": {"anyOf": [{"gt": float("nan")}]}}, "a.anyOf[0].gt", "finite number"),
    ],
)
def test_errors(rule: Any, path: str, message: str) -> None:
    with pytest.raises(PatternError, match=message) as caught:
        from_hypermatch(rule)
    assert caught.value.path == path
    assert isinstance(caught.value, SubscriptionError)


def test_depth_is_bounded() -> None:
    deep: dict[str, Any] = {"equals": "x"}
    choices: dict[str, Any] = {"a": {"equals": "x"}}
    for _ in range(DEEPEST + 1):
        deep, choices = {"allOf": [deep]}, {"$or": [choices]}
    for rule in ({"a": deep}, choices):
        with pytest.raises(PatternError, match="deeper than 100"):
            from_hypermatch(rule)
    assert from_hypermatch({"a": deep["allOf"][0]}) == "a = 'x' IGNORING CASE"
    with pytest.raises(PatternError, match="deeper than 100"):
        from_hypermatch('{"a": ' * 100_000)
    with pytest.raises(SubscriptionSyntaxError, match="not JSON"):
        from_hypermatch("{")


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"a": {"equals": "it's"}}, "a = 'it''s' IGNORING CASE"),
        ({"a": {"equals": "2024-01-01"}}, "a = '2024-01-01' IGNORING CASE"),
        ({"a": {"equals": "500"}}, "a = '500' IGNORING CASE OR a = 500"),
        ({"a": {"anyOf": [{"equals": "x"}, {"equals": "y"}]}}, "a IN ('x', 'y') IGNORING CASE"),
        ({"c-count.in": {"lt": 1e22}}, '"c-count"."in" AS NUMBER < 1e22'),
        ({"a..b": {"exists": True}}, '"a..b" EXISTS'),
        ({"a": {"wildcard": "50%*"}}, "a STARTS WITH '50%' IGNORING CASE"),
        ({"a": {"wildcard": "a*_*"}}, "a LIKE 'a%!_%' ESCAPE '!' IGNORING CASE"),
        ({"a": {"prefix": "tr"}}, "a STARTS WITH 'tr' IGNORING CASE OR a = TRUE"),
        ({"a": {"cidr": "2001:db8::/32"}}, "a IN CIDR '2001:db8::/32'"),
    ],
)
def test_texts(rule: dict[str, Any], text: str) -> None:
    assert (
        from_hypermatch(rule) == from_hypermatch(json.dumps(rule)) == from_hypermatch(json.dumps(rule).encode()) == text
    )
    PredicateIndex({"rule": text})


# random rules

PATHS = ("a", "b", "c.d", "A")
TEXTS = (
    "",
    "a",
    "b",
    "AB",
    "aB-",
    "ä",
    "Äb",
    "*",
    "a*b",
    "it's",
    "\\",
    "%",
    "_",
    "5",
    "05",
    "5.0",
    "-1e1",
    ".5",
    "true",
    "False",
    "10.1.2.3",
    "::ffff:10.0.0.1",
    "2001:db8::1",
    "2024-01-01",
)
VALUES: tuple[Any, ...] = (*TEXTS, 5, -10, 0.5, 12, True, False, None)
NETWORKS = ("10.0.0.0/8", "10.1.2.3", "::/0", "0.0.0.0/0", "::ffff:10.0.0.0/104", "2001:db8::/32")


def random_pattern(random: Random, depth: int = 0) -> dict[str, Any]:
    kinds = ["equals", "prefix", "suffix", "wildcard", "gt", "lte", "eq", "between", "cidr", "exists"]
    kind = random.choice([*kinds, *(["anyOf", "allOf", "anythingBut"] * 3 if depth < 3 else [])])
    if kind in ("anyOf", "allOf", "anythingBut"):
        return {kind: [random_pattern(random, depth + 1) for _ in range(random.randint(1, 3))]}
    if kind in ("gt", "lte", "eq"):
        return {kind: random.choice((5, "5", -10, "0.5", 1e1, "-1e1"))}
    if kind == "between":
        low = random.choice((-10, 0, 0.5, 5))
        return {
            kind: [{random.choice(("gt", "gte")): low}, {random.choice(("lt", "lte")): low + random.choice((5, 7.5))}]
        }
    if kind == "cidr":
        return {kind: random.choice(NETWORKS)}
    if kind == "exists":
        return {kind: True}
    if kind == "wildcard":
        return {kind: random.choice(("*", "a*", "*b", "*a*", "a*b", "ä*", "*-", "_*", "A*B*", "a", "t*"))}
    texts = [
        text for text in TEXTS if text not in ("", "5.0") and (kind == "equals" or not set(text) & set("0123456789.e-"))
    ]
    return {kind: random.choice(texts)}


def random_rule(random: Random, depth: int = 0) -> dict[str, Any]:
    names = random.sample(PATHS, random.randint(1, 2))
    rule = {name: random_pattern(random) if random.random() < 0.9 else {"exists": False} for name in names}
    if depth < 2 and random.random() < 0.2:
        rule["$or"] = [random_rule(random, depth + 1) for _ in range(random.randint(1, 3))]
    return rule


def random_event(random: Random) -> dict[str, Any]:
    def value() -> Any:
        many = random.random() < 0.3
        return [random.choice(VALUES) for _ in range(random.randint(0, 3))] if many else random.choice(VALUES)

    event = {name: value() for name in ("a", "b", "A") if random.random() < 0.8}
    if random.random() < 0.7:
        event["c"] = random.choice(([{"d": value()}, {"d": value()}], {"d": value(), "x": 1}, {}))
    return event


def check(seed: int, rules: int, events: int) -> int:
    random = Random(seed)
    given = [random_rule(random) for _ in range(rules)]
    index = PredicateIndex(enumerate(map(from_hypermatch, given)))
    hits, seen = 0, [random_event(random) for _ in range(events)]
    for event in seen:
        found = index.match(event)
        wrong = sorted(set(found) ^ {at for at, rule in enumerate(given) if hypermatch_judge.answers(rule, event)})
        assert not wrong, (given[wrong[0]], index[wrong[0]], event)
        hits += len(found)
    assert index.match_many([json.dumps(event) for event in seen]).num_rows == hits
    return hits


@pytest.mark.parametrize("seed", range(3))
def test_random_rules(seed: int) -> None:
    assert check(seed, rules=150, events=40) > 500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 106))
def test_many_random_rules(seed: int) -> None:
    assert check(seed, rules=600, events=120) > 5_000
