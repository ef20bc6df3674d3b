"""The outbox: written with the batch, shared by dispatchers, and lost by none."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from watchword.errors import ConflictError, OptionError, StoreError, UnknownNameError
from watchword.store import Attempt, Channel, Desk, Item, Match, Planned, Store, Verdict
from watchword.store.channels import MOST_CHANNELS
from watchword.store.outbox import LEASE

NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(tmp_path / "store.sqlite", clock=clock) as made:
        for name in ("ada", "bob"):
            made.add_subscriber(name)
            made.subscribe(name, "ferry", id=f"{name}-ferry")
        yield made


def send_all(desk: Desk) -> list[Planned]:
    return [
        Planned(one.number, "withhold" if one.muted else "send", "muted" if one.muted else "", None)
        for one in desk.pending
    ]


def channel(name: str = "desk", subscriber: str = "ada", **named: object) -> Channel:
    return Channel(0, subscriber, name, "webhook", f"https://{name}.example/", **named)  # type: ignore[arg-type]


def deliver(store: Store, batch: str, *names: str, key: str = "ada-ferry", **named: bool) -> None:
    store.record(batch, [Item(name, title=name) for name in names], [Match(name, key) for name in names], **named)


def told(store: Store, holder: str = "d1") -> dict[str, list[str]]:
    """Return what a dispatcher gets, by channel: the identities of the items."""
    work = store.exchange(holder, send_all)
    found = {}
    for one in work:
        numbers = [number for job in one.jobs for number in job.deliveries]
        found[one.channel.name] = [store.deliveries([number])[number].item.identity for number in numbers]
    return found


def test_a_channel_that_takes_everything_is_told_of_each_new_match_once(store: Store) -> None:
    store.add_channel(channel())
    store.add_channel(channel("bobs", "bob"))
    deliver(store, "1", "a", "b")
    deliver(store, "1", "a", "b")
    deliver(store, "2", "a", "c")
    assert told(store) == {"desk": ["a", "b", "c"]}
    assert told(store) == {}


def test_subscriptions_point_to_their_channels_and_the_others_hear_nothing_of_it(store: Store) -> None:
    store.add_channel(channel())
    store.add_channel(channel("phone", everything=False))
    store.subscribe("ada", "storm", id="ada-storm")
    store.set_routes("ada-storm", ["phone"])
    deliver(store, "1", "a")
    deliver(store, "2", "b", key="ada-storm")
    store.record("3", [Item("c")], [Match("c", "ada-ferry"), Match("c", "ada-storm")])
    assert told(store) == {"desk": ["a", "c"], "phone": ["b", "c"]}
    assert store.routes("ada-storm") == ["phone"]
    store.set_routes("ada-storm", [])
    deliver(store, "4", "d", key="ada-storm")
    assert told(store, "d2") == {}, "d1 has both channels"
    store.release("d1")
    assert told(store, "d2")["desk"][-1] == "d"


def test_what_the_inbox_had_before_the_channel_is_no_news(store: Store) -> None:
    deliver(store, "1", "a")
    store.add_channel(channel())
    deliver(store, "again", "a")
    deliver(store, "filled", "b", notify=False)
    assert told(store) == {}


def test_a_batch_that_fails_leaves_nothing_in_the_outbox(store: Store) -> None:
    store.add_channel(channel())
    with pytest.raises(StoreError):
        store.record("1", [Item("a")], [Match("a", "ada-ferry"), Match("stray", "ada-ferry")])
    assert store.outbox_counts().new == 0 and told(store) == {}


def test_muted_matches_are_withheld_and_the_log_says_so(store: Store) -> None:
    store.add_channel(channel())
    store.subscribe("ada", "sport", id="no-sport")
    store.set_mutes("no-sport", True)
    store.record("1", [Item("a"), Item("b")], [("a", "ada-ferry"), ("a", "no-sport"), ("b", "ada-ferry")])
    assert told(store) == {"desk": ["b"]}
    assert [(one.item, one.state, one.reason) for one in store.unsent("ada")] == [("a", "withheld", "muted")]


def test_a_mute_that_comes_later_withholds_what_is_not_planned_yet(store: Store) -> None:
    store.add_channel(channel())
    store.subscribe("ada", "sport", id="no-sport")
    store.set_mutes("no-sport", True)
    deliver(store, "1", "a", "b")
    deliver(store, "2", "a", key="no-sport")
    assert told(store) == {"desk": ["b"]}


def test_two_dispatchers_share_and_one_that_died_is_followed(store: Store, clock: Clock) -> None:
    for name in ("one", "two"):
        store.add_channel(channel(name))
    deliver(store, "1", "a")
    first = store.exchange("d1", send_all, channels=1)
    second = store.exchange("d2", send_all)
    assert [one.channel.name for one in first + second] == ["one", "two"]
    assert store.exchange("d3", send_all) == [] and not store.has_work()
    clock.now += LEASE + timedelta(seconds=1)
    again = store.exchange("d3", send_all)
    assert [job.id for one in again for job in one.jobs] == [job.id for one in first + second for job in one.jobs]


def test_a_lease_of_a_clock_that_was_set_back_does_not_count(store: Store, clock: Clock) -> None:
    store.add_channel(channel())
    deliver(store, "1", "a")
    clock.now += timedelta(days=365)
    store.exchange("d1", send_all)
    clock.now = NOON
    deliver(store, "2", "b")
    assert len(store.exchange("d2", send_all)) == 1


def test_a_message_that_failed_waits_and_one_that_is_dead_goes_to_the_fallback(store: Store, clock: Clock) -> None:
    store.add_channel(channel("mail"))
    store.add_channel(channel("desk", fallback="mail", everything=False))
    store.set_routes("ada-ferry", ["desk"])
    deliver(store, "1", "a")
    (work,) = store.exchange("d1", send_all)
    job, later = work.jobs[0], NOON + timedelta(minutes=5)
    failed = Attempt(job.number, NOON, False, "500", 12, later)
    store.exchange(
        "d1", send_all, attempts=[failed], verdicts=[Verdict(work.channel.number, 1)], ended=[work.channel.number]
    )
    assert told(store) == {}
    clock.now = later
    (again,) = store.exchange("d1", send_all)
    assert again.jobs[0].id == job.id and again.jobs[0].attempts == 1 and again.channel.failures == 1
    dead = Attempt(job.number, later, False, "500", 12, None)
    (moved,) = store.exchange("d1", send_all, attempts=[dead], ended=[again.channel.number])
    assert moved.channel.name == "mail" and moved.jobs[0].deliveries == job.deliveries
    (log,) = store.messages("ada", state="dead")
    assert [(one.ok, one.answer) for one in log.attempts] == [(False, "500"), (False, "500")]
    assert log.titles == ("a",) and log.channel == "desk" and log.items == 1
    store.release("d1")
    assert store.replay("bob") == 0 and store.replay("ada", [log.number]) == 1
    store.remove_channel("ada", "mail")
    assert store.exchange("d1", send_all)[0].jobs[0].id == job.id


def test_a_channel_that_is_disabled_ends_what_waits_for_it(store: Store) -> None:
    store.add_channel(channel("mail", everything=False))
    store.add_channel(channel("desk", fallback="mail"))
    deliver(store, "1", "a")
    (work,) = store.exchange("d1", send_all)
    deliver(store, "2", "b")
    gone = Verdict(work.channel.number, 1, None, "disabled", "410")
    attempt = Attempt(work.jobs[0].number, NOON, False, "410", 1, None)
    store.exchange("d1", send_all, attempts=[attempt], verdicts=[gone], ended=[work.channel.number])
    store.release("d1")
    seen = told(store)
    seen |= told(store)
    store.release("d1")
    assert {name for one in (seen, told(store)) for items in one.values() for name in items} == {"a", "b"}
    assert store.channel("ada", "desk").state == "disabled"
    assert [(one.item, one.reason) for one in store.unsent("ada")] == [("b", "the channel is disabled")]


def test_a_subscriber_who_is_removed_takes_everything_along(store: Store) -> None:
    store.add_channel(channel())
    deliver(store, "1", "a")
    (work,) = store.exchange("d1", send_all)
    store.remove_subscriber("ada")
    late = Attempt(work.jobs[0].number, NOON, True, "200", 1)
    assert store.exchange("d1", send_all, attempts=[late], verdicts=[Verdict(work.channel.number, 0)], kept=[1]) == []
    assert store.messages() == [] and store.channels() == [] and store.outbox_counts().waiting == 0
    assert store.deliveries(work.jobs[0].deliveries) == {}


def test_a_digest_is_made_when_it_is_due_and_cut_where_it_must_name_all(store: Store, clock: Clock) -> None:
    store.add_channel(channel())
    evening = NOON.replace(hour=18)

    def gather(desk: Desk) -> list[Planned]:
        return [Planned(one.number, "gather", "digest", evening) for one in desk.pending]

    deliver(store, "1", *(f"i{number}" for number in range(250)))
    assert store.exchange("d1", gather) == [] and store.outbox_counts("ada").gathered == 250
    assert {one.due for one in store.unsent("ada", limit=300)} == {evening}
    clock.now = evening
    (work,) = store.exchange("d1", gather, is_whole=lambda _: False)
    assert [len(job.deliveries) for job in work.jobs] == [100, 100, 50]
    assert {job.kind for job in work.jobs} == {"digest"}
    assert store.messages("ada", limit=1)[0].items == 50


def test_channels_are_checked(store: Store) -> None:
    made = store.add_channel(channel(), secrets=["whsec_a"])
    assert store.channel_secrets(made.number) == [("whsec_a", None)]
    store.rotate_secret("ada", "desk", "whsec_b", until=NOON)
    store.rotate_secret("ada", "desk", "whsec_c", until=NOON)
    assert store.channel_secrets(made.number) == [("whsec_c", None), ("whsec_b", NOON)]
    with pytest.raises(ConflictError, match="already"):
        store.add_channel(channel())
    for name in ("", " x", "a/b", "a\nb", "x" * 61, "a\x00"):
        with pytest.raises(OptionError, match="channel's name"):
            store.add_channel(channel(name))
    with pytest.raises(OptionError, match="an address is a line"):
        store.add_channel(Channel(0, "ada", "x", "webhook", "https://a.example/\r\nX: y"))
    with pytest.raises(UnknownNameError, match="no channel"):
        store.add_channel(channel("x", fallback="unknown"))
    store.add_channel(channel("b", fallback="desk"))
    with pytest.raises(StoreError, match="leads back"):
        store.replace_channel(channel("desk", fallback="b"))
    with pytest.raises(OptionError, match="stays a webhook"):
        store.replace_channel(Channel(0, "ada", "desk", "mail", "a@b.example"))
    for number in range(MOST_CHANNELS - 2):
        store.add_channel(channel(f"c{number}"))
    with pytest.raises(OptionError, match="at most 50"):
        store.add_channel(channel("last"))
    with pytest.raises(UnknownNameError):
        store.set_routes("ada-ferry", ["nothing"])
    with pytest.raises(UnknownNameError):
        store.set_routes("bob-ferry", ["desk"])


def test_the_log_is_forgotten_with_the_rest(store: Store, clock: Clock) -> None:
    store.add_channel(channel())
    deliver(store, "1", "a", "b")
    (work,) = store.exchange("d1", send_all)
    done, waiting = work.jobs
    store.exchange("d1", send_all, attempts=[Attempt(done.number, NOON, True, "200", 3)])
    clock.now = NOON + timedelta(days=31)
    store.prune(NOON)
    assert [one.number for one in store.messages()] == [waiting.number]
    assert store.replay("ada") == 0 and store.messages(state="sent") == []
    with pytest.raises(OptionError, match="a message is"):
        store.messages(state="lost")


def test_what_is_due_by_a_clock_that_was_set_back_is_sent(store: Store, clock: Clock) -> None:
    store.add_channel(channel())
    ahead = NOON + timedelta(days=365)

    def gather(desk: Desk) -> list[Planned]:
        return [Planned(one.number, "gather", "digest", clock.now + timedelta(hours=1)) for one in desk.pending]

    clock.now = ahead
    deliver(store, "1", "a")
    deliver_work = store.exchange("d1", send_all)
    job = deliver_work[0].jobs[0]
    failed = Attempt(job.number, ahead, False, "500", 1, ahead + timedelta(seconds=5))
    wait = [Verdict(deliver_work[0].channel.number, 3, ahead + timedelta(hours=1))]
    store.exchange("d1", send_all, attempts=[failed], verdicts=wait, ended=[deliver_work[0].channel.number])
    deliver(store, "2", "b")
    store.exchange("d1", gather)
    store.release("d1")
    clock.now = NOON
    assert store.has_work()
    (work,) = store.exchange("d2", gather)
    assert work.jobs[0].id == job.id and len(work.jobs) == 2, "the message and the digest"
    assert store.outbox_counts("ada").gathered == 0
