"""Channels and their log: `/console/channels`, `/console/notifications`, and `/console/routes?id=storms`."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import ConflictError, OptionError, StoreError, UnknownNameError
from watchword.serve.api.channels import PAGE, count_letter, managed, note, read_route, show
from watchword.serve.console.drafting import label_of
from watchword.serve.console.pages import Viewer, change, first, go, read_form, render, view
from watchword.serve.problems import Problem

router = APIRouter()
KINDS = {"webhook": "Webhook", "mail": "E-mail", "feed": "Personal feed", "nothing": "Nothing"}
"""The kinds that a person can add here. Apprise is set up by the administrator."""


@router.get("/console/channels")
async def channels(request: Request) -> Response:
    """Show the channels."""
    viewer = await view(request)
    return await run_in_threadpool(_page, viewer)


@router.post("/console/channels")
async def send(request: Request) -> Response:
    """Add, test, remove or enable a channel, make a secret, or change the profile."""
    viewer = await change(request)
    fields = await read_form(request)
    return await run_in_threadpool(_send, viewer, fields)


@router.get("/console/notifications")
async def notifications(
    request: Request, channel: str = Query("", max_length=60), before: int | None = Query(None, ge=0, lt=1 << 63)
) -> Response:
    """Show messages and withheld items, and why."""
    viewer = await view(request)
    return await run_in_threadpool(_log, viewer, channel, before, "")


@router.post("/console/notifications")
async def replay(request: Request) -> Response:
    """Send dead messages again."""
    viewer = await change(request)
    fields = await read_form(request)

    def work() -> Response:
        numbers = [
            int(text) for text in fields.get("message", []) if text.isascii() and text.isdigit() and len(text) < 19
        ]
        count = viewer.store.replay(viewer.name, numbers or None)
        return _log(viewer, first(fields, "channel"), None, f"{count:,} to be sent again.")

    return await run_in_threadpool(work)


@router.get("/console/routes")
async def route(request: Request, id: str) -> Response:
    """Show where the matches of a subscription go."""
    viewer = await view(request)
    return await run_in_threadpool(_route, viewer, id)


@router.post("/console/routes")
async def put_route(request: Request) -> Response:
    """Choose where the matches of a subscription go."""
    viewer = await change(request)
    fields = await read_form(request)

    def work() -> Response:
        id = first(fields, "id")
        old = read_route(viewer.service, viewer.who, id)
        names = [name for name in fields.get("channel", []) if name]
        try:
            managed(viewer.service, viewer.who).route(id, names, first(fields, "mutes") == "yes")
        except UnknownNameError:
            raise Problem(404, "not-found", "there is no such channel of yours") from None
        new = read_route(viewer.service, viewer.who, id)
        viewer.store.add_audit(viewer.name, "put route", id, source=viewer.who.source, old=old, new=new)
        return go(viewer, "/console/edit", id=id)

    return await run_in_threadpool(work)


def _page(viewer: Viewer, said: str = "", refused: str = "", secret: str = "", status: int = 200) -> Response:
    outside = viewer.service.outside
    offered = {kind: label for kind, label in KINDS.items() if kind != "mail" or outside.can_mail}
    return render(
        viewer,
        "channels.html",
        status,
        channels=[show(one) for one in viewer.store.channels(viewer.name)],
        counts=viewer.store.outbox_counts(viewer.name),
        profile=viewer.store.profile(viewer.name),
        zones=sorted(available_timezones()),
        kinds=offered,
        said=said,
        refused=refused,
        secret=secret,
    )


def _send(viewer: Viewer, fields: dict[str, list[str]]) -> Response:
    viewer.service.security.count_write(viewer.who)
    do, name = first(fields, "do"), first(fields, "name").strip()
    work = {"add": _add, "test": _test, "remove": _remove, "secret": _rotate, "enable": _enable, "profile": _profile}
    if do not in work:
        raise Problem(422, "wrong-value", "a form of channels adds, tests, removes or enables one")
    try:
        return work[do](viewer, name, fields)
    except UnknownNameError:
        raise Problem(404, "not-found", "there is no such channel of yours") from None
    except (OptionError, ConflictError) as error:
        return _page(viewer, refused=str(getattr(error, "reason", error)), status=422)
    except StoreError as error:
        return _page(viewer, refused=error.reason, status=422) if "leads back" in str(error) else _raise(error)


def _raise(error: Exception) -> Response:
    raise error


def _settings(fields: dict[str, list[str]]) -> dict[str, Any]:
    """Return the settings of a form, without empty ones."""
    words = first(fields, "times").replace(",", " ").split()
    found: dict[str, Any] = {"times": words} if words else {}
    if quiet := first(fields, "quiet").strip():
        found["quiet"] = quiet
    if budget := first(fields, "budget").strip():
        if not budget.isascii() or not budget.isdigit() or len(budget) > 9:
            raise OptionError(f"a budget is a number of messages an hour, not {budget[:40]!r}")
        found["budget"] = int(budget)
    return found


def _add(viewer: Viewer, name: str, fields: dict[str, list[str]]) -> Response:
    kind, address = first(fields, "kind"), first(fields, "address").strip()
    if any(one.name == name for one in viewer.store.channels(viewer.name)):
        raise OptionError(f"there is a channel {name!r} already: remove it first, or choose another name")
    if kind == "mail":
        count_letter(viewer.service, viewer.who)
    made = managed(viewer.service, viewer.who).put(
        viewer.name,
        name,
        kind,
        address,
        _settings(fields),
        everything=first(fields, "everything") == "yes",
        fallback=first(fields, "fallback") or None,
    )
    note(viewer.service, viewer.who, "put channel", name, show(made.channel))
    said = f"{name} is there."
    if made.letter is not None:
        said = f"A letter to {address} has a link: follow it." if made.letter.ok else f"No letter: {made.letter.text}."
    return _page(viewer, said, secret=made.secret)


def _test(viewer: Viewer, name: str, fields: dict[str, list[str]]) -> Response:
    count_letter(viewer.service, viewer.who)
    answer = managed(viewer.service, viewer.who).test(viewer.name, name)
    text = f"{name}: {answer.text}."
    return _page(viewer, said=text) if answer.ok else _page(viewer, refused=f"The test failed. {text}")


def _remove(viewer: Viewer, name: str, fields: dict[str, list[str]]) -> Response:
    viewer.store.remove_channel(viewer.name, name)
    note(viewer.service, viewer.who, "remove channel", name, None)
    return _page(viewer, f"{name} is removed.")


def _rotate(viewer: Viewer, name: str, fields: dict[str, list[str]]) -> Response:
    secret = managed(viewer.service, viewer.who).rotate(viewer.name, name)
    note(viewer.service, viewer.who, "rotate secret", name, None)
    return _page(viewer, f"{name} signs with both secrets for a day.", secret=secret)


def _enable(viewer: Viewer, name: str, fields: dict[str, list[str]]) -> Response:
    count_letter(viewer.service, viewer.who)
    managed(viewer.service, viewer.who).enable(viewer.name, name)
    note(viewer.service, viewer.who, "enable channel", name, None)
    return _page(viewer, f"{name} is used again.")


def _profile(viewer: Viewer, name: str, fields: dict[str, list[str]]) -> Response:
    zone, by_story = first(fields, "zone"), first(fields, "by_story") == "yes"
    managed(viewer.service, viewer.who).set_profile(viewer.name, zone, by_story)
    note(viewer.service, viewer.who, "put profile", viewer.name, {"zone": zone, "by_story": by_story})
    return _page(viewer, "Saved.")


def _log(viewer: Viewer, channel: str, before: int | None, said: str) -> Response:
    store, name = viewer.store, channel or None
    found = store.messages(viewer.name, channel=name, before=before, limit=PAGE + 1)
    return render(
        viewer,
        "notifications.html",
        messages=found[:PAGE],
        next=found[PAGE - 1].number if len(found) > PAGE else None,
        unsent=store.unsent(viewer.name, channel=name, limit=PAGE),
        counts=store.outbox_counts(viewer.name),
        channel=channel,
        channels=[one.name for one in store.channels(viewer.name)],
        said=said,
    )


def _route(viewer: Viewer, id: str) -> Response:
    from watchword.serve.api.subscriptions import find_own

    found = find_own(viewer.store, id, viewer.who)
    return render(
        viewer,
        "routes.html",
        id=id,
        label=label_of(found),
        route=read_route(viewer.service, viewer.who, id),
        channels=[show(one) for one in viewer.store.channels(found.subscriber)],
    )
