"""Apprise, to a real receiver by its JSON service; what may not be sent by it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.notify.receivers import Clock, Receiver, deliver, make_home, receiver, send_all
from watchword.errors import OptionError
from watchword.notify.chats import ITEMS, MISSING, post
from watchword.notify.managing import Channels
from watchword.notify.settings import SCHEMES, Outside
from watchword.notify.trying import send_now
from watchword.store import Channel, Store

HERE = Outside(public_url="https://desk.example", seconds=5)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with make_home(tmp_path / "home").store() as made:
        yield made


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        made.answer = lambda received: 200
        yield made


def url(hook: Receiver) -> str:
    return hook.url.replace("http://", "json://")


def test_a_message_comes_by_apprise_and_a_refusal_is_tried_again(store: Store, hook: Receiver) -> None:
    Channels(store, HERE, is_admin=True).put("ada", "phone", "apprise", url(hook))
    deliver(store, "1", "a")
    send_all(store, outside=HERE)
    (one,) = hook.came
    assert one.json["title"] == "A ferry, a" and "https://port.example/a" in one.json["message"]
    assert store.messages("ada")[0].attempts[0].answer == "accepted"
    hook.answer = lambda received: 500
    deliver(store, "2", "b")
    send_all(store, outside=HERE)
    found = store.messages("ada")[0]
    assert found.state == "waiting" and "refused" in found.attempts[0].answer


def test_a_flood_is_twenty_messages_and_one_digest(store: Store, hook: Receiver) -> None:
    store.add_channel(Channel(0, "ada", "phone", "apprise", url(hook)))
    deliver(store, "1", *(f"i{number}" for number in range(60)))
    clock = Clock(datetime.now(UTC))
    send_all(store, outside=HERE, clock=clock)
    assert len(hook.came) == 20 and store.outbox_counts("ada").gathered == 40
    assert send_now(store, store.channel("ada", "phone"), "test", HERE).ok
    assert hook.came[-1].json["message"] == "This is a test of the channel. Nothing was matched."
    assert ITEMS < 40


@pytest.mark.parametrize(
    "address",
    ["dbus://", "syslog://", "file:///etc/passwd", "windows://", "mailto://a:b@c.example", "exec://x", "", "x"],
)
def test_schemes_that_are_not_listed_are_refused_also_when_they_are_stored(
    store: Store, hook: Receiver, address: str
) -> None:
    with pytest.raises(OptionError, match="begins with one of"):
        Channels(store, HERE, is_admin=True).put("ada", "x", "apprise", address)
    made = store.add_channel(Channel(0, "ada", "x", "apprise", address))
    assert send_now(store, made, "test", HERE).text == "its scheme is not allowed on this server"


def test_a_subscriber_cannot_set_up_apprise(store: Store, hook: Receiver) -> None:
    with pytest.raises(OptionError, match="administrator"):
        Channels(store, HERE).put("ada", "x", "apprise", url(hook))


def test_every_listed_scheme_is_known_to_apprise() -> None:
    import apprise

    details = apprise.Apprise().details()["schemas"]
    known = {name for one in details for kind in ("protocols", "secure_protocols") for name in one[kind] or ()}
    assert set(SCHEMES) <= known


def test_without_the_package_the_answer_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "apprise", None)
    assert post("json://127.0.0.1/", "a", "b").text == MISSING
