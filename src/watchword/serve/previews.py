"""Previews as the server makes them: bounded in time, in number at once, and in computing by caller and minute.

    previews = Previews(Limits())
    async with previews.turn(who):                        429 where the caller's previews have taken too much
        found = await run_in_threadpool(previews.make, who, draft, ...)

`watchword.preview` decides with the index of a run; here its answer becomes a JSON object, and examples are tried.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from watchword.errors import EventError
from watchword.index import language_class
from watchword.items import Item, columns_of, event_of
from watchword.preview import Draft, Preview, preview
from watchword.serve.limits import Buckets, Limits, too_many
from watchword.serve.matching import place_of

if TYPE_CHECKING:
    import pyarrow as pa

    from watchword.serve.security import Caller

AT_ONCE = 2
"""Previews that a process makes at once; others wait."""
LEAST = 0.001
"""Seconds of computing that a preview is counted with in any case."""
MOST_COMPARED = 10_000
"""Subscriptions of a subscriber up to which a draft is compared with them."""


class Previews:
    """Makes previews, and counts what they cost."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._spent = Buckets(limits.preview_cpu / 60, limits.preview_cpu)
        self._places = asyncio.Semaphore(AT_ONCE)

    @asynccontextmanager
    async def turn(self, who: Caller) -> AsyncIterator[None]:
        """Wait for a place; a `Problem` 429 if the caller's previews have taken too much computing."""
        wait = self._spent.take(who.key, LEAST)
        if wait:
            raise too_many("the previews of this token have taken too much computing", wait)
        async with self._places:
            yield

    def make(
        self,
        who: Caller,
        draft: Draft,
        table: pa.Table,
        options: Mapping[str, Any],
        days: int,
        others: Mapping[str, str],
    ) -> Preview:
        """Return a preview, and count the computing that it took."""
        with self.counted(who):
            return preview(draft, table, options, days=days, seconds=self._limits.preview_seconds, others=others)

    @contextmanager
    def counted(self, who: Caller) -> Iterator[None]:
        """Count the computing of this thread as that of the caller's previews."""
        began = time.thread_time()
        try:
            yield
        finally:
            self._spent.spend(who.key, time.thread_time() - began)


def show_preview(found: Preview) -> dict[str, Any]:
    """Return a preview as a JSON object."""
    return {
        "total": found.total,
        "days": [{"day": day, "count": count} for day, count in found.days],
        "sample": [
            {
                "id": hit.id,
                "title": hit.title,
                "link": hit.link,
                "published": hit.published,
                "why": hit.why,
                "places": [_place(*place) for place in hit.places],
            }
            for hit in found.sample
        ],
        "near": [
            {"id": near.id, "title": near.title, "link": near.link, "failed": near.failed, "why": near.why}
            for near in found.near
        ],
        "without": [{"clause": clause, "total": total} for clause, total in found.without],
        "like": [{"id": like.id, "relation": like.relation, "share": like.share} for like in found.like],
        "warnings": list(found.warnings),
        "archived": found.archived,
        "looked": found.looked,
        "since": found.since,
        "seconds": round(found.seconds, 4),
        "complete": found.complete,
    }


def _place(attribute: str | None, start: int, end: int) -> dict[str, Any]:
    place = {"start": start, "end": end}
    return place if attribute is None else {"attribute": attribute} | place


def try_examples(draft: Draft, events: Sequence[str], options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return for each text, or JSON object as text, whether a draft matches it, why or why not, and where.

    It is read as an item with this text is.
    """
    index = language_class(draft.language)(**options)
    return [_try(index, draft, text) for text in events]


def _try(index: Any, draft: Draft, text: str) -> dict[str, Any]:
    columns = columns_of(Item("example", text=text)) | {"title": None}
    try:
        event = event_of(draft.language, columns, index.attributes)
        explanation = index.explain_text(event, draft.text)
        places = [place_of(place) for place in index.places(event, draft.text)]
    except EventError as error:
        return {"event": text, "matches": False, "why": f"it cannot be read: {error.reason}", "places": []}
    return {"event": text, "matches": bool(explanation), "why": str(explanation), "places": places}
