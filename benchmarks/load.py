"""A client that asks a server as fast as it answers: 8 connections, one request at a time on each, raw HTTP/1.1.

For where wrk is not installed. `ask` runs it in a process of its own on the last core, so that it takes none of the
server's time; it costs about 40 µs of CPU a request, so beyond 20,000 requests a second it is what is measured.

    ask("127.0.0.1", 8480, [b"GET /livez HTTP/1.1\\r\\n…"], seconds=5)     Load(requests=52310, seconds=5.0, p99=0.0021)
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import time
from functools import partial
from itertools import cycle
from typing import NamedTuple

CONNECTIONS = 8
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)


class Load(NamedTuple):
    """How many requests were answered, in how many seconds, and the 99th percentile of theirs."""

    requests: int
    seconds: float
    p99: float


class Connection(asyncio.Protocol):
    """One connection, which sends the next request when an answer is there."""

    def __init__(self, requests: list[bytes], begin: int) -> None:
        self._requests = cycle(requests[begin:] + requests[:begin])
        self._buffer = b""
        self._sent = 0.0
        self.took: list[float] = []
        self.refused = b""
        self.is_over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        found = _LENGTH.search(self._buffer, 0, end + 2)
        if found is None or len(self._buffer) < end + 4 + int(found[1]):
            return
        if not self._buffer.startswith(b"HTTP/1.1 200"):
            self.refused = self._buffer[:300]
        self.took.append(time.perf_counter() - self._sent)
        self._buffer = b""
        if not self.is_over:
            self._send()

    def _send(self) -> None:
        self._sent = time.perf_counter()
        self._transport.write(next(self._requests))


def _same(connection: Connection) -> Connection:
    return connection


async def _ask(host: str, port: int, requests: list[bytes], seconds: float) -> Load:
    loop = asyncio.get_running_loop()
    step = max(1, len(requests) // CONNECTIONS)
    began = time.perf_counter()
    made = [Connection(requests, number * step % len(requests)) for number in range(CONNECTIONS)]
    for connection in made:
        await loop.create_connection(partial(_same, connection), host, port)
    await asyncio.sleep(seconds)
    ended = time.perf_counter() - began
    took = sorted(one for connection in made for one in connection.took)
    for connection in made:
        connection.is_over = True
        if connection.refused:
            raise SystemExit(connection.refused.decode("utf-8", "replace"))
    return Load(len(took), ended, took[int(0.99 * len(took))])


def _work(
    queue: multiprocessing.SimpleQueue[Load], host: str, port: int, requests: list[bytes], seconds: float
) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    queue.put(asyncio.run(_ask(host, port, requests, seconds)))


def ask(host: str, port: int, requests: list[bytes], seconds: float) -> Load:
    """Send requests in turn for some seconds; anything but 200 ends the benchmark."""
    context = multiprocessing.get_context("spawn")
    queue: multiprocessing.SimpleQueue[Load] = context.SimpleQueue()
    process = context.Process(target=_work, args=(queue, host, port, requests, seconds))
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit("the client has failed")
    return queue.get()
