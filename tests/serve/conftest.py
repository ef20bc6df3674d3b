"""A real server on the loopback interface for each module, with two subscribers and tokens of every kind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.limits import PATIENCE
from watchword.home import Home
from watchword.serve.limits import Limits
from watchword.serve.server import Server, address_of, bind
from watchword.serve.state import Service, Settings

EVERYTHING = ("read", "write", "match", "events", "feed")


@dataclass
class Running:
    """A server that runs in a thread of this process."""

    url: str
    home: Home
    service: Service
    server: Server
    tokens: dict[str, str]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, token: str | None = "ada", **named: Any) -> httpx.Client:
        headers = {} if token is None else {"Authorization": f"Bearer {self.tokens.get(token, token)}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE, **named)


def make_home(path: Path) -> tuple[Home, dict[str, str]]:
    """Return a home with ada and bob, and tokens by name: ada, bob, admin, of one scope, expired, revoked."""
    home = Home.make(path)
    tokens = {}
    with home.store() as store:
        for name in ("ada", "bob", "root"):
            store.add_subscriber(name)
        tokens["ada"] = store.add_token("ada", "laptop", EVERYTHING)
        tokens["bob"] = store.add_token("bob", "laptop", EVERYTHING)
        tokens["admin"] = store.add_token("root", "all", ["admin"])
        for scope in EVERYTHING:
            tokens[scope] = store.add_token("ada", scope, [scope])
        yesterday = datetime.now(UTC) - timedelta(days=1)
        tokens["expired"] = store.add_token("ada", "old", EVERYTHING, expires=yesterday)
        tokens["revoked"] = store.add_token("ada", "lost", EVERYTHING)
        lost = next(token.number for token in store.tokens("ada") if token.name == "lost")
        store.revoke_token("ada", lost)
    tokens["wrong"] = "ww_" + "x" * 43
    return home, tokens


@contextmanager
def serving(path: Path, **settings: Any) -> Iterator[Running]:
    """Run a server over a new home, or over the one that is there."""
    home, tokens = make_home(path) if not path.exists() else (Home(path), {})
    with running(home, tokens, **settings) as made:
        yield made


@contextmanager
def running(home: Home, tokens: dict[str, str], **settings: Any) -> Iterator[Running]:
    """Run a server over a home."""
    limits = settings.pop("limits", Limits(preview_seconds=60.0, preview_cpu=600.0))  # the first one loads kernels
    chosen = Settings(port=0, every=0.05, limits=limits, **settings)
    listener = bind(chosen)
    service, ready = Service(home, chosen), threading.Event()
    server = Server(service, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    url = address_of(chosen, listener)
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield Running(url, home, service, server, tokens)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("desk") / "home") as made:
        yield made


@pytest.fixture
def ada(desk: Running) -> Iterator[httpx.Client]:
    with desk.client("ada") as client:
        yield client


@pytest.fixture
def bob(desk: Running) -> Iterator[httpx.Client]:
    with desk.client("bob") as client:
        yield client
