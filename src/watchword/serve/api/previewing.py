"""`POST /preview`: what a draft would have brought, from the archive, before it is saved.

    {"language": "keywords", "text": "ferry NOT delayed", "days": 30}
    {"total": 24, "days": [{"day": "2026-11-18", "count": 3}, …], "sample": [{"title", "link", "why", "places"}],
     "near": […], "without": [{"clause": "NOT delayed", "total": 31}], "like": […], "warnings": […], "complete": true}

It changes nothing, and ends after `limits.preview_seconds` with what it has by then. One that waits for its turn is
left out when its client has gone.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from watchword.preview import Draft
from watchword.serve.foretelling import foretell
from watchword.serve.matching import check_language
from watchword.serve.previews import MOST_COMPARED, show_preview, try_examples
from watchword.serve.security import Caller, caller
from watchword.serve.state import Service

router = APIRouter(tags=["previews"])


class Asked(BaseModel):
    """A draft to try on the archive, and texts to try it on."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"language": "keywords", "text": "ferry", "days": 30}]}
    )
    language: str = "keywords"
    text: str
    days: int = Field(30, ge=1, le=366)
    examples: list[str] = Field([], max_length=50)


class Day(BaseModel):
    """How many items a draft finds of a day."""

    day: date
    count: int


class Place(BaseModel):
    """Where a word stands: ``text[start:end]``, in characters, of an attribute where an event has several."""

    start: int
    end: int
    attribute: str | None = None


class Hit(BaseModel):
    """An item that a draft finds."""

    id: str
    title: str
    link: str
    published: datetime | None
    why: str
    places: list[Place]


class Near(BaseModel):
    """An item that one part of a draft keeps out."""

    id: str
    title: str
    link: str
    failed: str
    why: str


class Without(BaseModel):
    """How many items a draft finds without a clause."""

    clause: str
    total: int


class Like(BaseModel):
    """Another subscription that finds the same or much of it."""

    id: str
    relation: str
    share: float


class Tried(BaseModel):
    """An example, and whether a draft matches it."""

    event: str
    matches: bool
    why: str
    places: list[Place]


class Messages(BaseModel):
    """The messages that a channel would have sent for the newest `items` that a draft finds."""

    channel: str
    items: int
    messages: int
    digests: int
    quiet: int
    duplicates: int


class Found(BaseModel):
    """A preview."""

    total: int
    days: list[Day]
    sample: list[Hit]
    near: list[Near]
    without: list[Without]
    like: list[Like]
    warnings: list[str]
    archived: int
    looked: int
    since: datetime | None
    seconds: float
    complete: bool
    examples: list[Tried] = []
    messages: list[Messages] = []


@router.post("/preview", response_model=Found)
async def post(request: Request, asked: Asked, who: Annotated[Caller, Depends(caller("read"))]) -> Response:
    """Say what a draft would have brought in the last days, and change nothing."""
    service: Service = request.app.state.service
    check_language(asked.language)
    async with service.previews.turn(who):
        if await request.is_disconnected():
            return Response(status_code=400)  # whoever types has typed on
        found = await service.run(preview_for, service, who, asked)
    return Response(orjson.dumps(found), media_type="application/json")


def preview_for(service: Service, who: Caller, asked: Asked) -> dict[str, Any]:
    """Return the preview of a draft for a caller, compared with the own subscriptions of its language."""
    store, draft = service.store(), Draft(asked.language, asked.text)
    options = store.options(asked.language)
    others = {}
    if service.counts.find(store, who.subscriber) <= MOST_COMPARED:
        others = {one.id: one.text for one in store.subscriptions(who.subscriber, asked.language)}
    table = service.archive.newest(service.limits.preview_items)
    made = service.previews.make(who, draft, table, options, asked.days, others)
    messages = [one._asdict() for one in foretell(store, who.subscriber, "", made)]
    return show_preview(made) | {"examples": try_examples(draft, asked.examples, options), "messages": messages}
