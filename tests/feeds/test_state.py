"""What is new in a feed, decided without a network; compared with a plain account of what was published."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.feeds.server import rss
from watchword.errors import FeedError
from watchword.feeds import FeedState, Limits, dump_state, load_state, parse
from watchword.feeds.state import Validators, advance, request_headers, validators

NUMBERS = st.lists(st.integers(0, 12), unique=True, max_size=8)


def titles(state: FeedState, numbers: list[int], limits: Limits) -> tuple[FeedState, list[str]]:
    after, new = advance(state, parse(rss(numbers), "f"), "digest", Validators(), limits)
    return after, [item.title for item in new]


@pytest.mark.slow
@given(st.lists(NUMBERS, max_size=8))
def test_with_room_each_item_is_published_once(documents: list[list[int]]) -> None:
    state, published = FeedState(), []
    for numbers in documents:
        state, new = titles(state, numbers, Limits(max_seen=100))
        published += new
    expected = list(dict.fromkeys(f"item {n}" for numbers in documents for n in numbers))
    assert sorted(published) == sorted(expected)


@pytest.mark.slow
@given(st.lists(NUMBERS, max_size=8), st.integers(0, 6))
def test_memory_is_bounded_and_the_last_document_is_never_forgotten(documents: list[list[int]], room: int) -> None:
    limits, state, recent = Limits(max_seen=room), FeedState(), []
    for numbers in documents:
        state, new = titles(state, numbers, limits)
        assert new == [f"item {n}" for n in numbers if n not in recent]
        assert titles(state, numbers, limits)[1] == []
        earlier = [n for n in recent if n not in numbers]
        recent = numbers + earlier[: max(0, room - len(numbers))]
        assert len(state.seen) <= max(room, len(numbers))


def test_a_state_survives_json() -> None:
    state = {"http://a.example/": FeedState('"e"', "Tue, 02 Jun 2026 06:30:00 GMT", "d", ("1", "2")), "b": FeedState()}
    assert load_state(dump_state(state)) == state


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 1}', '{"format": 99, "feeds": {}}', '{"format": 1, "feeds": {"a": {"seen": 3}}}'],
)
def test_a_bad_state_is_named(text: str) -> None:
    with pytest.raises(FeedError) as caught:
        load_state(text, "state.json")
    assert caught.value.source == "state.json"


def test_validators_that_cannot_be_sent_back_are_dropped() -> None:
    assert validators({"etag": 'W/"x"', "last-modified": "yesterday"}) == Validators('W/"x"', "yesterday")
    assert validators({"etag": "x" * 10_000, "last-modified": "a\nb"}) == Validators()
    assert request_headers(FeedState()) == {}
    assert json.dumps(request_headers(FeedState(etag="e"))) == '{"If-None-Match": "e"}'
