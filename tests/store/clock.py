"""A clock for stores, which stands until it is moved."""

from __future__ import annotations

from datetime import UTC, datetime

START = datetime(2026, 11, 15, 12, tzinfo=UTC)


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time
