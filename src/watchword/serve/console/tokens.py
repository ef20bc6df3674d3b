"""Tokens of programs: `/console/tokens`. A new one is shown once, in the answer that made it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import OptionError, UnknownNameError
from watchword.serve.console.pages import Viewer, change, first, read_form, render, view
from watchword.serve.problems import Problem
from watchword.serve.security import SESSION_SCOPES
from watchword.store import SCOPES

router = APIRouter()
OFFERED = tuple(scope for scope in SCOPES if scope in SESSION_SCOPES)
"""The scopes of a session, which tokens can be given here. `admin` is given by the command line."""
MEANINGS = {
    "read": "see subscriptions, inboxes and feeds",
    "write": "change them",
    "match": "ask what matches an event",
    "events": "post events",
    "feed": "read the inbox in a feed reader",
}
EXPIRIES = (("", "never"), ("7", "in a week"), ("90", "in 90 days"), ("365", "in a year"))
"""Days after which a token expires."""


@router.get("/console/tokens")
async def tokens(request: Request) -> Response:
    """Show the tokens."""
    viewer = await view(request)
    return await run_in_threadpool(_page, viewer)


@router.post("/console/tokens")
async def send(request: Request) -> Response:
    """Make a token, or revoke one."""
    viewer = await change(request)
    fields = await read_form(request)
    return await run_in_threadpool(_send, viewer, fields)


def _page(viewer: Viewer, secret: str = "", refused: str = "", status: int = 200, is_feed: bool = False) -> Response:
    found = viewer.store.tokens(viewer.name)
    return render(
        viewer,
        "tokens.html",
        status,
        tokens=found,
        secret=secret,
        refused=refused,
        is_feed=is_feed,
        offered=OFFERED,
        meanings=MEANINGS,
        expiries=EXPIRIES,
    )


def _send(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    viewer.service.security.count_write(viewer.who)
    return _revoke(viewer, fields) if first(fields, "do") == "revoke" else _add(viewer, fields)


def _add(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    scopes, name, days = fields.get("scope", []), first(fields, "name").strip(), first(fields, "days")
    wrong = [scope for scope in scopes if scope not in OFFERED or not viewer.who.may(scope)]
    if wrong or not scopes:
        return _page(viewer, refused="Choose what the token may do, of what you may do yourself.", status=422)
    if days not in {value for value, _ in EXPIRIES}:
        raise Problem(422, "wrong-value", "a token expires never, in a week, in 90 days or in a year")
    expires = datetime.now(UTC) + timedelta(days=int(days)) if days else None
    try:
        secret = viewer.store.add_token(viewer.name, name, scopes, expires=expires)
    except OptionError as error:
        return _page(viewer, refused=str(error), status=422)
    new = {"scopes": scopes, "expires": None if expires is None else expires.isoformat()}
    viewer.store.add_audit(viewer.name, "add token", name, source=viewer.who.source, new=new)
    return _page(viewer, secret, is_feed="feed" in scopes)


def _revoke(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    number = first(fields, "number")
    try:
        viewer.store.revoke_token(viewer.name, int(number) if number.isascii() and number.isdigit() else -1)
    except UnknownNameError:
        raise Problem(404, "not-found", "there is no such token of yours") from None
    viewer.service.security.forget()
    viewer.store.add_audit(viewer.name, "revoke token", number, source=viewer.who.source)
    return _page(viewer)
