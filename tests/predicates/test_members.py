"""CONTAINS asks for a member of a list; where it meets a text, that is refused or said, and no answer changes."""

from __future__ import annotations

import doctest
import logging

import pandas as pd
import pyarrow as pa
import pytest

from watchword import PredicateIndex
from watchword.errors import SubscriptionSyntaxError
from watchword.predicates.events import members

RULES = {
    "storm": "title CONTAINS 'storm'",
    "eggs": "ANY orders (sku CONTAINS 'egg' IGNORING CASE)",
    "five": "n CONTAINS 5",
}
EVENT = {"title": "A storm at sea", "n": 55, "orders": [{"sku": ["eggs"]}, {"sku": "eggs"}]}


def test_example() -> None:
    outcome = doctest.testmod(members)
    assert outcome.attempted and not outcome.failed


@pytest.mark.parametrize(
    "ask",
    [
        lambda index: index.match(EVENT),
        lambda index: index.match('{"title": "A storm at sea", "orders": {"sku": "eggs"}}'),
        lambda index: index.match_many([EVENT, EVENT]),
        lambda index: index.match_many(pa.Table.from_pylist([{**EVENT, "orders": [{"sku": "eggs"}]}])),
        lambda index: index.match_many(pd.DataFrame([{**EVENT, "orders": [{"sku": "eggs"}]}])),
        lambda index: index.match_many(pa.array(['{"title": "A storm at sea", "orders": {"sku": "eggs"}}'] * 20)),
        lambda index: index.explain(EVENT, "storm") and index.explain(EVENT, "eggs"),
    ],
)
def test_a_text_is_said_once(ask: object, caplog: pytest.LogCaptureFixture) -> None:
    index = PredicateIndex(RULES)
    with caplog.at_level(logging.WARNING, "watchword.predicates"):
        ask(index)
        ask(index)
    told = [record.getMessage() for record in caplog.records]
    assert [line.split(" asks")[0] for line in told] == ["title CONTAINS 'storm'", "orders.sku CONTAINS 'egg'"]
    assert "title HAS 'storm'" in told[0] and "the text 'A storm at sea'" in told[0]


def test_lists_and_whole_texts_are_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    index = PredicateIndex(RULES)
    events = [{"title": ["storm", "A storm"]}, {"title": "storm"}, {"title": "sea"}, {"title": None}, {"n": [5]}, {}]
    with caplog.at_level(logging.WARNING, "watchword.predicates"):
        found = index.match_many(events).to_pydict()
        assert [index.match(event) for event in events[:2]] == [["storm"], ["storm"]]
    assert found == {"event": [0, 1, 4], "subscription": ["storm", "storm", "five"]} and not caplog.records


def test_only_the_first_events_are_looked_at(caplog: pytest.LogCaptureFixture) -> None:
    index = PredicateIndex(RULES)
    with caplog.at_level(logging.WARNING, "watchword.predicates"):
        index.match_many([{}] * members.LOOKED_AT)
        index.match(EVENT)
        index["more"] = "name CONTAINS 'x'"
        index.match({"name": "xy"})
    assert not caplog.records


@pytest.mark.parametrize("kind", ["text", "text?"])
def test_a_schema_refuses_it_of_one_text(kind: str) -> None:
    index = PredicateIndex(schema={"attributes": {"title": kind, "tags": "text*", "day": "date", "side": ["buy"]}})
    with pytest.raises(
        SubscriptionSyntaxError, match="the schema has title as one text; HAS asks for a part"
    ) as caught:
        index["s"] = "tags CONTAINS 'a' AND title CONTAINS 'storm'"
    assert caught.value.position == 37 and len(index) == 0
    index["s"] = "tags CONTAINS 'a' OR day CONTAINS '2026-11-16' OR side CONTAINS 'buy'"
    assert index.match({"title": "x", "tags": ["a"], "day": "2026-11-15", "side": "buy"}) == ["s"]


def test_an_attribute_of_the_option_text_is_one_text() -> None:
    index = PredicateIndex(text=["title", "orders.note"])
    for text in ["title CONTAINS 'storm'", "ANY orders (note CONTAINS 'x')", "title CONTAINS '2026-11-16'"]:
        with pytest.raises(SubscriptionSyntaxError, match="the option text"):
            index["s"] = text
    index["s"] = "tags CONTAINS 'storm' AND title CONTAINS 5"
