"""Several processes and threads at once."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from tests.limits import PATIENCE
from tests.store.workload import batch, batches_in, check, child, filled, version_1
from watchword.errors import StoreError
from watchword.store import Store


@pytest.mark.slow
def test_writers_of_the_same_batches_beside_a_reader(tmp_path: Path) -> None:
    path, numbers, random_ = tmp_path / "store.db", list(range(25)), random.Random(7)
    with filled(path) as store:
        writers = [child("write", path, *random_.sample(numbers, len(numbers))) for _ in range(3)]
        seen: set[int] = set()
        while any(writer.poll() is None for writer in writers):
            now = batches_in(store.inbox("ann"), ["a1", "a2"])  # whole batches only, and none disappears
            assert seen <= now
            seen = now
        written: Counter[int] = Counter()
        for writer in writers:
            said, _ = writer.communicate(timeout=PATIENCE)
            assert writer.returncode == 0
            for line in said.splitlines():
                number, new = map(int, line.split())
                written[number] += new
        assert written == Counter(numbers)
        check(store, numbers)


@pytest.mark.slow
def test_a_new_store_opened_by_several_at_once(tmp_path: Path) -> None:
    for attempt in range(3):
        path = tmp_path / f"{attempt}" / "new" / "store.db"
        openers = [child("open_at_once", path) for _ in range(4)]
        for opener in openers:
            assert opener.stdout is not None
            assert opener.stdout.readline() == "ready\n"
        for opener in openers:
            assert opener.stdin is not None
            opener.stdin.write("\n")
            opener.stdin.flush()
        said = [opener.communicate(timeout=PATIENCE)[0] for opener in openers]
        assert said == ["done\n"] * 4 and [opener.returncode for opener in openers] == [0] * 4
        with Store.open(path) as store:
            assert [subscriber.name for subscriber in store.subscribers()] == ["ann"]


@pytest.mark.slow
def test_subscribers_in_several_processes(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    children = [child("subscribe", path, name, 40) for name in ("ann", "bob")]
    ids = [process.communicate(timeout=PATIENCE)[0].split() for process in children]
    with Store.open(path) as store:
        for name, given in zip(("ann", "bob"), ids, strict=True):
            assert [subscription.id for subscription in store.subscriptions(name)] == given
        assert len(set(ids[0] + ids[1])) == 80
        changes, counter = store.changes_since(0)
        assert [change.number for change in changes] == list(range(1, 81)) and counter == 80


@pytest.mark.slow
def test_threads_share_a_store(tmp_path: Path) -> None:
    with filled(tmp_path / "store.db") as store:

        def work(number: int) -> bool:
            new = store.record(*batch(number % 10))
            assert number % 10 in batches_in(store.inbox("bob"), ["b1"])
            return new

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(work, range(30))) == 10
        check(store, range(10))


def test_a_writer_that_does_not_let_go(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    with filled(path) as store, Store.open(path, timeout=0.05) as other, store._database.write():
        with pytest.raises(StoreError, match="locked for too long") as refusal:
            other.add_subscriber("cid")
        assert refusal.value.path == path
        assert [subscriber.name for subscriber in other.subscribers()] == ["ann", "bob"]  # reading waits for nobody


def test_an_older_store_that_another_is_writing(tmp_path: Path) -> None:
    """Nothing in SQLite waits for the lock that turning on the log needs; with two who open a new store it is rare."""
    path = version_1(tmp_path / "store.db")
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked for too long"):
            Store.open(path, timeout=0.05)
        letting_go = Timer(0.2, other.execute, ["COMMIT"])
        letting_go.start()
        with Store.open(path) as store:
            assert [subscriber.name for subscriber in store.subscribers()] == ["ann"]
        letting_go.join()


def test_a_fork_is_told_to_open_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with filled(tmp_path / "store.db") as store:
        with monkeypatch.context() as patch:
            patch.setattr(os, "getpid", lambda: -1)
            with pytest.raises(StoreError, match="open it here again"):
                store.subscribers()
        assert len(store.subscribers()) == 2
