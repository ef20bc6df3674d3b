"""Who listens to an inbox, and the one poller of a process that tells them when something came: `Listening`.

    async with listening.join("ada", caller.key) as news:
        await news.wait()            # something was delivered to ada since
        news.clear()

While anybody listens, the poller asks the store every `EVERY` seconds which subscribers have later deliveries than at
the last look: one query for all, which reads nothing where nothing came. Whoever is woken reads the own inbox. A look
that fails, as of a store that is gone, is repeated; a listener misses nothing, because it reads from the number of the
delivery that it had last.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from watchword.errors import WatchwordError
from watchword.serve.problems import Problem
from watchword.visible import visible

if TYPE_CHECKING:
    from watchword.serve.state import Service

EVERY = 0.2
"""Seconds between two looks for deliveries, while anybody listens."""
MOST = 8
"""Streams of one token that are open at once, in a process."""
_log = logging.getLogger("watchword.serve")


class Listening:
    """The listeners of a process by subscriber, and their poller."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._listeners: dict[str, set[asyncio.Event]] = {}
        self._open: Counter[tuple[str, str | int]] = Counter()
        self._poller: asyncio.Task[None] | None = None
        self.looks = 0
        """The number of looks that the poller has taken."""

    @asynccontextmanager
    async def join(self, subscriber: str, key: tuple[str, str | int]) -> AsyncIterator[asyncio.Event]:
        """Listen to an inbox; yields the event that is set when something came. `key` is the caller's."""
        self.admit(key)
        news = asyncio.Event()
        self._open[key] += 1
        self._listeners.setdefault(subscriber, set()).add(news)
        self._service.metrics.streams.inc()
        if self._poller is None:
            self._poller = asyncio.create_task(self._poll(), name="watchword-listening")
        try:
            yield news
        finally:
            self._leave(subscriber, key, news)

    def admit(self, key: tuple[str, str | int]) -> None:
        """Raise a `Problem` 429 if a caller has `MOST` streams open."""
        if self._open[key] >= MOST:
            detail = f"this token has {MOST} streams open in this process, as many as it may"
            raise Problem(429, "too-many-requests", detail, headers={"Retry-After": "5"}, remedy="close one of them")

    def _leave(self, subscriber: str, key: tuple[str, str | int], news: asyncio.Event) -> None:
        self._service.metrics.streams.dec()
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]
        self._listeners[subscriber].discard(news)
        if not self._listeners[subscriber]:
            del self._listeners[subscriber]
        if not self._listeners and self._poller is not None:
            self._poller.cancel()
            self._poller = None

    async def _poll(self) -> None:
        """Wake the listeners of subscribers with later deliveries, until the last one has left."""
        seen, said = -1, ""
        while not self._service.stopping.is_set():
            try:
                seen, news = await run_in_threadpool(self._look, seen)
                self._wake(self._listeners if news is None else news)
                said = ""
            except WatchwordError as error:
                if str(error) != said:
                    said = str(error)
                    _log.warning("inboxes are not looked at: %s; trying again", visible(said))
                seen = -1  # the store may be another one afterwards
            with suppress(TimeoutError):
                await asyncio.wait_for(self._service.stopping.wait(), EVERY)
        self._wake(self._listeners)

    def _look(self, seen: int) -> tuple[int, Iterable[str] | None]:
        """Return the newest delivery's number, and who has any after number `seen`; None for everybody.

        That is at the first look, and where the store was restored from a copy.
        """
        self.looks += 1
        store = self._service.store()
        newest = store.newest_delivery()
        if newest == seen:
            return seen, ()
        if not 0 <= seen < newest:
            return newest, None
        news = store.news(seen)
        return max(news.values(), default=newest), list(news)

    def _wake(self, subscribers: Iterable[str]) -> None:
        for subscriber in list(subscribers):
            for listener in self._listeners.get(subscriber, ()):
                listener.set()
