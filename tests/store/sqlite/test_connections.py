"""Connections of threads and of forks, and of other programs beside them."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier, Event, Thread, Timer

import pytest

from tests.limits import PATIENCE
from tests.store.workload import filled, version_1
from watchword.errors import StoreError
from watchword.store import Store
from watchword.store.sqlite.connections import FORK_PATIENCE
from watchword.store.sqlite.database import Database

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
"""Python 3.12 warns of what is tested here."""


def opened(store: Store) -> int:
    """Return the number of open connections."""
    engine = store._engine
    assert isinstance(engine, Database)
    return len(engine._connections)


def files(path: Path) -> int:
    """Return how often this process has the store's file open."""
    links = Path("/proc/self/fd").iterdir() if sys.platform == "linux" else ()
    return sum(link.exists() and link.resolve() == path for link in links)


def test_each_thread_has_a_connection_while_it_lives(tmp_path: Path) -> None:
    with filled(tmp_path / "store.db") as store:
        assert opened(store) == 1
        barrier, done = Barrier(4), Event()

        def read() -> None:
            store.subscribers()
            store.subscribers()
            barrier.wait(PATIENCE)
            done.wait(PATIENCE)

        threads = [Thread(target=read) for _ in range(3)]
        for thread in threads:
            thread.start()
        barrier.wait(PATIENCE)
        assert opened(store) == 4
        done.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert opened(store) == 1
    assert opened(store) == 0 and files(store.path) == 0


def test_closing_waits_for_transactions_and_closes_the_connections_of_all_threads(tmp_path: Path) -> None:
    store = filled(tmp_path / "store.db")
    reading, done = Event(), Event()

    def read() -> int:
        with store._engine.read() as session:
            reading.set()
            assert done.wait(PATIENCE)
            return len(list(session.rows("SELECT name FROM subscribers")))

    with ThreadPoolExecutor(2) as pool:
        reader = pool.submit(read)
        assert reading.wait(PATIENCE)
        Timer(0.1, done.set).start()
        store.close()
        assert reader.result(PATIENCE) == 2
        assert opened(store) == 0
        for work in (store.subscribers, lambda: store.add_subscriber("cid"), store.compact, store.verify):
            with pytest.raises(StoreError, match="the store is closed") as refused:
                pool.submit(work).result(PATIENCE)
            assert refused.value.path == store.path
    store.close()


def test_a_store_closed_inside_a_transaction_fails_and_does_not_wait_for_itself(tmp_path: Path) -> None:
    store = filled(tmp_path / "store.db")
    with pytest.raises(StoreError), store._engine.read():
        store.close()
    with pytest.raises(StoreError, match="closed"):
        store.subscribers()


def test_a_removed_store_does_not_come_back_empty(tmp_path: Path) -> None:
    with filled(tmp_path / "a ?#%41 store.db") as store, ThreadPoolExecutor(1) as pool:
        for file in tmp_path.iterdir():
            file.unlink()
        with pytest.raises(StoreError, match="cannot open it"):
            pool.submit(store.subscribers).result(PATIENCE)
        assert list(tmp_path.iterdir()) == []


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


def in_child(work: Callable[[], object]) -> int:
    """Run `work` in a fork; return the fork's number. It ends with status 0 if `work` returns."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


def ended_well(child: int) -> bool:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_fork_opens_its_own_connection(tmp_path: Path) -> None:
    with filled(tmp_path / "store.db") as store:
        assert ended_well(in_child(lambda: store.add_subscriber("cid")))
        assert [subscriber.name for subscriber in store.subscribers()] == ["ann", "bob", "cid"]
    assert not ended_well(in_child(store.subscribers))  # closed stays closed


def test_commits_of_a_fork_outlive_the_close_of_its_parent(tmp_path: Path) -> None:
    """SQLite in the child took the parent's locks for its own; the parent then removed the log under the child."""
    (is_open, opening), (may_go_on, going_on) = os.pipe(), os.pipe()
    store = filled(tmp_path / "store.db")

    def work() -> None:
        store.add_subscriber("cid")
        os.write(opening, b"x")
        os.read(may_go_on, 1)
        store.add_subscriber("dan")

    child = in_child(work)
    os.read(is_open, 1)
    store.close()
    os.write(going_on, b"x")
    assert ended_well(child)
    with Store.open(tmp_path / "store.db") as again:
        assert [subscriber.name for subscriber in again.subscribers()] == ["ann", "bob", "cid", "dan"]
        again.verify()


def test_a_fork_waits_for_the_transactions_of_other_threads(tmp_path: Path) -> None:
    writing, done = Event(), Event()
    with filled(tmp_path / "store.db") as store, ThreadPoolExecutor(1) as pool:

        def write() -> None:
            with store._engine.write() as session:
                session.run("UPDATE subscribers SET name = 'bea' WHERE name = 'bob'")
                writing.set()
                assert done.wait(PATIENCE)

        writer = pool.submit(write)
        assert writing.wait(PATIENCE)
        Timer(0.1, done.set).start()

        def work() -> None:
            assert [subscriber.name for subscriber in store.subscribers()] == ["ann", "bea"]
            store.add_subscriber("cid")

        assert ended_well(in_child(work))
        writer.result(PATIENCE)
        assert [subscriber.name for subscriber in store.subscribers()] == ["ann", "bea", "cid"]


def test_a_fork_does_not_wait_for_threads_that_are_always_busy(tmp_path: Path) -> None:
    """Three readers are never idle at the same moment by themselves."""
    done = Event()
    with filled(tmp_path / "store.db") as store, ThreadPoolExecutor(3) as pool:

        def read() -> int:
            count = 0
            while not done.is_set():
                count += len(store.subscribers())
            return count

        readers = [pool.submit(read) for _ in range(3)]
        try:
            began = time.monotonic()
            children = [in_child(lambda number=number: store.add_subscriber(f"{number}")) for number in range(5)]
            assert time.monotonic() - began < FORK_PATIENCE
            assert all(map(ended_well, children))
        finally:
            done.set()
        assert all(reader.result(PATIENCE) for reader in readers)
        assert [subscriber.name for subscriber in store.subscribers()] == ["0", "1", "2", "3", "4", "ann", "bob"]


def test_a_fork_inside_a_transaction_leaves_it_to_the_parent(tmp_path: Path) -> None:
    with filled(tmp_path / "store.db") as store:
        with store._engine.write() as session:
            session.run("UPDATE subscribers SET name = 'bea' WHERE name = 'bob'")
            assert ended_well(in_child(lambda: None))
        assert [subscriber.name for subscriber in store.subscribers()] == ["ann", "bea"]
        store.verify()
