"""Event patterns: the documented ones by hand, random ones against a judge that knows EventBridge only."""

from __future__ import annotations

import doctest
import json

import pytest
from hypothesis import given, settings

from tests import predicate_oracle
from tests.predicates.dialects import aws_judge
from tests.predicates.dialects.aws_strategies import events, list_events, list_patterns, patterns
from watchword import PredicateIndex
from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.predicates.dialects import aws, conditions, eventbridge, sns, wildcards
from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.eventbridge import from_eventbridge

INSTANCE = {
    "source": "aws.ec2",
    "time": "2017-10-02T16:24:49Z",
    "region": "us-east-1",
    "resources": ["arn:aws:ec2:us-east-1:123456789012:instance/i-000000aaaaaa00000", "arn:aws:s3:::bucket"],
    "detail": {
        "c-count": 5,
        "d-count": 3,
        "x-limit": 301.8,
        "source-ip": "10.0.0.33",
        "state": "running",
        "file": "a/b.png",
    },
}


@pytest.mark.parametrize("module", [aws, conditions, wildcards, eventbridge, sns, aws_judge])
def test_examples(module: object) -> None:
    outcome = doctest.testmod(module)
    assert outcome.attempted and not outcome.failed


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ({"source": ["aws.ec2", "aws.fargate"]}, True),
        ({"resources": ["arn:aws:s3:::bucket"]}, True),
        ({"time": [{"prefix": "2017-10-02"}]}, True),
        ({"time": ["2017-10-02T16:24:49Z"]}, True),
        ({"time": ["2017-10-02T16:24:49+00:00"]}, False),
        ({"time": [{"anything-but": "2017-10-02T16:24:49+00:00"}]}, True),
        ({"time": [{"anything-but": "2017-10-02T16:24:49Z"}]}, False),
        ({"detail": {"state": ["initializing", "running"], "x-limit": [301.8]}}, True),
        ({"detail": {"x-limit": [{"numeric": ["=", 3.018e2]}]}}, True),
        ({"detail": {"c-count": [{"numeric": [">", 0, "<=", 5]}]}}, True),
        ({"detail": {"c-count": [{"numeric": [">", 0, "<", 5]}]}}, False),
        ({"detail": {"d-count": [{"numeric": ["<", 10]}]}}, True),
        ({"detail": {"state": [{"anything-but": "initializing"}]}}, True),
        ({"detail": {"state": [{"anything-but": ["stopped", "running"]}]}}, False),
        ({"detail": {"x-limit": [{"anything-but": [100, 200, 300]}]}}, True),
        ({"detail": {"missing": [{"anything-but": "x"}]}}, False),
        ({"detail": {"state": [{"anything-but": {"prefix": "init"}}]}}, True),
        ({"detail": {"file": [{"anything-but": {"suffix": ".png"}}]}}, False),
        ({"detail": {"file": [{"anything-but": {"wildcard": "*.jpg"}}]}}, True),
        ({"detail": {"state": [{"anything-but": {"equals-ignore-case": ["RUNNING", "x"]}}]}}, False),
        ({"detail": {"file": [{"suffix": ".png"}]}}, True),
        ({"detail": {"file": [{"suffix": {"equals-ignore-case": ".PNG"}}]}}, True),
        ({"detail": {"state": [{"equals-ignore-case": "Running"}]}}, True),
        ({"detail": {"source-ip": [{"cidr": "10.0.0.0/24"}]}}, True),
        ({"detail": {"source-ip": [{"cidr": "10.0.1.0/24"}]}}, False),
        ({"detail": {"c-count": [{"exists": True}], "e-count": [{"exists": False}]}}, True),
        ({"detail": {"file": [{"wildcard": "a*.png"}]}}, True),
        ({"detail": {"file": [{"wildcard": "a/b.*b.png"}]}}, False),
        ({"resources": [{"wildcard": "arn:*:instance/*000"}]}, True),
        ({"detail": {"file": [{"anything-but": {"wildcard": ["*.jpg", "*/b*"]}}]}}, False),
        ({"$or": [{"source": ["x"]}, {"detail": {"state": ["running"]}}], "region": [{"prefix": "us-"}]}, True),
        ({"detail": {"$or": [{"c-count": [4]}, {"d-count": [4]}]}}, False),
    ],
)
def test_documented_examples(pattern: dict, matched: bool) -> None:
    assert aws_judge.answers(pattern, INSTANCE) is matched
    assert predicate_oracle.matches(from_eventbridge(json.dumps(pattern)), INSTANCE) is matched


@pytest.mark.slow
@given(patterns, events)
@settings(max_examples=200)
def test_same_answers(pattern: dict, event: dict) -> None:
    assert predicate_oracle.matches(from_eventbridge(pattern), event) is aws_judge.answers(pattern, event)


@pytest.mark.slow
@given(list_patterns, list_events)
@settings(max_examples=150)
def test_same_answers_on_lists(pattern: dict, event: dict) -> None:
    assert predicate_oracle.matches(from_eventbridge(pattern), event) is aws_judge.answers(pattern, event)


def test_wildcards_in_an_index() -> None:
    wildcards = ("*b*", "a*b%", "%*_*", "a_*!", "*", "2024-01-01T*Z", "2024-01-01", r"a\\*", r"\*")
    texts = ["", "ab", "aXb%", "%x_", "a_!!", "aX!", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00+00:00", "2024-01-01"]
    events = [{"a": text} for text in [*texts, "a\\b", "*", ["x", "ab"], 5, None]]
    index = PredicateIndex({at: from_eventbridge({"a": [{"wildcard": one}]}) for at, one in enumerate(wildcards)})
    for event in events:
        wanted = [at for at, one in enumerate(wildcards) if aws_judge.answers({"a": [{"wildcard": one}]}, event)]
        assert index.match(event) == wanted, event


@pytest.mark.slow
@given(patterns)
def test_json_and_mapping_say_the_same(pattern: dict) -> None:
    text = json.dumps(pattern)
    assert from_eventbridge(text) == from_eventbridge(text.encode()) == from_eventbridge(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ({"a": ["x", "x", 1, True]}, "a IN ('x', 1, TRUE)"),
        ({"a": ["it's"]}, "a = 'it''s'"),
        ({"a": {'b "c"': [{"exists": True}]}}, 'a."b ""c""" EXISTS'),
        ({"a": ["2024-01-01"]}, "a LIKE '2024-01-01'"),
        ({"a": [{"wildcard": "Simple*Service"}]}, "a LIKE 'Simple%Service'"),
        ({"a": [{"wildcard": "*/lib/*"}]}, "a LIKE '%/lib/%'"),
        ({"a": [{"anything-but": {"wildcard": "*_a*"}}]}, "a EXISTS AND NOT a LIKE '%!_a%' ESCAPE '!'"),
        ({"a": [{"wildcard": "*"}]}, "a LIKE '%'"),
        ({"a": [{"cidr": "10.1.2.3/8"}]}, "a IN CIDR '10.0.0.0/8'"),
        ({"a": [{"numeric": ["<", 1e22]}]}, "a < 1e22"),
        ({"$or": {"a": [1]}}, '"$or".a = 1'),
        (
            {"a": [{"anything-but": {"prefix": ["x", "y"]}}]},
            "a EXISTS AND NOT a STARTS WITH 'x' AND NOT a STARTS WITH 'y'",
        ),
    ],
)
def test_texts(pattern: dict, text: str) -> None:
    assert from_eventbridge(pattern) == text


@pytest.mark.parametrize(
    ("pattern", "path", "message"),
    [
        ({}, "", "empty object"),
        ([], "", "JSON or a mapping"),
        ("[1]", "", "JSON object"),
        (b"\xff", "", "UTF-8"),
        ('{"a": [1], "a": [2]}', "a", "twice"),
        ('{"a": [NaN]}', "", "NaN"),
        ('{"a": [1e999]}', "a[0]", "inf"),
        ('{"a": ' * 100_000, "", "deep"),
        (json.loads('{"a": ' * 200 + '["x"]' + "}" * 200), "a.a", "deeper"),
        ({"a": []}, "a", "empty array"),
        ({"a": {}}, "a", "empty object"),
        ({"a": "x"}, "a", "array"),
        ({"a": [["x"]]}, "a[0]", "number is expected"),
        ({"d": {"a": ["x", None]}}, "d.a[1]", "exists"),
        ({"a": [{"like": "x"}]}, "a[0]", "unknown operator"),
        ({"a": [{"prefix": "x", "suffix": "y"}]}, "a[0]", "one operator"),
        ({"a": [{"prefix": 5}]}, "a[0].prefix", "text"),
        ({"a": [{"prefix": {"suffix": "x"}}]}, "a[0].prefix", "equals-ignore-case"),
        ({"a": [{"exists": "yes"}]}, "a[0].exists", "true or false"),
        ({"a": [{"cidr": "10.0.0.0"}]}, "a[0].cidr", "slash"),
        ({"a": [{"cidr": "10.0.0.0/40"}]}, "a[0].cidr", "10.0.0.0/40"),
        ({"a": [{"numeric": ["!", 5]}]}, "a[0].numeric", "comparison"),
        ({"a": [{"numeric": [">", "5"]}]}, "a[0].numeric", "number"),
        ({"a": [{"numeric": [">", True]}]}, "a[0].numeric", "number"),
        ({"a": [{"numeric": [">", 5, "<", 5]}]}, "a[0].numeric", "empty"),
        ({"a": [{"numeric": ["<", 5, ">", 1]}]}, "a[0].numeric", "from below"),
        ({"a": [{"anything-but": []}]}, "a[0].anything-but", "empty array"),
        ({"a": [{"anything-but": True}]}, "a[0].anything-but", "text or a number"),
        ({"a": [{"anything-but": ["x", 5]}]}, "a[0].anything-but", "mixed"),
        ({"a": [{"anything-but": {"numeric": [">", 5]}}]}, "a[0].anything-but", "prefix"),
        ({"a": [{"anything-but": {"prefix": ""}}]}, "a[0].anything-but.prefix", "empty text"),
        ({"a": [{"anything-but": {"equals-ignore-case": {"x": 1}}}]}, "a[0].anything-but.equals-ignore-case", "text"),
        ({"a": [{"wildcard": "x**"}]}, "a[0].wildcard", "in a row"),
        ({"a": [{"wildcard": "x\\y"}]}, "a[0].wildcard", "backslash"),
        ({"$or": [{"a": ["x"]}]}, "$or[0]", "unknown operator"),
        ({"d": {"$or": [{"a": ["x"]}, {"b": []}]}}, "d.$or[1].b", "empty array"),
        ({"d": {"a": ["x"]}, "$or": [{"b": ["x"]}, {"d": {"a": ["y"]}}]}, "$or", "d.a is asked for twice"),
    ],
)
def test_refused(pattern: object, path: str, message: str) -> None:
    with pytest.raises(PatternError, match=message) as caught:
        from_eventbridge(pattern)
    assert caught.value.path.startswith(path)
    assert isinstance(caught.value, SubscriptionError) and "row 3: " in str(caught.value.at_row(3))


def test_keys_are_texts() -> None:
    for pattern, path in (({1: ["a"]}, ""), ({"a": {2: ["a"]}}, "a")):
        with pytest.raises(PatternError, match=r"a key is a text, not [12]") as caught:
            from_eventbridge(pattern)
        assert caught.value.path == path


def test_broken_json_is_pointed_at() -> None:
    with pytest.raises(SubscriptionSyntaxError) as caught:
        from_eventbridge('{"a": [1,]}')
    assert caught.value.position == 9


@pytest.mark.parametrize("name", ["n", "$or"])
def test_a_pattern_has_a_hundred_levels_and_no_more(name: str) -> None:
    """Objects inside of objects, and choices inside of choices, have a limit each."""

    def nested(levels: int) -> dict[str, object]:
        pattern: dict[str, object] = {"a": ["x"]}
        for _ in range(levels):
            pattern = {name: [pattern, {"b": ["y"]}] if name == "$or" else pattern}
        return pattern

    PredicateIndex({"s": from_eventbridge(nested(100))})
    with pytest.raises(PatternError, match="nested deeper than 100 levels"):
        from_eventbridge(nested(101))
