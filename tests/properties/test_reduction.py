"""Section 2.1: partial match by a property index, and matching by a store of tuples, for all inputs of few bits."""

from __future__ import annotations

from itertools import product

import pytest

from tests import oracle
from watchword import PropertyIndex
from watchword.properties.reduction import (
    event_as_query,
    pair_names,
    partly_matches,
    query_as_event,
    subscription_as_tuple,
    tuple_as_subscription,
)


def strings(characters: str, length: int) -> list[str]:
    return ["".join(chosen) for chosen in product(characters, repeat=length)]


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
@pytest.mark.parametrize("method", ["auto", "tree", "rapid"])
def test_a_property_index_answers_partial_match_queries(bits: int, method: str) -> None:
    tuples = strings("01", bits)
    index = PropertyIndex(
        {data: tuple_as_subscription(data) for data in tuples}, properties=pair_names(bits), method=method
    )
    for query in strings("01*", bits):
        agreeing = [data for data in tuples if all(a in ("*", b) for a, b in zip(query, data, strict=True))]
        assert index.match(query_as_event(query)) == agreeing


@pytest.mark.parametrize("properties", [1, 2, 3, 4])
def test_a_store_of_tuples_answers_property_events(properties: int) -> None:
    names = [f"p{number}" for number in range(properties)]
    store = {subscription: subscription_as_tuple(subscription) for subscription in strings("01*", properties)}
    for event in strings("01", properties):
        found = [key for key, data in store.items() if partly_matches(data, event_as_query(event))]
        assert found == [key for key in store if oracle.matches_properties(key, event, names)]


@pytest.mark.parametrize(
    ("function", "text"), [(tuple_as_subscription, "0*"), (event_as_query, "*"), (query_as_event, "01x")]
)
def test_other_characters_are_refused(function: object, text: str) -> None:
    with pytest.raises(ValueError, match="expected one of 0 1"):
        function(text)  # type: ignore[operator]
