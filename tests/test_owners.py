"""Whose subscriptions an index has: kept as the shorter of two sets, through every change of hands."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import pytest

from watchword.following import Follower
from watchword.home import Home
from watchword.owners import Owners
from watchword.store import Owned, Request, Store


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.make(tmp_path / "home")
    with made.store() as store:
        for name in ("ada", "bob", "eve"):
            store.add_subscriber(name)
    return made


def own(store: Store, name: str) -> set[str]:
    return {one.id for one in store.subscriptions(name)}


def kept(follower: Follower, store: Store, name: str) -> set[str]:
    """Return the ids of all subscriptions that a follower takes for a subscriber's."""
    everything = [one.id for one in store.subscriptions()]
    return set(follower.owned(name).keep(everything))


def test_the_shorter_set_is_kept(home: Home) -> None:
    with home.store() as store, Follower(home) as follower:
        store.subscribe_many(Request("ada", "ferry", f"a{number}") for number in range(10))
        store.subscribe("bob", "storm", id="b")
        follower.refresh()
        assert follower.owned("ada") == Owned(others={"b"})
        assert follower.owned("bob") == Owned(ids={"b"})
        assert follower.owned("eve") == Owned(ids=set())
        assert not follower.owned("ada").is_all
        store.unsubscribe("b")
        follower.refresh()
        assert kept(follower, store, "ada") == {f"a{number}" for number in range(10)}


def test_one_subscriber_alone_costs_nothing(home: Home) -> None:
    with home.store() as store, Follower(home) as follower:
        store.subscribe_many(Request("ada", "ferry", f"a{number}") for number in range(10))
        follower.refresh()
        assert follower.owned("ada").is_all
        assert len(follower.owned("ada")) == 0
        found = ["a1", "a2"]
        assert follower.owned("ada").keep(found) is found


def test_an_id_that_changes_hands_leaves_the_indexes_first(home: Home) -> None:
    with home.store() as store, Follower(home) as follower:
        store.subscribe("ada", "ferry", id="shared")
        store.subscribe("bob", "bread", id="b")
        follower.refresh()
        assert "shared" in follower.owned("ada")
        assert "shared" not in follower.owned("bob")
        version = follower.owners.version
        store.unsubscribe("shared")
        store.subscribe("bob", "storm", id="shared")
        follower.refresh()
        assert "shared" not in follower.owned("ada")
        assert "shared" in follower.owned("bob")
        assert follower.owners.version == version + 2
        assert follower.index("keywords").match("a ferry") == []
        assert follower.index("keywords").match("a storm") == ["shared"]


def test_changes_that_hand_nothing_over_leave_the_version(home: Home) -> None:
    with home.store() as store, Follower(home) as follower:
        store.subscribe("ada", "ferry", id="a")
        follower.refresh()
        follower.owned("ada"), follower.owned("bob")
        version = follower.owners.version
        store.subscribe("ada", "storm", id="a")
        store.subscribe("bob", "storm", id="b")
        follower.refresh()
        assert follower.owners.version == version


@pytest.mark.slow
def test_a_random_life_agrees_with_the_store(home: Home) -> None:
    draw = random.Random(24)
    names, ids = ["ada", "bob", "eve"], [f"id{number}" for number in range(12)]
    with home.store() as store, Follower(home) as follower:
        for _ in range(150):
            key = draw.choice(ids)
            owner = next((one.subscriber for one in store.subscriptions() if one.id == key), None)
            if owner is None:
                language = draw.choice(["keywords", "patterns"])
                store.subscribe(draw.choice(names), draw.choice(["ferry", "storm"]), id=key, language=language)
            elif draw.random() < 0.5:
                store.unsubscribe(key)
            else:
                store.subscribe(owner, draw.choice(["bread", "chess"]), id=key)
            if draw.random() < 0.4:
                follower.refresh()
                for name in draw.sample(names, 2):
                    assert kept(follower, store, name) == own(store, name), name


def test_a_restored_store_forgets_everything(home: Home) -> None:
    with home.store() as store, Follower(home) as follower:
        store.subscribe("ada", "ferry", id="a")
        follower.refresh()
        assert "a" in follower.owned("ada")
        store.unsubscribe("a")
        store.subscribe("bob", "ferry", id="a")
        follower.owners.forget()
        assert follower.owners.find("ada") is None
        assert "a" not in follower.owned("ada")
        assert follower.counter == store.counter


def test_owners_beyond_the_limit_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watchword.owners.MOST_IDS", 3)
    owners = Owners()
    for name in ("ada", "bob", "eve"):
        owners.begin(name, Owned(ids={f"{name}1", f"{name}2"}))
        assert owners.find(name) is None  # until the indexes have come up to it
        owners.end()
    assert owners.find("ada") is None
    assert owners.find("eve") == Owned(ids={"eve1", "eve2"})


@pytest.mark.slow
def test_nobody_ever_sees_a_match_of_the_others_text(home: Home) -> None:
    stop, faults = threading.Event(), []
    with home.store() as store, Follower(home, every=0.001) as follower:
        store.subscribe("eve", "x", id="x")

        def watch(name: str, foreign: str) -> None:
            while not stop.is_set():
                version = follower.owners.version
                found = follower.owned(name).keep(follower.index("keywords").match(foreign))
                if found and version % 2 == 0 and version == follower.owners.version:
                    faults.append((name, found))

        watchers = [threading.Thread(target=watch, args=pair) for pair in (("ada", "buoy"), ("bob", "anchor"))]
        for watcher in watchers:
            watcher.start()
        for turn in range(60):
            name, text = (("ada", "anchor"), ("bob", "buoy"))[turn % 2]
            store.subscribe(name, text, id="shared")
            if turn % 3:
                follower.wait_for(store.counter)
            store.unsubscribe("shared")
        stop.set()
        for watcher in watchers:
            watcher.join()
    assert not faults
