"""Channels, their log and the dispatcher from the shell, to a real receiver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook
from typer.testing import CliRunner, Result

from tests.notify.receivers import Receiver, deliver, make_home, receiver
from watchword.cli import app

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "home").path


@pytest.fixture
def run(home: Path) -> Run:
    def invoke(*arguments: str, status: int = 0) -> Result:
        found = CliRunner().invoke(app, [*arguments, "--home", str(home)], catch_exceptions=False)
        assert found.exit_code == status, found.output
        return found

    return invoke


@pytest.fixture
def hook() -> Iterator[Receiver]:
    with receiver() as made:
        yield made


NETWORK = ("--network", "127.0.0.0/8")


def test_a_webhook_from_its_making_to_its_log(home: Path, run: Run, hook: Receiver) -> None:
    secret = run("channels", "add", "ada", "desk", "--address", hook.url, "--budget", "9").stdout.strip()
    assert secret.startswith("whsec_")
    assert run("channels", "test", "ada", "desk", *NETWORK).stdout.strip() == "204 No Content"
    Webhook(secret).verify(hook.came[0].body, hook.came[0].headers)
    new = run("channels", "rotate", "ada", "desk").stdout.strip()
    from watchword.home import Home

    with Home(home).store() as store:
        deliver(store, "1", "a")
    assert "1 message sent" in run("notify", "--once", *NETWORK).output
    for one in (secret, new):
        Webhook(one).verify(hook.came[1].body, hook.came[1].headers)
    listed = run("channels", "list", "ada").output
    assert "desk" in listed and "budget 9" in listed and "ready" in listed and "whsec_" not in listed
    log = run("notifications", "ada").output
    assert "204" in log and "sent" in log
    hook.answer = lambda received: 410
    with Home(home).store() as store:
        deliver(store, "2", "b")
    assert "1 attempt failed" in run("notify", "--once", *NETWORK).output
    assert "410" in run("notifications", "--dead").output
    assert "1 message to be sent again" in run("notifications", "ada", "--replay").output
    assert "the test failed: 410" in run("channels", "test", "ada", "desk", *NETWORK, status=2).output
    run("channels", "remove", "ada", "desk")
    assert "no channels" in run("channels", "list").output
    assert "nothing" in run("notifications", "ada").output


def test_routes_mutes_and_profiles(home: Path, run: Run) -> None:
    run("channels", "add", "ada", "feed", "--kind", "feed", "--only-named")
    assert "ada-ferry goes to feed" in run("channels", "route", "ada-ferry", "--to", "feed").output
    assert "withheld" in run("channels", "route", "ada-ferry", "--mute").output
    assert "Asia/Tokyo, each item" in run("channels", "profile", "ada", "--zone", "Asia/Tokyo", "--items").output
    assert "Asia/Tokyo" in run("channels", "profile", "ada").output
    assert "and by texts" in run("channels", "texts").output
    assert "and by texts" not in run("channels", "texts", "--off").output
    run("channels", "route", "ada-ferry", "--to", "feed")
    from watchword.home import Home

    with Home(home).store() as store:
        deliver(store, "1", "a")
    run("notify", "--once")
    assert "personal feed" in run("notifications", "ada", "--unsent").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("channels", "profile", "ada", "--zone", "Mars/Base"), "no time zone"),
        (("channels", "add", "ada", "x", "--address", "ftp://x"), "begins with http"),
        (("channels", "add", "ada", "x", "--kind", "mail", "--address", "a@b.example"), "sends no mail"),
        (("channels", "add", "ada", "x", "--kind", "pigeon"), "a channel is one of"),
        (("channels", "add", "ada", "x", "--kind", "apprise", "--address", "dbus://"), "begins with one of"),
        (("channels", "add", "nobody", "x", "--kind", "feed"), "no subscriber"),
        (("channels", "test", "ada", "x"), "no channel"),
        (("channels", "rotate", "ada", "x"), "no channel"),
        (("channels", "route", "nothing"), "no subscription"),
        (("notifications", "--replay"), "name the subscriber"),
        (("notify", "--once", "--smtp", "http://x"), "smtp begins with"),
        (("notify", "--once", "--network", "ten"), "a network is written"),
        (("notify", "--once", "--mail-from", "a@b.example\nBcc: x"), "mail_from is one address"),
    ],
)
def test_what_cannot_be_ends_with_a_message(run: Run, arguments: tuple[str, ...], said: str) -> None:
    assert said in " ".join(run(*arguments, status=2).output.split())
