"""The inbox: `/`, its rows with why they are there, marks with their undo, and what comes while one looks.

    GET  /?view=unread&subscription=storms&q=ferry      a page
    POST /console/inbox   do=read, item=…               marks; one row, or the list that was shown
    GET  /console/news?after=9412                       the rows that came since, for the script

Marks are answered with the row, or with the whole list and a button that takes them back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import SubscriptionError, UnknownNameError
from watchword.serve.api.inbox import MOST, PAGE, UNDONE, Asked, entry_of, read_page
from watchword.serve.console.drafting import label_of
from watchword.serve.console.marking import Piece, pieces, snippet, spans_of
from watchword.serve.console.pages import Viewer, address, change, first, go, read_form, render, view
from watchword.serve.problems import Problem, problem_of
from watchword.store import Store
from watchword.visible import counted

router = APIRouter()
VIEWS = ("unread", "starred", "all")
NAMED = 60
"""Subscriptions that the side of the page names, those with the most unread items."""
View = Literal["unread", "starred", "all"]


@dataclass(frozen=True)
class Why:
    """A subscription that matched an item: its id, what it is called, its text, and the reason."""

    id: str
    label: str
    text: str
    why: str


@dataclass(frozen=True)
class Row:
    """An entry of the inbox as it is shown."""

    number: int
    id: str
    title: list[Piece]
    snippet: list[Piece]
    text: list[Piece]
    link: str
    feed: str
    author: str
    published: datetime | None
    is_read: bool
    is_starred: bool
    reasons: list[Why]
    sources: list[dict[str, Any]]


@router.get("/")
async def inbox(
    request: Request,
    view_: Annotated[View, Query(alias="view")] = "unread",
    subscription: str = "",
    q: str = Query("", max_length=1000),
    before: int | None = Query(None, ge=0, lt=1 << 63),
) -> Response:
    """Show a page of the inbox."""
    viewer = await view(request)
    asked = Asked(view_, PAGE, before, subscription or None, q.strip() or None)
    return await run_in_threadpool(_inbox, viewer, asked)


@router.get("/console/news")
async def news(
    request: Request,
    after: Annotated[int, Query(ge=0, lt=1 << 63)],
    view_: Annotated[View, Query(alias="view")] = "unread",
    subscription: str = "",
) -> Response:
    """Show the rows that came after a number, the newest first."""
    viewer = await view(request)

    def work() -> Response:
        found = viewer.store.inbox(
            viewer.name,
            unread_only=view_ == "unread",
            starred_only=view_ == "starred",
            subscription=subscription or None,
            after=after,
            limit=PAGE,
            stories=True,
        )
        rows = make_rows(viewer.store, [entry_of(one) for one in found])
        counts = viewer.store.inbox_counts(viewer.name, stories=True)
        return render(viewer, "_news.html", rows=rows, counts=counts)

    return await run_in_threadpool(work)


@router.post("/console/inbox")
async def mark(request: Request) -> Response:
    """Mark items, or take marks back."""
    viewer = await change(request)
    fields = await read_form(request)
    return await run_in_threadpool(_mark, viewer, fields)


def _inbox(viewer: Viewer, asked: Asked, flash: dict[str, Any] | None = None) -> Response:
    store, refused = viewer.store, ""
    last = store.last_delivery(viewer.name)  # first, so that nothing falls between the page and what comes live
    try:
        page = read_page(store, viewer.name, asked)
    except SubscriptionError as error:
        page, refused = {"entries": [], "next": None}, problem_of(error).detail
    values: dict[str, Any] = {
        "asked": asked,
        "rows": make_rows(store, page["entries"]),
        "next": page["next"],
        "last": last,
        "counts": store.inbox_counts(viewer.name, stories=True),
        "flash": flash,
        "refused": refused,
    }
    values["sides"] = _sides(store, values["counts"].by_subscription, asked.subscription)
    values["here"] = _query(asked)
    return render(viewer, "_inbox.html" if viewer.part == "inbox" else "inbox.html", **values)


def _query(asked: Asked) -> str:
    """Return the query of a page's address."""
    fields = {"view": asked.view, "subscription": asked.subscription or "", "q": asked.q or ""}
    return address("", **fields, before=str(asked.before or "")).removeprefix("?")


def _asked(query: str) -> Asked:
    """Return the page that a query asks for."""
    fields = parse_qs(query[:4000])
    name, before = first(fields, "view"), first(fields, "before")
    return Asked(
        name if name in VIEWS else "unread",
        PAGE,
        int(before) if before.isascii() and before.isdigit() and len(before) < 19 else None,
        first(fields, "subscription") or None,
        first(fields, "q") or None,
    )


def _sides(store: Store, unread: Any, chosen: str | None) -> list[tuple[str, str, int]]:
    """Return the subscriptions with unread items: id, what each is called, and how many."""
    ids = sorted(unread, key=lambda id: -unread[id])[:NAMED]
    if chosen is not None and chosen not in ids:
        ids.append(chosen)
    labels = _Labels(store)
    return [(id, labels.of(id), unread.get(id, 0)) for id in ids]


class _Labels:
    """What subscriptions are called, each looked up once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, str] = {}

    def of(self, id: str) -> str:
        """Return what a subscription is called; its id if it is gone."""
        if id not in self._known:
            try:
                self._known[id] = label_of(self._store.subscription(id))
            except UnknownNameError:
                self._known[id] = f"{id} (deleted)"
        return self._known[id]


def make_rows(store: Store, entries: list[dict[str, Any]]) -> list[Row]:
    """Return entries of the inbox, as JSON has them, as rows."""
    labels = _Labels(store)
    return [_row(entry, labels) for entry in entries]


def _row(entry: dict[str, Any], labels: _Labels) -> Row:
    title, text = entry["title"], entry["text"]
    places = [
        (place["attribute"], place["start"], place["end"]) for reason in entry["reasons"] for place in reason["places"]
    ]
    spans = spans_of(places, title, text)
    if not title:
        title, text = text[:200], ""
        spans = {"title": spans.get("text", [])}
    reasons = [
        Why(one["subscription"], labels.of(one["subscription"]), one["text"] or "", one["why"])
        for one in entry["reasons"]
    ]
    is_marked = any(spans.get(name) for name in ("title", "text"))
    return Row(
        number=entry["number"],
        id=entry["id"],
        title=pieces(title, spans.get("title", [])),
        snippet=snippet(text, spans.get("text", [])) if is_marked else _plain_reason(reasons),
        text=pieces(text, spans.get("text", [])),
        link=entry["link"],
        feed=entry["feed"],
        author=entry["author"],
        published=entry["published"] or entry["matched_at"],
        is_read=entry["read_at"] is not None,
        is_starred=entry["starred_at"] is not None,
        reasons=reasons,
        sources=entry["sources"],
    )


def _plain_reason(reasons: list[Why]) -> list[Piece]:
    """Return the first reason as a snippet, for an item whose title and text have no marked word."""
    return [Piece(reasons[0].why or reasons[0].text)] if reasons else []


# Marks


def _mark(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    do, items = first(fields, "do"), fields.get("item", [])[:MOST]
    store, name = viewer.store, viewer.name
    viewer.service.security.count_write(viewer.who)
    if do == "all":
        return _mark_all(viewer, fields)
    if do == "read":
        done = [one.item for one in store.marks(name, store.story_items(name, items)) if not one.is_read]
        store.mark_read(name, done)
    elif do == "unread":
        done = store.story_items(name, fields.get("item", [])[:UNDONE])
        store.mark_unread(name, done)
    elif do in ("star", "unstar"):
        done = items
        store.star(name, items, do == "star")
    else:
        raise Problem(422, "wrong-value", "the form says neither read, unread, star, unstar nor all")
    if viewer.part.startswith("row-"):
        return _one_row(viewer, first(fields, "number"))
    said = {"read": f"{counted(len(done), 'item')} marked as read", "unread": "Taken back"}.get(do)
    undo = done if do == "read" else []
    return _answer(viewer, fields, None if said is None else {"said": said, "undo": undo})


def _mark_all(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    """Mark the whole inbox as read, as far as it was there when the page was made."""
    through = first(fields, "through")
    if not (through.isascii() and through.isdigit() and len(through) < 19):
        raise Problem(422, "wrong-value", "through is the number of a delivery")
    items = viewer.store.unread_items(viewer.name, through=int(through), limit=UNDONE + 1)
    count = viewer.store.mark_read(viewer.name, through=int(through))
    undo = items if len(items) <= UNDONE else []
    return _answer(viewer, fields, {"said": f"{counted(count, 'item')} marked as read", "undo": undo})


def _answer(viewer: Viewer, fields: dict[str, list[str]], flash: dict[str, Any] | None) -> Response:
    """Return the list with a message and its undo; where there is none, lead a browser without the script back."""
    asked = _asked(first(fields, "here"))
    if flash is None and not viewer.part:
        return go(viewer, "/", **{name: values[0] for name, values in parse_qs(_query(asked)).items()})
    if flash is not None and asked.before is not None:
        asked = asked._replace(before=None)  # behind marked rows the pages have moved
    return _inbox(viewer, asked, flash)


def _one_row(viewer: Viewer, number: str) -> Response:
    found = []
    if number.isascii() and number.isdigit() and len(number) < 18:
        page = viewer.store.inbox(viewer.name, unread_only=False, before=int(number) + 1, limit=1)
        found = viewer.store.with_sources(viewer.name, page)
    rows = make_rows(viewer.store, [entry_of(one) for one in found])
    if not rows or str(rows[0].number) != number:
        raise Problem(404, "not-found", "the item is not in the inbox any more")
    return render(viewer, "_row.html", row=rows[0], here="")
