"""Personal feeds, `/f/TOKEN.atom` and `/f/TOKEN.json`: an inbox in any feed reader.

Feed readers cannot send headers, so the address itself is the right to read: `TOKEN` is a token with the scope `feed`,
best one of its own, made by `watchword tokens add ada --scope feed --name reader`. Revoked, the address is gone. It is
written into no log, and answers are marked private.

``?subscription=storms`` has only what that subscription matched, ``?tag=work`` what the subscriptions with that tag
matched. Read entries stay in the feed; it has the newest `ENTRIES`. A story is there once.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from watchword.serve.problems import Problem
from watchword.serve.security import client_of
from watchword.serve.syndication import Channel, atom, json_feed, updated, urn

if TYPE_CHECKING:
    from watchword.serve.state import Service
    from watchword.store import Delivery, Store

router = APIRouter(tags=["personal feeds"])
ENTRIES = 100
"""Entries of a feed, the newest."""
LOOKED_AT = 2_000
"""Entries among which those of a tag are searched, the newest."""
MEDIA_TYPES = {"atom": "application/atom+xml; charset=utf-8", "json": "application/feed+json; charset=utf-8"}
_FEED: dict[int | str, dict[str, Any]] = {200: {"content": {"application/atom+xml": {}, "application/feed+json": {}}}}


@router.get("/f/{token}.{form}", response_class=Response, responses=_FEED)
async def personal_feed(
    request: Request,
    token: Annotated[str, Path(description="A token with the scope feed.")],
    form: Literal["atom", "json"],
    subscription: Annotated[str | None, Query(description="Only what this subscription matched.")] = None,
    tag: Annotated[str | None, Query(description="Only what subscriptions with this tag matched.")] = None,
) -> Response:
    """Return an inbox as a feed: Atom, or JSON Feed."""
    service: Service = request.app.state.service
    subscriber = await _owner(request, service, token)
    return await service.run(lambda: _answer(request, service.store(), subscriber, form, subscription, tag))


async def _owner(request: Request, service: Service, secret: str) -> str:
    """Return whose feed it is; a `Problem` 404 if the token is none, or lacks the scope."""
    found = await service.security.run(lambda: service.store().find_token(secret))
    if found is None or not found.scopes & {"feed", "admin"}:
        service.security.note_failure(client_of(request))
        raise Problem(404, "not-found", "there is no such feed", remedy="make a token with the scope feed")
    return found.subscriber


def _answer(
    request: Request, store: Store, subscriber: str, form: str, subscription: str | None, tag: str | None
) -> Response:
    entries = read_entries(store, subscriber, subscription, tag)
    named = [name for name in (subscription, tag and f"#{tag}") if name]
    channel = Channel(
        title=f"Watchword: {', '.join([subscriber, *named])}",
        id=urn("feed", str(store.epoch(0)), subscriber, subscription or "", tag or ""),
        address=str(request.url),
        home=str(request.base_url),
    )
    body = atom(channel, entries) if form == "atom" else json_feed(channel, entries)
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    changed = updated(entries).replace(microsecond=0)
    headers = {
        "ETag": etag,
        "Last-Modified": format_datetime(changed, usegmt=True),
        "Cache-Control": "private, max-age=60",
        "X-Robots-Tag": "noindex",
    }
    if is_known(request, etag, changed):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=MEDIA_TYPES[form])


def read_entries(store: Store, subscriber: str, subscription: str | None, tag: str | None) -> list[Delivery]:
    """Return the newest entries of an inbox, those of a subscription or a tag where one is named."""
    if tag is None:
        return store.inbox(subscriber, unread_only=False, limit=ENTRIES, subscription=subscription, stories=True)
    tagged = {one.id for one in store.subscriptions(subscriber) if tag in one.details.tags}
    looked_at = store.inbox(subscriber, unread_only=False, limit=LOOKED_AT, subscription=subscription, stories=True)
    found = [one for one in looked_at if any(reason.subscription in tagged for reason in one.reasons)]
    return found[:ENTRIES]


def is_known(request: Request, etag: str, changed: datetime) -> bool:
    """Return whether a reader has this state already; an ETag counts more than a time."""
    given = request.headers.get("if-none-match")
    if given is not None:
        return "*" in given or etag in [one.strip().removeprefix("W/") for one in given.split(",")]
    try:
        since = parsedate_to_datetime(request.headers.get("if-modified-since", ""))
    except ValueError:
        return False
    return changed <= (since if since.tzinfo else since.replace(tzinfo=UTC))
