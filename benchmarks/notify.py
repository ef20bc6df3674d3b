"""How fast notifications leave, how long a hanging receiver holds up others, and what planning costs.

    python -m benchmarks.notify                    everything; --scale small for a look

Measured, each in a new home, with receivers on loopback in another process that answer 204 at once:

- drain: `queued` notifications that wait for one webhook, and for 100, are sent by one dispatcher: messages a second
  from its start until the last is written down, its own CPU time beside it (the receiver shares the machine);
- hanging: 1,000 webhooks get one message each every second for 20 seconds, and 100 of them, drawn by seed 2011, never
  answer: the time from the batch's record to the receipt, of the others, at the 50th and 99th percentile;
- planning: 1,000,000 matches of 1,000 channels, with stories of a Zipf distribution (seed 2011), a tenth of the
  channels with times, quiet hours or a budget, by `notify.plan.plan`.

Targets: 500 a second; p99 of 2 s; 5 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from datetime import time as time_of_day
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from watchword.home import Home
from watchword.items import Item
from watchword.notify.dispatcher import Dispatcher
from watchword.notify.plan import Waiting, When, plan
from watchword.notify.senders import make_senders
from watchword.notify.settings import Outside
from watchword.notify.signing import make_secret
from watchword.store import Channel, Match, Store

SCALES = {"small": (5_000, 200, 20, 5, 100_000), "paper": (100_000, 1_000, 100, 20, 1_000_000)}
ANSWER = b"HTTP/1.1 204 No Content\r\n\r\n"


def receive(port: int, file: str) -> None:
    """Answer every POST at once, in one event loop; those below /hang never. Receipts of /timed are written down."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
                )
                body = await reader.readexactly(length)
                if head.startswith(b"POST /hang"):
                    await asyncio.sleep(3600)
                if head.startswith(b"POST /timed"):
                    output.write(f"{json.loads(body)['data']['item']['id']} {time.time()}\n")
                    output.flush()
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def main() -> None:
        async with await asyncio.start_server(serve, "127.0.0.1", port, backlog=1024) as server:
            await server.serve_forever()

    with Path(file).open("a") as output:
        asyncio.run(main())


@contextmanager
def receiver(file: Path) -> Iterator[str]:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    process = get_context("spawn").Process(target=receive, args=(port, str(file)), daemon=True)
    process.start()
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.join()


def make_store(folder: Path, urls: list[str]) -> Store:
    """Return a store with a subscriber, a subscription and a channel for each address."""
    store = Home.make(folder / "home").store()
    for number, url in enumerate(urls):
        store.add_subscriber(f"s{number}")
        store.subscribe(f"s{number}", "ferry", id=f"k{number}")
        store.add_channel(Channel(0, f"s{number}", "desk", "webhook", url), secrets=[make_secret()])
    return store


def dispatcher(store: Store) -> Dispatcher:
    outside = Outside(networks=("127.0.0.0/8",))
    return Dispatcher(lambda: store, lambda: make_senders(store, outside))


def item(number: int) -> Item:
    return Item(f"urn:{number}", title=f"Ferry {number} leaves", text="A ferry leaves the harbour. " * 20, feed="port")


def drain(queued: int, channels: int) -> None:
    with tempfile.TemporaryDirectory() as folder, receiver(Path(folder) / "came") as url:
        store = make_store(Path(folder), [url] * channels)
        with store:
            for begin in range(0, queued, 5_000):
                numbers = range(begin, min(begin + 5_000, queued))
                matches = [Match(f"urn:{number}", f"k{number % channels}") for number in numbers]
                store.record(str(begin), [item(number) for number in numbers], matches)
            sending, began, cpu = dispatcher(store), time.perf_counter(), time.process_time()
            sending.run(once=True)
            took, cpu = time.perf_counter() - began, time.process_time() - cpu
            assert sending.sent == queued, (sending.sent, sending.failed)
    print(
        f"drain     {queued:>9,} to {channels:>3} webhooks: {queued / took:>7,.0f} a second, "
        f"{queued / cpu:>7,.0f} in a second of CPU"
    )


def hanging(channels: int, hang: int, rounds: int) -> None:
    hung = set(random.Random(2011).sample(range(channels), hang))
    with tempfile.TemporaryDirectory() as folder, receiver(file := Path(folder) / "came") as url:
        urls = [f"{url}/{'hang' if number in hung else 'timed'}" for number in range(channels)]
        recorded: dict[str, float] = {}
        with make_store(Path(folder), urls) as store, dispatcher(store):
            for turn in range(rounds):
                began = time.time()
                items = [Item(f"{turn}-{number}", title="A ferry") for number in range(channels)]
                store.record(str(turn), items, [Match(f"{turn}-{number}", f"k{number}") for number in range(channels)])
                recorded |= {one.identity: time.time() for one in items}
                time.sleep(max(0.0, began + 1 - time.time()))
            time.sleep(5)
        came = {line.split()[0]: float(line.split()[1]) for line in file.read_text().splitlines()}
        waits = sorted(
            came.get(name, float("inf")) - then
            for name, then in recorded.items()
            if int(name.partition("-")[2]) not in hung
        )
    print(
        f"hanging   {channels:,} webhooks, {hang} hang: the others wait {waits[len(waits) // 2]:.2f} s at the median, "
        f"{waits[len(waits) * 99 // 100]:.2f} s at p99, {waits[-1]:.2f} s at most"
    )


def planning(matches: int) -> None:
    draw, now, channels = random.Random(2011), datetime(2026, 11, 19, 12, tzinfo=UTC), 1_000
    stories = [f"story{number}" for number in range(5_000)]
    weights = [1 / (rank + 1) for rank in range(len(stories))]
    drawn = draw.choices(stories, weights, k=matches)
    kinds = [
        When(times=(time_of_day(7, 30),), zone="Europe/Athens"),
        When(quiet=(time_of_day(11), time_of_day(13))),
        When(budget=20),
        *[When()] * 27,
    ]
    each = matches // channels
    waiting = [
        [Waiting(at, story) for at, story in enumerate(drawn[n * each : (n + 1) * each])] for n in range(channels)
    ]
    sent = [now - timedelta(minutes=minute) for minute in range(10)]
    began, counts = time.process_time(), dict[str, int]()
    for number, some in enumerate(waiting):
        for one in plan(some, kinds[number % len(kinds)], now, sent=sent):
            counts[one.action] = counts.get(one.action, 0) + 1
    took = time.process_time() - began
    print(f"planning  {sum(counts.values()):,} matches of {channels:,} channels: {took:.2f} s of CPU, {counts}")


def main(arguments: Any = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", choices=SCALES, default="paper")
    parser.add_argument("--only", choices=("drain", "hanging", "planning"))
    asked = parser.parse_args(arguments)
    queued, channels, hang, rounds, matches = SCALES[asked.scale]
    if asked.only in (None, "planning"):
        planning(matches)
    if asked.only in (None, "drain"):
        drain(queued, 1)
        drain(queued, 100)
    if asked.only in (None, "hanging"):
        hanging(channels, hang, rounds)
    assert threading.active_count() >= 1


if __name__ == "__main__":
    main()
