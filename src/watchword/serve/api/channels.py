"""Channels, by which a subscriber is told, and the log of their messages and of withheld items.

    PUT  /channels/desk  {"kind": "webhook", "address": "https://desk.example/hook"}     201 {"secret": "whsec_…", …}
    POST /channels/desk/test                                                             {"ok": true, "answer": "204 …"}
    PUT  /routes/storms  {"channels": ["desk"]}        this subscription is told by the desk alone
    PUT  /routes/noise   {"mutes": true}               what this one matches is withheld
    GET  /notifications                                messages with each attempt
    GET  /notifications/unsent                         withheld items, and why
    POST /notifications/replay                         dead messages are sent again, under their ids

A secret is in the answer that made it, and in no other. A channel of Apprise is set up by administrators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Body, Depends, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from watchword.errors import UnknownNameError
from watchword.serve.limits import too_many
from watchword.serve.problems import Problem
from watchword.serve.security import Caller, caller
from watchword.visible import brief

if TYPE_CHECKING:
    from watchword.notify.managing import Channels
    from watchword.serve.state import Service
    from watchword.store import Channel

router = APIRouter(tags=["channels"])
PAGE = 50
"""Messages of a page, unless the request says how many."""
MOST = 500
"""Messages of a page, at most."""
REPLAYED = 10_000
"""Messages that one request names to be sent again."""
_JSON: dict[int | str, dict[str, Any]] = {200: {"content": {"application/json": {}}}}
Reader = Annotated[Caller, Depends(caller("read"))]
Writer = Annotated[Caller, Depends(caller("write"))]
Before = Annotated[int | None, Query(ge=0, lt=1 << 63, description="Only those with smaller numbers.")]
Limit = Annotated[int, Query(ge=1, le=MOST)]


class Wanted(BaseModel):
    """A channel as it should be."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["webhook", "mail", "feed", "apprise", "nothing"]
    address: str = Field("", max_length=2_000, description="Of the webhook, or of the mail.")
    settings: dict[str, Any] = Field({}, description="times, days, quiet and budget; docs/notify.md has them.")
    everything: bool = Field(True, description="Told of all that no subscription directs elsewhere.")
    fallback: str | None = Field(None, max_length=60, description="The channel that is used where this one fails.")


class Route(BaseModel):
    """Where the matches of a subscription go."""

    model_config = ConfigDict(extra="forbid")
    channels: list[str] = Field([], max_length=50, description="Names; none: all that take everything.")
    mutes: bool = Field(False, description="Withhold what it matches.")


class Person(BaseModel):
    """What holds for all channels of a subscriber."""

    model_config = ConfigDict(extra="forbid")
    zone: str = Field("UTC", max_length=100, description="Of the times of channels, such as Europe/Athens.")
    by_story: bool = Field(True, description="The same story of several feeds is one.")


class Again(BaseModel):
    """Messages to be sent again."""

    model_config = ConfigDict(extra="forbid")
    messages: list[int] | None = Field(
        None, max_length=REPLAYED, description="Their numbers; all dead ones if left out."
    )
    channel: str | None = Field(None, max_length=60)


@router.get("/channels", response_class=Response, responses=_JSON)
async def channels(request: Request, who: Reader) -> Response:
    """List the channels."""
    service = _service(request)
    found = await run_in_threadpool(lambda: service.store().channels(who.subscriber))
    return _json({"channels": list(map(show, found))})


@router.put("/channels/{name}", response_class=Response, responses=_JSON)
async def put(request: Request, name: str, who: Writer, wanted: Wanted) -> Response:
    """Add a channel, or replace it; the secret of a new webhook is in this answer alone."""
    service = _service(request)
    if wanted.kind == "mail":
        count_letter(service, who)

    def work() -> dict[str, Any]:
        one = wanted.model_dump()
        kind, address, settings = one.pop("kind"), one.pop("address"), one.pop("settings")
        made = managed(service, who).put(who.subscriber, name, kind, address, settings, **one)
        note(service, who, "put channel", name, show(made.channel))
        letter = None if made.letter is None else {"ok": made.letter.ok, "answer": made.letter.text}
        return show(made.channel) | {"secret": made.secret or None, "letter": letter}

    return _json(await _known(work))


@router.delete("/channels/{name}", status_code=204, response_class=Response)
async def delete(request: Request, name: str, who: Writer) -> Response:
    """Remove a channel, with what waits for it and its log."""
    service = _service(request)

    def work() -> None:
        service.store().remove_channel(who.subscriber, name)
        note(service, who, "remove channel", name, None)

    await _known(work)
    return Response(status_code=204)


@router.post("/channels/{name}/test", response_class=Response, responses=_JSON)
async def test(request: Request, name: str, who: Writer) -> Response:
    """Send a test, and return what came of it."""
    service = _service(request)
    count_letter(service, who)
    answer = await _known(lambda: managed(service, who).test(who.subscriber, name))
    return _json({"ok": answer.ok, "answer": answer.text})


@router.post("/channels/{name}/secret", response_class=Response, responses=_JSON)
async def rotate(
    request: Request,
    name: str,
    who: Writer,
    at_once: Annotated[bool, Query(description="The secret before is not valid any more.")] = False,
) -> Response:
    """Make a new secret; the one before signs too for a day."""
    service = _service(request)

    def work() -> str:
        secret = managed(service, who).rotate(who.subscriber, name, at_once=at_once)
        note(service, who, "rotate secret", name, None)
        return secret

    return _json({"secret": await _known(work)})


@router.post("/channels/{name}/enable", response_class=Response, responses=_JSON)
async def enable(request: Request, name: str, who: Writer) -> Response:
    """Use a channel again that was disabled."""
    service = _service(request)
    count_letter(service, who)

    def work() -> dict[str, Any]:
        made = managed(service, who).enable(who.subscriber, name)
        note(service, who, "enable channel", name, None)
        return show(made.channel)

    return _json(await _known(work))


@router.get("/profile", response_class=Response, responses=_JSON)
async def profile(request: Request, who: Reader) -> Response:
    """Return the zone, and whether the same story counts once."""
    service = _service(request)
    return _json(asdict(await run_in_threadpool(lambda: service.store().profile(who.subscriber))))


@router.put("/profile", response_class=Response, responses=_JSON)
async def put_profile(request: Request, who: Writer, person: Person) -> Response:
    """Replace the zone, and whether the same story counts once."""
    service = _service(request)

    def work() -> dict[str, Any]:
        made = asdict(managed(service, who).set_profile(who.subscriber, person.zone, person.by_story))
        note(service, who, "put profile", who.subscriber, made)
        return made

    return _json(await _known(work))


@router.get("/routes/{id:path}", response_class=Response, responses=_JSON)
async def route(request: Request, id: str, who: Reader) -> Response:
    """Return the channels that a subscription names, and whether it mutes."""
    service = _service(request)
    return _json(await run_in_threadpool(lambda: read_route(service, who, id)))


@router.put("/routes/{id:path}", response_class=Response, responses=_JSON)
async def put_route(request: Request, id: str, who: Writer, wanted: Route) -> Response:
    """Let a subscription name channels, and mute or not."""
    service = _service(request)

    def work() -> dict[str, Any]:
        old = read_route(service, who, id)
        managed(service, who).route(id, wanted.channels, wanted.mutes)
        new = read_route(service, who, id)
        service.store().add_audit(who.subscriber, "put route", id, source=who.source, old=old, new=new)
        return new

    return _json(await _known(work))


@router.get("/notifications", response_class=Response, responses=_JSON)
async def messages(
    request: Request,
    who: Reader,
    channel: Annotated[str | None, Query(max_length=60)] = None,
    state: Literal["waiting", "sent", "dead"] | None = None,
    before: Before = None,
    limit: Limit = PAGE,
) -> Response:
    """List messages with their attempts, newest first; `next` is the `before` of the next page."""
    service = _service(request)
    found = await run_in_threadpool(
        lambda: service.store().messages(who.subscriber, channel=channel, state=state, before=before, limit=limit + 1)
    )
    return _json(_page([message_of(one) for one in found], limit, "messages"))


@router.get("/notifications/unsent", response_class=Response, responses=_JSON)
async def unsent(
    request: Request,
    who: Reader,
    channel: Annotated[str | None, Query(max_length=60)] = None,
    before: Before = None,
    limit: Limit = PAGE,
) -> Response:
    """List withheld and gathered items, and why."""
    service = _service(request)
    found = await run_in_threadpool(
        lambda: service.store().unsent(who.subscriber, channel=channel, before=before, limit=limit + 1)
    )
    return _json(_page([one._asdict() for one in found], limit, "unsent"))


@router.post("/notifications/replay", response_class=Response, responses=_JSON)
async def replay(
    request: Request, who: Writer, again: Annotated[Again, Body(description="Which messages.")]
) -> Response:
    """Send dead messages again, under the ids that they have."""
    service = _service(request)
    wanted = None if again.messages is None else [number for number in again.messages if 0 <= number < 1 << 63]
    count = await _known(lambda: service.store().replay(who.subscriber, wanted, channel=again.channel))
    return _json({"replayed": count})


# Parts that the console uses too


def managed(service: Service, who: Caller) -> Channels:
    """Return the channels of the store, as the caller may manage them."""
    from watchword.notify.managing import Channels

    return Channels(service.store(), service.outside, who.may("admin"))


def count_letter(service: Service, who: Caller) -> None:
    """Count a message that a caller makes the server send; a `Problem` 429 after too many."""
    wait = service.letters.take(who.subscriber)
    if wait:
        raise too_many("too many tests and letters in an hour", wait)


def note(service: Service, who: Caller, what: str, which: str, new: dict[str, Any] | None) -> None:
    """Write a change into the audit log."""
    plain = None if new is None else orjson.loads(orjson.dumps(new))
    service.store().add_audit(who.subscriber, what, which, source=who.source, new=plain)


def show(one: Channel) -> dict[str, Any]:
    """Return a channel as JSON has it. The address of Apprise has secrets in it: only its scheme is shown."""
    address = one.address.partition("://")[0] + "://…" if one.kind == "apprise" else one.address
    return {
        "name": one.name,
        "kind": one.kind,
        "address": address,
        "settings": one.settings,
        "everything": one.everything,
        "fallback": one.fallback,
        "state": one.state,
        "reason": one.reason,
        "created": one.created,
        "failures": one.failures,
        "wait_until": one.wait_until,
    }


def read_route(service: Service, who: Caller, id: str) -> dict[str, Any]:
    """Return where the matches of a subscription go; a `Problem` 404 if it is another's."""
    from watchword.serve.api.subscriptions import find_own

    store = service.store()
    find_own(store, id, who)
    return {"channels": store.routes(id), "mutes": store.mutes(id)}


def message_of(one: Any) -> dict[str, Any]:
    """Return a message of the log as JSON has it."""
    return dict(vars(one)) | {"attempts": [tried._asdict() for tried in one.attempts], "titles": list(one.titles)}


def _page(found: list[dict[str, Any]], limit: int, name: str) -> dict[str, Any]:
    return {name: found[:limit], "next": found[limit - 1]["number"] if len(found) > limit else None}


async def _known(work: Callable[[], Any]) -> Any:
    """Do some work in a thread; a channel that there is not is a `Problem` 404."""
    try:
        return await run_in_threadpool(work)
    except UnknownNameError as error:
        reason = f"there is no channel or subscription {brief(error.name)!r} of yours"
        raise Problem(404, "not-found", reason, remedy="GET /channels lists them") from None


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _json(value: Any) -> Response:
    return Response(orjson.dumps(value), media_type="application/json")
