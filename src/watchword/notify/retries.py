"""When a message is tried again, and when a channel is left alone for a while: pure, as `feeds.backoff` is.

>>> from datetime import UTC
>>> now = datetime(2026, 11, 19, 12, tzinfo=UTC)
>>> again = next_attempt("msg_1", 1, now)          # after the first attempt: 5 seconds, and up to a tenth more
>>> 5 <= (again - now).total_seconds() <= 5.5
True
>>> next_attempt("msg_1", 10, now) is None         # after the tenth, none
True

A message is tried at once and then after the waits of Standard Webhooks 1.0: ten attempts over three days. The jitter
is drawn from the message's id, so that a thousand messages that failed together are not tried together, and a message
that is planned twice is planned alike.

A channel has a circuit. After `OPENS` failures in succession it is left alone for the first of `WAITS`, then one
message is tried; if that fails too, for the next. A success closes it. So a receiver that is down meets one attempt at
a time, however much waits for it. ``Retry-After`` lengthens both waits, up to `LONGEST`.
"""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

SCHEDULE = (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 50_400.0, 72_000.0, 86_400.0)
"""Seconds between an attempt and the next."""
JITTER = 0.1
"""The largest part of a wait that is added to it."""
OPENS = 3
"""Failures in succession after which a channel is left alone."""
WAITS = (5.0, 60.0, 300.0, 900.0, 3_600.0)
"""Seconds for which it is left alone."""
LONGEST = 86_400.0
"""Seconds that a receiver can ask for at most."""


def next_attempt(id: str, attempts: int, now: datetime, told: float | None = None) -> datetime | None:
    """Return when a message is tried again after `attempts` failures, None if it is not.

    `told` are the seconds that the receiver asked for.
    """
    if attempts > len(SCHEDULE):
        return None
    wait = SCHEDULE[attempts - 1]
    wait += wait * JITTER * _drawn(id, attempts)
    return now + timedelta(seconds=max(wait, min(told or 0.0, LONGEST)))


def channel_wait(failures: int, now: datetime, told: float | None = None) -> datetime | None:
    """Return until when a channel is left alone after `failures` in succession, None if it is not."""
    wait = WAITS[min(failures - OPENS, len(WAITS) - 1)] if failures >= OPENS else 0.0
    wait = max(wait, min(told or 0.0, LONGEST))
    return now + timedelta(seconds=wait) if wait else None


def _drawn(id: str, attempts: int) -> float:
    """Return a number from 0 to 1 that is the same for the same message and attempt."""
    return int.from_bytes(hashlib.sha256(f"{id}:{attempts}".encode()).digest()[:4], "big") / 0xFFFFFFFF
