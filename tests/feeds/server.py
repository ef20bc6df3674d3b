"""A web server on loopback whose every answer a test decides, and feeds to serve."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    server: FeedServer

    def do_GET(self) -> None:
        self.server.requests.append((self.path, dict(self.headers.items())))
        try:
            answer = self.server.answers.get(self.path)
            if answer is None:
                self.send_error(404)
            else:
                answer(self)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client had enough

    def log_message(self, format: str, *args: object) -> None:
        pass

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class FeedServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, host: str = "127.0.0.1") -> None:
        super().__init__((host, 0), Handler)
        self.answers: dict[str, Answer] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.stopping = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        pass

    def url(self, path: str) -> str:
        return f"http://{self.server_address[0]!s}:{self.server_address[1]}{path}"

    def serve(self, path: str, body: bytes, **headers: str) -> str:
        """Answer with `body` from now on."""
        self.answers[path] = lambda handler: handler.reply(200, body, **headers)
        return self.url(path)

    def serve_with_etag(self, path: str, body: bytes) -> str:
        """Answer with `body`, or 304 to whoever has it."""
        etag = f'"{hashlib.sha256(body).hexdigest()}"'

        def answer(handler: Handler) -> None:
            if handler.headers.get("If-None-Match") == etag:
                handler.reply(304, ETag=etag)
            else:
                handler.reply(200, body, ETag=etag)

        self.answers[path] = answer
        return self.url(path)


@contextmanager
def running(host: str = "127.0.0.1") -> Iterator[FeedServer]:
    with FeedServer(host) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stopping.set()
            server.shutdown()
            thread.join()


def rss(guids: Iterable[object]) -> bytes:
    """Return a feed with an item for each guid."""
    items = "".join(
        f"<item><guid isPermaLink='false'>{guid}</guid><title>item {guid}</title>"
        f"<description>text {guid}</description></item>"
        for guid in guids
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>{items}</channel></rss>'.encode()
