"""A lock for stores that have none: each writer puts a marker, and stops if it sees another writer's.

    writers/3f9a17c2.json      {"holder": "process 4711 on driver-1, since 2026-11-16 10:00:00 UTC"}

A writer puts its marker, then lists all markers. If it finds another one, it removes its own and raises. If two writers
begin together, each puts before it lists, and a listing shows every earlier put: at least one sees the other, so both
never go on. (Both may be refused, and can try again.) This needs no conditional write, which pyarrow does not offer.

A writer touches its marker every minute. A marker that was not touched for ten minutes, by the store's own clock,
belongs to a dead writer, and the next writer removes it. Before a version becomes current, its writer checks that its
own marker is there, alone. So a writer that slept for ten minutes publishes nothing. One gap remains: a writer that
falls asleep for ten minutes in the milliseconds between this check and the write.
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
    """The operations of a place that the lock needs."""

    def ages(self, folder: str) -> dict[str, datetime | None]:
        """Return each file's time of writing."""

    def read(self, name: str) -> bytes:
        """Return a file's content."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""

    def remove(self, name: str) -> None:
        """Remove a file."""

    def label(self, name: str = "") -> str:
        """Return the name of a file for messages."""


@contextmanager
def lock(place: Markers) -> Iterator[Callable[[], None]]:
    """Lock a place for writing. Yields `confirm()`: call it before publishing; raises if another writer took over."""
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
    """Return whether a marker last touched at `age` belongs to a dead writer; False if the store has no clock."""
    return age is not None and now is not None and now - age > DEAD


def _holder(place: Markers, name: str) -> str:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(parse_json(place.read(name))["holder"])
    return "unknown"
