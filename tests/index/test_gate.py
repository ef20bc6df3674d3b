"""The gate: readers pass together, changes alone, and nobody waits for ever."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from tests.limits import PATIENCE
from watchword import KeywordIndex
from watchword.index.gate import Gate


def in_thread(work: object) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def test_readers_are_inside_together() -> None:
    gate, both = Gate(), threading.Barrier(2, timeout=60)

    def read() -> None:
        with gate.reading():
            both.wait()

    other = in_thread(read)
    read()
    other.join()


def test_a_change_waits_for_readers_and_readers_wait_for_it() -> None:
    gate, events, inside, leave = Gate(), [], threading.Event(), threading.Event()

    def read() -> None:
        with gate.reading():
            inside.set()
            leave.wait(60)
            events.append("read")

    reader = in_thread(read)
    inside.wait(60)
    changer = in_thread(lambda: gate.exclusively(events.append, "changed"))
    while not gate._wanted:
        time.sleep(0.001)

    def read_later() -> None:
        with gate.reading():
            events.append("read later")

    newcomer = in_thread(read_later)
    time.sleep(0.05)
    assert events == []
    leave.set()
    for thread in (reader, changer, newcomer):
        thread.join(60)
    assert events == ["read", "changed", "read later"]


def test_threads_may_come_and_go() -> None:
    gate, done = Gate(), []

    def visit() -> None:
        with gate.reading():
            pass

    for _ in range(20):
        in_thread(visit).join()
        gate.exclusively(done.append, 1)
    visit()
    assert len(done) == 20
    assert len([ref for ref in gate._lanes if ref() is not None]) <= 2  # who has gone has left nothing behind


def test_a_reader_may_read_while_a_change_waits() -> None:
    """An event that asks the index in turn, just when somebody wants to change it."""
    gate = Gate()
    with gate.reading():
        changer = in_thread(lambda: gate.exclusively(lambda: None))
        while not gate._wanted:
            time.sleep(0.001)
        with gate.reading():
            pass
    changer.join(60)
    assert not changer.is_alive()


def test_events_that_ask_and_events_that_change() -> None:
    index = KeywordIndex({"a": "one", "b": "two"})

    def asking() -> Iterator[str]:
        yield from index.match("two")  # its ids are terms here
        yield "one"

    assert index.match(asking()) == ["a"]

    def changing() -> Iterator[str]:
        index["c"] = "three"
        yield "one"

    with pytest.raises(RuntimeError, match="cannot be changed by code that runs while it reads"):
        index.match(changing())
    assert dict(index) == {"a": "one", "b": "two"}
    index["c"] = "three"
    assert index.match("one three") == ["a", "c"]


# A thread inside itself: finalizers, signal handlers, events


def test_a_change_inside_a_read_is_refused_while_another_thread_wants_to_change() -> None:
    """The other one has `changes` and waits for this reader's lane: to wait for `changes` here would be for ever."""
    gate, refused = Gate(), []
    with gate.reading():
        changer = in_thread(lambda: gate.exclusively(lambda: None))
        while not gate._wanted:
            time.sleep(0.001)
        try:
            gate.refuse_nested()
        except RuntimeError as error:
            refused.append(str(error))
    changer.join(60)
    assert not changer.is_alive() and "while it reads" in refused[0]


def test_inside_a_change_reads_pass_and_changes_are_refused() -> None:
    gate, events = Gate(), []

    def change() -> None:
        assert gate.is_inside_change
        with gate.reading():
            events.append("read")
        with pytest.raises(RuntimeError, match="inside a change"):
            gate.refuse_nested()

    with gate.reading():
        assert not gate.is_inside_change
    gate.refuse_nested()
    gate.exclusively(change)
    assert events == ["read"] and not gate.is_inside_change
    gate.refuse_nested()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_child_of_a_fork_waits_for_no_thread_of_its_parent() -> None:
    gate, inside, leave = Gate(), threading.Event(), threading.Event()

    def read() -> None:
        with gate.reading():
            inside.set()
            leave.wait(60)

    reader = in_thread(read)
    inside.wait(60)
    changer = in_thread(lambda: gate.exclusively(lambda: None))  # it has the turn, and waits for the reader
    while not gate._wanted:
        time.sleep(0.001)
    child = os.fork()
    if child == 0:
        signal.alarm(int(PATIENCE))
        with gate.reading():
            pass
        os._exit(gate.exclusively(lambda: 7))
    leave.set()
    for thread in (reader, changer):
        thread.join(60)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_real_interrupts_leave_nothing_locked() -> None:
    """Signals at random moments, as Ctrl-C sends them; afterwards every change works and nothing is lost."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    index: KeywordIndex = KeywordIndex({n: f"w{n % 7} x" for n in range(50)})
    model = dict(index)
    index[1000] = model[1000] = "w1 y"
    interrupted = 0
    try:
        for step in range(400):
            key, text = step % 60, f"w{step % 11} y{step % 3}"
            try:
                signal.setitimer(signal.ITIMER_REAL, (1 + step % 37) * 4e-6)
                if step % 3:
                    index[key] = text
                    model[key] = text
                elif key in model:
                    del index[key]
                    del model[key]
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
                model = dict(index) if dict(index) != model else model
                assert set(model) - {key} == set(index) - {key}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 0
    expected = KeywordIndex(dict(index), method="brute")
    for event in ("w1 x", "w1 y1 w2 y2", "w3 y0 x"):
        assert index.match(event) == expected.match(event)
