"""The gate of an index: any number of threads may read at once, and a change has the index to itself.

Each thread that reads has a *lane*, a lock of its own, and holds it while it reads: no reader waits for another. A
change holds the *turn*, so that newcomers wait behind it, and then passes through the lanes of all other threads, one
after the other: when it has them all, no thread reads. In time::

    thread A    [ match ........ ]                       [ match ...
    thread B          [ match .............. ]           [ match ...
    thread C             turn, A's lane ✓, B's lane ✓  [ change ]

Cost: a reader takes one lock that no other reader wants; a change takes the turn and a lock for each *other* thread
that has read and still lives, so nothing more where there is one thread.

A thread inside itself. Python may run a user's code at almost any step: a finalizer, a signal handler, the ``__iter__``
of an event. If that code asks the same index, its thread must not wait for itself, so every lock here is re-entrant:

    inside        a nested read                               a nested change
    a read        goes on (the thread has its lane already)   `RuntimeError`, before any lock is waited for
    a change      goes on; `Index` answers from before it     `RuntimeError`

Interruptions. A ``KeyboardInterrupt`` may come between any two steps of Python code, and a lock that it leaves held is
held for ever. A plain ``with lock:`` is safe from that in CPython, because entering it is one step; helpers in Python
(`contextmanager`, `ExitStack`) are not. So readers are handed the lock itself for their ``with``, and a change is a
function that is called inside nested ``with`` statements.

Fork. The child has only the thread that forked, and locks that other threads held stay held in it. So the child makes
the locks new that this thread does not own (`_renew_gates`); a change that another thread had begun has left its undo
note, and is taken back by the next call.

Tried instead: one lock for all (threads then match one after the other), a counter of readers (an interruption can
leave it wrong), fixed lanes by thread number (two threads meet in one lane while others are free).
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from watchword.locks import Lock, is_owned, renew

Result = TypeVar("Result")

_IN_A_READ = "an index cannot be changed by code that runs while it reads, such as an event's own __iter__: do it later"
_IN_A_CHANGE = (
    "an index cannot be changed by code that runs inside a change of it, such as a finalizer or a signal handler: "
    "note what to change, and change it later"
)


class _Own(threading.local):
    """The lane of the current thread."""

    lane: Lock | None = None


class Gate:
    """Lets readers pass together and changes one by one."""

    def __init__(self) -> None:
        self.changes: Lock = threading.RLock()
        """Held during a change, or by whoever wants no change meanwhile; readers do not care."""
        self._turn: Lock = threading.RLock()
        self._wanted = False  # a hint that a thread holds the turn; one that an interruption left costs time only
        self.was_cut = False
        """Whether this is the child of a fork that cut off a change of another thread."""
        self._own = _Own()
        self._lanes: list[weakref.ref[Lock]] = []  # a thread that ends takes its lane with it
        _gates.add(self)

    def reading(self) -> Any:
        """Return the lane that a reader locks: ``with gate.reading(): …``. It may be nested."""
        lane: Any = self._own.lane
        if lane is None:
            lane = self._new_lane()
        if self._wanted and not is_owned(lane):  # a reader inside must not wait for a change that waits for it
            with self._turn:
                pass
        return lane

    def lent(self) -> Lock:
        """Return a lane for a thread that helps a reader, which holds its own lane until that thread has ended."""
        if self._own.lane is None:
            self._own.lane = threading.RLock()
        return self._own.lane

    @property
    def is_inside_change(self) -> bool:
        """Return whether this thread is inside a change, with the index to itself."""
        return self._wanted and is_owned(self._turn)

    @property
    def is_nested(self) -> bool:
        """Return whether this thread reads already, or is inside a change."""
        lane = self._own.lane
        return (lane is not None and is_owned(lane)) or self.is_inside_change

    def refuse_nested(self) -> None:
        """Raise a `RuntimeError` if this thread reads or changes already; called before `changes` is taken."""
        lane = self._own.lane
        if lane is not None and lane._is_owned():  # as `is_owned` asks, which would cost a call more
            raise RuntimeError(_IN_A_READ)
        if self.changes._is_owned():
            raise RuntimeError(_IN_A_CHANGE)

    def exclusively(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """As `alone`, for a caller that may not hold `changes` yet; a `RuntimeError` if this thread reads."""
        lane = self._own.lane
        if lane is not None and is_owned(lane):
            raise RuntimeError(_IN_A_READ)
        with self.changes:
            return self.alone(change, *arguments)

    def alone(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """Run `change` while no other thread reads or changes, and return its result.

        The caller holds `changes`, and has seen to it that this thread does not read (`refuse_nested`).
        """
        lane = self._own.lane
        with self._turn:
            self._wanted = True
            try:
                lanes = self._lanes
                if not lanes or (len(lanes) == 1 and lanes[0]() is lane):  # the common case: no other has ever read
                    return change(*arguments)
                others = [found for ref in lanes if (found := ref()) is not None and found is not lane]
                return _through(others, change, arguments)
            finally:
                self._wanted = False

    def _new_lane(self) -> Lock:
        lane = threading.RLock()
        with self._turn:
            if self._own.lane is None:  # else a finalizer that ran just now has read, too
                self._lanes = [ref for ref in self._lanes if ref() is not None] + [weakref.ref(lane)]
                self._own.lane = lane
            return self._own.lane

    def _renew(self) -> None:
        """In the child of a fork: make new what another thread may have held."""
        lane = self._own.lane
        self._own = _Own()
        if lane is not None and is_owned(lane):  # else a change may hold it, or the thread has none
            self._own.lane = lane
        self._lanes = [] if self._own.lane is None else [weakref.ref(self._own.lane)]
        self.changes = renew(self.changes) or self.changes
        turn = renew(self._turn)
        if turn is not None:
            self._turn, self._wanted, self.was_cut = turn, False, True


def _through(lanes: list[Lock], change: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    if not lanes:
        return change(*arguments)
    if len(lanes) < 4:
        with lanes[0]:
            return _through(lanes[1:], change, arguments)
    with lanes[0], lanes[1], lanes[2], lanes[3]:
        return _through(lanes[4:], change, arguments)


_gates: weakref.WeakSet[Gate] = weakref.WeakSet()


def _renew_gates() -> None:
    for gate in list(_gates):
        gate._renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_gates)
