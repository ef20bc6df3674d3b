"""Stories and mutes in the inbox: an entry for each story, and nothing lost."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from watchword.store import Item, Match, Profile, Store

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite") as made:
        for name in ("ada", "bob"):
            made.add_subscriber(name)
            made.subscribe(name, "ferry", id=f"{name}-ferry")
        yield made


def item(name: str, *, feed: str = "A", title: str = "", link: str = "", hours: float = 0) -> Item:
    return Item(name, title or f"Title of {name}", link=link, published=NOON + timedelta(hours=hours), feed=feed)


def deliver(store: Store, batch: str, *items: Item, to: tuple[str, ...] = ("ada-ferry",)) -> None:
    store.record(batch, items, [Match(one.identity, key) for one in items for key in to])


def shown(store: Store, **named: object) -> list[tuple[str, list[str]]]:
    found = store.inbox("ada", stories=True, **named)  # type: ignore[arg-type]
    return [(one.item.identity, [source.item for source in one.sources]) for one in found]


LINK = "https://port.example/ferry-aground"
TITLE = "Ferry with 300 aboard runs aground off Naxos"


def test_the_same_article_of_three_feeds_is_one_entry_with_its_sources(store: Store) -> None:
    deliver(store, "1", item("1", link=LINK), item("2", feed="B", link=f"{LINK}?utm_source=b"))
    deliver(store, "2", item("3", feed="C", link=f"{LINK}#top"), item("4", feed="C", link="https://c.example/x"))
    assert shown(store) == [("4", []), ("1", ["2", "3"])]
    assert [one.item.identity for one in store.inbox("ada")] == ["4", "3", "2", "1"]
    assert store.inbox_counts("ada", stories=True).unread == 2 and store.inbox_counts("ada").unread == 4


def test_a_title_joins_within_a_week_and_never_within_one_feed(store: Store) -> None:
    deliver(
        store,
        "1",
        item("a1", title=TITLE),
        item("a2", title=TITLE, hours=24),
        item("b1", feed="B", title=TITLE, hours=25),
        item("c1", feed="C", title=TITLE, hours=24 * 30),
    )
    found = dict(shown(store))
    assert set(found) == {"a1", "a2", "c1"}
    assert found["c1"] == [] and found["a1"] + found["a2"] == ["b1"]


def test_reading_one_reads_all_and_what_comes_later_is_read(store: Store) -> None:
    deliver(store, "1", item("1", link=LINK), item("2", feed="B", link=LINK))
    assert store.mark_read("ada", store.story_items("ada", ["2"])) == 2
    deliver(store, "2", item("3", feed="C", link=LINK), to=("ada-ferry", "bob-ferry"))
    assert shown(store) == [] and store.inbox_counts("ada").unread == 0
    assert [one.item.identity for one in store.inbox("bob")] == ["3"], "bob has not read it"
    assert shown(store, unread_only=False) == [("1", ["2", "3"])]


def test_a_subscriber_may_switch_it_off(store: Store) -> None:
    store.set_profile("ada", Profile(by_story=False))
    deliver(store, "1", item("1", link=LINK), item("2", feed="B", link=LINK))
    store.mark_read("ada", store.story_items("ada", ["1"]))
    deliver(store, "2", item("3", feed="C", link=LINK))
    assert shown(store) == [("3", []), ("2", [])]
    assert store.inbox_counts("ada", stories=True).unread == 2


def test_a_later_item_stands_for_a_story_whose_first_one_is_read_or_of_another_subscription(store: Store) -> None:
    other = store.subscribe("ada", "boat", id="ada-boat")
    deliver(store, "1", item("1", link=LINK))
    deliver(store, "2", item("2", feed="B", link=LINK), to=(other,))
    store.mark_read("ada", ["1"])
    assert shown(store) == [("2", ["1"])]
    assert shown(store, unread_only=False, subscription=other) == [("2", ["1"])]
    store.star("ada", ["2"])
    assert shown(store, unread_only=False, starred_only=True) == [("2", ["1"])]
    assert shown(store, unread_only=False) == [("1", ["2"])]


def test_texts_are_compared_where_the_store_is_told_to(store: Store) -> None:
    text = " ".join(f"the harbour office of island {n} said that ferry {n * 7} left in the morning" for n in range(12))

    def with_text(name: str, feed: str, text: str) -> Item:
        return Item(name, f"Title of {name}", text, f"https://{feed}.example/{name}", published=NOON, feed=feed)

    deliver(store, "1", with_text("1", "a", text), with_text("2", "b", text))
    assert len(shown(store)) == 2
    store.compare_texts(True)
    deliver(store, "2", with_text("3", "c", text), with_text("4", "d", text.replace("ferry 7 left", "ferry 7 sailed")))
    assert len(shown(store)) == 3, "what was there before has no sketch"
    store.compare_texts(False)
    deliver(store, "3", with_text("5", "e", text))
    assert len(shown(store)) == 4


def test_pages_of_stories_show_each_once_whatever_their_length(store: Store) -> None:
    draw, truth = random.Random(3), dict[str, list[str]]()
    for number in range(60):
        story = f"https://port.example/{draw.randrange(25)}"
        truth.setdefault(story, []).append(str(number))
        deliver(store, str(number), item(str(number), feed=f"F{number}", link=story))
    for limit in (1, 7, 100):
        seen, before = list[str](), None
        while page := store.inbox("ada", stories=True, limit=limit, before=before):
            seen += [one.item.identity for one in page]
            before = page[-1].number
        assert sorted(seen) == sorted(items[0] for items in truth.values())
    assert dict(shown(store)) == {items[0]: items[1:] for items in truth.values()}


# Mutes


def test_what_is_muted_is_delivered_as_read_and_alone_not_at_all(store: Store) -> None:
    store.subscribe("ada", "sport", id="no-sport")
    store.set_mutes("no-sport", True)
    assert store.mutes("no-sport") and store.muting("ada") == ["no-sport"]
    both, alone = item("both"), item("alone")
    store.record("1", [both, alone], [("both", "ada-ferry"), ("both", "no-sport"), ("alone", "no-sport")])
    assert store.inbox("ada") == []
    assert [one.item.identity for one in store.inbox("ada", unread_only=False)] == ["both"]
    store.set_mutes("no-sport", False)
    store.record("2", [item("later")], [("later", "ada-ferry"), ("later", "no-sport")])
    assert [one.item.identity for one in store.inbox("ada")] == ["later"]


@pytest.mark.parametrize("first", ["mute", "match"])
def test_a_mute_of_another_language_withholds_whichever_is_written_first(store: Store, first: str) -> None:
    store.subscribe("ada", "feed = 'A'", language="predicates", id="no-a")
    store.set_mutes("no-a", True)
    batches = {"mute": [("1", "no-a")], "match": [("1", "ada-ferry"), ("1", "bob-ferry")]}
    for name in sorted(batches, key=lambda name: name != first):
        store.record(name, [item("1")], batches[name])
    assert store.inbox("ada") == []
    assert len(store.inbox("ada", unread_only=False)) == 1
    assert len(store.inbox("bob")) == 1, "a mute is its subscriber's alone"
