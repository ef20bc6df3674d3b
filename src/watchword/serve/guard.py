"""The outermost layer of the application: what holds for every request, whichever route it takes.

    Host              a name of the loopback interface or one of `host_names`; otherwise 421, against pages that make
                      a browser ask a name that they have turned to 127.0.0.1
    proxies           X-Forwarded-For, -Proto and -Host of listed proxies; others' are ignored
    base path         taken off, whether the proxy has left it there or not
    body              at most `limits.body` bytes, or `limits.batch` on the routes of `LARGE`; beyond it 413
    address           at most `limits.address_rate` requests a second
    HEAD              answered as GET, without the body
    answers           security headers; HSTS behind TLS
    afterwards        figures, and a line of the access log: method and path, without query and without secrets

It is plain ASGI, because it runs for every request: about 20 µs of them.
"""

from __future__ import annotations

import ipaddress
import logging
import sys
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from watchword.serve.limits import Buckets, address_key, too_large, too_many
from watchword.serve.problems import Problem, _visible_path
from watchword.serve.security import CALLER
from watchword.visible import brief, visible

if TYPE_CHECKING:
    from watchword.serve.state import Service

LARGE = frozenset(
    {
        ("POST", "/match"),
        ("POST", "/subscriptions"),
        ("POST", "/events"),
        ("POST", "/feeds/opml"),
        ("PUT", "/feeds/opml"),
    }
)
"""Method and path of the routes that take bodies of many events or subscriptions."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = [
    (b"content-security-policy", CSP.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
]
"""Headers of every answer."""
NO_STORE = (b"cache-control", b"no-store")
HSTS = (b"strict-transport-security", b"max-age=31536000")
LINES = 100_000
"""Lines of the access log that wait to be written; beyond it they are dropped."""
_log = logging.getLogger("watchword.serve")


class Guard:
    """Wraps an application in what holds for every request."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        settings = service.settings
        self._app, self._service, self.limits = app, service, settings.limits
        self._hosts = {name.lower() for name in (*LOOPBACK, *settings.host_names, settings.host)}
        self._proxies = settings.proxy_networks
        self._base = settings.base_path.rstrip("/")
        self._addresses = Buckets(self.limits.address_rate, max(1.0, 2 * self.limits.address_rate))
        self.held = 0
        """Bytes of the bodies that have come and are not answered yet."""
        self._access = AccessLog() if settings.access_log else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD" and not scope["path"].endswith("/live"):  # which has no end
            scope = {**scope, "method": "GET"}  # uvicorn, which knows the request, sends no body
        answer = _Answer(scope, send, self)
        try:
            self._admit(scope)
            most = self.limits.batch if (scope["method"], own_path(scope)) in LARGE else self.limits.body
            body = _Body(scope, receive, most, self)
            try:
                await self._app(scope, body, answer)
            except Exception:
                if not answer.ended:  # what was answered with a 500 is raised once more, and would end the connection
                    raise
            finally:
                self.held -= body.size
        except Problem as problem:
            await _refuse(problem, scope, receive, answer)
        finally:
            if CALLER in scope:
                self._service.security.end(scope[CALLER])

    def _admit(self, scope: Scope) -> None:
        """Apply what a listed proxy says, check the host and the address, and take the base path off."""
        host = b""
        forwarded: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name.startswith(b"x-forwarded-"):
                forwarded[name] = forwarded[name] + b"," + value if name in forwarded else value
        if forwarded and self._proxies and scope["client"] is not None and self._is_proxy(scope["client"][0]):
            host = self._follow(scope, forwarded, host)
        name = _host_name(host.decode("latin-1"))
        if name not in self._hosts:
            raise Problem(
                421,
                "wrong-host",
                f"this server does not answer for the host {visible(brief(name, 100))!r}",
                remedy="watchword serve --host-name NAME lets it",
            )
        client = scope["client"]
        wait = self._addresses.take(address_key(client[0]) if client else "")
        if wait:
            raise too_many("too many requests from this address", wait)
        if self._base:
            scope["root_path"] = self._base
            if not (scope["path"] + "/").startswith(self._base + "/"):
                scope["path"] = self._base + scope["path"]

    def _follow(self, scope: Scope, forwarded: dict[bytes, bytes], host: bytes) -> bytes:
        """Take client, scheme and host from what a listed proxy says; return the host."""
        chain = [part.strip() for part in forwarded.get(b"x-forwarded-for", b"").decode("latin-1").split(",")]
        for address in reversed([part for part in chain if part]):
            scope["client"] = (address, 0)
            if not self._is_proxy(address):
                break
        scheme = forwarded.get(b"x-forwarded-proto", b"").rpartition(b",")[2].strip().lower()
        if scheme in (b"http", b"https"):
            scope["scheme"] = scheme.decode()
        named = forwarded.get(b"x-forwarded-host", b"").rpartition(b",")[2].strip()
        if named:
            scope["headers"] = [(b"host", named), *(pair for pair in scope["headers"] if pair[0] != b"host")]
        return named or host

    def _is_proxy(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._proxies)

    def note(self, scope: Scope, status: int, began: float) -> None:
        """Count an answered request, and write its line."""
        seconds = time.perf_counter() - began
        route = getattr(scope.get("route"), "path", "none")
        self._service.metrics.note_request(scope["method"], route, status, seconds)
        if self._access is not None:
            client = scope["client"][0] if scope["client"] else "-"
            path = _visible_path(scope["path"])
            method = visible(brief(scope["method"], 20))
            self._access.write(f'{visible(client)} "{method} {path}" {status} {seconds * 1000:.1f} ms\n')


class _Answer:
    """The `send` of one request: adds headers, and notes the status at the end."""

    __slots__ = ("_began", "_guard", "_scope", "_send", "_status", "ended", "started")

    def __init__(self, scope: Scope, send: Send, guard: Guard) -> None:
        self._scope, self._send, self._guard = scope, send, guard
        self._began, self._status = time.perf_counter(), 0
        self.started = self.ended = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started, self._status = True, message["status"]
            headers = message.setdefault("headers", [])
            present = {name for name, _ in headers}
            message["headers"] = [*headers, *(pair for pair in HEADERS if pair[0] not in present)]
            if b"cache-control" not in present:
                message["headers"].append(NO_STORE)
            if self._scope["scheme"] == "https":
                message["headers"].append(HSTS)
            await self._send(message)
        else:
            await self._send(message)
            if not message.get("more_body", False):
                self.ended = True
                self._guard.note(self._scope, self._status, self._began)


class _Body:
    """The `receive` of one request: raises a `Problem` once its body, or all bodies together, are too large."""

    __slots__ = ("_guard", "_most", "_receive", "size")

    def __init__(self, scope: Scope, receive: Receive, most: int, guard: Guard) -> None:
        self._receive, self._most, self._guard, self.size = receive, most, guard, 0
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value) > most:
                raise too_large(most)

    async def __call__(self) -> Message:
        message = await self._receive()
        count = len(message.get("body", b""))
        self.size += count
        self._guard.held += count
        if self.size > self._most:
            raise too_large(self._most)
        if self._guard.held > self._guard.limits.held:
            raise Problem(503, "limit-reached", "too many large bodies at once", headers={"Retry-After": "1"})
        return message


class AccessLog:
    """Lines for standard error, written by a thread: a reader that is slow holds up no request."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        threading.Thread(target=self._run, name="watchword-access-log", daemon=True).start()

    def write(self, line: str) -> None:
        """Write a line, soon."""
        self._lines.append(line)

    def _run(self) -> None:
        while True:
            time.sleep(0.2)
            if self._lines:
                lines = [self._lines.popleft() for _ in range(len(self._lines))]
                sys.stderr.write("".join(lines))
                sys.stderr.flush()


def _host_name(host: str) -> str:
    """Return a host without its port, in small letters.

    >>> _host_name("LocalHost:8480"), _host_name("[::1]:80"), _host_name("127.0.0.1")
    ('localhost', '[::1]', '127.0.0.1')
    """
    name, colon, port = host.lower().rpartition(":")
    return name if colon and (port.isdigit() or not port) and not port.endswith("]") else host.lower()


def own_path(scope: Scope) -> str:
    """Return the path below the base path."""
    path: str = scope["path"]
    base: str = scope.get("root_path", "")
    return path.removeprefix(base) if base else path


async def _refuse(problem: Problem, scope: Scope, receive: Receive, answer: _Answer) -> None:
    """Answer with a problem, unless an answer has begun; the connection then ends without its end."""
    if answer.started:
        raise problem
    response: Any = problem.response(scope["path"])
    await response(scope, receive, answer)
