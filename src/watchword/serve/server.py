"""The process: uvicorn, with deadlines for slow clients, bounded connections, and an end that drains.

    serve(Home("desk"), Settings(port=0), ready=print)          http://127.0.0.1:41207

uvicorn alone keeps a silent or half-sent connection open for ever, and does not end while there is one. `Protocol` has
absolute deadlines, which no trickle of bytes moves:

    opened ──headers──> complete ──body──> complete ──answer──> complete ──idle──> next request
    header_seconds      |                  |                    |                  idle_seconds
    request_seconds, from the first byte ──┘ disarmed           |
                             answer_seconds while the client does not read

A request that is late gets 408 and its connection ends. Where there are more connections than a process or an address
may have, the oldest one that waits for its client makes room (`Connections`); so a thousand silent clients leave room
for others. At SIGTERM the port is closed, `Service.stopping` ends the streams, requests that have begun are answered,
and after `drain_seconds` whatever is left is cut off.

Several processes share the port by SO_REUSEPORT: the first process starts and watches them. Tokens, sessions and
subscriptions live in the store, so all of them agree; rates, connections and figures are counted by each for itself.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import resource
import signal
import socket
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import orjson
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from watchword.errors import OptionError
from watchword.home import Home
from watchword.serve.app import make_app
from watchword.serve.limits import Limits, address_key
from watchword.serve.metrics import Metrics
from watchword.serve.problems import MEDIA_TYPE, Problem, status_phrase
from watchword.serve.state import Service, Settings

SPARE_FILES = 256
"""Open files that are kept for other things than connections."""
SURPLUS = 64 << 20
"""Bytes of a body that are read after its answer: whoever sends too much can then read that it is."""
LATE = 5.0
"""Seconds beyond `drain_seconds` after which the process ends, whatever its threads do."""
_log = logging.getLogger("watchword.serve")


def serve(home: Home, settings: Settings, ready: Callable[[str], None]) -> int | None:
    """Serve a home until a signal says to end; return the signal's number. `ready` gets the address, once.

    An `OptionError` if the address cannot be had.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # requests of strangers are no warnings
    with bind(settings) as listener, Service(home, settings) as service:
        server = Server(service, partial(ready, address_of(settings, listener)))
        server.run(sockets=[listener])
        return server.signal


def bind(settings: Settings) -> socket.socket:
    """Return a socket that is bound to the address of a server; an `OptionError` if it cannot be."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror as error:
        raise OptionError(f"no address {settings.host!r}: {error.strerror}") from None
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if settings.workers > 1:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        made.bind(address)
    except OSError as error:
        made.close()
        advice = "choose another by --port" if error.errno in (errno.EADDRINUSE, errno.EACCES) else "see --host"
        raise OptionError(f"{settings.host} port {settings.port}: {os.strerror(error.errno or 0)}; {advice}") from None
    made.setblocking(False)
    return made


def address_of(settings: Settings, listener: socket.socket) -> str:
    """Return the address at which a server is reached, such as ``http://127.0.0.1:8480``."""
    scheme = "https" if settings.certificate else "http"
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"{scheme}://{host}:{listener.getsockname()[1]}"


def allow_files(limits: Limits) -> int:
    """Raise the limit of open files as far as connections need it; return how many connections there may be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = limits.connections + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return limits.connections if soft == resource.RLIM_INFINITY else min(limits.connections, soft - SPARE_FILES // 2)


class Server(uvicorn.Server):
    """uvicorn over a service; `signal` is the signal that ended it."""

    def __init__(self, service: Service, ready: Callable[[], None]) -> None:
        limits = service.limits
        self._service, self._ready = service, ready
        self.signal: int | None = None
        connections = Connections(allow_files(limits), limits.address_connections, service.metrics)
        config = uvicorn.Config(
            make_app(service),
            http=partial(Protocol, limits, connections),  # type: ignore[arg-type]
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type]
            timeout_graceful_shutdown=limits.drain_seconds,  # type: ignore[arg-type]
            ssl_certfile=service.settings.certificate,
            ssl_keyfile=service.settings.key,
        )
        super().__init__(config)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()  # what is there now stays: looking through it again would hold up requests for tens of milliseconds
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.stopping.set()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            connection.transport.abort()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Note the signals that end the server: this process then ends as its caller says."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.signal is None:  # a thread may wait for the store for longer than anybody wants to
            end = threading.Timer(self._service.limits.drain_seconds + LATE, _end_at_once)
            end.daemon = True
            end.start()
        self.signal = sig
        super().handle_exit(sig, frame)


def _end_at_once() -> None:
    _log.error("threads that do not end are cut off; what they had committed is kept")
    os._exit(1)


class Connections:
    """The open connections of a process, by address; one that waits for its client may make room for another."""

    def __init__(self, most: int, most_of_one: int, metrics: Metrics) -> None:
        self._most, self._most_of_one, self.metrics = most, most_of_one, metrics
        self._open: Counter[str] = Counter()
        self._waiting: dict[str, OrderedDict[Protocol, None]] = {}  # by address, the one that waits longest first
        self._size = 0

    def add(self, one: Protocol) -> bool:
        """Take a connection in; return False if there is no room and no other makes any."""
        if self._size >= self._most and not self._make_room(self._open.most_common(1)[0][0]):
            return False
        if self._open[one.address] >= self._most_of_one and not self._make_room(one.address):
            return False
        self._open[one.address] += 1
        self._size += 1
        self.metrics.connections.inc()
        self.wait(one)
        return True

    def remove(self, one: Protocol) -> None:
        """Let a connection go."""
        self.answer(one)
        self._size -= 1
        self.metrics.connections.dec()
        self._open[one.address] -= 1
        if not self._open[one.address]:
            del self._open[one.address]

    def wait(self, one: Protocol) -> None:
        """Note that a connection waits for its client."""
        self._waiting.setdefault(one.address, OrderedDict())[one] = None

    def answer(self, one: Protocol) -> None:
        """Note that a connection waits for the server."""
        waiting = self._waiting.get(one.address)
        if waiting is not None:
            waiting.pop(one, None)
            if not waiting:
                del self._waiting[one.address]

    def _make_room(self, address: str) -> bool:
        waiting = self._waiting.get(address)
        if not waiting:
            return False
        oldest = next(iter(waiting))
        self.metrics.refused.labels("connections").inc()
        oldest.leave()
        return True


class Protocol(HttpToolsProtocol):
    """One connection with its deadlines."""

    def __init__(self, limits: Limits, connections: Connections, **named: Any) -> None:
        super().__init__(**named)
        self._limits, self._table = limits, connections
        self.address = ""
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._counted = False
        self._head = 0  # bytes of the request whose headers are not complete; -1 once they are
        self._began = 0.0
        self._surplus = 0  # bytes of a body that came after its answer

    # what asyncio tells

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.address = address_key(self.client[0]) if self.client else ""
        self._counted = self._table.add(self)
        if not self._counted:
            self._refuse(Problem(503, "limit-reached", "too many connections", headers={"Retry-After": "1"}))
            return
        self._began = self.loop.time()
        self._arm(self._limits.header_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        self._read_again()
        if self._counted:
            self._counted = False
            self._table.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and self._head >= 0:  # the first byte of a further request
            self._began = self.loop.time()
            self._arm(self._limits.header_seconds)
        if self._head < 0 and self.cycle is not None and self.cycle.response_complete:
            self._surplus += len(data)
            if self._surplus > SURPLUS:
                self.leave()
                return
        if self._head >= 0:
            self._head += len(data)
            if self._head > self._limits.header_bytes and self._is_all_head(data):
                self._refuse(Problem(431, "body-too-large", "the headers are too long", remedy="send shorter ones"))
                return
        super().data_received(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self._limits.answer_seconds, self.leave)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._read_again()

    # what the parser tells

    def on_headers_complete(self) -> None:
        self._head = -1
        self._arm(self._limits.request_seconds - (self.loop.time() - self._began))
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._disarm()
        self._table.answer(self)
        self._head = 0
        super().on_message_complete()
        if self.cycle is not None and self.cycle.response_complete and not self.pipeline:
            self._table.wait(self)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._surplus = 0
        if self._head < 0:  # answered before the whole request was there: the rest is read, for a moment
            self._arm(min(self._limits.idle_seconds, LATE))
        elif not self.pipeline:
            self._table.wait(self)

    # what is done about it

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "bad-request", "this is no HTTP request", remedy="send HTTP/1.1"))

    def leave(self) -> None:
        """End the connection at once."""
        self._disarm()
        if self.transport is not None:
            self.transport.abort()

    def _is_all_head(self, data: bytes) -> bool:
        """Return whether the headers end neither in nor before `data`, as far as its bytes tell."""
        return b"\r\n\r\n" not in data[: self._limits.header_bytes] and b"\n\n" not in data[: self._limits.header_bytes]

    def _arm(self, seconds: float) -> None:
        self._disarm()
        self._deadline = self.loop.call_later(max(0.0, seconds), self._late)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _late(self) -> None:
        self._deadline = None
        if self._head < 0 and self.cycle is not None and self.cycle.response_complete:
            self._close()
            return
        self._table.metrics.refused.labels("slow").inc()
        self._refuse(Problem(408, "too-slow", "the request did not come whole in time", remedy="send it faster"))

    def _refuse(self, problem: Problem) -> None:
        """Answer with a problem, if no answer has begun, and close."""
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            begun = cycle.response_started
            cycle.disconnected = True
            cycle.message_event.set()
        else:
            begun = False
        if not begun and not self.transport.is_closing():
            self.transport.write(_raw(problem))
        self._close()

    def _close(self) -> None:
        """Close, and cut the connection off if the client does not read the rest."""
        self._disarm()
        if self.transport is not None and not self.transport.is_closing():
            self.transport.close()
            self.loop.call_later(self._limits.answer_seconds, self.transport.abort)


def _raw(problem: Problem) -> bytes:
    """Return a problem as the bytes of an answer after which the connection ends."""
    body = orjson.dumps(problem.content("/"))
    headers = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), "connection": "close"} | dict(
        problem.headers or {}
    )
    lines = [f"HTTP/1.1 {problem.status} {status_phrase(problem.status)}", *map(": ".join, headers.items()), "", ""]
    return "\r\n".join(lines).encode() + body
