"""How long a posted event takes into an inbox and into a stream: `POST /events` of a running server, on loopback.

Measured, in one run of one server process, with this client in another:

- posting: the time from a POST to its 202, one event at a time, and events a second in NDJSON requests of 1,000;
- to the stream: from the POST until a server-sent event with the item has come, which is after its inbox has it.

Events come one at a time, at random moments, so that they meet the deliverer's interval (0.2 s) and the poller's at any
point. `subscriptions` keyword subscriptions are there, of three terms of a Zipf vocabulary, seed 2011, and one that all
events match. The target is a 95th percentile of the interval and 2 s.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from watchword.home import Home
from watchword.store import Request

INTERVAL = 0.2


@contextmanager
def server(home: Path) -> Iterator[str]:
    """Run `watchword serve` on a free port, and yield its address."""
    command = [sys.executable, "-m", "watchword", "serve", "--home", str(home), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield next(word for word in line.split() if word.startswith("http"))
        finally:
            process.terminate()
            process.wait(30)


def make_home(folder: Path, subscriptions: int) -> tuple[Home, str]:
    """Return a home with a subscriber and many subscriptions, and a token."""
    home, draw = Home.make(folder), random.Random(2011)
    words = [f"word{number}" for number in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    with home.store() as store:
        store.add_subscriber("ada")
        store.subscribe("ada", "ferry", id="all")
        drawn = draw.choices(words, weights, k=3 * subscriptions)
        texts = (" ".join(drawn[at : at + 3]) for at in range(0, len(drawn), 3))
        store.subscribe_many([Request("ada", text, f"s{number}") for number, text in enumerate(texts)])
        return home, store.add_token("ada", "benchmark", ["read", "events"])


class Listener(threading.Thread):
    """Notes when each item comes by a stream."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self._address, self._headers = address, headers
        self.came: dict[str, float] = {}
        self.is_open = threading.Event()

    def run(self) -> None:
        with (
            httpx.Client(timeout=None, trust_env=False) as client,
            client.stream("GET", f"{self._address}/inbox/ada/live", headers=self._headers) as answer,
        ):
            for line in answer.iter_lines():
                self.is_open.set()
                if line.startswith("data:"):
                    self.came[json.loads(line[5:])["id"]] = time.perf_counter()


def measure(subscriptions: int, events: int) -> dict[str, float]:
    """Return the figures in seconds, and events a second."""
    with tempfile.TemporaryDirectory() as folder:
        home, token = make_home(Path(folder) / "home", subscriptions)
        headers = {"Authorization": f"Bearer {token}"}
        with server(home.path) as address, httpx.Client(base_url=address, headers=headers, trust_env=False) as client:
            listener = Listener(address, headers)
            listener.start()
            listener.is_open.wait(30)
            client.post("/events", json={"id": "first", "text": "the ferry"})
            _wait(listener, {"first"})
            figures = _one_at_a_time(client, listener, events)
            return figures | {"events_a_second": _in_bulk(client)}


def _one_at_a_time(client: httpx.Client, listener: Listener, events: int) -> dict[str, float]:
    draw = random.Random(5)
    posted, answered = {}, []
    for number in range(events):
        time.sleep(draw.uniform(0, 0.1))
        began = posted[f"e{number}"] = time.perf_counter()
        assert client.post("/events", json={"id": f"e{number}", "text": "the ferry"}).status_code == 202
        answered.append(time.perf_counter() - began)
    _wait(listener, set(posted))
    came = [listener.came[name] - began for name, began in posted.items()]
    return {
        "post_p50": statistics.median(answered),
        "post_p95": _percentile(answered, 95),
        "stream_p50": statistics.median(came),
        "stream_p95": _percentile(came, 95),
        "stream_max": max(came),
    }


def _in_bulk(client: httpx.Client, requests: int = 20) -> float:
    body = "\n".join(json.dumps({"title": f"Event {number}", "text": "calm " * 20}) for number in range(1_000))
    began = time.perf_counter()
    for _ in range(requests):
        client.post("/events", content=body, headers={"Content-Type": "application/x-ndjson"}).raise_for_status()
    return 1_000 * requests / (time.perf_counter() - began)


def _wait(listener: Listener, names: set[str]) -> None:
    deadline = time.monotonic() + 60
    while not names <= listener.came.keys():
        assert time.monotonic() < deadline, f"{len(names - listener.came.keys())} events did not come"
        time.sleep(0.01)


def _percentile(values: list[float], percent: int) -> float:
    return sorted(values)[min(len(values) - 1, len(values) * percent // 100)]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="POST /events to inbox and stream")
    parser.add_argument("--subscriptions", type=int, default=31_262)
    parser.add_argument("--events", type=int, default=200)
    given = parser.parse_args()
    for name, value in measure(given.subscriptions, given.events).items():
        print(f"{name:16} {value:10,.0f}" if name == "events_a_second" else f"{name:16} {1000 * value:8.1f} ms")
    print(f"target: stream_p95 at most {1000 * (INTERVAL + 2):,.0f} ms")


if __name__ == "__main__":
    main()
