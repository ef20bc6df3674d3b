"""The gate of an index: any number of threads may read at once, and a change has the index to itself.

Each thread that reads has a *lane*, a lock of its own, and holds it while it reads: no reader waits for another. A
change holds the *turn*, so that newcomers wait behind it, and then passes through the lanes of all other threads, one
after the other: when it has them all, nobody reads. In time::

    thread A    [ match ........ ]                       [ match ...
    thread B          [ match .............. ]           [ match ...
    thread C             turn, A's lane ✓, B's lane ✓  [ change ]

Cost: a reader takes one lock that nobody else wants; a change takes the turn and a lock for each *other* thread that
has read and still lives, so nothing more where there is one thread.

Interruptions. A ``KeyboardInterrupt`` may come between any two steps of Python code, and a lock that it leaves held is
held for ever. A plain ``with lock:`` is safe from that in CPython, because entering it is one step; helpers in Python
(`contextmanager`, `ExitStack`) are not. So readers are handed the lock itself for their ``with``, and a change is a
function that is called inside nested ``with`` statements.

Tried instead: one lock for all (threads then match one after the other), a counter of readers (an interruption can
leave it wrong), fixed lanes by thread number (two threads meet in one lane while others are free).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

_NESTED = "an index cannot be changed by an event that it is reading"

_Lane = Any
"""A `threading.RLock`, whose type has no name."""


class _Own(threading.local):
    """The lane of the current thread."""

    lane: _Lane | None = None


class Gate:
    """Lets readers pass together and changes one by one."""

    def __init__(self) -> None:
        self.changes = threading.RLock()
        """Held during a change, or by whoever wants no change meanwhile; readers do not care."""
        self._turn = threading.Lock()
        self._own = _Own()
        self._lanes: list[weakref.ref[_Lane]] = []  # a thread that ends takes its lane with it

    def reading(self) -> Any:
        """Return the lane that a reader locks: ``with gate.reading(): …``. It may be nested."""
        lane: Any = self._own.lane
        if lane is None:
            lane = self._new_lane()
        if self._turn.locked() and not lane._is_owned():  # a reader inside must not wait for who waits for it
            with self._turn:
                pass
        return lane

    def exclusively(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """Run `change` while nobody else reads or changes, and return what it returns. It is not nested."""
        if self._own.lane is not None and self._own.lane._is_owned():
            raise RuntimeError(_NESTED)
        with self.changes:
            return self.alone(change, *arguments)

    def alone(self, change: Callable[..., Result], *arguments: Any) -> Result:
        """As `exclusively`, for a caller that holds `changes` already."""
        lane = self._own.lane
        if lane is not None and lane._is_owned():
            raise RuntimeError(_NESTED)
        with self._turn:
            lanes = self._lanes
            if not lanes or (len(lanes) == 1 and lanes[0]() is lane):  # the common case: nobody else has ever read
                return change(*arguments)
            others = [found for ref in lanes if (found := ref()) is not None and found is not lane]
            return _through(others, change, arguments)

    def _new_lane(self) -> _Lane:
        lane = threading.RLock()
        with self._turn:
            self._lanes = [ref for ref in self._lanes if ref() is not None] + [weakref.ref(lane)]
            self._own.lane = lane
        return lane


def _through(lanes: list[_Lane], change: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    if not lanes:
        return change(*arguments)
    if len(lanes) < 4:
        with lanes[0]:
            return _through(lanes[1:], change, arguments)
    with lanes[0], lanes[1], lanes[2], lanes[3]:
        return _through(lanes[4:], change, arguments)
