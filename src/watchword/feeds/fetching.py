"""Fetches many sources at once and returns the new items of each.

Sources are independent: each has its own time limit, and an error is in the result of its source only. Documents are
read in another process under limits (`reading`), so that none makes other feeds late. `state.advance` decides which
items are new, and `backoff` how long a failed feed waits. Nothing is written here: the caller stores the items, and
then the new state.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import httpx

from watchword.errors import FeedError
from watchword.feeds.addresses import leads_inside
from watchword.feeds.backoff import Backoff, after_success
from watchword.feeds.download import Clients, Document, clients, download, is_url
from watchword.feeds.items import Feed, FeedItem
from watchword.feeds.limits import Limits
from watchword.feeds.reading import PROCESSES, read
from watchword.feeds.state import FeedState, State, advance, request_headers


@dataclass(frozen=True)
class Result:
    """The outcome of one source: an error, a feed, or neither if its document has not changed."""

    source: str
    state: FeedState
    """The state after this fetch; after an error only the count of failures and the wait differ."""
    items: tuple[FeedItem, ...] = ()
    """The items not seen before."""
    feed: Feed | None = None
    error: FeedError | None = None

    @property
    def unchanged(self) -> bool:
        """Return whether the source had the same document as last time."""
        return self.feed is None and self.error is None


@dataclass(frozen=True)
class Round:
    """The results of one fetch, in the order of the sources."""

    results: tuple[Result, ...]
    state: dict[str, FeedState]
    """The states of all sources, asked this time or not."""
    waiting: tuple[str, ...] = ()
    """The sources not asked because of earlier failures."""

    @property
    def items(self) -> list[FeedItem]:
        """Return all new items."""
        return [item for result in self.results for item in result.items]

    @property
    def errors(self) -> list[FeedError]:
        """Return all errors."""
        return [result.error for result in self.results if result.error is not None]


def fetch(
    sources: Iterable[str],
    state: State | None = None,
    *,
    limits: Limits | None = None,
    backoff: Backoff | None = None,
    listed: Collection[str] = (),
    clock: Callable[[], float] = time.time,
) -> Round:
    """Fetch each source (an ``http(s)`` URL, a ``file`` URL or a path) once and return its new items.

    A repeated source is asked once. Errors of sources are in the results, never raised. With `backoff`, URLs that
    failed before are skipped until their wait is over; files are always read. Sources in `listed` (see
    `Sources.listed`) are refused on private addresses.
    """
    before = dict(state or {})
    began = clock()
    asked: list[str] = []
    waiting: list[str] = []
    for source in dict.fromkeys(sources):
        due = backoff is None or not is_url(source) or backoff.is_due(before.get(source, FeedState()), began)
        (asked if due else waiting).append(source)

    def count_failures(result: Result) -> Result:
        if backoff is None:
            return result
        if result.error is None or not is_url(result.source):
            return replace(result, state=after_success(result.state))
        return replace(result, state=backoff.after_failure(result.state, result.error, clock()))

    # A thread of its own, since a notebook has an event loop running in this one.
    with ThreadPoolExecutor(1, "watchword-feeds") as executor:
        results = executor.submit(asyncio.run, _all(asked, before, limits or Limits(), count_failures, listed)).result()
    return Round(tuple(results), before | {result.source: result.state for result in results}, tuple(waiting))


def get(source: str, *, limits: Limits | None = None) -> tuple[bytes, bool]:
    """Return the bytes of one URL, and whether it is on a private network; raises `FeedError`."""

    async def one(limits: Limits) -> tuple[bytes, bool]:
        async with clients(limits) as client:
            document = await _within_time(client, source, {}, limits)
            return document.data or b"", await leads_inside(httpx.URL(source))

    with ThreadPoolExecutor(1, "watchword-feeds") as executor:
        return executor.submit(asyncio.run, one(limits or Limits())).result()


async def _all(
    sources: list[str],
    state: State,
    limits: Limits,
    count_failures: Callable[[Result], Result],
    listed: Collection[str],
) -> list[Result]:
    turn = asyncio.Semaphore(limits.connections)

    async def one(source: str) -> Result:
        # At once: a feed waits from its own failure on, not from the end of the slowest feed.
        return count_failures(await answer(source))

    async def answer(source: str) -> Result:
        before = state.get(source, FeedState())
        async with turn:
            try:
                headers, of_a_list = request_headers(before), source in listed
                document = await _within_time(client, source, headers, limits, listed=of_a_list)
                return await loop.run_in_executor(readers, _result, source, before, document, limits)
            except FeedError as error:
                return Result(source, before, error=error)
            except Exception as error:  # a fault in one feed must not take the others with it
                wrapped = FeedError(f"{type(error).__name__}: {error}", source=source)
                wrapped.__cause__ = error
                return Result(source, before, error=wrapped)

    loop = asyncio.get_running_loop()
    # Threads of their own, which only wait: those of the loop look up names for other feeds.
    with ThreadPoolExecutor(PROCESSES, "watchword-reading") as readers:
        async with clients(limits) as client:
            return await asyncio.gather(*map(one, sources))


async def _within_time(
    client: Clients, source: str, headers: dict[str, str], limits: Limits, *, listed: bool = False
) -> Document:
    try:
        async with asyncio.timeout(limits.timeout):
            return await download(client, source, headers, limits, listed=listed)
    except TimeoutError:
        raise FeedError(f"it took longer than {limits.timeout:g} seconds", source=source) from None


def _result(source: str, before: FeedState, document: Document, limits: Limits) -> Result:
    if document.data is None:
        return Result(source, before)
    digest = hashlib.sha256(document.data).hexdigest()
    if digest == before.digest:
        return Result(source, replace(before, etag=document.validators.etag, modified=document.validators.modified))
    feed = read(document.data, source, charset=document.charset, limits=limits)
    after, new = advance(before, feed, digest, document.validators, limits)
    return Result(source, after, new, feed)
