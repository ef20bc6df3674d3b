"""A store whose subscribers ask for attributes and properties: checked when they subscribe, options that are data."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from watchword import Index
from watchword.errors import OptionError, StoreError, SubscriptionError, SubscriptionSyntaxError
from watchword.languages import language_class
from watchword.store import Request, Store

TOPICS = {"topic": {"national": "politics", "local": ["politics", "region"]}}


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with Store.open(address) as store:
        store.add_subscriber("ann")
        yield store


def follow(store: Store, language: str) -> Index:
    index = language_class(language)(**store.options(language))
    for change in store.changes_since(0, language=language).changes:
        if change.text is not None:
            index[change.id] = change.text
    return index


def test_predicates(store: Store) -> None:
    store.set_options("predicates", hierarchies=TOPICS)
    store.subscribe("ann", "topic KIND OF 'politics' AND value > 20", id="a", language="predicates")
    store.subscribe("ann", "greece", id="k")
    for bad in ("value >", "value == 20", "name =~ 'x'", "MATCHES '('"):
        with pytest.raises(SubscriptionSyntaxError):
            store.subscribe("ann", bad, language="predicates")
    with pytest.raises(SubscriptionError, match="row 1"):
        store.subscribe_many([Request("ann", "a = 1", None, "predicates"), Request("ann", "a = ", None, "predicates")])
    assert store.stats().subscriptions == {"keywords": 1, "predicates": 1}
    index = follow(store, "predicates")
    assert index.match({"topic": "local", "value": 25}) == ["a"] and index.match({"topic": "region", "value": 25}) == []
    with pytest.raises(StoreError, match="predicates"):
        store.set_options("predicates", hierarchies={})
    store.set_options("predicates", hierarchies=TOPICS)  # the same may be chosen again


def test_options_that_cannot_be(store: Store) -> None:
    for bad, reason in [({"topic": {"a": "b", "b": "a"}}, "cycle"), ({"topic": {1, 2}}, "kept"), ([], "mapping")]:
        with pytest.raises(OptionError, match=reason):
            store.set_options("predicates", hierarchies=bad)
    assert store.options("predicates") == {"text": ["title", "text"]} and store.stats().options == {}


def test_a_bare_matches_reads_title_and_text_unless_other_attributes_were_chosen(store: Store) -> None:
    store.subscribe("ann", "MATCHES 'ferry storm'", id="m", language="predicates")
    assert follow(store, "predicates").match({"title": "Ferry", "text": "storm"}) == ["m"]
    assert follow(store, "predicates").match({"title": "Ferry", "body": "storm"}) == []


def test_other_attributes_for_a_bare_matches(store: Store) -> None:
    store.set_options("predicates", text="headline,body")
    store.subscribe("ann", "MATCHES 'ferry storm'", id="m", language="predicates")
    assert follow(store, "predicates").match({"headline": "Ferry", "body": "storm"}) == ["m"]
    assert follow(store, "predicates").match({"title": "Ferry", "text": "storm"}) == []


def test_properties_are_declared_first(store: Store) -> None:
    with pytest.raises(OptionError, match="properties is missing"):
        store.subscribe("ann", "sports=1", language="properties")
    store.set_options("properties", properties=["sports", "arts"])
    store.subscribe("ann", "sports=1 arts=0", id="p", language="properties")
    with pytest.raises(SubscriptionError, match="chess"):
        store.subscribe("ann", "chess=1", language="properties")
    assert follow(store, "properties").match({"sports"}) == ["p"]
