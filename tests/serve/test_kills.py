"""A server is killed while clients post: each event that was answered, and each that was repeated, is there once."""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections import Counter
from multiprocessing.process import BaseProcess
from pathlib import Path

import httpx
import pytest

from tests.limits import PATIENCE, wait_until
from tests.posted.workload import child, serve
from watchword.home import Home

KILLS = max(int(os.environ.get("WATCHWORD_KILLS", "12")) // 4, 1)
CLIENTS = 3


class Posting(threading.Thread):
    """A client that posts one event after the other, each until it is answered."""

    def __init__(self, name: int, addresses: list[str], token: str, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._name_, self._addresses, self._stop_ = name, addresses, stop
        self._headers = {"Authorization": f"Bearer {token}"}
        self.answered: list[str] = []

    def run(self) -> None:
        with httpx.Client(headers=self._headers, timeout=5, trust_env=False) as client:
            while not self._stop_.is_set():
                text = f"the ferry {self._name_} {len(self.answered)}"
                while (ids := self._post(client, text)) is None:
                    time.sleep(0.02)
                self.answered += ids

    def _post(self, client: httpx.Client, text: str) -> list[str] | None:
        try:
            answer = client.post(
                f"{self._addresses[-1]}/events", json={"text": text}, headers={"Idempotency-Key": text}
            )
        except httpx.HTTPError:
            return None
        found: list[str] = answer.json()["ids"] if answer.status_code == 202 else None
        return found


def start(home: Path, addresses: list[str]) -> BaseProcess:
    """Start a server, and add its address when it is there."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = child(serve, str(home), theirs)
    with ours, theirs:
        assert ours.poll(PATIENCE)
        addresses.append(ours.recv())
    return process


@pytest.mark.slow
def test_a_server_that_is_killed_while_clients_post_delivers_each_event_once(tmp_path: Path) -> None:
    home, draw, stop = Home.make(tmp_path / "home"), random.Random(9), threading.Event()
    with home.store() as store:
        store.add_subscriber("ada")
        store.subscribe("ada", "ferry", id="ferries")
        token = store.add_token("ada", "test", ["read", "events"])
    addresses: list[str] = []
    process = start(home.path, addresses)
    clients = [Posting(number, addresses, token, stop) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    for _ in range(KILLS):
        seen = {client: len(client.answered) for client in clients}
        wait_until(lambda seen=seen: all(len(one.answered) > seen[one] for one in seen), "answers")  # type: ignore[misc]
        time.sleep(draw.uniform(0, 0.4))
        process.kill()
        process.join(PATIENCE)
        process = start(home.path, addresses)
    stop.set()
    for client in clients:
        client.join(PATIENCE)
    process.terminate()
    process.join(PATIENCE)
    assert process.exitcode == 0
    answered = [id for client in clients for id in client.answered]
    with home.store() as store:
        inbox = Counter(one.item.identity for one in store.inbox("ada", unread_only=False))
    missing = set(answered) - inbox.keys()
    assert not missing and max(inbox.values()) == 1 and len(set(answered)) == len(answered)
    assert set(answered) == inbox.keys(), "those that were repeated had the same ids"
    assert home.archive().item(answered[-1]) is not None
