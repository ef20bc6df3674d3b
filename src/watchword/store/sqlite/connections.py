"""The connections of a process to a SQLite file: one for each thread that uses it.

    thread 1   reads    connection A      sees the state at which its transaction began
    thread 2   reads    connection B      at the same time
    thread 3   writes   connection C      alone: others that want to write wait for `turn`

A connection is opened at a thread's first transaction, is used by that thread alone, and is closed when the thread ends
or by `close`. A thread that asks for its connection a second time, within a transaction, gets an error: it would wait
for itself.

*Fork.* SQLite remembers in memory which locks its process holds, and a fork copies that memory, but not the locks. A
child that opened the file again would take its parent's locks for its own; when the parent then closed the file, it
would remove the log under the child, and commits of the child would be lost. So all connections are closed before a
fork, and opened again when they are next used, by parent and child apart. A connection in the middle of a transaction
is waited for, up to `FORK_PATIENCE` seconds; the transaction of the forking thread itself stays the parent's. The child
never touches a connection that is still open: it is kept in `_INHERITED`, because closing it would harm the parent.
"""

from __future__ import annotations

import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition, Lock, local

FORK_PATIENCE = 30.0
"""Seconds that a fork waits for transactions of other threads."""


class ClosedError(Exception):
    """The connections were closed."""


class NestedError(Exception):
    """A thread asked for a second transaction within its first."""


class Connections:
    """The connections of one process, made by `connect`."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], *, closed: bool = False) -> None:
        self.process = os.getpid()
        self.turn = Lock()
        """Held by the thread that writes."""
        self.closed = closed
        self._connect = connect
        self._guard = Condition()
        self._paused = False
        self._thread = local()
        self._all: weakref.WeakSet[_Held] = weakref.WeakSet()
        _EVERY.add(self)

    def __len__(self) -> int:
        """Return the number of open connections."""
        return sum(held.connection is not None for held in self._all)

    @contextmanager
    def mine(self) -> Iterator[sqlite3.Connection]:
        """Give this thread its connection."""
        held = self._take()
        try:
            assert held.connection is not None
            yield held.connection
        finally:
            with self._guard:
                held.busy = False
                self._guard.notify_all()

    def close(self) -> None:
        """Close all connections, after the transactions of other threads; no new ones are opened."""
        with self._guard:
            self.closed = True
            self._guard.wait_for(self._is_idle)
            for held in list(self._all):
                held.close()

    def pause(self) -> None:
        """Close all connections before a fork, and let no thread open one until `resume`."""
        self._guard.acquire()
        self._paused = True  # busy threads would otherwise begin one transaction after the other
        try:
            self._guard.wait_for(self._is_idle, FORK_PATIENCE)
            for held in list(self._all):
                if not held.busy:
                    held.close()
        except BaseException:  # an interruption: the fork goes on, and no thread may wait for ever
            self.resume()
            raise

    def resume(self) -> None:
        """Let threads of the parent open connections again."""
        self._paused = False
        self._guard.notify_all()
        self._guard.release()

    def _take(self) -> _Held:
        held: _Held | None = getattr(self._thread, "held", None)
        if held is not None and held.busy:  # asked before the guard is taken, which a fork may hold and wait for us
            raise NestedError
        with self._guard:
            self._guard.wait_for(lambda: not self._paused)
            if self.closed:
                raise ClosedError
            if held is None:
                held = self._thread.held = _Held()
                self._all.add(held)
            if held.connection is None:
                held.open(self._connect())
            held.busy = True
            return held

    def _is_idle(self) -> bool:
        """Return whether no thread but this one is in a transaction."""
        mine = getattr(self._thread, "held", None)
        return not any(held.busy for held in self._all if held is not mine)


class _Held:
    """The connection of one thread, closed when the thread ends."""

    def __init__(self) -> None:
        self.connection: sqlite3.Connection | None = None
        self.busy = False
        self._closing: weakref.finalize[[int, sqlite3.Connection], _Held] | None = None

    def open(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._closing = weakref.finalize(self, _close_in, os.getpid(), connection)
        self._closing.atexit = False

    def close(self) -> None:
        self.connection = None
        if self._closing is not None:
            self._closing()


_INHERITED: list[sqlite3.Connection] = []
_EVERY: weakref.WeakSet[Connections] = weakref.WeakSet()
_FORKING = Lock()
_paused: list[Connections] = []


def _close_in(process: int, connection: sqlite3.Connection) -> None:
    """Close a connection in the process that opened it; a fork of that process keeps it open."""
    if os.getpid() == process:
        connection.close()
    else:
        _INHERITED.append(connection)


def _before_fork() -> None:
    _FORKING.acquire()
    for connections in list(_EVERY):
        connections.pause()
        _paused.append(connections)


def _after_in_parent() -> None:
    while _paused:
        _paused.pop().resume()
    _FORKING.release()


def _after_in_child() -> None:
    _paused.clear()
    _EVERY.clear()
    _FORKING.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_in_parent, after_in_child=_after_in_child)
