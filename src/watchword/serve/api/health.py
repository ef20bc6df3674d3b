"""Whether the process lives, whether it is ready, and its figures: `/livez`, `/readyz`, `/metrics`.

    GET /readyz     200  {"status": "green", "checks": {"store": {"status": "green", "change": 41}, …}}

Green is well. Yellow still answers, but an operator should look: the indexes are behind, the self-audit has found a
difference, the archive cannot be read, posted events are not delivered, the run beside the server has ended, the disk
is nearly full. Red, with status 503, is for whoever sends requests here: the store cannot be reached, or the indexes
cannot follow it.
"""

from __future__ import annotations

import shutil
import time
from contextlib import suppress
from typing import Any

import orjson
from fastapi import APIRouter, Request, Response

from watchword.errors import WatchwordError
from watchword.serve.child import read_state
from watchword.serve.state import Service

router = APIRouter(tags=["health"])
LAG = 5.0
"""Seconds of lag from which readiness is yellow."""
LEAST_FREE = 256 << 20
"""Free bytes of the home's disk below which readiness is yellow."""
GREEN, YELLOW, RED = "green", "yellow", "red"
Check = dict[str, Any]


@router.get("/livez", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def livez() -> Response:
    """Say that the process answers."""
    return Response("ok\n", media_type="text/plain")


@router.get("/healthz", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def healthz() -> Response:
    """Say that the process answers, under the older name."""
    return await livez()


@router.get(
    "/readyz",
    response_class=Response,
    responses={200: {"content": {"application/json": {}}}, 503: {"content": {"application/json": {}}}},
)
def readyz(request: Request) -> Response:
    """Say whether the store, indexes, archive, posted events, self-audit, disk and run are well."""
    service: Service = request.app.state.service
    checks = {
        "store": check_store(service),
        "indexes": check_indexes(service),
        "archive": check_archive(service),
        "posted": check_posted(service),
        "audit": check_audit(service),
        "disk": check_disk(service),
    } | check_run(service)
    found = {check["status"] for check in checks.values()}
    status = RED if RED in found else YELLOW if YELLOW in found else GREEN
    body = orjson.dumps({"status": status, "checks": checks})
    return Response(body, 503 if status == RED else 200, {}, "application/json")


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(request: Request) -> Response:
    """Return the figures of this process, as Prometheus reads them."""
    service: Service = request.app.state.service
    return Response(service.metrics.text(), media_type="text/plain; version=0.0.4")


def check_store(service: Service) -> Check:
    """Return how the store is."""
    try:
        began = time.perf_counter()
        change = service.change()
        return {"status": GREEN, "change": change, "seconds": round(time.perf_counter() - began, 4)}
    except WatchwordError as error:
        return {"status": RED, "reason": str(getattr(error, "reason", error))}


def check_indexes(service: Service) -> Check:
    """Return how far the indexes are behind the store, and whether they can follow it."""
    follower = service.follower
    check: Check = {"status": GREEN, "change": follower.counter, "behind": 0, "lag": round(service.lag(), 3)}
    with suppress(WatchwordError):
        check["behind"] = max(0, service.change() - follower.counter)
    if follower.error is not None:
        check |= {"status": RED, "reason": str(getattr(follower.error, "reason", follower.error))}
    elif check["lag"] > LAG:
        check |= {"status": YELLOW, "reason": f"the indexes are {check['lag']:g} s behind the store"}
    return check


def check_archive(service: Service) -> Check:
    """Return how many items the archive has."""
    try:
        return {"status": GREEN, "items": sum(day.items for day in service.archive.days())}
    except WatchwordError as error:
        return {"status": YELLOW, "reason": str(getattr(error, "reason", error))}


def check_posted(service: Service) -> Check:
    """Return how many posted events wait, and whether they are delivered: by this process or by another one."""
    deliverer = service.deliverer
    try:
        check: Check = {"status": GREEN, "waiting": deliverer.waiting(), "delivers": deliverer.is_holding}
    except WatchwordError as error:
        return {"status": YELLOW, "reason": str(getattr(error, "reason", error))}
    if deliverer.error is not None:
        check |= {"status": YELLOW, "reason": str(getattr(deliverer.error, "reason", deliverer.error))}
    return check


def check_disk(service: Service) -> Check:
    """Return how many bytes are free where the home is."""
    try:
        free = shutil.disk_usage(service.home.path).free
    except OSError as error:
        return {"status": YELLOW, "free": 0, "reason": error.strerror or str(error)}
    if free >= LEAST_FREE:
        return {"status": GREEN, "free": free}
    return {"status": YELLOW, "free": free, "reason": f"{free / 1e6:,.0f} MB are left: make room, or changes fail"}


def check_run(service: Service) -> dict[str, Check]:
    """Return the state of the `watchword run` beside the server, as ``run``; nothing if there is none."""
    state = read_state(service.home)
    if state is None:
        return {}
    return {"run": {"status": GREEN if state.get("state") == "running" else YELLOW, **state}}


def check_audit(service: Service) -> Check:
    """Return what the self-audit has found."""
    if service.auditor is None:
        return {"status": GREEN, "share": 0.0}
    found = list(service.auditor.differences)
    check: Check = {"status": GREEN, "share": service.settings.audit, "differences": len(found)}
    if found:
        check |= {"status": YELLOW, "reason": "brute force decided otherwise: the log has the events"}
    return check
