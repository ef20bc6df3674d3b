"""Health: `/console/health`: is the system up to date, what does it hold, what fails, which subscriptions are dead.

What takes a pass over the archive, costly, dead and covered subscriptions (`looking`), is worked out when it is asked
for: ``?look=true``. Its computing counts as that of a preview.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword import __version__
from watchword.dead_letters import read_letters
from watchword.retention import disk_use
from watchword.serve.api import feeds as api
from watchword.serve.api.health import (
    GREEN,
    check_archive,
    check_audit,
    check_disk,
    check_indexes,
    check_run,
    check_store,
)
from watchword.serve.console.drafting import table_of
from watchword.serve.console.looking import COSTLY, DAYS, Look, look
from watchword.serve.console.pages import Viewer, render, size, view
from watchword.serve.console.progress import rate_of, runs_of, versions_of
from watchword.visible import counted

router = APIRouter()
LETTERS = 10
"""Dead letters that are shown, the newest."""


@router.get("/console/health")
async def health(request: Request, look: bool = False) -> Response:
    """Show how the system is."""
    viewer = await view(request)
    if not look:
        return await run_in_threadpool(_page, viewer)
    async with viewer.service.previews.turn(viewer.who):
        return await run_in_threadpool(lambda: _page(viewer, _look(viewer)))


def _look(viewer: Viewer) -> Look:
    with viewer.service.previews.counted(viewer.who):
        return look(viewer.store, viewer.name, table_of(viewer))


def _page(viewer: Viewer, found: Look | None = None) -> Response:
    service = viewer.service
    stats, archive = service.store().stats(), service.archive.days()
    letters = [
        (run, letter) for run, folder in service.home.dead_letters().items() for _, letter in read_letters(folder)
    ]
    failing = [one for one in api.read_states(service.home) if (one.get("state") or {}).get("error")]
    return render(
        viewer,
        "health.html",
        checks=_checks(viewer),
        stats=stats,
        indexes=_indexes(viewer),
        days=archive[-30:],
        most=max((day.items for day in archive[-30:]), default=0),
        items=sum(day.items for day in archive),
        posted=service.deliverer,
        minutes=(time.monotonic() - viewer.request.app.state.since) / 60,
        letters=letters[-LETTERS:],
        dead_letters=len(letters),
        failing=failing[:50],
        disk=sorted(disk_use(service.home).items(), key=lambda part: -part[1]),
        version=__version__,
        found=found,
        rate=rate_of(table_of(viewer), service.limits.preview_items),
        versions=versions_of(service.home, viewer.store),
        runs=runs_of(service.home),
        letters_of=Counter(run for run, _ in letters),
        COSTLY=COSTLY,
        DAYS=DAYS,
        GREEN=GREEN,
    )


def _checks(viewer: Viewer) -> list[tuple[str, dict[str, Any], str]]:
    """Return the checks of readiness: name, result, and the figure that tells most."""
    known: list[tuple[str, Callable[..., dict[str, Any]], str]] = [
        ("Store", check_store, "change {change:,}"),
        ("Indexes", check_indexes, "{behind} changes behind"),
        ("Archive", check_archive, "{items:,} items"),
        ("Self-audit", check_audit, "{share:.1%} of events"),
        ("Free disk", check_disk, "{size}"),
    ]
    checks = []
    for name, check, figure in known:
        found = check(viewer.service)
        said = "it is off" if name == "Self-audit" and not found["share"] else ""
        checks.append(
            (name, found, found.get("reason") or said or figure.format(**found, size=size(found.get("free", 0))))
        )
    runs = check_run(viewer.service).values()
    return checks + [
        ("Run beside it", run, f"{run['state']}, started {counted(run['starts'], 'time')}") for run in runs
    ]


def _indexes(viewer: Viewer) -> list[tuple[str, int, int]]:
    """Return the indexes in memory: language, subscriptions, bytes."""
    follower = viewer.service.follower
    found = []
    for language in follower.languages():
        stats = follower.index(language).stats()
        found.append((language, stats.subscriptions, stats.bytes + stats.catalog_bytes))
    return found
