"""The list of subscriptions: `/console/subscriptions`; pause and resume, snooze, delete.

POST /console/subscriptions  do=pause, id=storms        one row, or the list
                             do=snooze, hours=24
                             do=delete
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import islice

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import UnknownNameError
from watchword.serve.api.noting import note
from watchword.serve.api.subscriptions import find_own, read_own, show
from watchword.serve.console.drafting import label_of
from watchword.serve.console.pages import Viewer, change, first, go, read_form, render, view
from watchword.serve.problems import Problem
from watchword.store import Subscription

router = APIRouter()
PAGE = 100
"""Subscriptions of a page."""
SNOOZES = (("1", "an hour"), ("24", "a day"), ("168", "a week"))
"""Hours for which one can be snoozed."""
LONGEST = 24 * 366
"""The most hours."""


@dataclass(frozen=True)
class Line:
    """A subscription as the list shows it."""

    one: Subscription
    label: str
    unread: int
    snoozed: datetime | None


@router.get("/console/subscriptions")
async def subscriptions(
    request: Request,
    q: str = Query("", max_length=200),
    tag: str = Query("", max_length=100),
    after: int = Query(0, ge=0, lt=1 << 63),
    saved: str = "",
    filled: str = Query("", max_length=20),
) -> Response:
    """Show a page of the list."""
    viewer = await view(request)
    return await run_in_threadpool(_list, viewer, q.strip(), tag, after, saved, filled)


def _list(viewer: Viewer, q: str, tag: str, after: int, saved: str, filled: str) -> Response:
    store, words = viewer.store, q.casefold()
    found = (
        one
        for one in read_own(store, viewer.name, after)
        if (not tag or tag in one.details.tags) and (not words or words in _words(one))
    )
    some = list(islice(found, PAGE + 1))
    page = some[:PAGE]
    unread = store.inbox_counts(viewer.name).by_subscription
    return render(
        viewer,
        "subscriptions.html",
        lines=[_line(one, unread.get(one.id, 0)) for one in page],
        next=page[-1].since if len(some) > PAGE else None,
        total=store.count_subscriptions(viewer.name),
        q=q,
        tag=tag,
        tags=store.tags(viewer.name)[:PAGE],
        saved=_saved(viewer, saved),
        filled=filled if filled.isdigit() else "",
        snoozes=SNOOZES,
    )


def _saved(viewer: Viewer, id: str) -> str:
    try:
        return label_of(find_own(viewer.store, id, viewer.who)) if id else ""
    except Problem:
        return ""


def _words(one: Subscription) -> str:
    return "\n".join((one.id, one.details.name, one.text, *one.details.tags)).casefold()


def _line(one: Subscription, unread: int) -> Line:
    until = one.details.snoozed
    return Line(one, label_of(one), unread, until if until is not None and until > datetime.now(UTC) else None)


@router.post("/console/subscriptions")
async def send(request: Request) -> Response:
    """Pause, resume, snooze or delete a subscription."""
    viewer = await change(request)
    fields = await read_form(request)
    id, do, hours = first(fields, "id"), first(fields, "do"), first(fields, "hours")
    return await run_in_threadpool(_change, viewer, id, do, hours)


def _change(viewer: Viewer, id: str, do: str, hours: str) -> Response:
    service, store = viewer.service, viewer.store
    old = find_own(store, id, viewer.who)
    service.security.count_write(viewer.who)
    if do == "delete":
        store.unsubscribe(id)
        service.changed(store.counter)
        note(service, viewer.who, "unsubscribe", id, show(old), None)
        return render(viewer, "_gone.html", one=old) if viewer.part else go(viewer, "/console/subscriptions")
    if do in ("pause", "resume"):
        details = replace(old.details, paused=do == "pause")
    elif do in ("snooze", "wake"):
        details = replace(old.details, snoozed=_until(hours) if do == "snooze" else None)
    else:
        raise Problem(422, "wrong-value", "the form says neither pause, resume, snooze, wake nor delete")
    try:
        made = store.set_details(id, details)
    except UnknownNameError:
        raise Problem(404, "not-found", "the subscription was deleted meanwhile") from None
    service.changed(made.change)
    note(service, viewer.who, do, id, show(old), show(made))
    if viewer.part.startswith("row-"):
        return render(viewer, "_snoozed.html", label=label_of(made))
    if viewer.part:
        unread = store.inbox_counts(viewer.name).by_subscription.get(id, 0)
        return render(viewer, "_subscription.html", line=_line(made, unread), snoozes=SNOOZES)
    return go(viewer, "/console/subscriptions")


def _until(hours: str) -> datetime:
    if not (hours.isascii() and hours.isdigit() and len(hours) < 6 and 0 < int(hours) <= LONGEST):
        raise Problem(422, "wrong-value", f"hours is a number from 1 to {LONGEST:,}")
    return datetime.now(UTC) + timedelta(hours=int(hours))
