"""Work done in a thread while its owner goes on: packing a new base beside the old one."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """One piece of work under way, in a thread of its own unless `aside` is false: then it is done at once.

    In the child of a fork, where the thread does not live on, unfinished work has ended with an error.
    """

    def __init__(self, work: Callable[[], Result], name: str, *, aside: bool = True) -> None:
        self._over = threading.Event()
        self._found: list[Result] = []
        self.error: BaseException | None = None
        """What the work raised, once it is over."""

        def run() -> None:
            try:
                self._found.append(work())
            except BaseException as error:
                self.error = error
            finally:
                self._over.set()

        if aside:
            _under_way.add(self)
            threading.Thread(target=run, name=name, daemon=True).start()
        else:
            try:
                self._found.append(work())
            except Exception as error:  # an interruption is the caller's, and goes on to him
                self.error = error
            self._over.set()

    def is_over(self, wait: bool = False) -> bool:
        """Return whether the work has ended, by success or error; with `wait`, waits until it has."""
        return self._over.wait(None if wait else 0)

    def result(self) -> Result:
        """Wait for the end; return what the work returned, or raise what it raised."""
        self._over.wait()
        if self.error is not None:
            raise self.error
        return self._found[0]

    def _end_in_child(self) -> None:
        if not self._found:
            self.error = self.error or RuntimeError("the process was forked while its parent did this")
        self._over = threading.Event()  # the old one's lock may be held by a thread that is not here
        self._over.set()


_under_way: weakref.WeakSet[Background[Any]] = weakref.WeakSet()


def _end_all_in_child() -> None:
    for work in list(_under_way):
        work._end_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_end_all_in_child)
