"""Webhooks to a real receiver, verified by the package of Standard Webhooks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from tests.notify.receivers import (
    LOOPBACK,
    Clock,
    Receiver,
    add_webhook,
    deliver,
    dispatcher,
    make_home,
    receiver,
    send_all,
    wait_for,
)
from watchword.notify.retries import SCHEDULE, WAITS
from watchword.notify.settings import Outside
from watchword.notify.signing import make_secret
from watchword.store import Channel, Store


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime.now(UTC))


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    make_home(tmp_path / "home")
    with Store.open(tmp_path / "home" / "store.sqlite", clock=clock) as made:
        yield made


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


def test_a_message_is_verified_by_the_package_of_the_standard(store: Store, hook: Receiver, clock: Clock) -> None:
    made = add_webhook(store, hook.url)
    deliver(store, "1", "a", "b")
    send_all(store, clock=clock)
    assert hook.items() == ["a", "b"]
    ((secret, _),) = store.channel_secrets(made.number)
    for one in hook.came:
        data = Webhook(secret).verify(one.body, one.headers)["data"]
        assert data["item"]["reasons"] == [{"subscription": "ada-ferry", "name": "ada-ferry", "why": "match: ferry"}]
        assert (data["channel"], data["subscriber"]) == ("desk", "ada")
    with pytest.raises(WebhookVerificationError):
        Webhook(make_secret()).verify(one.body, one.headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(one.body + b" ", one.headers)
    assert len({one.id for one in hook.came}) == 2
    assert [one.state for one in store.messages("ada")] == ["sent", "sent"]


def test_both_secrets_sign_until_the_old_one_ends(store: Store, hook: Receiver, clock: Clock) -> None:
    made = add_webhook(store, hook.url)
    ((old, _),) = store.channel_secrets(made.number)
    new = make_secret()
    store.rotate_secret("ada", "desk", new, until=clock.now + timedelta(hours=24))
    deliver(store, "1", "a")
    send_all(store, clock=clock)
    for secret in (old, new):
        Webhook(secret).verify(hook.came[0].body, hook.came[0].headers)
    store.rotate_secret("ada", "desk", new, until=clock.now)
    deliver(store, "2", "b")
    send_all(store, clock=clock)
    assert len(hook.came[1].headers["webhook-signature"].split()) == 1


def test_a_failed_message_is_tried_by_the_schedule_under_the_same_id(
    store: Store, hook: Receiver, clock: Clock
) -> None:
    add_webhook(store, hook.url)
    hook.answer = lambda received: 500
    deliver(store, "1", "a")
    begun, waited = clock.now, []
    send_all(store, clock=clock)
    while (message := store.messages("ada")[0]).state == "waiting":
        waited.append((message.due - clock.now).total_seconds())
        clock.now = max(message.due, store.channel("ada", "desk").wait_until or message.due)
        send_all(store, clock=clock)
    assert len(hook.came) == len(SCHEDULE) + 1 and len({one.id for one in hook.came}) == 1
    assert all(wait <= found <= 1.1 * wait for wait, found in zip(SCHEDULE, waited, strict=True))
    assert clock.now - begun < timedelta(days=4)
    assert message.state == "dead" and {one.answer for one in message.attempts} == {"500 Internal Server Error"}
    hook.answer = lambda received: 200
    assert store.replay("ada") == 1
    clock.now += timedelta(hours=1)
    send_all(store, clock=clock)
    assert store.messages("ada")[0].state == "sent" and hook.came[-1].id == hook.came[0].id


def test_a_receiver_that_is_down_meets_one_attempt_at_a_time(store: Store, hook: Receiver, clock: Clock) -> None:
    add_webhook(store, hook.url)
    hook.answer = lambda received: 503
    deliver(store, "1", *(f"i{number}" for number in range(50)))
    send_all(store, clock=clock)
    assert len(hook.came) == 3, "then the circuit opens"
    for number, wait in enumerate((*WAITS, WAITS[-1])):
        clock.now += timedelta(seconds=wait - 0.1)
        send_all(store, clock=clock)
        assert len(hook.came) == 3 + number
        clock.now += timedelta(seconds=0.1)
        send_all(store, clock=clock)
        assert len(hook.came) == 4 + number
    hook.answer = lambda received: 200
    clock.now += timedelta(hours=6)
    send_all(store, clock=clock)
    clock.now += timedelta(hours=24)
    send_all(store, clock=clock)
    assert set(hook.items()) == {f"i{number}" for number in range(50)}
    assert store.outbox_counts("ada").waiting == 0 and store.channel("ada", "desk").failures == 0


def test_one_message_that_is_refused_does_not_hold_up_the_others(store: Store, hook: Receiver, clock: Clock) -> None:
    add_webhook(store, hook.url)
    hook.answer = lambda received: 400 if received.json["data"]["item"]["id"] == "b" else 200
    deliver(store, "1", "a", "b", "c", "d")
    send_all(store, clock=clock)
    assert hook.items() == ["a", "b", "c", "d"]
    assert [one.state for one in store.messages("ada")] == ["sent", "sent", "waiting", "sent"]


def test_retry_after_is_kept(store: Store, hook: Receiver, clock: Clock) -> None:
    add_webhook(store, hook.url)
    hook.answer = lambda received: (429, {"Retry-After": "1000"})
    deliver(store, "1", "a", "b")
    send_all(store, clock=clock)
    assert len(hook.came) == 1
    clock.now += timedelta(seconds=999)
    send_all(store, clock=clock)
    assert len(hook.came) == 1
    clock.now += timedelta(seconds=1)
    send_all(store, clock=clock)
    assert len(hook.came) == 2
    hook.answer = lambda received: (503, {"Retry-After": "99999999"})
    clock.now += timedelta(seconds=1000)
    send_all(store, clock=clock)
    wait = store.channel("ada", "desk").wait_until
    assert wait is not None and wait - clock.now == timedelta(days=1)


def test_410_disables_the_channel_and_what_waits_goes_to_the_fallback(
    store: Store, hook: Receiver, clock: Clock
) -> None:
    with receiver() as other:
        add_webhook(store, other.url, "other", everything=False)
        add_webhook(store, hook.url, fallback="other")
        hook.answer = lambda received: 410
        deliver(store, "1", "a", "b")
        send_all(store, clock=clock)
        deliver(store, "2", "c")
        send_all(store, clock=clock)
        assert hook.items() == ["a"] and sorted(other.items()) == ["a", "b", "c"]
    found = store.channel("ada", "desk")
    assert (found.state, found.reason) == ("disabled", "410 Gone")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(store: Store, hook: Receiver, clock: Clock, status: int) -> None:
    with receiver() as other:
        add_webhook(store, hook.url)
        hook.answer = lambda received: (status, {"Location": other.url})
        deliver(store, "1", "a")
        send_all(store, clock=clock)
        assert other.came == []
    (message,) = store.messages("ada")
    assert message.state == "waiting" and "redirects are not followed" in message.attempts[0].answer


@pytest.mark.parametrize("answer", ["endless", "closes", None])
def test_a_receiver_that_hangs_closes_or_never_ends_is_answered_in_time(
    store: Store, hook: Receiver, clock: Clock, answer: str | None
) -> None:
    add_webhook(store, hook.url)
    hook.answer = lambda received: answer
    deliver(store, "1", "a")
    send_all(store, clock=clock, outside=Outside(networks=LOOPBACK, seconds=0.3))
    (message,) = store.messages("ada")
    expected = {"endless": (True, "200 OK"), "closes": (False, "the answer is no HTTP")}
    wanted = expected.get(str(answer), (False, "no answer within 0.3 seconds"))
    assert [(one.ok, one.answer) for one in message.attempts] == [wanted]
    assert message.attempts[0].milliseconds < 2000


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://127.1:{port}/",
        "http://0x7f.1:{port}/",
        "http://2130706433:{port}/",
        "http://169.254.169.254/latest",
        "http://no-such-host.invalid/",
    ],
)
def test_addresses_inside_are_refused_where_the_connection_goes(
    store: Store, hook: Receiver, clock: Clock, address: str
) -> None:
    port = hook.url.split(":")[2].split("/")[0]
    add_webhook(store, address.format(port=port))
    deliver(store, "1", "a")
    send_all(store, clock=clock, outside=Outside(seconds=5))
    (message,) = store.messages("ada")
    assert [one.answer for one in message.attempts] == ["there is no such address on the public network"]
    assert hook.came == []


def test_a_channel_without_its_secret_is_disabled_and_says_why(store: Store, hook: Receiver, clock: Clock) -> None:
    for name, secrets in (("none", []), ("damaged", ["whsec_é"])):
        store.add_channel(Channel(0, "ada", name, "webhook", hook.url), secrets=secrets)
    deliver(store, "1", "a")
    send_all(store, clock=clock)
    found = {one.name: (one.state, one.reason) for one in store.channels("ada")}
    assert found["none"] == ("disabled", "the channel has no secret: make a new one")
    assert found["damaged"] == ("disabled", "the secret of the channel is damaged")
    assert hook.came == []


def test_a_digest_names_every_item_in_messages_of_a_hundred(store: Store, hook: Receiver, clock: Clock) -> None:
    add_webhook(store, hook.url, settings={"times": ["07:30"]})
    deliver(store, "1", *(f"i{number}" for number in range(230)))
    send_all(store, clock=clock)
    assert hook.came == []
    clock.now += timedelta(days=1)
    send_all(store, clock=clock)
    assert hook.items() == [f"i{number}" for number in range(230)]
    assert [(one.json["type"], one.json["data"]["count"]) for one in hook.came] == [
        ("watchword.digest", count) for count in (100, 100, 30)
    ]


def test_a_story_is_told_once_and_the_log_says_what_was_not(store: Store, hook: Receiver, clock: Clock) -> None:
    add_webhook(store, hook.url)
    deliver(store, "1", "a", feed="A")
    send_all(store, clock=clock)
    items = [("b", "B", "https://port.example/a?utm_source=b"), ("c", "C", "https://port.example/c")]
    from watchword.store import Item

    made = [Item(name, title=name, link=link, feed=feed) for name, feed, link in items]
    store.record("2", made, [(name, "ada-ferry") for name, _, _ in items])
    send_all(store, clock=clock)
    assert hook.items() == ["a", "c"]
    assert [(one.item, one.reason) for one in store.unsent("ada")] == [("b", "duplicate")]


def test_a_subscriber_who_is_removed_while_messages_wait_is_told_nothing_more(
    store: Store, hook: Receiver, clock: Clock
) -> None:
    add_webhook(store, hook.url)
    add_webhook(store, hook.url, "bobs", "bob")
    begun = []

    def remove(received: object) -> int:
        if not begun:
            begun.append(received)
            store.remove_subscriber("ada")
        return 200

    hook.answer = remove
    deliver(store, "1", *(f"i{number}" for number in range(300)))
    send_all(store, clock=clock)
    assert 1 <= len(hook.came) <= 200, "what was read already may leave"
    count = len(hook.came)
    deliver(store, "2", "x", key="bob-ferry")
    send_all(store, clock=clock)
    assert len(hook.came) == count + 1 and store.messages("bob")[0].state == "sent"


def test_a_running_dispatcher_tells_what_comes_and_ends_when_it_is_closed(store: Store, hook: Receiver) -> None:
    add_webhook(store, hook.url)
    with dispatcher(store) as made:
        deliver(store, "1", "a")
        wait_for(lambda: len(hook.came) == 1)
        deliver(store, "2", "b")
        wait_for(lambda: made.sent == 2)
    assert hook.items() == ["a", "b"] and made.error is None
    deliver(store, "3", "c")
    assert len(hook.came) == 2


def test_what_cannot_be_written_is_written_later_and_nothing_is_lost(
    store: Store, hook: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    from watchword.errors import StoreError

    add_webhook(store, hook.url)
    real, failing = store.exchange, []

    def exchange(*arguments: object, **named: object) -> object:
        if named["attempts"] and len(failing) < 3:
            failing.append(1)
            raise StoreError("the disk is full", path="x")
        return real(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "exchange", exchange)
    deliver(store, "1", "a")
    with dispatcher(store) as made:
        wait_for(lambda: store.outbox_counts("ada").waiting == 0 and bool(hook.came) and not made._written)
        wait_for(lambda: store.messages("ada")[0].state == "sent")
    assert len(failing) == 3 and len(hook.came) == 1


def test_a_sender_that_fails_is_a_failed_attempt_and_not_the_end(store: Store, hook: Receiver, clock: Clock) -> None:
    from watchword.notify.dispatcher import Dispatcher

    class Broken:
        whole = False

        async def send(self, message: object) -> object:
            raise ZeroDivisionError

        async def close(self) -> None:
            pass

    add_webhook(store, hook.url)
    deliver(store, "1", "a")
    Dispatcher(lambda: store, lambda: {"webhook": Broken()}, clock=clock).run(once=True)  # type: ignore[dict-item]
    (message,) = store.messages("ada")
    assert message.state == "waiting" and message.attempts[0].answer == "this server failed: ZeroDivisionError"


def test_two_channels_are_each_told_of_the_same_item(store: Store, hook: Receiver, clock: Clock) -> None:
    with receiver() as other:
        add_webhook(store, hook.url)
        add_webhook(store, other.url, "other")
        deliver(store, "1", "a", "b")
        send_all(store, clock=clock)
        assert hook.items() == other.items() == ["a", "b"]


def test_a_zone_that_is_gone_counts_as_utc_and_settings_that_cannot_be_read_as_at_once(
    store: Store, hook: Receiver, clock: Clock
) -> None:
    from watchword.store import Profile

    clock.now = datetime(2026, 11, 19, 12, tzinfo=UTC)
    store.set_profile("ada", Profile("Europe/Atlantis"))
    add_webhook(store, hook.url, "a", settings={"times": ["13:00"]})
    add_webhook(store, hook.url, "b", settings={"times": "damaged"})
    deliver(store, "1", "x")
    send_all(store, clock=clock)
    assert [one.json["data"]["channel"] for one in hook.came] == ["b"]
    assert [one.due for one in store.unsent("ada")] == [clock.now.replace(hour=13)]
