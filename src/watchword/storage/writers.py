"""One writer at a time in a store without locks: each writer puts a marker, and stops if there is another.

    writers/3f9a17c2.json      {"holder": "process 4711 on driver-1, since 2026-11-16 10:00:00 UTC"}

A writer puts its marker there, then lists all markers. If it finds another, it removes its own and refuses to write.
Two writers that begin together both put before they list, and a listing shows every earlier marker: so at least one
sees the other, and they never both go on. (Both may be refused; they can try again.) This needs no conditional write,
which pyarrow does not offer.

A writer touches its marker every minute. A marker that was not touched for ten minutes, by the store's own clock,
belongs to a dead writer, and the next writer removes it. Before a version becomes current, its writer checks that its
own marker is there, alone. So a writer that was taken for dead, after ten minutes of sleep, publishes nothing. Not
excluded is a sleep of ten minutes in the milliseconds between that check and the write.
"""

from __future__ import annotations

import json
import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Protocol

from watchword.errors import SnapshotError
from watchword.files import holder, parse_json

FOLDER = "writers"
TOUCHED = 60.0
"""Seconds between two touches of a marker."""
DEAD = timedelta(minutes=10)
_log = logging.getLogger("watchword.storage")


class Markers(Protocol):
    """The operations of a place that markers need."""

    def ages(self, folder: str) -> dict[str, datetime | None]:
        """Return when each file of a folder was written."""

    def read(self, name: str) -> bytes:
        """Return a file's content."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""

    def remove(self, name: str) -> None:
        """Remove a file."""

    def label(self, name: str = "") -> str:
        """Return the name of a file as messages show it."""


@contextmanager
def held(place: Markers) -> Iterator[Callable[[], None]]:
    """Hold a place for writing; the function that is given must be called before a version becomes current."""
    mine = f"{secrets.token_hex(6)}.json"
    content = json.dumps({"holder": holder()}).encode()
    stop = threading.Event()

    def touch() -> None:
        while not stop.wait(TOUCHED):
            with suppress(OSError):
                if mine in place.ages(FOLDER):  # a marker that another writer removed stays removed
                    place.write(f"{FOLDER}/{mine}", content)

    toucher = threading.Thread(target=touch, name="watchword-marker", daemon=True)
    try:
        try:
            place.write(f"{FOLDER}/{mine}", content)
            _check_alone(place, mine)
        except OSError as error:
            raise SnapshotError(f"cannot write there: {error}", path=place.label()) from error
        toucher.start()
        yield lambda: _check_alone(place, mine)
    finally:
        stop.set()
        if toucher.ident is not None:
            toucher.join()
        with suppress(OSError):
            place.remove(f"{FOLDER}/{mine}")


def _check_alone(place: Markers, mine: str) -> None:
    ages = place.ages(FOLDER)
    if mine not in ages:
        raise SnapshotError(
            "another writer took this one for dead, so nothing was published: do it again", path=place.label()
        )
    for other, age in ages.items():
        if other == mine:
            continue
        name = f"{FOLDER}/{other}"
        if is_dead(age, ages[mine]):
            _log.warning("%s: its writer was not heard of for %s, so it is removed", place.label(name), DEAD)
            place.remove(name)
            continue
        raise SnapshotError(
            f"another writer is at work ({_holder(place, name)}): wait for it; if it is dead, it is "
            f"forgotten after ten minutes, or at once if you remove {place.label(name)}",
            path=place.label(),
        )


def is_dead(age: datetime | None, now: datetime | None) -> bool:
    """Return whether a marker of this age belongs to a dead writer; never in a store without a clock."""
    return age is not None and now is not None and now - age > DEAD


def _holder(place: Markers, name: str) -> str:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(parse_json(place.read(name))["holder"])
    return "unknown"
