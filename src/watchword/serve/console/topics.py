"""Topics: `/console/topics`, the tree of topics with how often each was a category of late; a click follows one.

    politics              214      Follow        categories KIND OF 'politics'
      national            130      Follow
      local                84      Followed

Counted are the items of the last `DAYS` days in the archive, the newest `LOOKED`: of a topic those of all topics below
it too, each item once. A category that is in no tree is a topic of its own. Following makes a subscription, which is
like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import SubscriptionError
from watchword.serve.api.noting import note
from watchword.serve.api.subscriptions import check_room, read_own, show
from watchword.serve.console.pages import Viewer, change, first, read_form, render, view
from watchword.serve.problems import Problem
from watchword.store import Details, Store

router = APIRouter()
DAYS = 30
"""Days whose items are counted."""
LOOKED = 50_000
"""Items that are looked at, the newest."""
SHOWN = 500
"""Lines of the tree."""
DEEPEST = 20
"""Depth of the tree as it is shown."""


class Line(NamedTuple):
    """A topic of the tree: how deep it lies, how many items it had, the id of the subscription that follows it."""

    topic: str
    depth: int
    items: int
    followed: str


@router.get("/console/topics")
async def topics(request: Request) -> Response:
    """Show the tree."""
    viewer = await view(request)
    return await run_in_threadpool(_page, viewer)


@router.post("/console/topics")
async def send(request: Request) -> Response:
    """Follow a topic, or follow it no more."""
    viewer = await change(request)
    fields = await read_form(request)
    return await run_in_threadpool(_send, viewer, fields)


def _page(viewer: Viewer, said: str = "") -> Response:
    store = viewer.store
    parents = store.topics()
    since = datetime.now(UTC) - timedelta(days=DAYS)
    column = viewer.service.archive.newest(LOOKED, since=since).column("categories").to_pylist()
    counts = count_topics(column, parents)
    lines = list(tree(parents, counts, _followed(store, viewer.name)))
    return render(viewer, "topics.html", lines=lines[:SHOWN], left=max(len(lines) - SHOWN, 0), days=DAYS, said=said)


def count_topics(items: Iterable[list[str] | None], parents: Mapping[str, list[str]]) -> Counter[str]:
    """Return of how many items each topic is a category, or lies above one.

    >>> sorted(count_topics([["national"], ["local", "national"], None], {"national": ["politics"]}).items())
    [('local', 1), ('national', 2), ('politics', 2)]
    """
    above: dict[str, frozenset[str]] = {}

    def with_above(topic: str) -> frozenset[str]:
        if topic not in above:
            above[topic] = frozenset({topic})  # a cycle, which a tree has not, would end here
            above[topic] |= frozenset().union(*map(with_above, parents.get(topic, ())))
        return above[topic]

    counts: Counter[str] = Counter()
    for categories in items:
        counts.update(frozenset().union(*map(with_above, categories or ())))
    return counts


def tree(parents: Mapping[str, list[str]], counts: Mapping[str, int], followed: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines of the tree, the commonest topics first; one with two parents is below both.

    >>> [(one.topic, one.depth) for one in tree({"national": ["politics"]}, {"sea": 3, "politics": 1}, {})]
    [('sea', 0), ('politics', 0), ('national', 1)]
    """
    below: dict[str, list[str]] = {}
    for child, above in parents.items():
        for parent in above:
            below.setdefault(parent, []).append(child)
    roots = {*parents, *below, *counts} - {child for child, above in parents.items() if above}

    def order(topic: str) -> tuple[int, str]:
        return -counts.get(topic, 0), topic

    waiting = [(topic, 0) for topic in sorted(roots, key=order, reverse=True)]
    while waiting:
        topic, depth = waiting.pop()
        yield Line(topic, depth, counts.get(topic, 0), followed.get(topic, ""))
        if depth < DEEPEST:
            waiting += [(child, depth + 1) for child in sorted(below.get(topic, ()), key=order, reverse=True)]


def text_of(topic: str) -> str:
    """Return the subscription that follows a topic.

    >>> text_of("people's choice")
    "categories KIND OF 'people''s choice'"
    """
    return "categories KIND OF '" + topic.replace("'", "''") + "'"


def _followed(store: Store, name: str) -> dict[str, str]:
    """Return the topics that a subscriber follows by subscriptions as they are made here, with their ids."""
    begin, end = text_of("\0").split("\0")
    own = ((one.id, one.text) for one in read_own(store, name, 0, "predicates"))
    return {
        text[len(begin) : -len(end)].replace("''", "'"): id
        for id, text in own
        if text.startswith(begin) and text == text_of(text[len(begin) : -len(end)].replace("''", "'"))
    }


def _send(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    topic, do, store, service = first(fields, "topic"), first(fields, "do"), viewer.store, viewer.service
    service.security.count_write(viewer.who)
    known = _followed(store, viewer.name)
    if do == "follow" and topic and topic not in known:
        check_room(service, viewer.who, 1)
        try:
            id = store.subscribe(viewer.name, text_of(topic), language="predicates", details=Details(name=topic[:100]))
        except SubscriptionError as error:
            raise Problem(422, "wrong-value", error.reason, remedy="write a subscription by hand") from None
        service.counts.add(viewer.name, 1)
        service.changed(store.counter)
        note(service, viewer.who, "subscribe", id, None, show(store.subscription(id)))
        return _page(viewer, f"You follow {topic}.")
    if do == "leave" and topic in known:
        old = store.subscription(known[topic])
        store.unsubscribe(old.id)
        service.counts.add(viewer.name, -1)
        service.changed(store.counter)
        note(service, viewer.who, "unsubscribe", old.id, show(old), None)
        return _page(viewer, f"You follow {topic} no more.")
    raise Problem(422, "wrong-value", "the form follows a topic, or leaves one that is followed")
