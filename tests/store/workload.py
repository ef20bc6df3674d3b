"""Batches that parent and children agree on, and the children: ``python -m tests.store.workload TASK PATH ...``."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from watchword.store import Delivery, Item, Match, Store
from watchword.store.sqlite.migrations import MIGRATIONS

ITEMS = 150
SUBSCRIPTIONS = {"a1": "ann", "a2": "ann", "b1": "bob"}
CREATED = "2026-01-02T03:04:05.000000Z"
CONTENT = f"""
    INSERT INTO subscribers VALUES (7, 'ann', '{CREATED}');
    INSERT INTO subscriptions VALUES ('s1', 7, 'keywords', 'old words', '{CREATED}', 1);
    INSERT INTO changes VALUES (1, 's1', 'keywords');
    INSERT INTO items VALUES (3, 'urn:1', 'old title', '', '', '', NULL, '', '');
    INSERT INTO deliveries VALUES (5, 7, 3, '{CREATED}', NULL);
    INSERT INTO matches VALUES (5, 's1', 'old why');
    INSERT INTO batches VALUES ('b1', '{CREATED}', 1);
"""


def version_1(path: Path) -> Path:
    """Make a store as the first version made it."""
    return older_store(path, 1, CONTENT)


def older_store(path: Path, version: int, content: str) -> Path:
    """Make a store by the schema of an older version, with the rows that `content` inserts."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("".join(MIGRATIONS[:version]) + content + f"PRAGMA user_version = {version};")
    return path


def filled(path: str | Path) -> Store:
    """Return a new store with the subscriptions that every batch matches."""
    store = Store.open(path)
    for name in ("ann", "bob"):
        store.add_subscriber(name)
    for key, name in SUBSCRIPTIONS.items():
        store.subscribe(name, "some words", id=key)
    return store


def batch(number: int) -> tuple[str, list[Item], list[Match]]:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    items = [Item(f"{number}/{k}", f"title {k}", "text " * 40, published=time) for k in range(ITEMS)]
    matches = [Match(item.identity, key, f"why {key}") for item in items for key in SUBSCRIPTIONS]
    return f"batch {number}", items, matches


def batches_in(inbox: list[Delivery], keys: list[str]) -> set[int]:
    """Return the batches in an inbox, each of which must be whole and there once, with all of `keys`."""
    identities = [delivery.item.identity for delivery in inbox]
    numbers = {int(identity.split("/")[0]) for identity in identities}
    assert sorted(identities) == sorted(f"{number}/{k}" for number in numbers for k in range(ITEMS))
    for delivery in inbox:
        assert [reason.subscription for reason in delivery.reasons] == keys
    return numbers


def check(store: Store, expected: Iterable[int]) -> None:
    """Check that exactly the `expected` batches are there, in every table."""
    store.verify()
    numbers = set(expected)
    assert batches_in(store.inbox("ann"), ["a1", "a2"]) == numbers
    assert batches_in(store.inbox("bob"), ["b1"]) == numbers
    stats = store.stats()
    assert (stats.batches, stats.items) == (len(numbers), len(numbers) * ITEMS)
    assert (stats.deliveries, stats.matches) == (2 * stats.items, 3 * stats.items)


def child(*args: object) -> subprocess.Popen[str]:
    """Start a child that works on the store at a path."""
    command = [sys.executable, "-m", "tests.store.workload", *map(str, args)]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def write(path: str, *numbers: str) -> None:
    """Write batches, and say after each whether it was new."""
    with Store.open(path) as store:
        for number in numbers:
            print(number, int(store.record(*batch(int(number)))), flush=True)


def write_and_die(path: str, number: str, ticks: str) -> None:
    """Write a batch, and die by SIGKILL in the middle of it, after `ticks` steps of SQLite's machine."""
    left = int(ticks)

    def tick() -> int:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    with Store.open(path) as store:
        with store._engine.read() as session:
            session.connection.set_progress_handler(tick, 1)  # type: ignore[attr-defined]
        store.record(*batch(int(number)))
    print(int(ticks) - left)


def open_at_once(path: str) -> None:
    """Open a store when told to, together with others."""
    print("ready", flush=True)
    sys.stdin.readline()
    with Store.open(path) as store:
        store.add_subscriber("ann")
    print("done")


def subscribe(path: str, name: str, count: str) -> None:
    """Subscribe one by one, and print the ids."""
    with Store.open(path) as store:
        store.add_subscriber(name)
        for number in range(int(count)):
            print(store.subscribe(name, f"word{number} more"))


def redeem(path: str, login: str) -> None:
    """Redeem a login when told to, together with others; print the session's secret, or nothing."""
    with Store.open(path) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        print(store.redeem_login(login) or "")


if __name__ == "__main__":
    tasks = {task.__name__: task for task in (write, write_and_die, open_at_once, subscribe, redeem)}
    tasks[sys.argv[1]](*sys.argv[2:])
