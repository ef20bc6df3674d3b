"""Reading documents in processes of their own, with limits on computing time and memory.

`document.parse` guards against known attacks, but feedparser has parts whose cost is quadratic (it looks for an address
in ``<author>``; it compares every ``<category>`` with those before), and others may be found. A thread cannot be
stopped, and holds up all others. So a few processes read documents one after the other; one that uses up its time is
ended by the system, which fails that feed and no other, and a new one takes its place.

To a reader goes, on its standard input, a line of JSON and the document; back comes a line of JSON. Nothing is pickled.
A reader ends when its input ends, so none outlives the process that started it by more than one document.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import asdict
from typing import IO, Any

from watchword.errors import FeedError
from watchword.feeds.document import parse
from watchword.feeds.items import Feed, FeedItem
from watchword.feeds.limits import Limits

PROCESSES = 2
"""How many documents are read at a time."""

_PATIENCE = 10
"""A reader is ended after this many times its seconds, if the system does not count its computing time."""


def read(document: bytes, source: str, *, charset: str | None = None, limits: Limits | None = None) -> Feed:
    """Return the result of `document.parse` in bounded time and memory; a `FeedError` if they are used up."""
    waiting = _readers()
    reader = waiting.get()
    try:
        return reader.read(document, source, charset, limits or Limits())
    finally:
        waiting.put(reader)


# The process that asks


class _Reader:
    """One process, started when it is first needed, and again after it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, document: bytes, source: str, charset: str | None, limits: Limits) -> Feed:
        process = self._running(source)
        overdue = threading.Timer(_PATIENCE * limits.read_seconds, process.kill)
        overdue.start()
        try:
            answer = _ask(process, document, source, charset, limits)
        except BaseException:  # interrupted: the answer that is still to come must not be taken for the next one's
            self.close()
            raise
        finally:
            overdue.cancel()
        if answer is None:
            raise FeedError(_reason(self.close(), limits), source=source)
        if "error" in answer:
            raise FeedError(answer["error"], source=source)
        items, problems = map(FeedItem.from_json, answer.pop("items")), answer.pop("problems")
        return Feed(**answer, items=tuple(items), problems=tuple(problems))

    def _running(self, source: str) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            path = os.pathsep.join(place for place in sys.path if place)
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", __name__],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, "PYTHONPATH": path},
                )
            except OSError as error:
                raise FeedError(f"no process can be started to read it: {error.strerror}", source=source) from error
        return self._process

    def close(self) -> int | None:
        """End the process if there is one, and return its status."""
        process, self._process = self._process, None
        if process is None:
            return None
        for pipe in (process.stdout, process.stdin):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.05)  # one that ended by itself has a reason
        process.kill()
        return process.wait()


def _reason(status: int | None, limits: Limits) -> str:
    """Return why a process has ended without an answer."""
    if status in (-getattr(signal, "SIGPROF", 0), -signal.SIGKILL):
        return f"reading it takes more than {limits.read_seconds:g} seconds; raise read_seconds to read it"
    return f"its reader ended with status {status}"


def _ask(
    process: subprocess.Popen[bytes], document: bytes, source: str, charset: str | None, limits: Limits
) -> dict[str, Any] | None:
    """Send a document and return the answer, None if there is none."""
    assert process.stdin is not None and process.stdout is not None
    head = {"source": source, "charset": charset, "limits": asdict(limits), "bytes": len(document)}
    try:
        process.stdin.write(json.dumps(head).encode() + b"\n" + document)
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:
        return None
    return json.loads(line) if line.endswith(b"\n") else None


_pools: dict[int, queue.LifoQueue[_Reader]] = {}
"""The readers of this process; a fork begins without any."""


def _readers() -> queue.LifoQueue[_Reader]:
    found = _pools.get(os.getpid())
    if found is None:
        atexit.register(_close_all, os.getpid())
        made: queue.LifoQueue[_Reader] = queue.LifoQueue()
        for _ in range(PROCESSES):
            made.put(_Reader())
        found = _pools.setdefault(os.getpid(), made)
    return found


def _close_all(process: int) -> None:
    """End the readers that are idle when the process that started them ends."""
    pool = _pools.get(process) if process == os.getpid() else None
    while pool is not None and not pool.empty():
        pool.get().close()


# The process that reads


def _serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests until there are no more."""
    while line := requests.readline():
        head = json.loads(line)
        limits = Limits(**head["limits"])
        document = requests.read(head["bytes"])
        _limit(limits)
        answers.write(json.dumps(_answer(document, head["source"], head["charset"], limits)).encode() + b"\n")
        answers.flush()
        _limit(None)


def _answer(document: bytes, source: str, charset: str | None, limits: Limits) -> dict[str, Any]:
    try:
        feed = parse(document, source, charset=charset, limits=limits)
    except FeedError as error:
        return {"error": error.reason}
    except MemoryError:
        return {"error": f"reading it takes more than {limits.read_bytes} bytes; raise read_bytes to read it"}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {**feed.__dict__, "items": [item.to_json() for item in feed.items]}


def _limit(limits: Limits | None) -> None:
    """Limit the computing time and memory of this process: the system ends it after some seconds."""
    if not hasattr(signal, "setitimer"):  # then there is the patience of the process that asks
        return
    signal.setitimer(signal.ITIMER_PROF, limits.read_seconds if limits else 0)
    if limits is not None:
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        room = limits.read_bytes if most == resource.RLIM_INFINITY else min(limits.read_bytes, most)
        resource.setrlimit(resource.RLIMIT_AS, (room, most))


def main() -> None:
    """Read documents from standard input; other output of this process is discarded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks, and this one ends with it
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
