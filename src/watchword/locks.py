"""Re-entrant locks that a fork does not leave held.

The child of a fork has one thread. A lock that another thread of the parent held is held in the child for ever, and the
data that it guards may be half changed. So the child makes such locks new, and marks their owners::

    guard = ForkSafe()
    with guard.lock:            # re-entrant: a finalizer that runs inside may come here, too
        ...
    guard.was_cut               # True in a child whose parent had another thread inside: the data may be broken

`index.gate` does the same for the locks of an index.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

Lock = Any
"""A `threading.RLock`, whose type has no name."""


def is_owned(lock: Lock) -> bool:
    """Return whether the calling thread holds a re-entrant lock.

    `threading.Condition` asks its locks by the same method, which has no public name.
    """
    return bool(lock._is_owned())


def renew(lock: Lock) -> Lock | None:
    """In the child of a fork, return a new lock for one that a thread holds which is not here; None for any other."""
    if is_owned(lock):
        return None
    if lock.acquire(blocking=False):
        lock.release()
        return None
    return threading.RLock()


class ForkSafe:
    """A re-entrant lock, and whether a fork has cut off the thread that held it."""

    def __init__(self) -> None:
        self.lock: Lock = threading.RLock()
        self.was_cut = False
        _all.add(self)

    def renew_in_child(self) -> None:
        """Make the lock new if a thread holds it that is not here."""
        new = renew(self.lock)
        if new is not None:
            self.lock, self.was_cut = new, True


_all: weakref.WeakSet[ForkSafe] = weakref.WeakSet()


def _renew_all() -> None:
    for one in list(_all):
        one.renew_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
