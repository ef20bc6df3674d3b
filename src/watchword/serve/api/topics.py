"""`GET` and `PUT /topics`: the tree of topics that ``categories KIND OF 'politics'`` is decided by.

    PUT /topics  {"national": ["politics"], "local": ["national", "towns"]}

Each topic has its parents. Everybody may read the tree; it is one for all subscribers, so administrators replace it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import orjson
from fastapi import APIRouter, Body, Depends, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.serve.problems import Problem
from watchword.serve.security import Caller, caller
from watchword.store.store import CATEGORIES

if TYPE_CHECKING:
    from watchword.serve.state import Service

router = APIRouter(tags=["topics"])
MOST = 100_000
"""Topics of a tree."""
CHARACTERS = 1_000
"""Characters of a topic."""
Attribute = Annotated[str, Query(max_length=CHARACTERS, description="The attribute of items that they are about.")]


@router.get("/topics", response_class=Response, responses={200: {"content": {"application/json": {}}}})
async def topics(
    request: Request, who: Annotated[Caller, Depends(caller("read"))], attribute: Attribute = CATEGORIES
) -> Response:
    """Return the parents of each topic."""
    service: Service = request.app.state.service
    found = await run_in_threadpool(lambda: service.store().topics(attribute))
    return Response(orjson.dumps(found), media_type="application/json")


@router.put("/topics", status_code=204, response_class=Response)
async def replace_topics(
    request: Request,
    who: Annotated[Caller, Depends(caller("admin"))],
    parents: Annotated[dict[str, list[str]], Body(description="The parents of each topic.")],
    attribute: Attribute = CATEGORIES,
) -> Response:
    """Replace the tree of topics; a 422 names the topics of a cycle."""
    service: Service = request.app.state.service
    _check(parents)
    await run_in_threadpool(_replace, service, who, parents, attribute)
    return Response(status_code=204)


def _replace(service: Service, who: Caller, parents: dict[str, list[str]], attribute: str) -> None:
    store = service.store()
    before = len(store.topics(attribute))
    store.set_topics(parents, attribute=attribute)
    store.add_audit(who.subscriber, "replace topics", attribute, source=who.source, old=before, new=len(parents))


def _check(parents: dict[str, list[str]]) -> None:
    names = {name for child, above in parents.items() for name in (child, *above)}
    if len(names) > MOST:
        raise Problem(422, "wrong-value", f"{len(names):,} topics are more than {MOST:,}", remedy="send fewer")
    wrong = next((name for name in names if not name or len(name) > CHARACTERS), None)
    if wrong is not None:
        detail = f"a topic has 1 to {CHARACTERS:,} characters, not {len(wrong):,}"
        raise Problem(422, "wrong-value", detail, remedy="choose a shorter name")
