"""Who may write where there is no lock: a marker for each writer, and nobody goes on beside another's.

    writers/3f9a17c2.json      {"holder": "process 4711 on driver-1, since 2026-11-16 10:00:00 UTC"}

A writer puts its marker there, then lists all of them. If there is another's, it takes its own away and refuses. Of two
that begin together each puts before it lists, and the store shows what was put before: so at least one sees the other,
and never do both go on. (Both may be refused; they can try again.) No conditional write is needed, which pyarrow
does not offer.

A writer touches its marker every minute. One that was not touched for ten, by the store's own clock, is that of a dead
writer, and is taken away by the next. Before a version becomes current, its writer looks whether its own marker is
still there, alone. So a writer that was taken for dead, asleep for ten minutes say, publishes nothing; what remains is
one that falls asleep for as long in the milliseconds between that look and the write.
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

from watchword.errors import PipelineError
from watchword.files import holder, parse_json

FOLDER = "writers"
TOUCHED = 60.0
"""Seconds between two touches of a marker."""
DEAD = timedelta(minutes=10)
_log = logging.getLogger("watchword.storage")


class Markers(Protocol):
    """What is needed of a place."""

    def ages(self, folder: str) -> dict[str, datetime | None]:
        """Return when each file of a folder was written."""

    def read(self, name: str) -> bytes:
        """Return a file's content."""

    def write(self, name: str, content: bytes) -> None:
        """Write a file."""

    def remove(self, name: str) -> None:
        """Remove a file."""

    def label(self, name: str = "") -> str:
        """Return how to name a file to people."""


@contextmanager
def held(place: Markers) -> Iterator[Callable[[], None]]:
    """Hold a place for writing; call what is given before a version becomes current."""
    mine = f"{secrets.token_hex(6)}.json"
    content = json.dumps({"holder": holder()}).encode()
    stop = threading.Event()

    def touch() -> None:
        while not stop.wait(TOUCHED):
            with suppress(OSError):
                if mine in place.ages(FOLDER):  # taken away: that must not be undone
                    place.write(f"{FOLDER}/{mine}", content)

    toucher = threading.Thread(target=touch, name="watchword-marker", daemon=True)
    try:
        try:
            place.write(f"{FOLDER}/{mine}", content)
            _check_alone(place, mine)
        except OSError as error:
            raise PipelineError(f"{place.label()}: cannot write there: {error}") from error
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
        raise PipelineError(
            f"{place.label()}: another writer took this one for dead, so nothing was published: do it again"
        )
    for other, age in ages.items():
        if other == mine:
            continue
        name = f"{FOLDER}/{other}"
        if is_dead(age, ages[mine]):
            _log.warning("%s: its writer was not heard of for %s, so it is removed", place.label(name), DEAD)
            place.remove(name)
            continue
        raise PipelineError(
            f"{place.label()}: another writer is at work ({_holder(place, name)}): wait for it; if it is dead, it is "
            f"forgotten after ten minutes, or at once if you remove {place.label(name)}"
        )


def is_dead(age: datetime | None, now: datetime | None) -> bool:
    """Whether a marker of this age is that of a dead writer; where a store has no clock, nobody is."""
    return age is not None and now is not None and now - age > DEAD


def _holder(place: Markers, name: str) -> str:
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(parse_json(place.read(name))["holder"])
    return "unknown"
