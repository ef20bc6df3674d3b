"""Several processes and threads at once."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.limits import PATIENCE
from tests.store.workload import batch, batches_in, check, child, filled
from watchword.errors import StoreError
from watchword.store import Request, Store


@pytest.mark.slow
def test_writers_of_the_same_batches_beside_a_reader(address: str) -> None:
    numbers, random_ = list(range(25)), random.Random(7)
    with filled(address) as store:
        writers = [child("write", address, *random_.sample(numbers, len(numbers))) for _ in range(3)]
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
@pytest.mark.parametrize("attempt", range(3))
def test_a_new_store_opened_by_several_at_once(address: str, attempt: int) -> None:
    openers = [child("open_at_once", address) for _ in range(4)]
    for opener in openers:
        assert opener.stdout is not None
        assert opener.stdout.readline() == "ready\n"
    for opener in openers:
        assert opener.stdin is not None
        opener.stdin.write("\n")
        opener.stdin.flush()
    said = [opener.communicate(timeout=PATIENCE)[0] for opener in openers]
    assert said == ["done\n"] * 4 and [opener.returncode for opener in openers] == [0] * 4
    with Store.open(address) as store:
        assert [subscriber.name for subscriber in store.subscribers()] == ["ann"]


@pytest.mark.slow
def test_subscribers_in_several_processes(address: str) -> None:
    children = [child("subscribe", address, name, 40) for name in ("ann", "bob")]
    ids = [process.communicate(timeout=PATIENCE)[0].split() for process in children]
    with Store.open(address) as store:
        for name, given in zip(("ann", "bob"), ids, strict=True):
            assert [subscription.id for subscription in store.subscriptions(name)] == given
        assert len(set(ids[0] + ids[1])) == 80
        changes, counter = store.changes_since(0)
        assert [change.number for change in changes] == list(range(1, 81)) and counter == 80


@pytest.mark.slow
def test_threads_share_a_store(address: str) -> None:
    with filled(address) as store:

        def work(number: int) -> bool:
            new = store.record(*batch(number % 10))
            assert number % 10 in batches_in(store.inbox("bob"), ["b1"])
            return new

        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(work, range(30))) == 10
        check(store, range(10))


def test_a_writer_that_does_not_let_go(address: str) -> None:
    with filled(address) as store, Store.open(address, timeout=0.05) as other, store._engine.write():
        with pytest.raises(StoreError, match="locked for too long") as refusal:
            other.add_subscriber("cid")
        assert refusal.value.path == other.path
        assert [subscriber.name for subscriber in other.subscribers()] == ["ann", "bob"]  # reading waits for nobody


def test_threads_read_while_one_writes(address: str) -> None:
    """A reader beside a long write does not wait, and sees the state before it; afterwards it sees the write."""
    writing, done = Event(), Event()
    with filled(address) as store:

        def write() -> None:
            with store._engine.write() as session:
                session.run("UPDATE subscribers SET name = 'bea' WHERE name = 'bob'")
                writing.set()
                assert done.wait(PATIENCE)

        def names() -> list[str]:
            assert writing.wait(PATIENCE)
            return [subscriber.name for subscriber in store.subscribers()]

        with ThreadPoolExecutor(4) as pool:
            writer = pool.submit(write)
            try:
                readers = [pool.submit(names) for _ in range(3)]
                assert [reader.result(PATIENCE) for reader in readers] == [["ann", "bob"]] * 3
                assert not writer.done()
            finally:
                done.set()
            writer.result(PATIENCE)
            assert pool.submit(names).result(PATIENCE) == ["ann", "bea"]


def test_a_read_sees_one_state_while_others_write(address: str) -> None:
    with filled(address) as store, ThreadPoolExecutor(1) as pool, store._engine.read() as session:
        before = list(session.rows("SELECT name FROM subscribers"))
        assert pool.submit(store.add_subscriber, "cid").result(PATIENCE)
        assert list(session.rows("SELECT name FROM subscribers")) == before


def test_a_thread_that_writes_too_long_is_named(address: str) -> None:
    with Store.open(address, timeout=0.05) as store, ThreadPoolExecutor(1) as pool:
        with store._engine.write(), pytest.raises(StoreError, match="thread of this process has kept it locked"):
            pool.submit(store.add_subscriber, "ann").result(PATIENCE)
        assert pool.submit(store.add_subscriber, "ann").result(PATIENCE)


@pytest.mark.parametrize("outer", ["read", "write"])
def test_a_transaction_within_a_transaction_is_refused_and_waits_for_nothing(address: str, outer: str) -> None:
    with filled(address) as store:
        with getattr(store._engine, outer)():
            for work in (store.subscribers, lambda: store.add_subscriber("cid")):
                with pytest.raises(StoreError, match="in the middle of a transaction"):
                    work()
        assert store.add_subscriber("cid")


def test_a_change_is_numbered_for_the_thread_that_made_it(address: str) -> None:
    with Store.open(address) as store, ThreadPoolExecutor(1) as pool:
        store.add_subscriber("ann")
        assert store.counter == 0
        key = store.subscribe("ann", "greece")
        assert store.counter == 1
        assert pool.submit(lambda: store.counter).result(PATIENCE) == 0
        pool.submit(store.subscribe_many, [Request("ann", "crisis"), Request("ann", "imf")]).result(PATIENCE)
        assert (store.counter, pool.submit(lambda: store.counter).result(PATIENCE)) == (1, 3)
        assert store.subscribe("ann", "greece", id=key) == key
        assert store.counter == 3  # nothing changed, and the state that has it is the third
        store.unsubscribe(key)
        assert store.counter == 4
        store.remove_subscriber("ann")
        assert store.counter == 6 == store.changes_since(0).counter
