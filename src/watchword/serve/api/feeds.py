"""`/feeds`: the feeds that the running system reads; with their state, added by address, removed, OPML in and out.

    POST /feeds {"url": "https://example.org/"}      201 {"url": "https://example.org/feed.xml", "title": "News"}

The address may be a feed's, or that of a web page which names one by ``<link rel="alternate">``; if it names several,
the answer is a 422 whose `choices` lists them. Only public addresses are read (`feeds.strangers`), here and at every
fetch of the run; `serve --feed-network` lets addresses of a network of one's own be added.

The list is one for all subscribers. Each feed can be removed by the one who added it, and by administrators.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import orjson
from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from watchword.errors import FeedError
from watchword.serve.limits import read_body
from watchword.serve.problems import Problem
from watchword.serve.security import Caller, caller

if TYPE_CHECKING:
    from watchword.feeds.opml import Outline
    from watchword.feeds.strangers import Fetched
    from watchword.home import Home
    from watchword.serve.state import Service

router = APIRouter(tags=["feeds"])
OPML = "text/x-opml"
OPML_BYTES = 8 << 20
"""Bytes of an OPML document."""
AT_ONCE = 4
"""Addresses that a process tries at once; more are a 429."""
_NOWHERE = "list.invalid"
"""The host of an imported list, which no feed can be at."""
_JSON: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}}}}
_OPML_BODY = {"requestBody": {"required": True, "content": {OPML: {}}}}

Reader = Annotated[Caller, Depends(caller("read"))]
Writer = Annotated[Caller, Depends(caller("write"))]


class Address(BaseModel):
    """The address of a feed, or of a page that names one."""

    model_config = ConfigDict(extra="forbid")
    url: str = Field(max_length=2_000, description="http or https, on the public network.")


@router.get("/feeds", response_class=Response, responses=_JSON)
async def list_feeds(request: Request, who: Reader) -> Response:
    """Return the feeds that were added here and those of the runs, each with how it fared when it was last asked.

    Of a feed that a run alone names, administrators see the whole address, others no path of a file, user or query.
    """
    service: Service = request.app.state.service
    return _json({"feeds": await run_in_threadpool(read_states, service.home, may_see_all=who.may("admin"))})


@router.post("/feeds", status_code=201, response_class=Response, responses={201: _JSON[200], 200: _JSON[200]})
async def add_feed(request: Request, who: Writer, given: Address) -> Response:
    """Add a feed by its address, or by that of a page which names it; 200 if it is there already."""
    service: Service = request.app.state.service
    if service.trying >= AT_ONCE:
        raise Problem(
            429, "too-many-requests", "other addresses are being tried", headers={"Retry-After": "5"}, remedy="wait 5 s"
        )
    service.trying += 1
    try:
        outline, known = await run_in_threadpool(_add, service, who, given.url)
    finally:
        service.trying -= 1
    return _json({"url": outline.source, "title": outline.title}, 200 if known else 201)


@router.delete("/feeds", status_code=204, response_class=Response)
async def remove_feed(
    request: Request, who: Writer, url: Annotated[str, Query(max_length=2_000, description="Its address.")]
) -> Response:
    """Remove a feed that the caller has added."""
    service: Service = request.app.state.service
    await run_in_threadpool(_remove, service, who, url)
    return Response(status_code=204)


@router.get("/feeds/opml", response_class=Response, responses={200: {"content": {OPML: {}}}})
async def export_feeds(request: Request, who: Reader) -> Response:
    """Return the feeds as OPML, for other readers."""
    service: Service = request.app.state.service
    body = await run_in_threadpool(_export, service.home)
    headers = {"Content-Disposition": 'attachment; filename="feeds.opml"'}
    return Response(body, headers=headers, media_type=f"{OPML}; charset=utf-8")


@router.post("/feeds/opml", response_class=Response, responses=_JSON, openapi_extra=_OPML_BODY)
async def import_feeds(request: Request, who: Writer) -> Response:
    """Add the feeds of an OPML list; `refused` has the addresses that may not be added, with the reasons."""
    service: Service = request.app.state.service
    body = await read_body(request, min(OPML_BYTES, service.limits.batch))
    return _json(await run_in_threadpool(import_list, service, who, body))


# What they do, in a thread


def read_states(home: Home, *, may_see_all: bool = False) -> list[dict[str, Any]]:
    """Return the feeds of the home's list and of its runs, each with its state if it was asked.

    Unless the reader `may_see_all`, addresses that a run alone names are shown without secrets (`without_secrets`).
    """
    from watchword.feeds import Spool
    from watchword.feeds.own_list import FeedList

    feeds: dict[str, dict[str, Any]] = {
        one.source: {
            "url": one.source,
            "title": one.title,
            "groups": list(one.groups),
            "added_by": one.added_by or None,
        }
        for one in FeedList(home.feeds).read()
    }
    for run in home.runs():
        for source, status in Spool(run.spool).status().items():
            if isinstance(status, dict):
                address = source if may_see_all else without_secrets(source)
                known = feeds.setdefault(source, {"url": address, "title": "", "groups": [], "added_by": None})
                known |= {"run": run.name, "state": status}
    return list(feeds.values())


def without_secrets(source: str) -> str:
    """Return the address of a feed without user, password and query; of a file its name.

    >>> without_secrets("https://ada:pw@a.test/feed?key=7"), without_secrets("/home/ada/feed.xml")
    ('https://a.test/feed?…', 'feed.xml')
    """
    try:
        parts = urlsplit(source)
    except ValueError:  # an address that is none
        return ""
    if parts.scheme not in ("http", "https"):
        return source.replace("\\", "/").rpartition("/")[2]
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}{'?…' if parts.query else ''}"


def _add(service: Service, who: Caller, address: str) -> tuple[Outline, bool]:
    from watchword.feeds.opml import Outline
    from watchword.feeds.own_list import FeedList
    from watchword.feeds.strangers import get_public, is_inside

    allowed = service.feed_networks
    try:
        found = _feed_at(get_public(address, allowed=allowed), allowed)
        outline = Outline(found[0], found[1], (), not is_inside(found[0], allowed), who.subscriber)
        known = FeedList(service.home.feeds).add([outline])
    except FeedError as error:
        raise _refused(error) from None
    if known:
        return known[0], True
    service.store().add_audit(who.subscriber, "add feed", outline.source, source=who.source, new=outline.title)
    return outline, False


def _feed_at(fetched: Fetched, allowed: Any) -> tuple[str, str]:
    """Return the address and title of the feed that was fetched, or that the fetched page names."""
    from watchword.feeds.strangers import find_feeds, get_public

    title = _title_of(fetched)
    if title is not None:
        return fetched.address, title
    links = find_feeds(fetched.document.data or b"", fetched.address, fetched.document.charset)
    if not links:
        raise FeedError("it is neither a feed nor a page that names one", source=fetched.address)
    if len(links) > 1:
        detail = f"the page names {len(links)} feeds"
        choices = [{"url": link.address, "title": link.title} for link in links]
        raise Problem(422, "feed-refused", detail, choices=choices, remedy="send the address of one of them")
    there = get_public(links[0].address, allowed=allowed)
    title = _title_of(there)
    if title is None:
        raise FeedError("the page names it as a feed, and it is none", source=links[0].address)
    return there.address, title or links[0].title


def _title_of(fetched: Fetched) -> str | None:
    """Return the title of a feed; None if the document is no feed."""
    from watchword.feeds.reading import read

    try:
        return read(fetched.document.data or b"", fetched.address, charset=fetched.document.charset).title
    except FeedError:
        return None


def _remove(service: Service, who: Caller, address: str) -> None:
    from watchword.feeds.own_list import FeedList

    feeds = FeedList(service.home.feeds)
    known = next((one for one in feeds.read() if one.source == address), None)
    if known is None:
        raise Problem(404, "not-found", "there is no such feed in the list", remedy="GET /feeds lists them")
    if not who.sees(known.added_by):
        detail = "another subscriber has added this feed"
        raise Problem(403, "not-allowed", detail, remedy="ask an administrator to remove it")
    feeds.remove(address)
    service.store().add_audit(who.subscriber, "remove feed", address, source=who.source, old=known.title)


def _export(home: Home) -> bytes:
    from dataclasses import replace

    from watchword.feeds.opml import write_opml
    from watchword.feeds.own_list import FeedList

    return write_opml([replace(one, is_public=False, added_by="") for one in FeedList(home.feeds).read()], "Watchword")


def import_list(service: Service, who: Caller, document: bytes) -> dict[str, Any]:
    """Add the feeds of a list, and return how many are new or known, which are refused, and problems of the list.

    They are not asked: the run does that, and only at public addresses.
    """
    from watchword.feeds.opml import Outline, read_opml
    from watchword.feeds.own_list import FeedList
    from watchword.feeds.strangers import check_address

    good: list[Outline] = []
    refused: list[dict[str, str]] = []
    try:
        found = read_opml(document, f"http://{_NOWHERE}/")  # as from the web: it can name no files
        for one in found.outlines:
            try:
                if check_address(one.source).host == _NOWHERE:
                    raise FeedError("it is no whole address", source=one.source)
                good.append(Outline(one.source, one.title, one.groups, True, who.subscriber))
            except FeedError as error:
                refused.append({"url": one.source[:200], "reason": error.reason})
        known = FeedList(service.home.feeds).add(good)
    except FeedError as error:
        raise _refused(error) from None
    added = len({one.source for one in good} - {one.source for one in known})
    service.store().add_audit(who.subscriber, "import feeds", "feeds.opml", source=who.source, new=added)
    return {"added": added, "known": len(known), "refused": refused, "problems": list(found.problems)}


def _refused(error: FeedError) -> Problem:
    """Return the problem of a refused feed: the reason, and nothing of the document."""
    return Problem(422, "feed-refused", error.reason, remedy="give the public address of a feed, or of a page with one")


def _json(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")
