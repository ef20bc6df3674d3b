"""A running server over a home of its own, with subscribers, tokens and clients: `desk`."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.limits import PATIENCE, wait_until
from watchword.home import Home
from watchword.serve.server import Server, address_of, bind
from watchword.serve.state import Service, Settings
from watchword.store import SCOPES


@dataclass
class Desk:
    """The server of a test: its address, service and home, and clients by subscriber and scopes."""

    home: Home
    service: Service
    address: str
    server: Server
    clients: list[httpx.Client] = field(default_factory=list)

    def token(self, name: str = "ada", *scopes: str) -> str:
        """Return a new token of a subscriber, who is added if need be; by default with all scopes but admin."""
        with self.home.store() as store:
            store.add_subscriber(name)
            return store.add_token(name, "test", scopes or [scope for scope in SCOPES if scope != "admin"])

    def client(self, name: str = "ada", *scopes: str) -> httpx.Client:
        """Return a client with such a token."""
        return self.with_token(self.token(name, *scopes))

    def with_token(self, token: str | None) -> httpx.Client:
        """Return a client with a token, or without one."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        made = httpx.Client(base_url=self.address, headers=headers, timeout=PATIENCE, trust_env=False)
        self.clients.append(made)
        return made

    def stop(self) -> None:
        """Begin to end the server, as SIGTERM does."""
        self.server.should_exit = True


@contextmanager
def desk(folder: Path, **settings: Any) -> Iterator[Desk]:
    """Run a server in a thread of this process; it ends with the block."""
    home = Home.make(folder / "home")
    chosen = Settings(port=0, every=0.02, **{"deliver_every": 0.02, **settings})
    with bind(chosen) as listener:
        service = Service(home, chosen)
        ready = threading.Event()
        server = Server(service, ready.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        wait_until(lambda: ready.is_set() or not thread.is_alive(), "the server")
        made = Desk(home, service, address_of(chosen, listener), server)
        try:
            yield made
        finally:
            for client in made.clients:
                client.close()
            made.stop()
            thread.join(PATIENCE)
