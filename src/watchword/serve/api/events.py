"""`POST /events`: events that are delivered, as those of feeds are. 202 once they are on the disk (`watchword.posted`).

    POST /events  {"title": "Ferry", "text": "It sails", "id": "urn:7"}     202 {"accepted": 1, "ids": ["urn:7"]}

All events of a body are taken, or none: a fault is a 422 with `line`, `character` and the `position` of the event. With
an `Idempotency-Key`, a request that is repeated within 24 hours gets the answer of the first and adds nothing; with
another body it is a 422, and while the first is still at work a 409.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Header, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.items import Item
from watchword.posted import MalformedError, SpoolFullError, UnknownTypeError, read_body
from watchword.serve.limits import read_body as read_request
from watchword.serve.problems import Problem
from watchword.serve.security import Caller, caller

if TYPE_CHECKING:
    from watchword.serve.state import Service

router = APIRouter(tags=["events"])
SHORT = 1 << 15
"""Bytes up to which a body is read on the event loop; a longer one is read in a thread."""
KEY_CHARACTERS = 200
"""Characters of an Idempotency-Key."""
TYPES = (
    "application/json",
    "application/x-ndjson",
    "text/plain",
    "application/xml",
    "application/cloudevents+json",
    "application/cloudevents-batch+json",
)
_BODY = {"requestBody": {"required": True, "content": {kind: {} for kind in TYPES}}}


@router.post(
    "/events",
    status_code=202,
    response_class=Response,
    responses={202: {"content": {"application/json": {}}, "description": "The events are on the disk."}},
    openapi_extra=_BODY,
)
async def post_events(
    request: Request,
    who: Annotated[Caller, Depends(caller("events"))],
    idempotency_key: Annotated[str | None, Header(max_length=KEY_CHARACTERS)] = None,
) -> Response:
    """Take one event (JSON, text, XML, a CloudEvent) or several (NDJSON, a batch of CloudEvents) for delivery."""
    service: Service = request.app.state.service
    body = await read_request(request, service.limits.batch)
    kind, headers = request.headers.get("content-type", ""), dict(request.headers)
    token = None if idempotency_key is None else f"{who.subscriber}\n{idempotency_key}"
    items = await _read(service, body, kind, headers, token)
    if idempotency_key is None:
        await _append(service, items)
    else:
        await _append_once(service, who, idempotency_key, _digest(body, kind, headers), items)
    service.metrics.events.labels("posted").inc(len(items))
    answer = {"accepted": len(items), "ids": [item.identity for item in items]}
    return Response(orjson.dumps(answer), 202, media_type="application/json")


async def _read(service: Service, body: bytes, kind: str, headers: dict[str, str], token: str | None) -> list[Item]:
    try:
        if len(body) <= SHORT:
            return read_body(body, kind, headers, token)
        return await service.run(read_body, body, kind, headers, token)
    except UnknownTypeError as error:
        raise Problem(415, "wrong-media-type", error.reason, remedy="name the type in Content-Type") from None
    except MalformedError as error:
        place: dict[str, Any] = {"line": error.line, "character": error.character, "position": error.position}
        remedy = "mend the event, and send all again: none was taken"
        raise Problem(422, "event-unreadable", str(error), **place, remedy=remedy) from None


async def _append(service: Service, items: list[Item]) -> None:
    try:
        await run_in_threadpool(service.spool.append, items)
    except SpoolFullError as error:
        service.metrics.refused.labels("spool").inc()
        remedy = "post again later, and look at /readyz why events are not delivered"
        raise Problem(503, "limit-reached", error.reason, headers={"Retry-After": "10"}, remedy=remedy) from None


# Repeated requests


async def _append_once(service: Service, who: Caller, key: str, digest: str, items: list[Item]) -> None:
    """Append unless a request with this key has; the ids come from key and body, so they are the same again."""
    mine = (who.subscriber, key)
    if mine in service.posting:
        detail = "a request with this Idempotency-Key is still at work"
        raise Problem(409, "changed-meanwhile", detail, headers={"Retry-After": "1"}, remedy="repeat it in a moment")
    service.posting.add(mine)
    try:
        name = f"events {hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()}"
        known = await run_in_threadpool(lambda: service.store().remembered_answer(who.subscriber, name))
        if known is None:
            await _append(service, items)
            await run_in_threadpool(lambda: service.store().remember_answer(who.subscriber, name, digest))
        elif known != digest:
            detail = "this Idempotency-Key was used for other events within the last 24 hours"
            raise Problem(422, "wrong-value", detail, remedy="choose another key for other events")
    finally:
        service.posting.discard(mine)


def _digest(body: bytes, kind: str, headers: dict[str, Any]) -> str:
    """Return a digest of a request: of its body, its type, and the attributes of a CloudEvent."""
    named = sorted((name, value) for name, value in headers.items() if name.startswith("ce-"))
    return hashlib.sha256(repr((kind, named)).encode() + body).hexdigest()
