"""One line for whoever waits: kernels are compiled when they are first used, and kept from then on.

The line is logged at the level INFO by the logger `watchword.kernels`, and printed on standard
error if that is a terminal, and below the cell in a notebook. It comes once a process, and not before compiling has
taken `PATIENCE` seconds: a kernel or two take less.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable
from typing import TextIO

PATIENCE = 1.0
_log = logging.getLogger("watchword.kernels")


class FirstUse:
    """Knows when kernels were first compiled, how many were, and whether that was said."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._said = False
        self.compiled = 0

    def compiles(self, folder: str) -> None:
        """Take notice that a kernel is about to be compiled, and kept in a folder."""
        self.compiled += 1
        now = self._clock()
        self._began = now if self._began is None else self._began
        if self._said or now < self._began + PATIENCE:
            return
        self._said = True
        line = f"compiling for the first use, which may take half a minute; kept in {folder}"
        _log.info(line)
        seen = _seen_stream()
        if seen is not None:
            print(f"watchword: {line}", file=seen, flush=True)


def _seen_stream() -> TextIO | None:
    """Return the stream that a person reads while waiting, standard error or output; None if neither is read."""
    if sys.stderr is not None and sys.stderr.isatty():
        return sys.stderr
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stdout if hasattr(shell, "kernel") else None  # IPython in a terminal has no kernel
