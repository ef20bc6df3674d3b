"""Subscriptions: `/subscriptions/{id}`, the list, and many at once.

    PUT /subscriptions/storms  {"language": "keywords", "text": "ferry AND storm"}
    201, ETag: "5f0c…"         {"id": "storms", "language": "keywords", "text": "ferry AND storm", "change": 17, …}

A PUT answers when the indexes of this process have the change: a match here sees it at once, and one in another
process with ``?after=17``. Details that a PUT leaves out stay as they are. `If-Match` and ``If-None-Match: *`` make it
conditional; another subscriber's id is answered as if there were none. Each change leaves a row in the audit log.

With ``?backfill=7d`` what the subscription would have matched in the last 7 days is delivered from the archive, and
never notified; ``&dry_run=true`` says how many items that would be, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from watchword.errors import SubscriptionError, UnknownNameError
from watchword.languages import LANGUAGES
from watchword.serve.api.drafts import Bulk, Draft, Sample, read_draft
from watchword.serve.api.noting import note, note_many
from watchword.serve.backfilling import Backfill, days_of
from watchword.serve.limits import read_body
from watchword.serve.problems import Problem
from watchword.serve.security import Caller, caller
from watchword.serve.state import Service
from watchword.store import Store, Subscription
from watchword.visible import brief

router = APIRouter(tags=["subscriptions"])

PAGE = 1_000
"""Subscriptions of a page, unless another number is asked for."""
MOST_PAGE = 10_000
"""The most subscriptions of a page."""
NDJSON = "application/x-ndjson"


class Shown(BaseModel):
    """A subscription as it is."""

    id: str
    language: str
    text: str
    change: int = Field(description="The number of its last change, for ?after=.")
    subscriber: str
    created: datetime
    name: str
    note: str
    tags: list[str]
    paused: bool
    snoozed: datetime | None
    examples: list[Sample]


class Filled(Shown):
    """A subscription, and what a back-fill delivered or would deliver."""

    backfill: dict[str, Any] | None = None


class Page(BaseModel):
    """Some subscriptions, in the order of subscribing; `next` is where the next page begins, if there is one."""

    subscriptions: list[Shown]
    next: int | None = None


Writer = Annotated[Caller, Depends(caller("write"))]
Reader = Annotated[Caller, Depends(caller("read"))]
IfMatch = Annotated[str | None, Header(description="The ETag that it has to have; * if it only has to be there.")]


def show(one: Subscription) -> dict[str, Any]:
    """Return a subscription as a JSON object."""
    details = one.details
    return {
        "id": one.id,
        "language": one.language,
        "text": one.text,
        "change": one.change,
        "subscriber": one.subscriber,
        "created": one.created,
        "name": details.name,
        "note": details.note,
        "tags": list(details.tags),
        "paused": details.paused,
        "snoozed": details.snoozed,
        "examples": [{"event": example.event, "matches": example.matches} for example in details.examples],
    }


def find_own(store: Store, id: str, who: Caller) -> Subscription:
    """Return a subscription that a caller may see; a `Problem` 404 for any other."""
    try:
        found = store.subscription(id)
    except UnknownNameError:
        found = None
    if found is None or not who.sees(found.subscriber):
        raise Problem(404, "not-found", f"there is no subscription {brief(id)!r} of yours")
    return found


@router.put(
    "/subscriptions/{id:path}",
    response_model=Filled,
    response_model_exclude_unset=True,
    responses={200: {"description": "It was replaced."}, 201: {"description": "It was made.", "model": Filled}},
)
def put(
    request: Request,
    id: str,
    draft: Draft,
    who: Writer,
    if_match: IfMatch = None,
    if_none_match: Annotated[str | None, Header(description="* makes it only if it is new.")] = None,
    backfill: Annotated[str | None, Query(description="Deliver from the archive of these days, such as 7d.")] = None,
    dry_run: Annotated[bool, Query(description="With backfill: say how many, and change nothing.")] = False,
) -> Response:
    """Subscribe, or replace a subscription."""
    service: Service = request.app.state.service
    store = service.store()
    days = None if backfill is None else days_of(backfill)
    old = _old(store, id, who)
    _check_language(draft.language)
    if dry_run:
        return _dry_run(service, draft, days)
    if old is None:
        check_room(service, who, 1)
    owner = who.subscriber if old is None else old.subscriber
    if if_match is not None and old is None:
        raise Problem(412, "changed-meanwhile", f"there is no subscription {brief(id)!r} any more")
    try:
        store.subscribe(
            owner,
            draft.text,
            language=draft.language,
            id=id,
            details=draft.details(None if old is None else old.details),
            if_match=_condition(if_match, old),
            only_new=if_none_match is not None and if_none_match.strip() == "*",
        )
    except SubscriptionError:
        _old(store, id, who)  # raises if the id is somebody else's by now
        raise
    made = store.subscription(id)
    service.counts.add(owner, int(old is None))
    service.changed(made.change)
    what = "subscribe" if old is None else "replace subscription"
    note(service, who, what, id, None if old is None else show(old), show(made))
    filled = None if days is None else Backfill.of_subscription(service, made, days).deliver()
    body = show(made) | ({} if filled is None else {"backfill": filled})
    status = 201 if old is None else 200
    return answer(body, status, {"ETag": f'"{made.etag}"', "Location": str(request.url.path)})


@router.get("/subscriptions/{id:path}", response_model=Shown, responses={304: {"description": "It is as it was."}})
def get(
    request: Request,
    id: str,
    who: Reader,
    if_none_match: Annotated[str | None, Header(description="The ETag that is known already.")] = None,
) -> Response:
    """Return a subscription."""
    service: Service = request.app.state.service
    found = find_own(service.store(), id, who)
    headers = {"ETag": f'"{found.etag}"', "Cache-Control": "private, no-cache"}
    if if_none_match is not None and (if_none_match.strip() == "*" or found.etag in etags(if_none_match)):
        return Response(status_code=304, headers=headers)
    return answer(show(found), 200, headers)


@router.delete("/subscriptions/{id:path}", status_code=204, response_class=Response)
def delete(request: Request, id: str, who: Writer, if_match: IfMatch = None) -> Response:
    """Unsubscribe. Delivered matches stay in the inbox."""
    service: Service = request.app.state.service
    store = service.store()
    old = find_own(store, id, who)
    store.unsubscribe(id, if_match=_condition(if_match, old) or old.etag)
    service.counts.add(old.subscriber, -1)
    service.changed(store.counter)
    note(service, who, "unsubscribe", id, show(old), None)
    return Response(status_code=204)


_BULK = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/NewDraft"}},
            NDJSON: {"schema": {"type": "string"}},
        },
    }
}


@router.post(
    "/subscriptions",
    response_class=Response,
    responses={
        200: {"description": "A line for each of many.", "content": {NDJSON: {"schema": {"type": "string"}}}},
        201: {"description": "It was made.", "model": Shown},
    },
    openapi_extra=_BULK,
)
async def post(
    request: Request,
    who: Writer,
    on_error: Annotated[
        Literal["stop", "skip"], Query(description="Of many: make none if one is refused, or the others.")
    ] = "stop",
) -> Response:
    """Subscribe: one in JSON, or many in NDJSON, one a line, `id` in it or left to the server."""
    service: Service = request.app.state.service
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind == "application/json":
        body = await read_body(request, service.limits.body)
        return await run_in_threadpool(_post_one, service, who, body, request.url.path)
    if kind not in (NDJSON, "application/jsonl", "application/ndjson"):
        raise Problem(415, "wrong-media-type", "many subscriptions are sent as application/x-ndjson, one in JSON")
    body = await read_body(request, service.limits.batch)
    return await run_in_threadpool(_post_many, service, who, body, on_error == "skip")


def _post_one(service: Service, who: Caller, body: bytes, path: str) -> Response:
    service.security.count_write(who)
    line = read_draft(body)
    check_room(service, who, 1)
    store = service.store()
    draft = line.draft
    if line.id is not None:
        _old(store, line.id, who)
    details = draft.details(None)
    only_new = line.id is not None
    id = store.subscribe(
        who.subscriber, draft.text, language=draft.language, id=line.id, details=details, only_new=only_new
    )
    made = store.subscription(id)
    service.counts.add(who.subscriber, 1)
    service.changed(made.change)
    note(service, who, "subscribe", id, None, show(made))
    return answer(show(made), 201, {"ETag": f'"{made.etag}"', "Location": f"{path}/{quote(id, safe='')}"})


def _post_many(service: Service, who: Caller, body: bytes, skip: bool) -> Response:
    lines = [(number, line) for number, line in enumerate(body.split(b"\n"), 1) if line.strip()]
    service.security.count_write(who, len(lines))
    check_room(service, who, len(lines))
    owned = service.follower.owned(who.subscriber)
    done = Bulk(service.store(), who, owned.keep).subscribe(lines, skip)
    service.counts.forget(who.subscriber)
    if done.made:
        service.changed(done.counter)
        note_many(service, who, done, show)
    return Response(b"".join(orjson.dumps(line) + b"\n" for line in done.lines()), media_type=NDJSON)


@router.get("/subscriptions", response_model=Page)
def list_own(
    request: Request,
    who: Reader,
    language: str | None = None,
    tag: Annotated[list[str] | None, Query(description="With one of these tags.")] = None,
    subscriber: Annotated[str | None, Query(description="Somebody else's, for the scope admin.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_PAGE)] = PAGE,
    after: Annotated[int, Query(ge=0, le=2**63 - 1, description="`next` of the page before.")] = 0,
) -> Response:
    """List subscriptions, in the order of subscribing; all of them as lines with `Accept: application/x-ndjson`."""
    service: Service = request.app.state.service
    name = subscriber or who.subscriber
    if not who.sees(name):
        raise Problem(404, "not-found", f"there is no subscriber {brief(name)!r}")
    if language is not None:
        _check_language(language)
    wanted = set(tag or ())
    own = read_own(service.store(), name, after, language)
    found = (one for one in own if not wanted or not wanted.isdisjoint(one.details.tags))
    if NDJSON in request.headers.get("accept", ""):
        return StreamingResponse(_lines(list(found)), media_type=NDJSON)
    some = list(islice(found, limit + 1))
    page = some[:limit]
    following = page[-1].since if len(some) > limit else None
    return answer({"subscriptions": [show(one) for one in page], "next": following}, 200, {})


def _lines(found: list[Subscription]) -> Iterator[bytes]:
    for begin in range(0, len(found), PAGE):
        yield b"".join(orjson.dumps(show(one)) + b"\n" for one in found[begin : begin + PAGE])


# parts that other routes use too


def read_own(store: Store, subscriber: str, after: int = 0, language: str | None = None) -> Iterator[Subscription]:
    """Yield a subscriber's subscriptions after number `after`, in the order of subscribing, read `PAGE` at a time."""
    while some := store.subscriptions(subscriber, language, after=after, limit=PAGE):
        yield from some
        if len(some) < PAGE:
            return
        after = some[-1].since


def answer(body: Any, status: int, headers: dict[str, str]) -> Response:
    """Return a value as an answer in JSON."""
    return Response(orjson.dumps(body), status, headers, "application/json")


def etags(header: str) -> set[str]:
    """Return the tags of a header, without quotes and the sign of weak ones.

    >>> sorted(etags('"a", W/"b"'))
    ['a', 'b']
    """
    return {part.strip().removeprefix("W/").strip('"') for part in header.split(",")}


def check_room(service: Service, who: Caller, count: int) -> None:
    """Raise a `Problem` if a caller would have more subscriptions than the limit."""
    most = service.limits.subscriptions
    if service.counts.find(service.store(), who.subscriber) + count > most:
        raise Problem(
            422,
            "limit-reached",
            f"a subscriber has at most {most:,} subscriptions",
            remedy="delete some, or ask the administrator for a higher limit",
        )


def _old(store: Store, id: str, who: Caller) -> Subscription | None:
    """Return the subscription that a PUT replaces; a `Problem` 404 if the id is another subscriber's."""
    try:
        found = store.subscription(id)
    except UnknownNameError:
        return None
    if not who.sees(found.subscriber):
        raise Problem(
            404,
            "not-found",
            f"there is no subscription {brief(id)!r} of yours, and the id cannot be used",
            remedy="choose another id",
        )
    return found


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise Problem(
            422, "wrong-value", f"there is no language {brief(language)!r}", remedy=f"one of: {', '.join(LANGUAGES)}"
        )


def _condition(header: str | None, old: Subscription | None) -> str | None:
    """Return the etag that `If-Match` asks for: the one that fits, if it names several; None without a condition."""
    if header is None or header.strip() == "*":
        return None
    named = etags(header)
    return old.etag if old is not None and old.etag in named else min(named)


def _dry_run(service: Service, draft: Draft, days: float | None) -> Response:
    if days is None:
        raise Problem(422, "wrong-value", "dry_run says what ?backfill= would do; give one, such as ?backfill=7d")
    count = Backfill(service, draft.language, draft.text, days).count()
    return answer({"backfill": count | {"dry_run": True}}, 200, {})
