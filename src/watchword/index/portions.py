"""One batch, several threads: portions of its events are matched side by side, and come back in their order.

With three threads and portions of 4,096 events::

    caller     [ 0 … ]            [ 12,288 … ]
    thread A      [ 4,096 … ]        [ 16,384 … ]         each takes the next portion when it is done with one
    thread B      [ 8,192 … ]  [ 20,480 … ]

The caller reads the index, and holds its lane in the index's gate until all threads are done. So no change comes in
between, and every portion is answered by one state of the index. Threads that help get a lane of their own, so that a
user's code which runs inside them, such as a finalizer, is treated as in the caller: it may read, and may not change.

Events that are Python objects are read while the interpreter is locked, and their own code would run in other threads;
they are left to the caller. So are batches too small to share (`LARGE`).

An error in a portion stops the others after theirs; that of the first portion is raised. An interruption of the caller
stops them, too, and is raised when they have ended. Threads are made for each call: there is no pool that a fork or the
end of the process would have to care for.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import pyarrow as pa

from watchword.errors import OptionError
from watchword.locks import Lock

LARGE = 1 << 20
"""The bytes of events from which on a batch is shared by several threads, unless a call says how many."""

LEAST_BYTES, LEAST_EVENTS = 1 << 18, 4096
"""A portion has this many bytes, or this many events if that is less."""

PER_THREAD = 4
"""About how many portions a thread gets, so that the last ones end together."""

VARIABLE = "WATCHWORD_THREADS"

Result = TypeVar("Result")


def thread_count(threads: int | None, events: Any) -> int:
    """Return how many threads match events: `threads`; if that is None, as many as there are cores for a large batch.

    The environment variable WATCHWORD_THREADS stands for the number of cores. Events that are objects of Python have
    one thread, whatever is asked for.

    >>> thread_count(2, pa.array(["tea"])), thread_count(2, [{"a": 1}]), thread_count(None, pa.array(["tea"]))
    (2, 1, 1)
    """
    if threads is not None and (type(threads) is not int or threads < 1):
        raise OptionError(f"threads is {threads!r}; it is a whole number from 1 on, or None for all cores")
    if threads == 1 or not _may_be_shared(events):
        return 1
    if threads is not None:
        return threads
    return available() if byte_count(events) >= LARGE else 1


def available() -> int:
    """Return the number of threads that a call may use: WATCHWORD_THREADS, or the cores that this process may use."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted:
        if not (wanted.isascii() and wanted.isdigit() and int(wanted) > 0):
            raise OptionError(f"the environment variable {VARIABLE} is {wanted!r}; it is a whole number from 1 on")
        return int(wanted)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _may_be_shared(events: Any) -> bool:
    if isinstance(events, pa.Array | pa.ChunkedArray):
        return True
    return isinstance(events, list | tuple) and set(map(type, events)) <= {str, bytes}


def byte_count(events: Any) -> int:
    """Return about how many bytes events have."""
    if isinstance(events, pa.Array | pa.ChunkedArray):
        return int(events.nbytes)
    some = events[:: max(1, len(events) // 100)]
    return sum(map(len, some)) * len(events) // max(1, len(some))


def portion_size(events: Any, threads: int) -> int:
    """Return how many events a portion has.

    >>> portion_size(pa.array(["a post of thirty-two letters, so"] * 100_000), 2)
    12500
    >>> portion_size(pa.array(["x" * 100_000] * 64), 2)
    8
    """
    count = max(1, len(events))
    weight = max(1, byte_count(events) // count)
    least = max(1, min(LEAST_EVENTS, LEAST_BYTES // weight))
    return max(least, -(-count // (threads * PER_THREAD)))


class Portions(Generic[Result]):
    """The portions of a batch, handed out in order to threads that take them."""

    def __init__(self, count: int, size: int, match: Callable[[int, int], Result]) -> None:
        """``match(start, stop)`` returns what the events of a portion give."""
        self._count, self._size, self._match = count, size, match
        self._state = threading.Condition()
        self._next = 0
        self._stopped = False
        self._helping: set[int] = set()
        """The threads, other than the caller's, that have a portion."""
        self._results: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}

    def run(self, threads: int, lane: Callable[[], Lock]) -> list[Result]:
        """Match everything by a number of threads, the caller's included; `lane` returns the lane of one that helps."""
        helpers = min(threads, -(-self._count // self._size)) - 1
        try:
            for _ in range(helpers):
                threading.Thread(target=self._help, args=(lane,), name="watchword-portions").start()
            while (start := self._take()) is not None:
                self._do(start)
        finally:
            self._end()
        if self._errors:
            raise self._errors[min(self._errors)]
        return [self._results[start] for start in sorted(self._results)]

    def _help(self, lane: Callable[[], Lock]) -> None:
        """Match portions in another thread than the caller's, until there are none or one of them has failed."""
        own = threading.get_ident()
        with lane():
            while (start := self._take(own)) is not None:
                try:
                    self._do(start)
                except BaseException as error:
                    self._errors.setdefault(start, error)
                finally:
                    with self._state:
                        self._helping.discard(own)
                        self._state.notify_all()

    def _take(self, helper: int | None = None) -> int | None:
        """Return the first event of the next portion; None if there is none for this thread."""
        with self._state:
            if self._stopped or self._next >= self._count:
                return None
            start = self._next
            self._next += self._size
            if helper is not None:
                self._helping.add(helper)
            return start

    def _do(self, start: int) -> None:
        try:
            self._results[start] = self._match(start, min(start + self._size, self._count))
        except BaseException as error:
            self._errors[start] = error
            self._stopped = True
            if not isinstance(error, Exception):
                raise

    def _end(self) -> None:
        """Hand out no more portions, and wait for the threads that have one; an interruption waits, too."""
        interruption: BaseException | None = None
        while True:
            try:
                with self._state:
                    self._stopped = True
                    while self._helping:
                        self._state.wait()
                break
            except BaseException as error:
                interruption = error
        if interruption is not None:
            raise interruption
