"""One process or several on one port: `serve_home`.

    parent      binds the port, starts the workers, watches them
    worker 1    binds the same port by SO_REUSEPORT, listens
    worker 2    the same; the kernel shares connections among them

A worker that dies is started again, after a pause that doubles up to `LONGEST_PAUSE` seconds. At SIGTERM or SIGINT the
parent sends SIGTERM to all, and ends when they have.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any

from watchword.home import Home
from watchword.serve.child import RunChild
from watchword.serve.server import address_of, bind, serve
from watchword.serve.state import Settings

LONGEST_PAUSE = 30.0
"""Seconds between the death of a worker and its next start, at most."""
_log = logging.getLogger("watchword.serve")


def serve_home(home: Home, settings: Settings, ready: Callable[[str], None]) -> int | None:
    """Serve a home by as many processes as its settings say; return the signal that ended it.

    With `settings.run`, the run is a child of this process, and ends with it.
    """
    if not settings.run:
        return _serve_home(home, settings, ready)
    with RunChild(home, settings.run):
        return _serve_home(home, settings, ready)


def _serve_home(home: Home, settings: Settings, ready: Callable[[str], None]) -> int | None:
    if settings.workers == 1:
        return serve(home, settings, ready)
    return _Workers(home, settings, ready).run()


class _Workers:
    """The workers of one port, and their parent."""

    def __init__(self, home: Home, settings: Settings, ready: Callable[[str], None]) -> None:
        self._home, self._settings, self._ready = home, settings, ready
        self._context = multiprocessing.get_context("spawn")
        self._stop = threading.Event()
        self._signal: int | None = None

    def run(self) -> int | None:
        with bind(self._settings) as reserved:  # keeps the port; it does not listen, so it gets no connection
            fixed = replace(self._settings, port=reserved.getsockname()[1])
            before = {number: signal.signal(number, self._end) for number in (signal.SIGINT, signal.SIGTERM)}
            try:
                self._watch(fixed, address_of(fixed, reserved))
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)
        return self._signal

    def _watch(self, settings: Settings, address: str) -> None:
        begun = [self._context.Event() for _ in range(settings.workers)]
        workers = [self._start(settings, event) for event in begun]
        starts, since = [1] * len(workers), [time.monotonic()] * len(workers)
        said = False
        while not self._stop.wait(0.05):
            if not said and all(event.is_set() for event in begun):
                said = True
                self._ready(address)
            for number, worker in enumerate(workers):
                if worker.is_alive():
                    continue
                if not said:
                    self._stop.set()
                    break
                pause = min(LONGEST_PAUSE, 0.1 * 2 ** starts[number])
                if time.monotonic() - since[number] > pause:
                    _log.warning("worker %d ended with status %s and is started again", number, worker.exitcode)
                    starts[number], since[number] = min(starts[number] + 1, 10), time.monotonic()
                    workers[number] = self._start(settings, begun[number])
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
        for worker in workers:
            worker.join()

    def _start(self, settings: Settings, begun: Any) -> BaseProcess:
        worker = self._context.Process(target=_work, args=(self._home.path, settings, begun), name="watchword-serve")
        worker.start()
        return worker

    def _end(self, number: int, frame: FrameType | None) -> None:
        self._signal = number
        self._stop.set()


def _work(path: Any, settings: Settings, begun: Any) -> None:
    """Serve in a process of its own; Ctrl-C reaches it too, and ends it as SIGTERM does."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    serve(Home(path), settings, lambda address: begun.set())
