"""Tokens, logins and the audit log from the shell; and names, tags, pauses and snoozes of subscriptions."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from watchword.cli import app
from watchword.home import Home
from watchword.store import Subscription


@pytest.fixture
def home(tmp_path: Path) -> Path:
    run("init", home=tmp_path / "home")
    run("subscribe", "ada", "ferry", "--id", "storms", home=tmp_path / "home")
    return tmp_path / "home"


def run(*arguments: object, home: Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments), "--home", str(home)])


def storms(home: Path) -> Subscription:
    with Home(home).store() as store:
        return store.subscription("storms")


def test_a_token_is_printed_alone_and_once(home: Path) -> None:
    assert run("tokens", "list", home=home).stdout == "no tokens\n"
    said = run("tokens", "add", "ada", "--scope", "feed, read", "--name", "laptop", "--days", "90", home=home)
    secret = said.stdout.removesuffix("\n")
    assert said.exit_code == 0 and "shown this once" in said.stderr
    assert secret.startswith("ww_") and len(secret) == 46
    default = run("tokens", "add", "ada", home=home).stdout.strip()
    with Home(home).store() as store:
        first, second = store.tokens("ada")
        assert (first.name, first.scopes) == ("laptop", {"feed", "read"}) and first.expires is not None
        assert timedelta(days=89.9) < first.expires - first.created < timedelta(days=90.1)
        assert (second.name, second.scopes, second.expires) == ("", {"read", "write", "match"}, None)
        assert store.find_token(default) is not None
    listed = run("tokens", "list", "ada", home=home).stdout
    assert "laptop" in listed and "feed,read" in listed and secret not in listed and default not in listed
    assert run("tokens", "revoke", "ada", "1", home=home).stderr == "token 1 of ada is revoked\n"
    with Home(home).store() as store:
        assert store.find_token(secret) is None and len(store.tokens()) == 1
        assert [entry.what for entry in store.audit()] == ["revoke token", "add token", "add token"]
    log = "".join(run("audit", home=home).stdout.split())
    assert "laptop" in log and secret not in log and default not in log


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["tokens", "add", "cid"], "there is no subscriber 'cid'; `watchword subscribers` lists and adds them"),
        (["tokens", "add", "ada", "--scope", "root"], "there is no scope 'root'; there are read, write"),
        (["tokens", "add", "ada", "--scope", ","], "at least one scope"),
        (["tokens", "add", "ada", "--days", "0"], "--days 0: a token expires in more than 0"),
        (["tokens", "add", "ada", "--days", "nan"], "--days nan"),
        (["tokens", "add", "ada", "--name", "x" * 101], "101 characters, and 100 are the most"),
        (["tokens", "list", "cid"], "there is no subscriber 'cid'"),
        (["tokens", "revoke", "ada", "7"], "ada has no token number 7; `watchword tokens list` lists them"),
        (["login", "cid"], "there is no subscriber 'cid'"),
        (["login", "ada", "--url", "localhost:8480"], "it begins with http:// or https://"),
        (["login", "ada", "--url", "javascript://x"], "it begins with http:// or https://"),
        (["pause", "storms", "x"], "there is no subscription 'x'"),
        (["snooze", "x"], "there is no subscription 'x'"),
        (["subscribe", "ada", "a", "--tag", ""], "a tag is blank"),
        (["subscribe", "ada", "a", "--name", "x" * 201], "the name has 201 characters"),
        (["subscribe", "ada", "--file", "many.txt", "--tag", "x"], "are of one subscription"),
    ],
)
def test_errors_name_the_remedy_and_change_nothing(home: Path, arguments: list[str], reason: str) -> None:
    before = storms(home)
    refused = run(*arguments, home=home)
    assert refused.exit_code == 2 and reason in " ".join(refused.stderr.split()) and refused.stdout == ""
    with Home(home).store() as store:
        assert store.tokens() == [] and store.audit() == [] and store.subscriptions() == [before]


def test_a_login_is_a_link_that_opens_once(home: Path) -> None:
    said = run("login", "ada", home=home)
    beginning = "http://127.0.0.1:8480/login?once="
    assert said.exit_code == 0 and said.stdout.startswith(beginning) and "within 5 minutes" in said.stderr
    behind = run("login", "ada", "--url", "https://alerts.example.org/desk/", home=home).stdout
    assert behind.startswith("https://alerts.example.org/desk/login?once=")
    with Home(home).store() as store:
        for link in (said.stdout, behind):
            secret = link.strip().rpartition("=")[2]
            session = store.redeem_login(secret)
            assert session is not None and store.redeem_login(secret) is None
            found = store.find_session(session)
            assert found is not None and found.subscriber == "ada"


def test_the_audit_log_has_the_newest_first(home: Path) -> None:
    assert run("audit", home=home).stdout == "no entries\n"
    with Home(home).store() as store:
        store.add_audit("ada", "first", "x\x1b[2J", new={"text": "ferry"})
        store.add_audit("ada", "second", "x", old="é" * 1_000)
    log = run("audit", home=home).stdout
    assert log.index("second") < log.index("first") and "\x1b" not in log and "…" in log
    assert "first" not in run("audit", "--limit", "1", home=home).stdout


def test_a_subscription_has_a_name_a_note_and_tags(home: Path) -> None:
    plain = run("subscriptions", home=home).stdout
    assert "tags" not in plain and "state" not in plain, "a column is shown if it has something"
    options = ["--name", "Storms at sea", "--note", "asked for by the desk", "--tag", "sea", "--tag", "wind"]
    run("subscribe", "ada", "ferry AND storm", "--id", "storms", *options, home=home)
    assert (storms(home).details.name, storms(home).details.tags) == ("Storms at sea", ("sea", "wind"))
    run("subscribe", "ada", "ferry", "--id", "storms", "--tag", "sea", home=home)
    found = storms(home)
    assert (found.text, found.details.note, found.details.tags) == ("ferry", "asked for by the desk", ("sea",))
    assert run("subscribe", "ada", "bread", "--id", "new", "--tag", "x", home=home).stdout == "new\n"
    shown = run("subscriptions", "ada", home=home).stdout
    assert "tags" in shown and "Storms at sea" in " ".join(shown.split())


def test_a_subscription_is_paused_snoozed_and_resumed(home: Path) -> None:
    assert run("pause", "storms", home=home).exit_code == 0
    assert storms(home).details.paused and "paused" in run("subscriptions", home=home).stdout
    run("snooze", "storms", "--days", "7", home=home)
    run("resume", "storms", home=home)
    assert not storms(home).details.paused and storms(home).details.snoozed is None
    run("snooze", "storms", "--days", "7", home=home)
    assert "snoozed until" in " ".join(run("subscriptions", home=home).stdout.split())
    run("snooze", "storms", "--days", "0", home=home)
    assert "state" not in run("subscriptions", home=home).stdout
