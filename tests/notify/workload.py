"""What the children of the tests with kills do: a dispatcher, and a receiver that writes down what came."""

from __future__ import annotations

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import orjson

from watchword.home import Home
from watchword.notify.dispatcher import Dispatcher
from watchword.notify.senders import make_senders
from watchword.notify.settings import Outside
from watchword.store import outbox


def child(work: Any, *arguments: Any) -> BaseProcess:
    """Start a child, forked from a process that has loaded what it needs."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.posted.warm", "tests.notify.workload"])
    process = context.Process(target=work, args=arguments, daemon=True)
    process.start()
    return process


def dispatch(path: str) -> None:
    """Send until killed; a channel of a dispatcher that died is taken over after a second, and tried again soon."""
    from datetime import timedelta

    from watchword.notify import retries

    outbox.LEASE = timedelta(seconds=1)
    retries.SCHEDULE = (0.05,) * 9
    retries.WAITS = (0.05,)
    with Home(path).store() as store:
        outside = Outside(networks=("127.0.0.0/8",), seconds=5.0)
        Dispatcher(lambda: store, lambda: make_senders(store, outside), every=0.02).run()


def receive(port: int, file: str) -> None:
    """Write down each message, on the disk, before it is answered; until killed."""
    output = os.open(file, os.O_WRONLY | os.O_APPEND)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = orjson.loads(self.rfile.read(int(self.headers["content-length"])))
            line = [self.path.strip("/"), body["data"]["item"]["id"], self.headers["webhook-id"]]
            os.write(output, (" ".join(line) + "\n").encode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        allow_reuse_address = True
        daemon_threads = True

        def handle_error(self, *arguments: Any) -> None:
            pass  # a dispatcher was killed

    Server(("127.0.0.1", port), Handler).serve_forever()


def read_lines(file: Path) -> list[tuple[str, str, str]]:
    """Return channel, item and id of each message that came."""
    lines = [line.split(" ") for line in file.read_text().splitlines()]
    return [(line[0], line[1], line[2]) for line in lines if len(line) == 3]
