"""A real receiver of webhooks on the loopback interface, which keeps what came, and answers as it is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import orjson

from watchword.home import Home
from watchword.notify.dispatcher import Dispatcher
from watchword.notify.senders import make_senders
from watchword.notify.settings import Outside
from watchword.notify.signing import make_secret
from watchword.store import Channel, Item, Match, Store

LOOPBACK = ("127.0.0.0/8", "::1/128")


@dataclass
class Received:
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


@dataclass
class Receiver:
    """What came, and the function that answers: a status, or a status with headers, or None to say nothing at all."""

    url: str = ""
    answer: Callable[[Received], Any] = lambda received: 204
    came: list[Received] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def items(self) -> list[str]:
        """Return the ids of the items that came, in their order."""
        found = [one.json["data"] for one in self.came]
        return [item["id"] for data in found for item in (data.get("items") or [data["item"]])]


@contextmanager
def receiver() -> Iterator[Receiver]:
    made = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            made.came.append(received)
            with suppress(OSError):
                self.respond(made.answer(received))

        def respond(self, answer: Any) -> None:
            if answer is None:  # a receiver that hangs
                made.stopping.wait(60)
                self.close_connection = True
                return
            if answer == "endless":
                self.send_response(200)
                self.end_headers()
                while not made.stopping.is_set():
                    self.wfile.write(b"x" * 65536)
                return
            if answer == "closes":
                self.close_connection = True
                return
            status, headers = answer if isinstance(answer, tuple) else (answer, {})
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 512

        def handle_error(self, *arguments: Any) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    made.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield made
    finally:
        made.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Clock:
    """A clock that is set by hand."""

    now: datetime

    def __call__(self) -> datetime:
        return self.now


def make_home(path: Path) -> Home:
    """Return a home in which ada and bob follow ferries."""
    home = Home.make(path)
    with home.store() as store:
        for name in ("ada", "bob"):
            store.add_subscriber(name)
            store.subscribe(name, "ferry", id=f"{name}-ferry")
    return home


def add_webhook(store: Store, url: str, name: str = "desk", subscriber: str = "ada", **named: Any) -> Channel:
    return store.add_channel(Channel(0, subscriber, name, "webhook", url, **named), secrets=[make_secret()])


def deliver(store: Store, batch: str, *names: str, key: str = "ada-ferry", feed: str = "") -> None:
    """Let items come that the subscription matches."""
    items = [Item(name, title=f"A ferry, {name}", link=f"https://port.example/{name}", feed=feed) for name in names]
    store.record(batch, items, [Match(name, key) for name in names])


def dispatcher(store: Store, *, outside: Outside | None = None, **named: Any) -> Dispatcher:
    """Return a dispatcher that may send to the loopback interface."""
    chosen = outside or Outside(networks=LOOPBACK, seconds=5.0)
    return Dispatcher(lambda: store, lambda: make_senders(store, chosen), **({"every": 0.02} | named))


def send_all(store: Store, **named: Any) -> Dispatcher:
    """Send everything that is due, and return the dispatcher that did."""
    made = dispatcher(store, **named)
    made.run(once=True)
    return made


def wait_for(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
