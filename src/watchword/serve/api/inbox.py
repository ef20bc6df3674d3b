"""Inboxes: pages of entries with the reasons, search, counts, and the marks read and starred, each with its undo.

    GET  /inbox/ada?limit=50                    {"entries": [{"number": 9412, "id": "urn:7", "title": …}], "next": 9320}
    GET  /inbox/ada?limit=50&before=9320        the page after it
    POST /inbox/ada/read  {"items": ["urn:7"]}  {"changed": 1, "undo": {"action": "unread", "items": ["urn:7"]}}

An entry's `reasons` say which subscriptions it matched, why, and in which `places` their words stand: from `start` to
`end`, in characters of the text that the language reads, which is ``title. text`` where no `attribute` is named.

An entry is a story: `sources` are the other items of the inbox that tell it, and reading one reads all. A subscriber
may switch that off (``PUT /profile``); then each item is an entry.

`undo` is what to post to ``/inbox/ada/ACTION`` in order to have it as before: the items whose mark was changed by this
request.

Search is a subscription in keywords, with the store's options, asked over the inbox: ``?q=ferry NOT calm`` returns the
entries that it matches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from watchword import KeywordIndex
from watchword.items import ITEM_FIELDS, event_of
from watchword.serve.problems import Problem
from watchword.serve.security import Caller, caller
from watchword.visible import brief

if TYPE_CHECKING:
    from watchword.serve.state import Service
    from watchword.store import Delivery, Reason, Store

router = APIRouter(tags=["inbox"])
PAGE = 50
"""Entries of a page, unless the request says how many."""
MOST = 500
"""Entries of a page, at most."""
SEARCHED = 10_000
"""Entries that one search looks at; the next page goes on behind them."""
PLACES = 100
"""Places of a reason."""
UNDONE = 5_000
"""Items that can be marked as read at once with an undo; with more there is none."""
_JSON: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}}}}

Reader = Annotated[Caller, Depends(caller("read"))]
Writer = Annotated[Caller, Depends(caller("write"))]


class Chosen(BaseModel):
    """Items of an inbox, by their ids; or all entries up to a number of a delivery."""

    model_config = ConfigDict(extra="forbid")
    items: list[str] | None = Field(None, max_length=UNDONE, description="Ids of items.")
    through: int | None = Field(None, ge=0, lt=1 << 63, description="The greatest number of an entry to mark.")


class Asked(NamedTuple):
    """The page of an inbox that a request asks for."""

    view: str
    limit: int
    before: int | None
    subscription: str | None
    q: str | None


@router.get("/inbox/{subscriber}", response_class=Response, responses=_JSON)
async def inbox(
    request: Request,
    subscriber: str,
    who: Reader,
    view: Annotated[Literal["unread", "starred", "all"], Query(description="Which entries.")] = "unread",
    limit: Annotated[int, Query(ge=1, le=MOST, description="Entries of the page.")] = PAGE,
    before: Annotated[int | None, Query(ge=0, lt=1 << 63, description="Only entries with smaller numbers.")] = None,
    subscription: Annotated[str | None, Query(description="Only what this subscription matched.")] = None,
    q: Annotated[str | None, Query(max_length=1000, description="Only what matches this, in keywords.")] = None,
) -> Response:
    """Return a page of an inbox, newest first; `next` is the `before` of the next page, null after the last."""
    service = _service(request, who, subscriber)
    asked = Asked(view, limit, before, subscription, q)
    return _json(await service.run(lambda: read_page(service.store(), subscriber, asked)))


@router.get("/inbox/{subscriber}/counts", response_class=Response, responses=_JSON)
async def counts(request: Request, subscriber: str, who: Reader) -> Response:
    """Return how many entries are unread, starred, there at all, and unread by subscription."""
    service = _service(request, who, subscriber)
    found = await run_in_threadpool(lambda: service.store().inbox_counts(subscriber, stories=True))
    return _json(vars(found))


@router.post("/inbox/{subscriber}/read", response_class=Response, responses=_JSON)
async def mark_read(request: Request, subscriber: str, who: Writer, chosen: Chosen) -> Response:
    """Mark items as read, or all entries up to a number; `undo` is null where that were more than 5,000."""
    service = _service(request, who, subscriber)
    _check(chosen, may_be_through=True)
    return _json(await run_in_threadpool(lambda: _mark_read(service.store(), subscriber, chosen)))


@router.post("/inbox/{subscriber}/unread", response_class=Response, responses=_JSON)
async def mark_unread(request: Request, subscriber: str, who: Writer, chosen: Chosen) -> Response:
    """Mark items as unread."""
    return await _change(request, who, subscriber, chosen, "unread")


@router.post("/inbox/{subscriber}/star", response_class=Response, responses=_JSON)
async def star(request: Request, subscriber: str, who: Writer, chosen: Chosen) -> Response:
    """Star items: they stay until their stars are taken."""
    return await _change(request, who, subscriber, chosen, "star")


@router.post("/inbox/{subscriber}/unstar", response_class=Response, responses=_JSON)
async def unstar(request: Request, subscriber: str, who: Writer, chosen: Chosen) -> Response:
    """Take the stars of items."""
    return await _change(request, who, subscriber, chosen, "unstar")


# Pages


def read_page(store: Store, subscriber: str, asked: Asked) -> dict[str, Any]:
    """Return a page as JSON has it."""
    if asked.q is not None:
        entries, following = _search(store, subscriber, asked, asked.q)
    else:
        found = _deliveries(store, subscriber, asked, asked.limit + 1)
        entries = found[: asked.limit]
        following = entries[-1].number if len(found) > len(entries) else None
    return {"entries": [entry_of(one) for one in entries], "next": following}


def _search(store: Store, subscriber: str, asked: Asked, query: str) -> tuple[list[Delivery], int | None]:
    """Return the newest entries that match a query, and the `before` of the next page.

    It looks at `SEARCHED` entries, in pieces; if these have too few matches, the next page begins behind them.
    """
    index = KeywordIndex({"q": query}, **store.options("keywords"))
    found: list[Delivery] = []
    for _ in range(0, SEARCHED, MOST):
        some = _deliveries(store, subscriber, asked, MOST)
        for one in some:
            if index.match(event_of("keywords", one.item)):
                found.append(one)
                if len(found) == asked.limit:
                    return found, one.number
        if len(some) < MOST:
            return found, None
        asked = asked._replace(before=some[-1].number)
    return found, asked.before


def _deliveries(store: Store, subscriber: str, asked: Asked, limit: int) -> list[Delivery]:
    return store.inbox(
        subscriber,
        unread_only=asked.view == "unread",
        starred_only=asked.view == "starred",
        limit=limit,
        before=asked.before,
        subscription=asked.subscription,
        stories=True,
    )


def entry_of(delivery: Delivery) -> dict[str, Any]:
    """Return an entry of an inbox as JSON has it, with the fields of its item, and why it is there."""
    item = delivery.item
    fields = {"id": item.identity} | {name: getattr(item, name) for name in ITEM_FIELDS[1:]}
    times = {"matched_at": delivery.matched_at, "read_at": delivery.read_at, "starred_at": delivery.starred_at}
    return {
        "number": delivery.number,
        **fields,
        "row": item.row,
        **times,
        "reasons": list(map(_reason, delivery.reasons)),
        "sources": [source._asdict() for source in delivery.sources],
    }


def _reason(reason: Reason) -> dict[str, Any]:
    places = [{"attribute": one.attribute, "start": one.start, "end": one.end} for one in reason.places[:PLACES]]
    return {"subscription": reason.subscription, "text": reason.text, "why": reason.why, "places": places}


# Marks


async def _change(request: Request, who: Caller, subscriber: str, chosen: Chosen, action: str) -> Response:
    service = _service(request, who, subscriber)
    _check(chosen, may_be_through=False)
    return _json(await run_in_threadpool(lambda: _mark(service.store(), subscriber, chosen.items or [], action)))


def _mark(store: Store, subscriber: str, items: list[str], action: str) -> dict[str, Any]:
    """Mark items, and return how many that changed, and how to undo it."""
    before = store.marks(subscriber, items)
    if action == "unread":
        before = store.marks(subscriber, store.story_items(subscriber, items))
        changed, undo = [one.item for one in before if one.is_read], "read"
        store.mark_unread(subscriber, changed)
    else:
        wanted = action == "star"
        changed, undo = [one.item for one in before if one.is_starred != wanted], "unstar" if wanted else "star"
        store.star(subscriber, changed, wanted)
    return _changed(len(changed), undo, changed)


def _mark_read(store: Store, subscriber: str, chosen: Chosen) -> dict[str, Any]:
    if chosen.items is not None:
        wanted = store.story_items(subscriber, chosen.items)
        items = [one.item for one in store.marks(subscriber, wanted) if not one.is_read]
        return _changed(store.mark_read(subscriber, items), "unread", items)
    items = store.unread_items(subscriber, through=chosen.through, limit=UNDONE + 1)
    if len(items) <= UNDONE:
        return _changed(store.mark_read(subscriber, items, through=chosen.through), "unread", items)
    return _changed(store.mark_read(subscriber, through=chosen.through), "unread", None)


def _changed(count: int, action: str, items: list[str] | None) -> dict[str, Any]:
    return {"changed": count, "undo": None if items is None else {"action": action, "items": items}}


def _check(chosen: Chosen, *, may_be_through: bool) -> None:
    """Raise a `Problem` unless a body names items, or, where it may, a number."""
    if not may_be_through and chosen.through is not None:
        raise Problem(422, "wrong-value", "body.through: only reading has it", remedy="name the items")
    if (chosen.items is None) == (chosen.through is None):
        what = "items or through, one of them" if may_be_through else "items"
        raise Problem(422, "wrong-value", f"the body has {what}", remedy='send {"items": ["ID", "ID"]}')


def _service(request: Request, who: Caller, subscriber: str) -> Service:
    """Return the service; a `Problem` 404 if the inbox is another subscriber's."""
    if not who.sees(subscriber):
        raise no_inbox(subscriber)
    service: Service = request.app.state.service
    return service


def no_inbox(subscriber: str) -> Problem:
    """Return the problem of an inbox that is not there for the caller, to be raised."""
    return Problem(404, "not-found", f"there is no inbox of {brief(subscriber)!r}", remedy="see whose the token is")


def _json(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")
