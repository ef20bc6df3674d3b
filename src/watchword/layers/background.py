"""Work done in a thread while its owner goes on: packing a new base beside the old one."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """One piece of work under way; `done` is set when it has ended, well or not."""

    def __init__(self, work: Callable[[], Result], name: str) -> None:
        self.done = threading.Event()
        self._found: list[Result] = []
        self._error: BaseException | None = None

        def run() -> None:
            try:
                self._found.append(work())
            except BaseException as error:
                self._error = error
            finally:
                self.done.set()

        threading.Thread(target=run, name=name, daemon=True).start()

    def is_over(self, wait: bool = False) -> bool:
        """Say whether the work has ended; with `wait`, wait until it has."""
        return self.done.wait(None if wait else 0)

    def result(self) -> Result:
        """Wait for the end; return what the work returned, or raise what it raised."""
        self.done.wait()
        if self._error is not None:
            raise self._error
        return self._found[0]
