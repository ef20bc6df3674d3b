"""The marks of items, unread items, news of all subscribers, and the places that a reason names."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from watchword.errors import UnknownNameError
from watchword.index.places import Place
from watchword.store import Item, Match, Store
from watchword.store.inboxes import Marks


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """Return a store in which ada has the items 0 to 4 as deliveries 1 to 5, and bob item 4 as delivery 6."""
    with Store.open(address) as store:
        for name, key in (("ada", "a"), ("bob", "b")):
            store.add_subscriber(name)
            store.subscribe(name, "ferry AND (storm OR calm)", id=key)
        items = [Item(f"i{number}", "The ferry", "in a storm") for number in range(5)]
        store.record("one", items, [Match(item.identity, "a") for item in items])
        store.record("two", items[4:], [Match("i4", "b")])
        yield store


def test_the_marks_of_items(store: Store) -> None:
    store.mark_read("ada", ["i1", "i2"])
    store.star("ada", ["i2", "i3"])
    wanted = [Marks("i2", True, True), Marks("i1", True, False), Marks("i3", False, True), Marks("i0", False, False)]
    assert store.marks("ada", ["i2", "i1", "i2", "nowhere", "i3", "i0"]) == wanted
    assert store.marks("bob", ["i0", "i4"]) == [Marks("i4", False, False)] and store.marks("ada", []) == []
    with pytest.raises(UnknownNameError):
        store.marks("cleo", ["i1"])


def test_unread_items(store: Store) -> None:
    store.mark_read("ada", ["i3"])
    assert store.unread_items("ada", limit=10) == ["i4", "i2", "i1", "i0"]
    assert store.unread_items("ada", through=3, limit=2) == ["i2", "i1"]
    assert store.unread_items("ada", through=0, limit=2) == store.unread_items("ada", limit=0) == []
    assert store.unread_items("bob", limit=10) == ["i4"]


def test_news_of_all_subscribers(store: Store) -> None:
    assert store.newest_delivery() == 6
    assert store.news(0) == {"ada": 5, "bob": 6} and store.news(5) == {"bob": 6} and store.news(6) == {}
    store.remove_subscriber("bob")
    assert store.newest_delivery() == 5 and store.news(0) == {"ada": 5}
    store.record("three", [Item("i9", "A calm ferry")], [Match("i9", "a")])
    assert store.news(5) == {"ada": 7}, "numbers are never used again"


def test_places_of_a_reason(store: Store) -> None:
    (reason,) = store.inbox("ada", limit=1)[0].reasons
    assert [place[:3] for place in reason.places] == [(4, 9, None), (16, 21, None)]
    again = pickle.loads(pickle.dumps(reason))
    assert again == reason and list(again.places) == list(reason.places)
    assert all(isinstance(place, Place) for place in again.places)
    store.subscribe("ada", "bread", id="a")
    assert list(store.inbox("ada", limit=1)[0].reasons[0].places) == [], "it does not match any more"
    store.unsubscribe("a")
    assert list(store.inbox("ada", limit=1)[0].reasons[0].places) == []


def test_a_reason_that_came_with_the_match_has_places_too(store: Store) -> None:
    store.record("four", [Item("i9", "A calm ferry")], [Match("i9", "a", "because")])
    (reason,) = store.inbox("ada", limit=1)[0].reasons
    assert reason.why == "because" and [place[:2] for place in reason.places] == [(2, 6), (7, 12)]
