"""The editor: `/console/edit`, its preview while one types, one day's items, saving.

GET  /console/edit                  a new subscription
GET  /console/edit?id=storms        one that is there
POST /console/edit  do=preview      the same page, or for the script its results alone
                    do=save, fill   saves; `fill` delivers what the last days had
                    do=must, never  keeps the text that was tried as an example
GET  /console/day?day=…&text=…      the items of one day
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import ConflictError, SubscriptionError, SubscriptionSyntaxError, WatchwordError
from watchword.index import language_class
from watchword.preview import asks_for_nothing
from watchword.serve.api.noting import note
from watchword.serve.api.subscriptions import check_room, find_own, show
from watchword.serve.backfilling import Backfill
from watchword.serve.console.drafting import (
    DAYS,
    FILLED,
    Form,
    Results,
    day_items,
    fault_of,
    fill_days,
    look,
)
from watchword.serve.console.pages import Viewer, change, first, go, read_form, render, view
from watchword.serve.problems import Problem, problem_of
from watchword.store import Example, Subscription

router = APIRouter()
NOISE = (
    "It was not saved: it asks for nothing, and matches nearly everything. Save once more if that is what you want, "
    "or add a word that has to be there."
)


@router.get("/console/edit")
async def edit(request: Request, id: str = "", text: str = "", language: str = "") -> Response:
    """Show the editor."""
    viewer = await view(request)
    async with viewer.service.previews.turn(viewer.who):
        return await run_in_threadpool(_edit, viewer, id, text, language)


def _edit(viewer: Viewer, id: str, text: str, language: str) -> Response:
    old = find_own(viewer.store, id, viewer.who) if id else None
    form = Form(text=text, language=language) if old is None else Form.of_subscription(old)
    return _page(viewer, form, look(viewer, form), old)


@router.post("/console/edit")
async def send(request: Request) -> Response:
    """Preview, or save, what the form has."""
    viewer = await change(request)
    fields = await read_form(request)
    form, do = Form.of_fields(fields), first(fields, "do") or "preview"
    if do in ("save", "fill"):
        return await run_in_threadpool(_save, viewer, form, do == "fill")
    if do in ("must", "never") and form.tried.strip():
        form = replace(form, examples=(*form.examples, Example(form.tried, do == "must")), tried="")
    async with viewer.service.previews.turn(viewer.who):
        if await request.is_disconnected():
            return Response(status_code=400)  # whoever types has typed on
        return await run_in_threadpool(_again, viewer, form)


def _again(viewer: Viewer, form: Form) -> Response:
    results = look(viewer, form)
    if viewer.part == "results":
        return render(viewer, "_results.html", form=form, results=results, days=DAYS, filled=FILLED)
    return _page(viewer, form, results, find_own(viewer.store, form.id, viewer.who) if form.id else None)


@router.get("/console/day")
async def day(
    request: Request, day: date, text: str = Query(max_length=16_384), language: str = Query("", max_length=40)
) -> Response:
    """Show the items of one day that a draft finds."""
    viewer = await view(request)
    form = Form(text=text, language=language)

    def work() -> Response:
        total, hits = day_items(viewer, form, day)
        template = "_day.html" if viewer.part else "day.html"
        return render(viewer, template, form=form, day=day, total=total, hits=hits)

    async with viewer.service.previews.turn(viewer.who):
        return await run_in_threadpool(work)


def _page(
    viewer: Viewer, form: Form, results: Results, old: Subscription | None, status: int = 200, refused: str = ""
) -> Response:
    values = {"form": form, "results": results, "old": old, "days": DAYS, "filled": FILLED, "refused": refused}
    return render(viewer, "edit.html", status, **values)


def _save(viewer: Viewer, form: Form, fill: bool) -> Response:
    service, who, store = viewer.service, viewer.who, viewer.store
    old = find_own(store, form.id, who) if form.id else None
    try:
        service.security.count_write(who)
        if form.sure != form.text and _is_noise(viewer, form):
            return _page(viewer, replace(form, sure=form.text), look(viewer, form), old, 422, NOISE)
        if old is None:
            check_room(service, who, 1)
        id = store.subscribe(
            who.subscriber if old is None else old.subscriber,
            form.text,
            language=form.chosen,
            id=form.id or None,
            details=form.details(None if old is None else old.details),
            if_match=form.etag if old is not None and form.etag else None,
        )
    except (WatchwordError, Problem) as error:
        return _refused(viewer, form, old, error)
    made = store.subscription(id)
    service.changed(made.change)
    what = "subscribe" if old is None else "replace subscription"
    note(service, who, what, id, None if old is None else show(old), show(made))
    count = ""
    if fill:
        filled = Backfill.of_subscription(service, made, fill_days(datetime.now(UTC))).deliver()
        count = str(filled["items"])
    return go(viewer, "/console/subscriptions", saved=id, filled=count)


def _is_noise(viewer: Viewer, form: Form) -> bool:
    """Return whether a draft matches whatever has nothing of its words; the store's error if it is refused."""
    index = language_class(form.chosen)(**viewer.store.options(form.chosen))
    return asks_for_nothing(index, form.text)


def _refused(viewer: Viewer, form: Form, old: Subscription | None, error: Exception) -> Response:
    """Return the editor with its fields as they were sent, and the reason why nothing was saved."""
    if isinstance(error, ConflictError):
        said = "It was changed elsewhere since you opened it. Open it again and repeat the change."
        return _page(viewer, form, look(viewer, form), old, 412, said)
    if isinstance(error, SubscriptionSyntaxError):
        results = Results(form.chosen, fault=fault_of(error, form.text))
        return _page(viewer, form, results, old, 422, "It was not saved: see the place in its text.")
    problem = error if isinstance(error, Problem) else problem_of(error)  # type: ignore[arg-type]
    results = look(viewer, form) if isinstance(error, SubscriptionError) else Results(form.chosen)
    return _page(viewer, form, results, old, problem.status, f"It was not saved: {problem.detail}")
