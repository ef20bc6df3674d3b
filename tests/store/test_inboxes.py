"""Pages of an inbox, marks on its items, and its figures."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.store.clock import START, Clock
from watchword.errors import UnknownNameError
from watchword.store import InboxCounts, Item, Match, Store


@pytest.fixture(autouse=True)
def deliveries(store: Store) -> None:
    """Deliver the items 1 to 6 to ann, 2 and 4 to bob as well; the even ones by the subscription b."""
    for name, key in (("ann", "a"), ("ann", "b"), ("bob", "c")):
        store.subscribe(name, "ferry", id=key)
    for number in range(1, 7):
        item = str(number)
        found = [Match(item, "b" if number % 2 == 0 else "a")] + [Match(item, "c")] * (number in (2, 4))
        store.record(item, [Item(item)], found)


def shown(store: Store, name: str = "ann", **options: object) -> list[str]:
    return [delivery.item.identity for delivery in store.inbox(name, **options)]  # type: ignore[arg-type]


def test_pages_are_cut_by_the_number_of_a_delivery(store: Store) -> None:
    numbers = {delivery.item.identity: delivery.number for delivery in store.inbox("ann")}
    assert sorted(numbers.values()) == [numbers[item] for item in "123456"]
    assert shown(store) == list("654321") and shown(store, limit=2) == ["6", "5"]
    assert shown(store, limit=2, before=numbers["5"]) == ["4", "3"]
    assert shown(store, after=numbers["4"]) == ["6", "5"]
    assert shown(store, after=numbers["4"], oldest_first=True) == ["5", "6"]
    assert shown(store, after=numbers["1"], oldest_first=True, limit=2) == ["2", "3"]
    assert shown(store, after=numbers["1"], before=numbers["4"]) == ["3", "2"]
    assert shown(store, before=numbers["1"]) == shown(store, after=numbers["6"]) == []
    assert shown(store, before=10**30, after=-(10**30)) == list("654321") and shown(store, before=-(10**30)) == []
    assert shown(store, limit=10**30) == list("654321")
    assert shown(store, subscription="b", before=numbers["6"]) == ["4", "2"]


def test_reasons_are_in_the_same_order_in_both_directions(store: Store) -> None:
    store.record("more", [Item("1")], [Match("1", "b")])
    reasons = [one.subscription for one in store.inbox("ann", oldest_first=True)[0].reasons]
    assert reasons == [one.subscription for one in store.inbox("ann")[-1].reasons] == ["a", "b"]


def test_all_that_was_seen_is_marked_and_nothing_that_came_since(store: Store) -> None:
    seen = store.inbox("ann", after=0)[2].number  # of item 4
    assert store.mark_read("ann", through=seen) == 4
    assert shown(store) == ["6", "5"] and shown(store, "bob") == ["4", "2"]
    assert store.mark_read("ann", ["3", "5", "6"], through=seen + 2) == 1 and shown(store) == ["6"]
    assert store.mark_read("ann", through=0) == store.mark_read("ann", through=-(10**30)) == 0
    assert store.mark_read("ann", through=10**30) == 1


def test_an_item_is_marked_unread_again(store: Store) -> None:
    store.mark_read("ann")
    assert store.mark_unread("ann", ["2", "3", "3", "unknown", "\ud800"]) == 2 and shown(store) == ["3", "2"]
    assert store.mark_unread("ann", ["2"]) == store.mark_unread("ann", []) == 0
    assert store.inbox("ann")[0].read_at is None and shown(store, "bob") == ["4", "2"]


def test_starred_items_are_found_and_kept(store: Store, clock: Clock) -> None:
    clock.time += timedelta(hours=1)
    assert store.star("ann", ["2", "5", "2", "unknown"]) == 2
    assert shown(store, starred_only=True) == ["5", "2"] and shown(store, "bob", starred_only=True) == []
    store.mark_read("ann", ["5"])
    assert shown(store, starred_only=True) == ["2"]
    assert shown(store, starred_only=True, unread_only=False, limit=1) == ["5"]
    first = store.inbox("ann", starred_only=True)[0]
    assert first.starred_at == clock.time == START + timedelta(hours=1)
    clock.time += timedelta(hours=1)
    assert store.star("ann", ["2"]) == 0 and store.inbox("ann", starred_only=True)[0].starred_at == first.starred_at
    clock.time += timedelta(days=99)
    assert store.prune(clock.time, unread=True) == 6, "four of ann's, two of bob's"
    assert shown(store, unread_only=False) == ["5", "2"] and store.stats().items == 2
    assert store.star("ann", ["5", "6"], starred=False) == 1 and store.star("ann", ["5"], starred=False) == 0
    assert store.prune(clock.time) == 1 and shown(store, unread_only=False) == ["2"]


def test_an_inbox_in_figures(store: Store) -> None:
    store.record("more", [Item("1")], [Match("1", "b")])
    assert store.inbox_counts("ann") == InboxCounts(6, 0, 6, {"a": 3, "b": 4})
    store.mark_read("ann", ["1", "2"])
    store.star("ann", ["1", "3"])
    assert store.inbox_counts("ann") == InboxCounts(4, 2, 6, {"a": 2, "b": 2})
    store.mark_read("ann")
    store.unsubscribe("a")
    assert store.inbox_counts("ann") == InboxCounts(0, 2, 6, {})
    store.add_subscriber("cid")
    assert store.inbox_counts("cid") == InboxCounts(0, 0, 0, {})


def test_the_last_delivery_grows_with_the_own_inbox_alone(store: Store) -> None:
    last = {name: store.last_delivery(name) for name in ("ann", "bob")}
    assert last["ann"] == store.inbox("ann")[0].number and last["bob"] == store.inbox("bob")[0].number
    store.record("7", [Item("7")], [Match("7", "c")])
    assert store.last_delivery("ann") == last["ann"] < store.last_delivery("bob") == store.inbox("bob")[0].number
    store.add_subscriber("cid")
    assert store.last_delivery("cid") == 0


def test_unknown_subscribers(store: Store) -> None:
    for work in (
        lambda: store.inbox_counts("cid"),
        lambda: store.last_delivery("cid"),
        lambda: store.mark_unread("cid", []),
        lambda: store.star("cid", []),
        lambda: store.mark_read("\ud800", through=3),
    ):
        with pytest.raises(UnknownNameError, match="no subscriber"):
            work()
