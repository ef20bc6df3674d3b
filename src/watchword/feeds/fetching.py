"""Many sources at once, and the new items of each.

Every source has its own time limit and its own result, which holds its failure. A document is read in another process
with a limit of its own (`reading`), so that none makes other feeds late. `state.advance` decides which items are new,
and `backoff` how long a feed waits after failures. Nothing is written here: the new state counts only after the caller
has kept the items.
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
    """The result of one source: an error, a feed, or neither if nothing has changed."""

    source: str
    state: FeedState
    """The state after this fetch; after an error only the count of failures differs."""
    items: tuple[FeedItem, ...] = ()
    """Those not seen before."""
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
    """The states of all sources, also of those that were skipped."""
    waiting: tuple[str, ...] = ()
    """Those that were not asked, because of failures before."""

    @property
    def items(self) -> list[FeedItem]:
        """All new items."""
        return [item for result in self.results for item in result.items]

    @property
    def errors(self) -> list[FeedError]:
        """All failures."""
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
    """Get each source (an ``http(s)`` URL, a ``file`` URL or a path) once and return its new items.

    A repeated source is asked once. A source that fails raises nothing. With `backoff`, URLs that failed before are
    skipped until their time has come; without it, everything is asked. Files are always read. Sources that a public
    list names (`listed`, as in `Sources`) may not be on a private network.
    """
    before = dict(state or {})
    began = clock()
    asked: list[str] = []
    waiting: list[str] = []
    for source in dict.fromkeys(sources):
        due = backoff is None or not is_url(source) or backoff.is_due(before.get(source, FeedState()), began)
        (asked if due else waiting).append(source)

    def update_state(result: Result) -> Result:
        if backoff is None:
            return result
        if result.error is None or not is_url(result.source):
            return replace(result, state=after_success(result.state))
        return replace(result, state=backoff.after_failure(result.state, result.error, clock()))

    # A thread of its own, since a notebook has an event loop running in this one.
    with ThreadPoolExecutor(1, "watchword-feeds") as executor:
        results = executor.submit(asyncio.run, _all(asked, before, limits or Limits(), update_state, listed)).result()
    return Round(tuple(results), before | {result.source: result.state for result in results}, tuple(waiting))


def get(source: str, *, limits: Limits | None = None) -> tuple[bytes, bool]:
    """Return the bytes of one URL, and whether it is on a private network; failures are `FeedError`s."""

    async def one(limits: Limits) -> tuple[bytes, bool]:
        async with clients(limits) as client:
            document = await _within_time(client, source, {}, limits)
            return document.data or b"", await leads_inside(httpx.URL(source))

    with ThreadPoolExecutor(1, "watchword-feeds") as executor:
        return executor.submit(asyncio.run, one(limits or Limits())).result()


async def _all(
    sources: list[str], state: State, limits: Limits, update_state: Callable[[Result], Result], listed: Collection[str]
) -> list[Result]:
    turn = asyncio.Semaphore(limits.connections)

    async def one(source: str) -> Result:
        return update_state(await answer(source))  # at once: waiting counts from the failure, not the slowest feed

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
