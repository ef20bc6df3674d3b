"""WebSub in the server: a thread that asks hubs, and the callback at which they verify and push.

    GET  /websub/TOKEN?hub.mode=subscribe&hub.topic=…&hub.challenge=…     the challenge, if exactly this was asked for
    POST /websub/TOKEN   X-Hub-Signature: sha256=…                        202, and the items go the way of posted events

It needs `--public-url`. Pushed items have the ids that they have when the feed is polled, so that the inbox has each
once. One process of a home asks hubs, the one that holds ``websub.lock``; each answers.

A push with a wrong signature is answered like any other, and dropped.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from watchword.errors import FeedError, WatchwordError
from watchword.feeds.websub import LEASE, Hub, Pushes, find_hub, is_signed
from watchword.files import Closing, locked
from watchword.items import Item
from watchword.serve.problems import Problem
from watchword.visible import visible

if TYPE_CHECKING:
    from watchword.feeds.addresses import Networks
    from watchword.feeds.items import FeedItem
    from watchword.home import Home
    from watchword.serve.state import Service

router = APIRouter()
EVERY = 60.0
"""Seconds between two looks for feeds whose hub is to be asked."""
SECONDS = 15.0
"""Seconds that a hub has for its answer."""
CHALLENGE = 2_000
"""Characters of a challenge."""
_log = logging.getLogger("watchword.websub")


class Hubs(Closing):
    """Asks the hubs of a home's feeds, in a thread, as a context manager."""

    def __init__(self, home: Home, public_url: str, allowed: Networks = ()) -> None:
        self.pushes = Pushes(home.path / "websub.json")
        self._home, self._public_url, self._allowed = home, public_url.rstrip("/"), allowed
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Hubs:
        if self._public_url:
            self._thread = threading.Thread(target=self._run, name="watchword-websub", daemon=True)
            self._thread.start()
        return self

    def close(self) -> None:
        """End the thread."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def look(self) -> int:
        """Ask the hubs of feeds that are due; return how many were asked."""
        from watchword.feeds.own_list import FeedList

        known, now, asked = self.pushes.read(), time.time(), 0
        for one in FeedList(self._home.feeds).read():
            if self._stop.is_set():
                break
            if self.pushes.is_due(one.source, now, known):
                asked += self._ask(one.source)
        return asked

    def _run(self) -> None:
        while not self._stop.wait(1.0):
            try:
                with locked(self.pushes.path.with_name("websub-asking.lock"), patience=0):
                    while not self._stop.is_set():
                        self.look()
                        self._stop.wait(EVERY)
            except TimeoutError:
                self._stop.wait(EVERY)
            except (OSError, WatchwordError) as error:
                _log.warning("hubs are not asked: %s; trying again", visible(str(error)))
                self._stop.wait(EVERY)

    def _ask(self, feed: str) -> bool:
        """Look whether a feed names a hub, and ask it to push; return whether it took that."""
        from watchword.feeds.encoding import decode
        from watchword.feeds.strangers import check_address, get_public

        try:
            found = get_public(feed, allowed=self._allowed)
            text = decode((found.document.data or b"")[: 1 << 16], found.document.charset)
            hub = find_hub(found.link, text, found.address)
            if hub is not None:
                check_address(hub.address)
        except FeedError:
            hub = None
        if hub is None or not self._subscribe(feed, hub):
            self.pushes.note_none(feed, time.time())
            return False
        return True

    def _subscribe(self, feed: str, hub: Hub) -> bool:
        from watchword.feeds.addresses import PublicOnly
        from watchword.notify.posting import post_once

        push = self.pushes.ask(feed, hub, time.time())
        form = {
            "hub.mode": "subscribe",
            "hub.topic": hub.topic,
            "hub.callback": f"{self._public_url}/websub/{push.token}",
            "hub.lease_seconds": str(LEASE),
            "hub.secret": push.secret,
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        status = post_once(hub.address, headers, urlencode(form).encode(), PublicOnly(self._allowed), SECONDS)
        return status is not None and 200 <= status < 300


@router.get("/websub/{token}")
async def verify(request: Request, token: str) -> Response:
    """Tell a hub whether it was asked."""
    service: Service = request.app.state.service
    return await run_in_threadpool(_verify, service.hubs.pushes, token, dict(request.query_params))


def _verify(pushes: Pushes, token: str, query: dict[str, str]) -> Response:
    mode, topic, now = query.get("hub.mode", ""), query.get("hub.topic", ""), time.time()
    if mode == "denied" and pushes.deny(token, topic, now):
        return Response(status_code=200)
    lease, challenge = query.get("hub.lease_seconds", ""), query.get("hub.challenge", "")
    seconds = float(lease) if lease.isascii() and lease.isdigit() and len(lease) < 12 else float(LEASE)
    if mode != "subscribe" or not 0 < len(challenge) <= CHALLENGE or not pushes.confirm(token, topic, seconds, now):
        raise Problem(404, "not-found", "this was not asked for")
    return Response(challenge, media_type="text/plain")


@router.post("/websub/{token}")
async def push(request: Request, token: str) -> Response:
    """Take what a hub pushes."""
    service: Service = request.app.state.service
    body, header = await request.body(), request.headers.get("x-hub-signature", "")
    await service.run(_push, service, token, header, body)
    return Response(status_code=202)


def _push(service: Service, token: str, header: str, body: bytes) -> None:
    from watchword.feeds.reading import read

    found = service.hubs.pushes.find(token, time.time())
    if found is None:
        raise Problem(410, "not-found", "this feed is not pushed here any more")
    feed, push = found
    if not is_signed(push.secret, header, body):
        _log.warning("%s: a push with a wrong signature was dropped", visible(feed))
        return
    try:
        items = read(body, feed).items
    except FeedError as error:
        _log.warning("%s", visible(str(error)))
        return
    if items:
        service.spool.append([_item(one) for one in items])


def _item(one: FeedItem) -> Item:
    """Return an item of a feed as the store has it: empty texts for missing ones."""
    return Item(
        one.id,
        one.title,
        one.text,
        one.link or "",
        one.author or "",
        one.published,
        one.language or "",
        one.feed,
        one.feed_url,
        one.categories,
    )
