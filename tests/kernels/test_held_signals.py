"""Signals that come while kernels are compiled are delivered afterwards: real ones, in a process of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

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
    while not jit.first_use.compiled:
        time.sleep(0.0001)
    while sent[0] < 30 and not jit.private(total, "overloads"):
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGALRM)
        sent[0] += 1
        time.sleep(0.0005)

import numpy as np
sent, alarms, numbers = [0], [], np.arange(5)
signal.signal(signal.SIGALRM, lambda number, frame: alarms.append(number))
sender = threading.Thread(target=storm)
sender.start()
try:
    total(numbers)
    raise SystemExit("no interrupt")
except KeyboardInterrupt:
    pass
sender.join()
assert sent[0] > 5, sent
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


def test_a_storm_of_interrupts_while_a_kernel_is_compiled() -> None:
    done = subprocess.run([sys.executable, "-c", STORM], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("held\n", 0), done.stderr


def test_every_handler_runs_though_one_raises() -> None:
    """SIGUSR1 raises, SIGUSR2 is noted; both came while signals were held, and both handlers are back."""
    seen: list[int] = []

    def fail(number: int, frame: object) -> None:
        raise ZeroDivisionError

    before = (
        signal.signal(signal.SIGUSR1, fail),
        signal.signal(signal.SIGUSR2, lambda number, frame: seen.append(number)),
    )
    try:
        with pytest.raises(ZeroDivisionError):
            run_held(lambda: [os.kill(os.getpid(), one) for one in (signal.SIGUSR2, signal.SIGUSR1)] and seen.append(0))
        assert seen == [0, signal.SIGUSR2]
        assert signal.getsignal(signal.SIGUSR1) is fail
    finally:
        for number, handler in zip((signal.SIGUSR1, signal.SIGUSR2), before, strict=True):
            signal.signal(number, handler)


def test_other_threads_and_nested_calls_just_run() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(run_held(signal.getsignal, signal.SIGINT)))
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGINT)]
    assert run_held(run_held, divmod, 7, 2) == (3, 1)
