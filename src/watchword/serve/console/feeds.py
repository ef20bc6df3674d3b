"""Feeds: `/console/feeds`, what the running system reads and how each feed fared; add, remove, OPML in and out.

They are the routes of `watchword.serve.api.feeds`, asked for a page.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.serve.api import feeds as api
from watchword.serve.console.pages import Viewer, change, first, go, read_form, render, view
from watchword.serve.problems import Problem
from watchword.visible import counted

router = APIRouter()
SHOWN = 1_000
"""Feeds that the page shows."""


@router.get("/console/feeds")
async def feeds(request: Request, added: str = "", removed: str = "") -> Response:
    """Show the feeds."""
    viewer = await view(request)
    return await _page(viewer, said=f"Added {added}" if added else f"Removed {removed}" if removed else "")


@router.post("/console/feeds")
async def send(request: Request) -> Response:
    """Add a feed, remove one, or import a list."""
    viewer = await change(request)
    fields = await read_form(request)
    do, url = first(fields, "do"), first(fields, "url").strip()
    try:
        if do == "remove":
            await api.remove_feed(request, viewer.who, url)
            return go(viewer, "/console/feeds", removed=url)
        if do == "import":
            return await _import(viewer, first(fields, "opml"))
        made = orjson.loads((await api.add_feed(request, viewer.who, api.Address(url=url[:2_000]))).body)
        return go(viewer, "/console/feeds", added=made["title"] or made["url"])
    except Problem as problem:
        return await _page(viewer, url=url, problem=problem)


async def _import(viewer: Viewer, document: str) -> Response:
    found = await run_in_threadpool(api.import_list, viewer.service, viewer.who, document.encode())
    added = counted(found["added"], "feed")
    said = f"{added} added, {found['known']} known already"
    return await _page(viewer, said=said, refused=found["refused"], problems=found["problems"])


async def _page(
    viewer: Viewer, said: str = "", url: str = "", problem: Problem | None = None, refused: Any = (), problems: Any = ()
) -> Response:
    states = await run_in_threadpool(api.read_states, viewer.service.home)
    lines = sorted(map(_line, states), key=lambda line: (not line["failing"], str(line["title"]).casefold()))
    values = {"said": said, "url": url, "problem": problem, "refused": refused, "problems": problems}
    return render(
        viewer,
        "feeds.html",
        200 if problem is None else problem.status,
        lines=lines[:SHOWN],
        total=len(lines),
        **values,
    )


def _line(one: dict[str, Any]) -> dict[str, Any]:
    """Return a feed as the page shows it."""
    state = one.get("state") or {}
    error = str(state.get("error") or "")
    return {
        "url": one["url"],
        "title": one["title"] or one["url"],
        "groups": one["groups"],
        "added_by": one["added_by"],
        "run": one.get("run", ""),
        "failing": bool(error),
        "error": error,
        "asked": _time(state.get("at")),
    }


def _time(value: Any) -> datetime | None:
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
