r"""`GET /inbox/{subscriber}/live`: what comes into an inbox, as it comes, by server-sent events.

    id: 9413
    event: delivery
    data: {"number": 9413, "id": "urn:8", "title": "Storm", …}

`id` is the number of the delivery: a client that comes back with `Last-Event-ID` gets what it missed, from the store.
Without it, only later deliveries come. A comment every `HEARTBEAT` seconds keeps proxies from closing the connection.
The stream ends when the server ends. A token that was revoked or has expired gets no further entry: it is looked up
again before entries are sent, and at each comment.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from watchword.errors import WatchwordError
from watchword.serve.api.inbox import entry_of, no_inbox
from watchword.serve.problems import Problem
from watchword.serve.security import REMEMBERED, Caller, caller

if TYPE_CHECKING:
    from watchword.serve.state import Service

router = APIRouter(tags=["inbox"])
HEARTBEAT = 15.0
"""Seconds of silence after which a comment is sent."""
AT_ONCE = 100
"""Entries that are read from the store at once."""
RETRY = 3000
"""Milliseconds after which a client comes back."""
_STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {}}, "description": "Entries, as they are delivered."}
}


@router.get("/inbox/{subscriber}/live", response_class=StreamingResponse, responses=_STREAM)
async def live(
    request: Request,
    subscriber: str,
    who: Annotated[Caller, Depends(caller("read"))],
    last_event_id: Annotated[str | None, Header(description="The number of the last entry that came.")] = None,
    after: Annotated[int | None, Query(ge=0, lt=1 << 63, description="The same, for a first request.")] = None,
) -> StreamingResponse:
    """Stream the entries of an inbox as they are delivered, those after `Last-Event-ID` first."""
    service: Service = request.app.state.service
    if not who.sees(subscriber):
        raise no_inbox(subscriber)
    start = after if last_event_id is None else _number(last_event_id)
    if start is None:
        start = await run_in_threadpool(lambda: service.store().last_delivery(subscriber))
    else:
        await run_in_threadpool(lambda: service.store().last_delivery(subscriber))  # a subscriber that is not there
    service.listening.admit(who.key)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = _entries(request, service, subscriber, who, start)
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    raise Problem(422, "wrong-value", "Last-Event-ID is the number of a delivery", remedy="leave it out to begin now")


async def _entries(request: Request, service: Service, subscriber: str, who: Caller, last: int) -> AsyncIterator[bytes]:
    """Yield the events of a stream from delivery number `last` on."""
    async with service.listening.join(subscriber, who.key) as news:
        yield b"retry: %d\n\n" % RETRY
        news.set()
        beat = asked = time.monotonic()
        while not service.stopping.is_set():
            if time.monotonic() - asked >= min(REMEMBERED, HEARTBEAT):
                if not await _may_stay(request, service, who):
                    return
                asked = time.monotonic()
            if news.is_set():
                news.clear()
                lines, last, more = await service.run(_read, service, subscriber, last)
                if lines:
                    beat = time.monotonic()
                    yield lines
                if more:
                    news.set()
                    continue
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), max(0.0, beat + HEARTBEAT - time.monotonic()))
            if time.monotonic() - beat >= HEARTBEAT:
                beat = time.monotonic()
                yield b":\n\n"


async def _may_stay(request: Request, service: Service, who: Caller) -> bool:
    """Return whether the caller's token or session is still valid."""
    try:
        found = await service.security.find(request)
    except (Problem, WatchwordError):
        return False
    return found is not None and found.subscriber == who.subscriber and found.may("read")


def _read(service: Service, subscriber: str, last: int) -> tuple[bytes, int, bool]:
    """Return the entries after a number as events, the number of the last one, and whether there may be more."""
    try:
        found = service.store().inbox(subscriber, unread_only=False, after=last, oldest_first=True, limit=AT_ONCE)
    except WatchwordError:  # the next look may succeed; nothing is missed
        return b"", last, False
    lines = [b"id: %d\nevent: delivery\ndata: %s\n\n" % (one.number, orjson.dumps(entry_of(one))) for one in found]
    return b"".join(lines), found[-1].number if found else last, len(found) == AT_ONCE
