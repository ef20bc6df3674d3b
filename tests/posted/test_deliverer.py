"""Posted events come into the inboxes: in all languages, once, soon, with dead letters, by one process at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.limits import wait_until
from tests.test_files import no_room
from watchword.dead_letters import read_letters
from watchword.errors import OptionError, StoreError
from watchword.following import Follower
from watchword.home import Home
from watchword.items import Item
from watchword.posted import Deliverer, Spool, read_body
from watchword.posted.batches import Batches
from watchword.retention import Retention, prune
from watchword.store import Match
from watchword.store.records import now


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.make(tmp_path / "home")
    with home.store() as store:
        store.add_subscriber("ada")
        store.add_subscriber("bob")
        store.subscribe("ada", "ferry NOT calm", id="words")
    return home


@pytest.fixture
def deliverer(home: Home) -> Iterator[Deliverer]:
    """Return a deliverer without its thread."""
    with Follower(home) as follower:
        deliverer = Deliverer(home, follower)
        with deliverer.holding():
            yield deliverer


def inbox(home: Home, name: str = "ada") -> dict[str, set[str]]:
    """Return the items of an inbox, oldest first, each with the subscriptions that it matched."""
    with home.store() as store:
        found = store.inbox(name, unread_only=False)
    return {one.item.identity: {reason.subscription for reason in one.reasons} for one in reversed(found)}


def post(home: Home, *texts: str) -> None:
    Spool(home.posted).append([Item(f"e{number}", text=text, feed="posted") for number, text in enumerate(texts)])


def test_matches_come_into_the_inbox_in_the_order_of_posting(home: Home, deliverer: Deliverer) -> None:
    assert deliverer.deliver() == 0
    post(home, "the ferry", "calm ferry", "bread", "a ferry")
    assert deliverer.waiting() == 4
    assert deliverer.deliver() == 4 and deliverer.deliver() == 0
    assert inbox(home) == {"e0": {"words"}, "e3": {"words"}} and list(inbox(home)) == ["e0", "e3"]
    assert (deliverer.waiting(), deliverer.delivered, deliverer.matches) == (0, 4, 2)
    with home.store() as store:
        assert [reason.why for reason in store.inbox("ada")[0].reasons] == ["match: ferry AND NOT calm"]


@pytest.mark.slow
def test_every_language_reads_what_it_can(home: Home, deliverer: Deliverer) -> None:
    with home.store() as store:
        store.subscribe("bob", "value > 20", id="rule", language="predicates")
        store.subscribe("bob", "feed = 'posted'", id="feed", language="predicates")
        store.subscribe("bob", "//price", id="path", language="paths")
        store.subscribe("bob", "//item/title", id="title", language="paths")
        store.subscribe("bob", "f?rry", id="pattern", language="patterns")
    bodies = {
        "row": (b'{"id": "row", "value": 25, "name": "RBS"}', "application/json"),
        "field": (b'{"id": "field", "title": "A ferry"}', "application/json"),
        "plain": (b"the ferry", "text/plain"),
        "xml": (b"<order><price>25</price></order>", "application/xml"),
    }
    items = {name: read_body(*body)[0] for name, body in bodies.items()}
    Spool(home.posted).append(items.values())
    assert deliverer.deliver() == 4
    wanted = {"row": {"rule"}, "field": {"feed", "title", "pattern"}, "plain": {"feed", "pattern", "title"}}
    wanted["xml"] = {"path"}
    assert inbox(home, "bob") == {items[name].identity: found for name, found in wanted.items()}
    assert deliverer.refused == 0 and home.dead_letters() == {}


def test_a_subscription_made_before_the_event_sees_it_and_a_later_one_does_not(
    home: Home, deliverer: Deliverer
) -> None:
    with home.store() as store:
        store.subscribe("bob", "ferry", id="before")  # the follower has not looked since
    post(home, "the ferry")
    real = deliverer._follower.refresh

    def refresh() -> int:
        """Let somebody subscribe, and another refresh see it, between the counter and the match."""
        counter = real()
        with home.store() as store:
            store.subscribe("bob", "ferry", id="later")
        real()
        return counter

    deliverer._follower.refresh = refresh  # type: ignore[method-assign]
    deliverer.deliver()
    assert inbox(home, "bob") == {"e0": {"before"}}
    assert set(deliverer._follower.index("keywords")) == {"words", "before", "later"}


def test_an_event_that_a_language_cannot_read_is_a_dead_letter(home: Home, deliverer: Deliverer) -> None:
    with home.store() as store:
        store.subscribe("bob", "a = 1", id="rule", language="predicates")
    deep = '{"a": ' + "[" * 300 + "]" * 300 + "}"
    items = [Item("good", row='{"a": 1}'), Item("deep", row=deep, text="ferry"), Item("also", row='{"a": 1}')]
    Spool(home.posted).append(items)
    assert deliverer.deliver() == 3
    assert inbox(home, "bob") == {"good": {"rule"}, "also": {"rule"}}
    assert inbox(home) == {"deep": {"words"}}, "the other languages read it"
    (found,) = read_letters(home.dead_letters()["posted"])
    assert (found[0], found[1].source, found[1].position) == (1, "posted", "deep")
    assert "nested" in found[1].reason and deliverer.refused == 1


def test_a_damaged_append_becomes_a_dead_letter(home: Home, deliverer: Deliverer) -> None:
    post(home, "the ferry")
    Spool(home.posted).append([Item("next", text="ferry")])
    file = deliverer.spool.path(1)
    file.write_bytes(file.read_bytes().replace(b"the", b"teh"))
    while deliverer.deliver():
        pass
    assert inbox(home) == {"next": {"words"}}
    ((_, letter),) = read_letters(home.dead_letters()["posted"])
    assert letter.reason == "its events were altered on the disk" and "teh ferry" in letter.raw


def test_a_batch_that_was_recorded_is_not_recorded_again(home: Home, deliverer: Deliverer) -> None:
    """Killed between the inbox and the note that the batch is done; meanwhile the entry was read and removed."""
    post(home, "the ferry")
    batch = deliverer._batches.next()
    assert batch is not None
    with home.store() as store:
        store.record(batch.key, batch.items, [Match("e0", "words")])
        store.mark_read("ada")
    done = prune(home, Retention(matches=0, read=0), now() + timedelta(days=1))
    assert (done.deliveries, done.batches, inbox(home)) == (1, 0, {})
    assert deliverer.deliver() == 1
    assert inbox(home) == {} and deliverer.waiting() == 0


def test_ids_of_batches_that_cannot_come_again_are_forgotten(home: Home, deliverer: Deliverer) -> None:
    for number in range(3):
        Spool(home.posted).append([Item(f"n{number}", text="ferry")])
        deliverer.deliver()
    assert prune(home, Retention(matches=0), now() + timedelta(days=1)).batches == 2


def test_an_error_is_kept_and_the_batch_tried_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with Follower(home) as follower, Deliverer(home, follower, every=0.01) as deliverer:
        with monkeypatch.context() as patch:
            patch.setattr(Batches, "finish", lambda *_: no_room(0))
            post(home, "the ferry")
            wait_until(lambda: deliverer.error is not None, "an error")
            assert "No space left" in str(deliverer.error) and deliverer.is_holding
        wait_until(lambda: deliverer.waiting() == 0, "the delivery")
        wait_until(lambda: deliverer.error is None, "the end of the error")
    assert inbox(home) == {"e0": {"words"}}


def test_one_delivers_at_a_time_and_another_takes_over(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watchword.posted.deliverer.TAKE_OVER", 0.02)
    with Follower(home) as follower, Deliverer(home, follower, every=0.01) as first:
        wait_until(lambda: first.is_holding, "the first")
        with Deliverer(home, follower, every=0.01) as second:
            with pytest.raises(TimeoutError, match=f"process {os.getpid()}"), second.holding():
                pass
            post(home, "the ferry")
            wait_until(lambda: first.delivered == 1, "a delivery")
            assert second.delivered == 0
            first.close()
            wait_until(lambda: second.is_holding, "the second")
            Spool(home.posted).append([Item("next", text="ferry")])
            wait_until(lambda: second.delivered == 1, "another delivery")
    assert inbox(home) == {"e0": {"words"}, "next": {"words"}}


def test_it_comes_within_the_interval(home: Home) -> None:
    with Follower(home) as follower, Deliverer(home, follower, every=0.05) as deliverer:
        post(home, "the ferry")
        wait_until(lambda: deliverer.delivered == 1, "the first")
        began = time.process_time()
        time.sleep(0.3)
        assert time.process_time() - began < 0.2, "waiting costs little"
    assert deliverer.close() is None


def test_a_store_that_is_gone_and_back_loses_nothing(home: Home, deliverer: Deliverer) -> None:
    post(home, "the ferry")
    file = home.path / "store.sqlite"
    aside = file.rename(home.path / "aside")
    with pytest.raises(StoreError, match="no home"):
        deliverer.deliver()
    aside.rename(file)
    assert deliverer.deliver() == 1 and inbox(home) == {"e0": {"words"}}


@pytest.mark.parametrize("options", [{"every": 0}, {"every": float("nan")}, {"at_once": 0}])
def test_options_are_positive(home: Home, options: dict[str, float]) -> None:
    with pytest.raises(OptionError, match="every and at_once are positive"):
        Deliverer(home, Follower(home), **options)  # type: ignore[arg-type]
