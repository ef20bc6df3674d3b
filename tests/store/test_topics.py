"""Topics in a store: the tree that KIND OF asks in, replaced while subscriptions stay."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from watchword import Index
from watchword.errors import OptionError, StoreError, SubscriptionError
from watchword.languages import language_class
from watchword.store import Item, Match, Store

TREE = {"national": ["politics"], "local": ["politics", "region"]}


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with Store.open(address) as store:
        store.add_subscriber("ann")
        yield store


def found(store: Store, *categories: str) -> list[str]:
    index: Index[str] = language_class("predicates")(**store.options("predicates"))
    index.update({one.id: one.text for one in store.subscriptions(language="predicates")})
    return index.match({"categories": list(categories)})


def test_subscriptions_from_before_follow_the_new_tree(store: Store) -> None:
    store.subscribe("ann", "categories KIND OF 'politics'", id="p", language="predicates")
    assert found(store, "politics/national") == ["p"] and found(store, "national") == []
    before = store.options_digest()
    store.set_topics(TREE)
    assert store.topics() == TREE and store.options_digest() != before
    assert found(store, "national") == found(store, "sports", "local") == ["p"]
    store.set_topics({"local": ["region"]})
    assert found(store, "local") == [] and store.topics() == {"local": ["region"]}
    store.set_topics({})
    assert store.topics() == {} and store.options("predicates")["text"] == ["title", "text"]


def test_other_options_stay_and_keep_the_topics(store: Store) -> None:
    store.set_options("predicates", text=["body"], hierarchies={"place": {"pier": "harbour"}})
    store.set_topics(TREE)
    store.set_topics({"oslo": ["norway"]}, attribute="place")
    store.set_options("predicates", text=["body"])  # the same again, as `watchword init` may
    assert store.options("predicates") == {
        "text": ["body"],
        "hierarchies": {"categories": TREE, "place": {"oslo": ["norway"]}},
    }
    store.set_options("predicates", text=["title"])
    assert store.topics() == TREE and store.topics("place") == {"oslo": ["norway"]}
    store.subscribe("ann", "categories KIND OF 'politics'", language="predicates")
    with pytest.raises(StoreError, match="keeps its options"):
        store.set_options("predicates", text=["body"])


def test_a_cycle_is_named_with_its_members_and_changes_nothing(store: Store) -> None:
    store.set_topics(TREE)
    with pytest.raises(OptionError, match="has a cycle: a below b below c below a"):
        store.set_topics({"x": ["a"], "a": ["b"], "b": ["c", "politics"], "c": ["a"]})
    with pytest.raises(OptionError, match=r"has a cycle: t0 below .*\(9,981 more\)") as caught:
        store.set_topics({f"t{n}": [f"t{(n + 1) % 10_000}"] for n in range(10_000)})
    assert len(str(caught.value)) < 500
    assert store.topics() == TREE


def test_with_a_schema_no_subscription_loses_its_topic(store: Store) -> None:
    schema = {"attributes": {"categories": {"kind_of": "categories"}}}
    store.set_options("predicates", schema=schema, hierarchies={"categories": TREE})
    store.subscribe("ann", "categories KIND OF 'region'", id="r", language="predicates")
    with pytest.raises(SubscriptionError, match="'gone' is none"):
        store.subscribe("ann", "categories KIND OF 'gone'", language="predicates")
    with pytest.raises(SubscriptionError, match="subscription 'r' would be refused"):
        store.set_topics({"national": ["politics"]})
    assert store.topics() == TREE
    store.set_topics({"local": ["region"]})


def test_a_reason_is_told_in_the_tree_of_now(store: Store) -> None:
    store.set_topics(TREE)
    store.subscribe("ann", "categories KIND OF 'politics'", id="p", language="predicates")
    store.record("1", [Item("urn:1", categories=("local",), feed="f")], [Match("urn:1", "p")])
    (reason,) = store.inbox("ann")[0].reasons
    assert reason.why == "match: categories KIND OF 'politics'"
    store.set_topics({})
    (reason,) = store.inbox("ann")[0].reasons
    assert reason.why.startswith("matched when it was delivered; the subscription, and the topics, as they are now")
