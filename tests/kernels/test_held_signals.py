"""Signals that come while kernels are compiled are delivered afterwards: real ones, in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from types import FrameType
from typing import Any

import pytest

from tests.limits import PATIENCE
from watchword.kernels import held_signals
from watchword.kernels.held_signals import run_held

STORM = """
import os, signal, sys, threading, time
from watchword.kernels import jit

@jit.kernel
def total(numbers):
    found = 0
    for number in numbers:
        found += number
    return found

@jit.kernel
def double(number):
    return 2 * number

def storm():
    begun.wait()
    for _ in range(30):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGALRM)
        time.sleep(0.0005)

def compile_in_the_storm(*arguments):
    begun.set()
    try:
        return compile_(*arguments)
    finally:
        sender.join()  # no signal comes later, however slow the thread is

import numpy as np
alarms, numbers, begun = [], np.arange(5), threading.Event()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what is in its background without it
signal.signal(signal.SIGALRM, lambda number, frame: alarms.append(number))
compiler = jit.private(total, "_compiler")
compile_, compiler.compile = compiler.compile, compile_in_the_storm
sender = threading.Thread(target=storm)
sender.start()
try:
    total(numbers)
    raise SystemExit("no interrupt")
except KeyboardInterrupt:
    pass
assert len(total.signatures) == 1, "the interrupt came inside of the compiler"
assert alarms == [signal.SIGALRM]
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
assert total(numbers) == 10
other = threading.Thread(target=double, args=(4,), daemon=True)
other.start()
other.join(60)
assert not other.is_alive(), "numba's lock is still held"
print("held")
"""


@pytest.mark.slow
def test_a_storm_of_interrupts_while_a_kernel_is_compiled() -> None:
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("held\n", 0), done.stderr


@pytest.fixture
def seen() -> Iterator[list[int]]:
    """SIGUSR1 raises a ZeroDivisionError, SIGUSR2 is noted in the list."""
    seen: list[int] = []
    before = (signal.signal(signal.SIGUSR1, fail), signal.signal(signal.SIGUSR2, lambda number, _: seen.append(number)))
    yield seen
    for number, handler in zip((signal.SIGUSR1, signal.SIGUSR2), before, strict=True):
        signal.signal(number, handler)


def fail(number: int, frame: object) -> None:
    raise ZeroDivisionError


def work(seen: list[int], *signals: int) -> None:
    for number in signals:
        signal.raise_signal(number)
    seen.append(0)


def test_every_handler_runs_though_one_raises(seen: list[int]) -> None:
    """Both came while signals were held, and both handlers are back."""
    with pytest.raises(ZeroDivisionError):
        run_held(work, seen, signal.SIGUSR2, signal.SIGUSR1)
    assert seen == [0, signal.SIGUSR2]
    assert signal.getsignal(signal.SIGUSR1) is fail


def test_a_handler_that_raises_at_any_step_leaves_all_as_it_was(
    seen: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal comes at each step of Python's in turn, also while handlers are put back; the next call holds again."""
    monkeypatch.setattr(signal, "valid_signals", lambda: (signal.SIGUSR1, signal.SIGINT, signal.SIGUSR2))
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    step = 0
    while interrupted_at(step, seen):
        step += 1
        seen.clear()
        run_held(work, seen, signal.SIGUSR2)
        assert seen == [0, signal.SIGUSR2], step
        assert [signal.getsignal(number) for number in signal.valid_signals()] == handlers, step
    assert step > 100


def interrupted_at(step: int, seen: list[int]) -> bool:
    """Run work while signals are held, send SIGUSR1 before the given step of it, and return whether there is one."""
    steps = count()

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != held_signals.__file__:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode" and next(steps) == step:
            signal.raise_signal(signal.SIGUSR1)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run_held(work, seen)
    except ZeroDivisionError:
        return True
    finally:
        sys.settrace(before)
    return False


def test_other_threads_and_nested_calls_just_run() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(run_held(signal.getsignal, signal.SIGINT)))
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]
    assert run_held(run_held, divmod, 7, 2) == (3, 1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("begins", ["main", "other"])
def test_the_child_of_a_fork_handles_its_signals(seen: list[int], begins: str) -> None:
    """A fork comes while the main thread holds signals; the thread that began it is the child's main thread."""
    statuses: list[int] = []

    def fork() -> None:
        child = os.fork()
        if child == 0:
            signal.alarm(int(PATIENCE))
            signal.raise_signal(signal.SIGUSR2)
            os._exit(10 + len(seen))
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    def work() -> None:
        signal.raise_signal(signal.SIGUSR2)
        if begins == "main":
            fork()
        else:
            thread = threading.Thread(target=fork)
            thread.start()
            thread.join()
        assert seen == []

    run_held(work)
    assert statuses == [10 if begins == "main" else 11]
    assert seen == [signal.SIGUSR2]
