"""Work in a thread while its owner goes on: packing a new base beside the old one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """One piece of work under way, in a thread of its own unless `aside` is false: then it is done at once."""

    def __init__(self, work: Callable[[], Result], name: str, *, aside: bool = True) -> None:
        self._over = threading.Event()
        self._found: list[Result] = []
        self.error: BaseException | None = None
        """The exception that the work raised, or None."""

        def run() -> None:
            try:
                self._found.append(work())
            except BaseException as error:
                self.error = error
            finally:
                self._over.set()

        if aside:
            threading.Thread(target=run, name=name, daemon=True).start()
        else:
            run()

    def is_over(self, wait: bool = False) -> bool:
        """Return whether the work has ended, by success or error; with `wait`, waits until it has."""
        return self._over.wait(None if wait else 0)

    def result(self) -> Result:
        """Wait for the end; returns the result of the work, or raises its exception."""
        self._over.wait()
        if self.error is not None:
            raise self.error
        return self._found[0]
