"""Children that are killed: they post events, deliver them, serve them. A fork server loads the package once."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from watchword.following import Follower
from watchword.home import Home
from watchword.items import Item
from watchword.posted import Deliverer, Spool
from watchword.serve.running import serve_home
from watchword.serve.state import Settings

SUBSCRIPTIONS = {"ferry": "ferry", "storm": "storm NOT calm", "both": "ferry AND storm"}


def forked() -> multiprocessing.context.ForkServerContext:
    """Return a context whose children are forked from a process that has loaded what they need."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.posted.warm"])
    return context


def make_home(path: Path) -> Home:
    """Return a home with the subscriptions, whose index the first child has compiled."""
    home = Home.make(path)
    with home.store() as store:
        store.add_subscriber("ada")
        for key, text in SUBSCRIPTIONS.items():
            store.subscribe("ada", text, id=key)
    return home


def event(number: int) -> Item:
    """Return an event; every third has a word more."""
    return Item(f"e{number}", text="a ferry in the storm" if number % 3 else "the ferry, a storm, calm", feed="posted")


def expected(number: int) -> set[str]:
    """Return the subscriptions that an event matches."""
    return {"ferry", "both"} | ({"storm"} if number % 3 else set())


def deliver(path: str, at_once: int) -> None:
    """Deliver until killed."""
    home = Home(path)
    with Follower(home) as follower, Deliverer(home, follower, every=0.005, at_once=at_once):
        time.sleep(3600)


def post(path: str, start: int, confirmed: str) -> None:
    """Post events two by two until killed; the number of each that is confirmed is written into a file."""
    spool = Spool(Home(path).posted)
    with Path(confirmed).open("a") as file:
        while True:
            spool.append([event(start), event(start + 1)])
            file.write(f"{start}\n")
            file.flush()
            start += 2
            time.sleep(0.001)


def serve(path: str, address: Connection) -> None:
    """Serve until the process is killed or gets SIGTERM; send the address when the server is ready."""
    sys.exit(serve_home(Home(path), Settings(port=0, deliver_every=0.02), address.send) != signal.SIGTERM)


def child(task: object, *arguments: object) -> BaseProcess:
    """Start a child that is to be killed."""
    process = forked().Process(target=task, args=arguments, daemon=True)  # type: ignore[arg-type]
    process.start()
    return process
