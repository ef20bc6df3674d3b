"""Filter policies: the documented ones by hand, random ones against a judge that knows SNS only."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests import predicate_oracle
from tests.predicates.dialects import aws_judge
from tests.predicates.dialects.aws_strategies import events, flat_patterns, patterns
from watchword.errors import OptionError
from watchword.predicates.dialects.aws import PatternError
from watchword.predicates.dialects.sns import from_sns

MESSAGE = {
    "store": "example_corp",
    "event": "order_placed",
    "customer_interests": ["rugby", "baseball"],
    "price_usd": 210.75,
    "key_a": "10.0.0.255",
}


@pytest.mark.parametrize(
    ("policy", "accepted"),
    [
        ({"store": ["example_corp"], "customer_interests": ["rugby", "football"]}, True),
        ({"customer_interests": ["tennis"]}, False),
        ({"customer_interests": [{"anything-but": "rugby"}]}, True),
        ({"event": [{"anything-but": {"prefix": "order-"}}]}, True),
        ({"event": [{"prefix": "order_"}]}, True),
        ({"event": [{"suffix": "_cancelled"}]}, False),
        ({"event": [{"equals-ignore-case": "ORDER_Placed"}]}, True),
        ({"event": [{"wildcard": "o*_p*d"}]}, True),
        ({"customer_interests": [{"wildcard": "*u*b*"}]}, True),
        ({"event": [{"anything-but": {"wildcard": "*_placed"}}]}, False),
        ({"price_usd": [{"numeric": ["=", 2.1075e2]}]}, True),
        ({"price_usd": [{"numeric": [">", 0, "<", 210.75]}]}, False),
        ({"price_usd": [{"anything-but": [100, 500]}]}, True),
        ({"key_a": [{"cidr": "10.0.0.0/24"}]}, True),
        ({"store": [{"exists": True}], "encrypted": [{"exists": False}]}, True),
        ({"store": ["example_corp"], "$or": [{"event": ["x"]}, {"price_usd": [{"numeric": [">", 100]}]}]}, True),
    ],
)
def test_documented_examples(policy: dict, accepted: bool) -> None:
    assert predicate_oracle.matches(from_sns(json.dumps(policy)), MESSAGE) is accepted


@pytest.mark.slow
@given(flat_patterns, events)
def test_same_answers_for_attributes(policy: dict, event: dict) -> None:
    assert predicate_oracle.matches(from_sns(policy), event) is aws_judge.answers(policy, event)


@pytest.mark.slow
@given(patterns, events)
def test_same_answers_for_bodies(policy: dict, event: dict) -> None:
    text = from_sns(json.dumps(policy), scope="MessageBody")
    assert predicate_oracle.matches(text, event) is aws_judge.answers(policy, event)


@pytest.mark.parametrize("policy", [{"a": {"b": ["x"]}}, {"$or": [{"a": ["x"]}, {"b": {"c": ["x"]}}]}])
def test_attributes_are_flat(policy: dict) -> None:
    assert from_sns(policy, scope="MessageBody")
    with pytest.raises(PatternError, match="MessageBody"):
        from_sns(policy)


def test_scope_is_one_of_two() -> None:
    with pytest.raises(OptionError, match="MessageBody"):
        from_sns({"a": ["x"]}, scope="body")
