"""Changes of subscriptions over HTTP in the audit log: who, what, which, old and new.

note(service, who, "replace subscription", "storms", {"text": "ferry"}, {"text": "ferry AND storm"})
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

from watchword.errors import StoreError, UnknownNameError
from watchword.serve.problems import Problem
from watchword.visible import counted, visible

if TYPE_CHECKING:
    from watchword.serve.api.drafts import Bulk
    from watchword.serve.security import Caller
    from watchword.serve.state import Service
    from watchword.store import Subscription

_log = logging.getLogger("watchword.serve")
NOTED = 500
"""Ids of new subscriptions in one row of the audit log."""
NOTED_BYTES = 8_192
"""Bytes of replaced ones, from which another row follows."""


def note(service: Service, who: Caller, what: str, which: str, old: Any, new: Any) -> None:
    """Count a change, and write it into the audit log; a `Problem` says that it was made where that fails."""
    service.metrics.changes.labels(what).inc()
    store = service.store()
    try:
        store.add_audit(who.subscriber, what, which, source=who.source, old=_plain(old), new=_plain(new))
    except StoreError as error:
        _log.error("%s of %s by %s is not in the audit log: %s", what, visible(which), visible(who.subscriber), error)
        raise Problem(
            503,
            "not-ready",
            "the change was made, and could not be noted in the audit log",
            remedy="see why the store cannot be written; the change need not be repeated",
            headers={"Retry-After": "5"},
        ) from None


def _plain(value: Any) -> Any:
    """Return a JSON object with times as texts."""
    return None if value is None else orjson.loads(orjson.dumps(value))


def note_many(service: Service, who: Caller, done: Bulk, show: Callable[[Subscription], dict[str, Any]]) -> None:
    """Write many into the audit log, in rows of bounded length: new ones by their ids, replaced ones old and new."""
    made = [id for id in done.ids() if id not in done.old]
    for begin in range(0, len(made), NOTED):
        some = made[begin : begin + NOTED]
        note(service, who, "subscribe many", counted(len(some), "subscription"), None, {"ids": some})
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for id in filter(done.old.__contains__, done.ids()):
        with suppress(UnknownNameError):  # it is gone since
            new[id] = show(service.store().subscription(id))
            old[id] = show(done.old[id])
        if len(orjson.dumps([old, new])) > NOTED_BYTES:
            note(service, who, "replace many", counted(len(new), "subscription"), old, new)
            old, new = {}, {}
    if new:
        note(service, who, "replace many", counted(len(new), "subscription"), old, new)
