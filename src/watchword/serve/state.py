"""What all requests of a process share: `Service`, over the `Settings` of the server.

    with Service(Home("desk"), Settings()) as service:      # indexes are loaded, and follow the store
        service.follower.index("keywords").match("a ferry in the storm")
        service.store().subscription("storms")
        app = make_app(service)

The store is opened once, and again where its file was replaced; indexes are asked for when they are used. `stopping` is
set when the server begins to end: whatever streams for ever then ends.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool

from watchword import KeywordIndex
from watchword.auditing import Auditor
from watchword.errors import OptionError, StoreError, WatchwordError
from watchword.following import Follower
from watchword.home import STORE, Home
from watchword.notify.dispatcher import Dispatcher
from watchword.notify.senders import make_senders
from watchword.notify.settings import Outside
from watchword.posted import Deliverer, Spool
from watchword.serve.limits import Buckets, Counts, Limits
from watchword.serve.listening import Listening
from watchword.serve.matching import Tagged
from watchword.serve.metrics import Figure, Metrics
from watchword.serve.previews import Previews
from watchword.serve.security import Security
from watchword.serve.websub import Hubs

if TYPE_CHECKING:
    from watchword.archive import Archive
    from watchword.feeds.addresses import Networks
    from watchword.store import Store

Result = TypeVar("Result")
THREADS = 8
"""Long pieces of work that a process does at once: batches, reasons, previews."""
LETTERS = 30
"""Tests of channels and letters that a subscriber lets a process send in an hour."""
PAUSE = 0.02
"""Seconds between two looks for a change that the store does not have yet."""
_log = logging.getLogger("watchword.serve")


@dataclass(frozen=True)
class Settings:
    """How a server is reached, and its limits."""

    host: str = "127.0.0.1"
    port: int = 8480
    workers: int = 1
    host_names: tuple[str, ...] = ()
    """Names, beside those of the loopback interface, for which the server answers."""
    proxies: tuple[str, ...] = ()
    """Addresses or networks whose X-Forwarded-For, -Proto and -Host are believed."""
    base_path: str = ""
    """The path below which everything lies, such as ``/watchword``."""
    certificate: str | None = None
    key: str | None = None
    every: float = 0.2
    """Seconds between two looks of the indexes at the store."""
    deliver_every: float = 0.2
    """Seconds between two looks for posted events."""
    run: tuple[str, ...] = ()
    """The sources of a `watchword run` that the server starts and watches."""
    feed_networks: tuple[str, ...] = ()
    """Networks beside the public one whose feeds may be added over HTTP."""
    public_url: str = ""
    """The address of the server as people reach it, for links in messages."""
    smtp: str = ""
    """The server of mail: smtp://user:password@host:587, smtps:// or smtp+plain://."""
    mail_from: str = ""
    """The address that mail comes from."""
    notify_networks: tuple[str, ...] = ()
    """Networks beside the public one in which webhooks may be."""
    notify: bool = True
    """Whether this server sends notifications; otherwise a `watchword notify` does."""
    audit: float = 0.0
    """The share of matched events that is also decided by brute force."""
    access_log: bool = False
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        _ = self.proxy_networks  # raises
        Outside(self.public_url, self.smtp, self.mail_from, self.notify_networks)

    @cached_property
    def proxy_networks(self) -> list[Network]:
        """The listed proxies as networks; an `OptionError` names one that is neither an address nor a network."""
        return [_network(address) for address in self.proxies]


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _network(address: str) -> Network:
    try:
        return ipaddress.ip_network(address, strict=False)
    except ValueError:
        raise OptionError(
            f"a proxy is an address or a network, such as 10.0.0.1 or 10.0.0.0/8, not {address!r}"
        ) from None


class Service:
    """The open home of a server; a context manager that loads the indexes, and starts and stops threads."""

    def __init__(self, home: Home, settings: Settings | None = None) -> None:
        self.home = home
        self.settings = settings = settings or Settings()
        self.limits = self.settings.limits
        self.metrics = Metrics()
        self.follower = Follower(home, every=self.settings.every)
        self.spool = Spool(home.posted)
        self.posting: set[tuple[str, str]] = set()
        """The subscribers and Idempotency-Keys of the posts that are at work."""
        self.trying = 0
        """The number of addresses of feeds that are being tried."""
        self.listening = Listening(self)
        self.metrics.read(self._posted_figures)
        self.metrics.read(self._outbox_figures)
        self.security = Security(self)
        self.tagged = Tagged(self._read_tagged, lambda: self.follower.counter)
        self.auditor = self._make_auditor()
        self.deliverer = self._make_deliverer()
        self.outside = Outside(settings.public_url, settings.smtp, settings.mail_from, settings.notify_networks)
        self.hubs = Hubs(home, settings.public_url, self.feed_networks)
        self.letters = Buckets(LETTERS / 3600, LETTERS)
        """Tests and letters that a subscriber lets the server send."""
        self.dispatcher = Dispatcher(self.store, lambda: make_senders(self.store(), self.outside))
        self.counts = Counts()
        self.previews = Previews(self.limits)
        self.metrics.read(self._figures)
        self._refreshing: asyncio.Future[None] | None = None
        self._threads: CapacityLimiter | None = None
        self.stopping = asyncio.Event()
        self._store: Store | None = None
        self._files: _Files = (0, None)
        self._lock = threading.Lock()
        self.is_open = False
        self._entered = ExitStack()

    def __enter__(self) -> Self:
        if self.is_open:
            raise RuntimeError("the service is open already")
        self.store()
        self.is_open = True
        self._entered.enter_context(self.follower)
        self._entered.enter_context(self.deliverer)
        self._entered.enter_context(self.hubs)
        if self.settings.notify:
            self._entered.enter_context(self.dispatcher)
        _warm()
        if self.auditor is not None:
            self.auditor.start()
            self._entered.callback(self.auditor.stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_open = False
        self._entered.close()
        self.security.close()
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    def store(self) -> Store:
        """Return the open store, the same for all threads: do not close it.

        A `StoreError` if its file is gone; if it was replaced, the new one is opened.
        """
        files = _files(self.home)
        with self._lock:
            if self._store is None or files != self._files:
                if self._store is not None and files[0] != self._files[0]:
                    _log.warning("the store was replaced by another file: it is opened")
                self._store = self.home.store()
                self._files = files[0], _files(self.home)[1]  # the log is made when the store is opened
            return self._store

    def change(self) -> int:
        """Return the number of the store's last change."""
        return self.store().last_change()

    def lag(self) -> float:
        """Return for how many seconds the indexes have been behind the store; 0 where they are up to it."""
        return self.follower.lag

    def changed(self, counter: int) -> None:
        """Bring the indexes up to a change of this process, and forget everything remembered from before it."""
        self.tagged.forget()
        self.follower.wait_for(counter, self.limits.wait_seconds)

    async def wait_for(self, counter: int) -> bool:
        """Wait until the indexes have a change; return False if it does not come within `wait_seconds`.

        Any number of requests may wait, and take one thread together.
        """
        deadline = time.monotonic() + self.limits.wait_seconds
        while self.follower.counter < counter:
            if time.monotonic() > deadline or self.stopping.is_set():
                return False
            if self._refreshing is None or self._refreshing.done():
                self._refreshing = asyncio.ensure_future(run_in_threadpool(self._refresh))
            await asyncio.wait([self._refreshing], timeout=max(0.0, deadline - time.monotonic()))
            if self.follower.counter < counter:
                await asyncio.sleep(PAUSE)
        return True

    def _refresh(self) -> None:
        with suppress(WatchwordError):  # kept in `follower.error`, and logged by its thread
            self.follower.refresh()

    async def run(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """Do a long piece of work in one of `THREADS` threads: short pieces have others."""
        if self._threads is None:
            self._threads = CapacityLimiter(THREADS)
        return await to_thread.run_sync(partial(work, *arguments), limiter=self._threads)

    def _figures(self) -> Iterator[Figure]:
        """Yield the figures that are looked up at a scrape."""
        follower = self.follower
        yield Figure("watchword_index_change", "The last change that the indexes have.", follower.counter)
        yield Figure("watchword_index_lag_seconds", "Seconds since the indexes were up to the store.", self.lag())
        yield Figure("watchword_index_failing", "Whether the indexes cannot follow.", float(follower.error is not None))
        with suppress(WatchwordError):
            yield Figure("watchword_store_change", "The last change of the store.", self.change())
        for language in follower.languages():
            count = len(follower.index(language))
            yield Figure("watchword_subscriptions", "Subscriptions that are matched.", count, {"language": language})
        with suppress(WatchwordError):
            days = self.archive.days()
            yield Figure("watchword_archive_items", "Items of the archive.", sum(day.items for day in days))
            yield Figure("watchword_archive_bytes", "Bytes of the archive.", sum(day.bytes for day in days))

    def _posted_figures(self) -> Iterator[Figure]:
        """Yield the figures of posted events."""
        deliverer = self.deliverer
        with suppress(WatchwordError):
            yield Figure("watchword_posted_waiting", "Posted events that wait.", deliverer.waiting())
        for name, help, value in (
            ("delivered", "Posted events that this process has delivered.", deliverer.delivered),
            ("matches", "Matches of posted events that this process has written.", deliverer.matches),
            ("refused", "Posted events that a language could not read, in this process.", deliverer.refused),
            ("failing", "Whether the last delivery of this process failed.", deliverer.error is not None),
        ):
            yield Figure(f"watchword_posted_{name}", help, float(value))

    def _outbox_figures(self) -> Iterator[Figure]:
        """Yield the figures of the outbox."""
        with suppress(WatchwordError):
            found = self.store().outbox_counts()
            for name, value in zip(("new", "gathered", "waiting", "dead"), found[:4], strict=True):
                yield Figure("watchword_outbox", "Notifications and messages on their way.", value, {"state": name})
            age = 0.0 if found.oldest is None else time.time() - found.oldest.timestamp()
            yield Figure("watchword_outbox_oldest_seconds", "Age of the oldest message that waits.", max(age, 0.0))
        dispatcher = self.dispatcher
        yield Figure("watchword_notify_sent", "Messages that this process has sent.", dispatcher.sent)
        yield Figure("watchword_notify_failed", "Attempts of this process that failed.", dispatcher.failed)
        yield Figure("watchword_notify_failing", "Whether the outbox fails.", float(dispatcher.error is not None))

    def _read_tagged(self, subscriber: str, tags: frozenset[str]) -> frozenset[str]:
        return frozenset(self.store().tagged(subscriber, tags))

    def _make_deliverer(self) -> Deliverer:
        every = self.settings.deliver_every
        return Deliverer(self.home, self.follower, every=every, spool=self.spool, auditor=self.auditor)

    def _make_auditor(self) -> Auditor | None:
        share = self.settings.audit
        return Auditor(self.store, share, self.metrics.note_audited) if share > 0 else None

    @cached_property
    def feed_networks(self) -> Networks:
        """The networks beside the public one whose feeds may be added over HTTP."""
        from watchword.feeds.strangers import parse_networks

        return parse_networks(self.settings.feed_networks)

    @cached_property
    def archive(self) -> Archive:
        """The archive of the home."""
        return self.home.archive()


def _warm() -> None:
    """Load what the first change and the first match need, so that they do not wait for it."""
    index = KeywordIndex({"a": "ferry AND storm", "b": "ferry"})
    index["c"] = "storm NOT ferry"
    index.match("the ferry in the storm")
    index.match_many(["the ferry", "a storm"])


_Files = tuple[int, int | None]


def _files(home: Home) -> _Files:
    """Return the numbers of the store's file and of its log: others after it was restored from a copy."""
    try:
        file = (home.path / STORE).stat().st_ino
    except OSError as error:
        raise StoreError(f"its file {STORE} cannot be reached: {error.strerror}", path=home.path) from None
    try:
        return file, (home.path / f"{STORE}-wal").stat().st_ino
    except OSError:
        return file, None
