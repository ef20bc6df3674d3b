"""Tokens, one-time logins and sessions: who comes in, until when, and that no secret is in the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.limits import PATIENCE
from tests.store.clock import START, Clock
from tests.store.workload import child
from watchword.errors import OptionError, StoreError, UnknownNameError
from watchword.store import SCOPES, Session, Store, Token
from watchword.store.access import IDLE_DAYS, SESSION_DAYS

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def rows(store: Store, table: str) -> int:
    with store._engine.read() as session:
        return int((session.row(f"SELECT count(*) FROM {table}") or (0,))[0])


def files_of(store: Store) -> list[Path]:
    return sorted(store.path.parent.glob(f"{store.path.name}*"))


# Tokens


def test_a_token_opens_until_it_is_revoked(store: Store, clock: Clock) -> None:
    secret = store.add_token("ann", "laptop", ["match", "read"], expires=START + DAY)
    assert secret.startswith("ww_") and len(secret) == 46
    assert store.add_token("bob", "", {"admin"}) != secret
    first = Token(1, "ann", "laptop", frozenset({"read", "match"}), START, START + DAY, None)
    assert store.find_token(secret) == first
    assert store.tokens("ann") == [Token(**{**vars(first), "used": START})]
    assert [token.number for token in store.tokens()] == [1, 2] and store.tokens("bob")[0].name == ""
    with Store.open(str(store.path), clock=clock) as other:
        other.revoke_token("ann", 1)
    assert store.find_token(secret) is None and store.tokens("ann") == []
    store.add_token("ann", "again", SCOPES)
    assert [token.number for token in store.tokens("ann")] == [3], "a number is never given twice"


@pytest.mark.parametrize("secret", ["", "ww_", "ww_" + "a" * 43, "x" * 1_000_000, "\ud800", "a\0b", None, 7, b"ww_"])
def test_what_is_no_secret_opens_nothing(store: Store, secret: Any) -> None:
    store.add_token("ann", "laptop", ["read"])
    assert store.find_token(secret) is None
    assert store.find_session(secret) is None and store.redeem_login(secret) is None
    store.end_session(secret)


def test_a_token_expires_at_its_second(store: Store, clock: Clock) -> None:
    secret = store.add_token("ann", "laptop", ["read"], expires=START + DAY)
    clock.time = START + DAY - SECOND
    assert store.find_token(secret) is not None
    clock.time += SECOND
    assert store.find_token(secret) is None and len(store.tokens()) == 1
    assert store.find_token(store.add_token("ann", "late", ["read"], expires=START)) is None
    endless = store.add_token("ann", "endless", ["read"])
    store.prune(START)
    assert [token.name for token in store.tokens()] == ["endless"]
    clock.time = START + 10_000 * DAY
    assert store.find_token(endless) is not None


def test_the_last_use_is_written_once_a_minute(store: Store, clock: Clock) -> None:
    secret, seen = store.add_token("ann", "laptop", ["read"]), []
    for seconds in (0, 1, 59, 60, 61, 119, 120):
        clock.time = START + seconds * SECOND
        assert store.find_token(secret) is not None
        used = store.tokens()[0].used
        assert used is not None
        seen.append(int((used - START).total_seconds()))
    assert seen == [0, 0, 0, 60, 60, 60, 120]
    clock.time = START - DAY  # a clock that was put back
    assert store.find_token(secret) is not None and store.tokens()[0].used == START - DAY


def test_a_token_is_found_while_somebody_else_writes(store: Store, clock: Clock) -> None:
    """The last use is then written by a later request; no request waits for it."""
    secret = store.add_token("ann", "laptop", ["read"])
    with Store.open(str(store.path), clock=clock) as other:
        with other._engine.write():
            found = store.find_token(secret)
        assert found is not None and store.tokens()[0].used is None
        assert store.find_token(secret) == found and store.tokens()[0].used == START
        with other._engine.write():
            pass
        store.add_subscriber("cid")  # and others wait again as long as before


def test_a_token_that_is_revoked_while_it_is_used(store: Store) -> None:
    secret = store.add_token("ann", "laptop", ["read"])
    note = store._note

    def revoke_first(write: Any) -> None:
        store.revoke_token("ann", 1)
        note(write)

    store._note = revoke_first  # type: ignore[method-assign]
    assert store.find_token(secret) is not None, "it was there when it was asked for"
    assert store.find_token(secret) is None and store.tokens() == []


def test_a_subscriber_revokes_own_tokens_only(store: Store) -> None:
    secret = store.add_token("ann", "laptop", ["read"])
    for name, number in (("bob", 1), ("ann", 2), ("ann", 10**30), ("ann", -1)):
        with pytest.raises(UnknownNameError, match=f"{name} has no token number {number}"):
            store.revoke_token(name, number)
    assert store.find_token(secret) is not None


@pytest.mark.parametrize(
    ("name", "scopes", "reason"),
    [
        ("x", [], "at least one scope"),
        ("x", ["read", "root"], "no scope 'root'; there are read, write, match, events, feed, admin"),
        ("x", "read,write", "no scope 'read,write'"),
        ("x", [None], "no scope None"),
        ("x" * 101, ["read"], "101 characters"),
        ("a\nb", ["read"], "control character"),
        (None, ["read"], "is a text"),
        ("\ud800", ["read"], "is a text"),
    ],
)
def test_tokens_that_cannot_be(store: Store, name: Any, scopes: Any, reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        store.add_token("ann", name, scopes)
    assert store.tokens() == []


def test_a_token_needs_a_time_with_a_zone(store: Store) -> None:
    with pytest.raises(StoreError, match="no time zone"):
        store.add_token("ann", "x", ["read"], expires=datetime(2027, 1, 1))
    assert store.tokens() == []


def test_unknown_subscribers(store: Store) -> None:
    for work in (
        lambda: store.add_token("cid", "x", ["read"]),
        lambda: store.tokens("cid"),
        lambda: store.revoke_token("cid", 1),
        lambda: store.add_login("cid"),
    ):
        with pytest.raises(UnknownNameError, match="no subscriber 'cid'"):
            work()


# Logins


def test_a_login_opens_one_session(store: Store, clock: Clock) -> None:
    login = store.add_login("ann")
    assert len(login) == 43 and store.find_session(login) is None
    secret = store.redeem_login(login)
    assert secret is not None and secret != login
    assert store.redeem_login(login) is None and rows(store, "sessions") == 1
    found = store.find_session(secret)
    assert isinstance(found, Session)
    assert (found.subscriber, found.created, found.used) == ("ann", START, START)
    assert found.expires == START + IDLE_DAYS * DAY
    assert len(found.form_token) == 64 and found.form_token not in (secret, login)
    assert store.find_session(secret) == found, "its form token stays"
    other = store.redeem_login(store.add_login("ann"))
    assert other is not None and store.find_session(other).form_token != found.form_token  # type: ignore[union-attr]
    store.end_session(secret)
    store.end_session(secret)
    assert store.find_session(secret) is None and store.find_session(other) is not None


def test_a_login_is_valid_for_five_minutes(store: Store, clock: Clock) -> None:
    in_time, late, quick = store.add_login("ann"), store.add_login("ann"), store.add_login("ann", minutes=0.5)
    clock.time = START + timedelta(minutes=5) - SECOND
    assert store.redeem_login(quick) is None
    assert store.redeem_login(in_time) is not None
    clock.time += SECOND
    assert store.redeem_login(late) is None and rows(store, "logins") == 0
    store.add_login("ann")
    clock.time += DAY
    store.prune(START)
    assert rows(store, "logins") == 0


@pytest.mark.parametrize("minutes", [0, -1, 1441, float("nan"), float("inf")])
def test_minutes_that_cannot_be(store: Store, minutes: float) -> None:
    with pytest.raises(OptionError, match="minutes: more than 0 and at most 1,440"):
        store.add_login("ann", minutes=minutes)


@pytest.mark.slow
def test_two_processes_that_redeem_one_login_open_one_session(store: Store) -> None:
    with Store.open(str(store.path)) as today:  # children have the clock of today
        login = today.add_login("ann", minutes=60)
        children = [child("redeem", store.path, login) for _ in range(2)]
        for process in children:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
        said = [process.communicate("\n", timeout=PATIENCE)[0].strip() for process in children]
        assert sorted(map(bool, said)) == [False, True] and rows(today, "sessions") == 1
        assert today.find_session(max(said)) is not None


# Sessions


def test_a_session_ends_after_idle_days_and_after_ninety_in_all(store: Store, clock: Clock) -> None:
    used, idle = store.redeem_login(store.add_login("ann")), store.redeem_login(store.add_login("ann"))
    assert used is not None and idle is not None
    for day in range(10, SESSION_DAYS, 10):
        clock.time = START + day * DAY
        assert store.find_session(used) is not None
    assert store.find_session(idle) is None
    last = store.find_session(used)
    assert last is not None and last.expires == START + SESSION_DAYS * DAY
    store.prune(START)
    assert rows(store, "sessions") == 1
    clock.time = START + SESSION_DAYS * DAY
    assert store.find_session(used) is None
    store.prune(START)
    assert rows(store, "sessions") == 0


def test_a_removed_subscriber_has_no_way_in(store: Store) -> None:
    token, login = store.add_token("ann", "x", ["read"]), store.add_login("ann")
    session = store.redeem_login(store.add_login("ann"))
    assert session is not None
    store.remove_subscriber("ann")
    store.add_subscriber("ann")
    assert store.find_token(token) is None and store.find_session(session) is None
    assert store.redeem_login(login) is None
    assert [rows(store, table) for table in ("tokens", "logins", "sessions")] == [0, 0, 0]


# Secrets


@contextmanager
def secrets_of(store: Store) -> Iterator[list[str]]:
    login, session = store.add_login("ann"), store.redeem_login(store.add_login("ann"))
    token = store.add_token("ann", "laptop", SCOPES)
    assert session is not None
    found = store.find_session(session)
    assert found is not None and store.find_token(token) is not None
    yield [token, token.removeprefix("ww_"), login, session, found.form_token]


def test_no_secret_is_in_the_files(store: Store) -> None:
    with secrets_of(store) as secrets:
        for _ in range(2):
            content = b"".join(file.read_bytes() for file in files_of(store))
            assert b"laptop" in content, "what is written is found by this search"
            assert [secret for secret in secrets if secret.encode() in content] == []
            store.compact()


def test_the_hash_of_a_secret_opens_nothing(store: Store) -> None:
    with secrets_of(store), closing(sqlite3.connect(store.path)) as connection:
        for table in ("tokens", "logins", "sessions"):
            for (hashed,) in connection.execute(f"SELECT hash FROM {table}").fetchall():
                assert len(hashed) == 64
                assert store.find_token(hashed) is None and store.find_session(hashed) is None
                assert store.redeem_login(hashed) is None
