"""The audit log, and answers that a repeated request gets again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.store.clock import START, Clock
from watchword.errors import OptionError, StoreError, UnknownNameError
from watchword.store import AuditEntry, Store
from watchword.store.audit import ANSWER_CHARACTERS, ANSWER_HOURS, AUDIT_CHARACTERS, AUDIT_DAYS, KEY_CHARACTERS


def test_the_log_has_the_newest_entry_first(store: Store, clock: Clock) -> None:
    store.add_audit("ann", "subscribe", "a", source="10.0.0.7", new={"text": "ferry", "tags": ["x"]})
    clock.time += timedelta(seconds=1)
    store.add_audit("bob", "unsubscribe", "a", old="ferry")
    second, first = store.audit()
    assert first == AuditEntry(1, START, "ann", "subscribe", "a", "10.0.0.7", None, {"text": "ferry", "tags": ["x"]})
    assert (second.number, second.time, second.who, second.old, second.new) == (2, clock.time, "bob", "ferry", None)
    assert store.audit(limit=1) == [second] and store.audit(before=2) == [first] and store.audit(before=1) == []
    assert store.audit(limit=0) == store.audit(limit=-1) == [] and len(store.audit(limit=10**30)) == 2
    assert len(store.audit(before=10**30)) == 2
    store.remove_subscriber("ann")
    assert len(store.audit()) == 2, "it outlives those whom it names"


def test_an_entry_holds_strange_and_long_values(store: Store) -> None:
    store.add_audit("a\ud800\0b", "w" * 20_000, "", old={"x": "y" * 20_000}, new=["\ud800", START, float("inf")])
    (entry,) = store.audit()
    assert entry.who == "a??b" and len(entry.what) == AUDIT_CHARACTERS and entry.what.endswith("w…")
    assert isinstance(entry.old, str) and entry.old.startswith('{"x": "yyy') and len(entry.old) == AUDIT_CHARACTERS
    assert entry.new == ["\ud800", str(START), float("inf")]


def test_a_value_that_json_cannot_hold_is_refused(store: Store) -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (endless, {(1, 2): 3}):
        with pytest.raises(StoreError, match="what JSON can hold"):
            store.add_audit("ann", "x", "y", new=value)
    assert store.audit() == []


def test_an_entry_is_kept_for_a_year(store: Store, clock: Clock) -> None:
    store.add_audit("ann", "old", "x")
    clock.time += timedelta(days=AUDIT_DAYS) - timedelta(seconds=1)
    store.add_audit("ann", "new", "x")
    store.prune(START)
    assert len(store.audit()) == 2
    clock.time += timedelta(seconds=1)
    store.prune(START)
    assert [(entry.what, entry.number) for entry in store.audit()] == [("new", 2)]


def test_an_answer_is_remembered_for_a_day(store: Store, clock: Clock) -> None:
    assert store.remembered_answer("ann", "k") is None
    store.remember_answer("ann", "k", '{"id": "a"}')
    store.remember_answer("ann", "k", "a second one")
    assert store.remembered_answer("ann", "k") == '{"id": "a"}' and store.remembered_answer("bob", "k") is None
    clock.time += timedelta(hours=ANSWER_HOURS) - timedelta(seconds=1)
    store.prune(START)
    assert store.remembered_answer("ann", "k") == '{"id": "a"}'
    clock.time += timedelta(seconds=1)
    assert store.remembered_answer("ann", "k") is None
    store.remember_answer("ann", "k", "another day")
    assert store.remembered_answer("ann", "k") == "another day"
    clock.time += timedelta(hours=ANSWER_HOURS)
    store.prune(START)
    with store._engine.read() as session:
        assert session.row("SELECT count(*) FROM answers") == (0,)


def test_answers_and_keys_have_limits(store: Store) -> None:
    for key in ("", "k" * (KEY_CHARACTERS + 1), "\ud800", None, 7):
        with pytest.raises(OptionError, match="a key is a text of 1 to 255 characters"):
            store.remember_answer("ann", key, "x")  # type: ignore[arg-type]
        assert store.remembered_answer("ann", key) is None  # type: ignore[arg-type]
    for answer in ("a" * (ANSWER_CHARACTERS + 1), "\ud800", None):
        with pytest.raises(OptionError, match="at most 1,048,576 characters"):
            store.remember_answer("ann", "k", answer)  # type: ignore[arg-type]
    store.remember_answer("ann", "k" * KEY_CHARACTERS, "a" * ANSWER_CHARACTERS)
    assert store.remembered_answer("ann", "k" * KEY_CHARACTERS) == "a" * ANSWER_CHARACTERS
    store.remember_answer("ann", "empty", "")
    assert store.remembered_answer("ann", "empty") == ""
    for work in (lambda: store.remember_answer("cid", "k", "x"), lambda: store.remembered_answer("cid", "k")):
        with pytest.raises(UnknownNameError, match="no subscriber 'cid'"):
            work()
