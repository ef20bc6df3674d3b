"""Links in mail: `/notify/verify/TOKEN` and `/notify/unsubscribe/TOKEN`, for whoever has the letter, without a login.

GET shows a page with a button and changes nothing, because scanners of mail follow links. POST does it; the button of a
mail program (RFC 8058) posts to the second one too, without a page, a cookie or an origin. A token holds for one
channel, one purpose and, to verify, one address (`watchword.notify.links`).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.notify.links import KEY, UNSUBSCRIBE, channel_of, is_valid
from watchword.serve.console.pages import Viewer, render
from watchword.serve.problems import Problem
from watchword.serve.security import client_of
from watchword.serve.state import Service
from watchword.store import Channel, Store
from watchword.store.channels import DISABLED, READY, UNVERIFIED

router = APIRouter()
Purpose = Literal["verify", "unsubscribe"]


@router.get("/notify/{purpose}/{token}")
async def ask(request: Request, purpose: Purpose, token: str) -> Response:
    """Show the page with the button."""
    found = await run_in_threadpool(_find, request, purpose, token)
    return render(Viewer(request, None), "link.html", purpose=purpose, channel=found, is_done=False)


@router.post("/notify/{purpose}/{token}")
async def follow(request: Request, purpose: Purpose, token: str) -> Response:
    """Verify the address, or disable the channel."""
    found = await run_in_threadpool(_follow, request, purpose, token)
    return render(Viewer(request, None), "link.html", purpose=purpose, channel=found, is_done=True)


def _find(request: Request, purpose: str, token: str) -> Channel:
    """Return the channel of a link; a `Problem` 404 if it is none of ours, or has ended."""
    service: Service = request.app.state.service
    store: Store = service.store()
    number = channel_of(token)
    found = None if number is None else store.find_channel(number)
    address = "" if found is None or purpose == UNSUBSCRIBE else found.address
    if found is None or not is_valid(store.key(KEY), purpose, token, datetime.now(UTC), address):
        service.security.note_failure(client_of(request))
        raise Problem(404, "not-found", "this link has ended, or was never one", remedy="ask for another letter")
    return found


def _follow(request: Request, purpose: str, token: str) -> Channel:
    service: Service = request.app.state.service
    store, found = service.store(), _find(request, purpose, token)
    if purpose == UNSUBSCRIBE and found.state != DISABLED:
        store.set_channel_state(found.number, DISABLED, "unsubscribed by the link in a letter")
    elif purpose != UNSUBSCRIBE and found.state == UNVERIFIED:
        store.set_channel_state(found.number, READY)
    store.add_audit(found.subscriber, f"{purpose} channel", found.name, source=client_of(request))
    return found
