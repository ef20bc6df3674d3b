"""Every limit of the server, with its default; the rate at which a caller may ask; bodies of bounded size.

    limits = Limits(body=65_536)                 # watchword serve --limit body=65536
    buckets = Buckets(rate=5, burst=10)
    buckets.take("10.0.0.7")                     0.0: go on; 0.2: come back in 0.2 seconds

A bucket holds `burst` tokens and is filled at `rate` a second; a request takes one.
Buckets live in the memory of one process: of several processes on one port, each allows as much.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from watchword.errors import OptionError
from watchword.serve.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

    from watchword.store import Store

KEYS = 65_536
"""Callers that a set of buckets remembers; the one that asked longest ago is forgotten first."""


@dataclass(frozen=True)
class Limits:
    """The limits of a server; docs/limits.md says what happens beyond each.

    >>> Limits().body
    1048576
    """

    body: int = 1 << 20
    """Bytes of a body."""
    batch: int = 64 << 20
    """Bytes of a body with many events or subscriptions: NDJSON, Arrow, OPML."""
    held: int = 1 << 30
    """Bytes of bodies that a process holds at once."""
    line: int = 8 << 20
    """Bytes of a line of NDJSON."""
    events: int = 1_000_000
    """Events of a batch."""
    unpacked: int = 512 << 20
    """Bytes of an Arrow stream, unpacked."""
    columns: int = 1_000
    """Columns of an Arrow table, at all depths."""
    nesting: int = 16
    """Depth of an Arrow type."""
    explained: int = 10_000
    """Matches that one request explains."""
    subscriptions: int = 2_000_000
    """Subscriptions of one subscriber."""
    header_bytes: int = 65_536
    """Bytes of a request's line and headers."""
    header_seconds: float = 10.0
    """Seconds for the headers of a request, from its first byte or the opening of the connection."""
    request_seconds: float = 60.0
    """Seconds for a whole request, from its first byte."""
    answer_seconds: float = 60.0
    """Seconds for which a client may not read its answer."""
    idle_seconds: float = 15.0
    """Seconds for which a connection is kept open between two requests."""
    drain_seconds: float = 10.0
    """Seconds that requests have to end when the server ends."""
    wait_seconds: float = 10.0
    """Seconds that `?after=` waits for a change."""
    connections: int = 4_000
    """Connections of a process."""
    address_connections: int = 2_000
    """Connections of a process from one address."""
    at_once: int = 100
    """Requests of one token that are answered at once, in a process."""
    token_rate: float = 10_000.0
    """Requests a second of one token, in a process."""
    write_rate: float = 500.0
    """Changes a second of one token, in a process."""
    address_rate: float = 20_000.0
    """Requests a second from one address, in a process."""
    failures: int = 300
    """Wrong tokens and login links from one address, in a process; one is forgiven each second."""
    preview_seconds: float = 2.0
    """Seconds of one preview."""
    preview_cpu: float = 30.0
    """Seconds of computing that the previews of one token may take in a minute, in a process."""
    backfill_items: int = 1_000_000
    """Archived items that a back-fill looks at, the newest."""
    preview_items: int = 100_000
    """Archived items that a preview looks at, the newest."""

    @classmethod
    def with_settings(cls, settings: list[str]) -> Self:
        """Return the limits with some changed by texts NAME=VALUE; an `OptionError` names one that is unknown.

        >>> Limits.with_settings(["body=65536", "request_seconds=5"]).request_seconds
        5.0
        """
        kinds = {field.name: float if isinstance(field.default, float) else int for field in fields(cls)}
        chosen: dict[str, float] = {}
        for setting in settings:
            name, _, value = setting.partition("=")
            if name not in kinds:
                raise OptionError(f"no limit {name!r}; there are: {', '.join(kinds)}")
            try:
                chosen[name] = kinds[name](value)
            except ValueError:
                raise OptionError(f"the limit {name} is a number, not {value!r}") from None
            if not chosen[name] > 0:
                raise OptionError(f"the limit {name} is a number above 0, not {value}")
        return cls(**chosen)  # type: ignore[arg-type]


class Buckets:
    """A token bucket for each key."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._filled: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # key: tokens, and when that was

    def take(self, key: Hashable, cost: float = 1.0) -> float:
        """Take `cost` tokens of a key; return 0, or the seconds until there will be enough, taking none."""
        now = time.monotonic()
        left, then = self._filled.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - then) * self._rate)
        enough = left >= cost
        self._filled[key] = (left - cost if enough else left, now)
        if len(self._filled) > KEYS:
            self._filled.popitem(last=False)
        return 0.0 if enough else (cost - left) / self._rate

    def spend(self, key: Hashable, cost: float) -> None:
        """Take `cost` tokens after the fact; the bucket may then owe some."""
        self.take(key, 0.0)
        left, then = self._filled[key]
        self._filled[key] = (left - cost, then)

    def forget(self, key: Hashable) -> None:
        """Fill the bucket of a key again."""
        self._filled.pop(key, None)


@lru_cache(maxsize=4096)
def address_key(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or the /64 network of an IPv6 address.

    >>> address_key("10.0.0.7"), address_key("2001:db8::1"), address_key("::ffff:10.0.0.7")
    ('10.0.0.7', '2001:db8::/64', '10.0.0.7')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))


def too_many(what: str, seconds: float) -> Problem:
    """Return the problem of a caller that asks too often, to be raised."""
    wait = max(1, round(seconds + 0.5))
    return Problem(
        429,
        "too-many-requests",
        f"{what}; come back in {wait} s",
        remedy=f"wait {wait} s, or ask the administrator for a higher limit",
        headers={"Retry-After": str(wait)},
    )


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request; a `Problem` 413 if it has more than `most` bytes."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise too_large(most)
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise too_large(most)
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def too_large(most: int) -> Problem:
    """Return the problem of a body of more than `most` bytes, to be raised."""
    return Problem(
        413,
        "body-too-large",
        f"the body has more than {most:,} bytes",
        remedy="send less at a time: a batch can be cut anywhere between two lines",
    )


class Counts:
    """How many subscriptions a subscriber has: read when asked for, and again after a while.

    Counting a million takes 20 ms; so they are counted again after a second, or after a thousand times as long as it
    took. Changes of this process are counted with it meanwhile.
    """

    SECONDS = 1.0

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, float]] = {}

    def add(self, subscriber: str, count: int) -> None:
        """Note that a subscriber has `count` more, or fewer."""
        known = self._known.get(subscriber)
        if known is not None:
            self._known[subscriber] = (known[0] + count, known[1])

    def forget(self, subscriber: str) -> None:
        """Count those of a subscriber when they are next asked for."""
        self._known.pop(subscriber, None)

    def find(self, store: Store, subscriber: str) -> int:
        """Return how many subscriptions a subscriber has; changes of other processes count a little later."""
        now = time.monotonic()
        known = self._known.get(subscriber)
        if known is not None and now < known[1]:
            return known[0]
        count = store.count_subscriptions(subscriber)
        took = time.monotonic() - now
        self._known[subscriber] = (count, time.monotonic() + max(self.SECONDS, 1_000 * took))
        return count
