"""`serve --run`: a `watchword run` that the server starts, watches and ends: `RunChild`.

    with RunChild(home, ["feeds.opml"]):
        read_state(home)   {"state": "running", "pid": 4711, "starts": 1, "since": "2026-11-18T20:15:00Z", …}

The child reads its sources and the list of the home (`feeds.own_list`). Where it ends, it is started again after a
pause that doubles from `FIRST_PAUSE` to `LONGEST_PAUSE` seconds, and is the first again where the child has lived for
`STEADY` seconds. Its lines are passed on to the log of the server. With the server it gets SIGTERM, and after
`PATIENCE` seconds SIGKILL; where the server is killed, the kernel ends the child. Whatever ends it, started again it
goes on where it was.

Its state is in ``HOME/run-child.json``, because each process of a server shows it, and one alone has the child.
"""

from __future__ import annotations

import ctypes
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from watchword.files import Closing, parse_json, write_json
from watchword.home import Home
from watchword.visible import visible

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds between the end of the child and its next start."""
STEADY = 300.0
"""Seconds after which a child counts as one that works."""
PATIENCE = 20.0
"""Seconds that the child has to end."""
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_log = logging.getLogger("watchword.run")


class RunChild(Closing):
    """A child that runs ``watchword run``, as a context manager; `command` is another program to run in its place."""

    def __init__(self, home: Home, sources: Sequence[str], command: Sequence[str] | None = None) -> None:
        own = [sys.executable, "-m", "watchword", "run", *sources, "--home", str(home.path)]
        self._command = list(command or own)
        self._process: subprocess.Popen[str] | None = None
        self._home, self._starts = home, 0
        self._status: int | None = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        from watchword.feeds.own_list import FeedList  # late: health needs no feeds

        FeedList(self._home.feeds).make()  # so that feeds that are added later are read
        self._thread = threading.Thread(target=self._watch, name="watchword-run", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """End the child, and wait for it."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    # The thread

    def _watch(self) -> None:
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            began = time.monotonic()
            self._run_once()
            if self._stop.is_set():
                return
            pause = FIRST_PAUSE if time.monotonic() - began >= STEADY else pause
            _log.warning("watchword run ended with status %s; it is started again in %g s", self._status, pause)
            self._note("waiting")
            self._stop.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _run_once(self) -> None:
        """Start the child, and wait until it has ended, or the server ends."""
        try:
            process = self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=_die_with_parent(os.getpid()),
            )
        except OSError as error:
            self._status = error.errno
            _log.warning("watchword run cannot be started: %s", error.strerror)
            return
        self._starts += 1
        self._note("running")
        lines = threading.Thread(target=_pass_on, args=(process,), daemon=True)
        lines.start()
        while process.poll() is None and not self._stop.wait(0.1):
            pass
        _end(process)
        self._status = process.returncode
        lines.join(1.0)
        self._note("ended")

    def _note(self, state: str) -> None:
        """Write the state for whoever asks; where the disk is full it is not written, and the child goes on."""
        since = datetime.now(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"
        process = self._process if state == "running" else None
        facts = {"state": state, "pid": process.pid if process else None, "starts": self._starts, "since": since}
        with suppress(OSError):
            write_json(_file(self._home), facts | {"ended": self._status, "server": os.getpid()})


def read_state(home: Home) -> dict[str, Any] | None:
    """Return the state of the child that a server of a home runs; None if no living server has one.

    `state` is ``running``, ``waiting`` for its next start, or ``ended``; `ended` is the child's last exit status.
    """
    try:
        found = parse_json(_file(home).read_bytes())
        os.kill(int(found.pop("server")), 0)
        return dict(found)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _file(home: Home) -> Path:
    return home.path / "run-child.json"


def _pass_on(process: subprocess.Popen[str]) -> None:
    """Write the lines of the child into the log."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            if line.strip():
                _log.warning("run: %s", visible(line.rstrip()))


def _end(process: subprocess.Popen[str]) -> None:
    """End the child and what it has started: first as Ctrl-C does, which lets a batch finish."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        os.killpg(process.pid, number)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            continue
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)  # Java, if it was left
    process.wait()


def _die_with_parent(parent: int) -> Any:
    """Return what a child does before its program begins, on Linux: it asks to be ended with its parent."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)

    def ask() -> None:
        library.prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)

    return ask
