"""Webhooks, by Standard Webhooks 1.0: a message is a signed POST in JSON.

    POST /hook HTTP/1.1
    webhook-id: msg_5f…          the same at every attempt: a receiver that has seen it has the message
    webhook-timestamp: 1763553600
    webhook-signature: v1,…

    {"type": "watchword.match", "timestamp": "2026-11-19T12:00:00+00:00", "data": {"channel": "desk", "item": {…}}}

2xx is a success; everything else a failure, redirects too, which are not followed. 410 disables the channel. Of the
answer its status is looked at, and at most 4 kB are read (`posting`). It may take `SECONDS` in all.

The address is one that a stranger gave (`feeds.strangers`): http or https, no password in it, and the connection goes
to the public network or to networks that the administrator has allowed, whatever the name means at that moment.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from http import HTTPStatus
from typing import Any

import h11
import httpcore
import httpx
import orjson

from watchword import __version__
from watchword.feeds.addresses import Networks, PrivateAddressError, PublicOnly
from watchword.feeds.backoff import retry_after
from watchword.feeds.strangers import NOT_PUBLIC
from watchword.notify.answers import Answer, Outgoing
from watchword.notify.posting import Connection, NotHttpError
from watchword.notify.signing import signed_headers

SECONDS = 15.0
"""Seconds that a receiver has for its whole answer."""
CONNECTIONS = 512
"""Channels whose connections are kept; more than a dispatcher works for at once."""
GONE = 410
HEADERS = {"Content-Type": "application/json", "User-Agent": f"Watchword/{__version__}"}


class Webhooks:
    """Sends messages to webhooks; `allowed` are private networks that they may be in."""

    whole = False

    def __init__(self, allowed: Networks = (), seconds: float = SECONDS) -> None:
        self._seconds, self._backend = seconds, PublicOnly(allowed)
        self._connections: OrderedDict[int, Connection] = OrderedDict()

    async def send(self, message: Outgoing) -> Answer:
        """Send a message, and return what came of it."""
        if not message.secrets:
            return Answer(False, "the channel has no secret: make a new one", hopeless=True, disables=True)
        body = body_of(message)
        try:
            signed = signed_headers(message.secrets, message.job.id, int(message.now.timestamp()), body)
        except ValueError as error:
            return Answer(False, str(error), hopeless=True, disables=True)
        try:
            async with asyncio.timeout(self._seconds):
                connection = await self._connection(message.channel.number)
                reply = await connection.post(httpx.URL(message.channel.address), HEADERS | signed, body)
        except TimeoutError:
            return Answer(False, f"no answer within {self._seconds:g} seconds")
        except PrivateAddressError:
            return Answer(False, NOT_PUBLIC)
        except NotHttpError:
            return Answer(False, "the answer is no HTTP")
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            return Answer(False, NOT_PUBLIC if "has no address" in str(error) else "no connection")
        except (OSError, ValueError, httpx.InvalidURL, h11.LocalProtocolError):
            return Answer(False, "no connection")
        return answer_of(reply.status, retry_after(reply.retry_after, message.now.timestamp()))

    async def _connection(self, number: int) -> Connection:
        """Return the connection of a channel; that of the one that was sent something longest ago is ended."""
        found = self._connections.setdefault(number, Connection(self._backend))
        self._connections.move_to_end(number)
        if len(self._connections) > CONNECTIONS:
            await self._connections.popitem(last=False)[1].close()
        return found

    async def close(self) -> None:
        """End all connections."""
        while self._connections:
            await self._connections.popitem()[1].close()


def answer_of(status: int, told: float | None) -> Answer:
    """Return what a status says.

    >>> answer_of(204, None).ok, answer_of(302, None).text, answer_of(410, None).disables
    (True, '302 Found: redirects are not followed', True)
    """
    try:
        text = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        text = str(status)
    if 200 <= status < 300:
        return Answer(True, text)
    if 300 <= status < 400:
        text += ": redirects are not followed"
    return Answer(False, text, told, hopeless=status == GONE, disables=status == GONE)


def body_of(message: Outgoing) -> bytes:
    """Return the body of a message."""
    job, channel = message.job, message.channel
    data: dict[str, Any] = {"channel": channel.name, "subscriber": channel.subscriber}
    more: dict[str, Any]
    if job.kind == "test":
        kind, more = "watchword.test", {"text": "This is a test of the channel. Nothing was matched."}
    elif job.kind == "digest":
        items = [entry.as_json() for entry in message.entries]
        kind, more = "watchword.digest", {"items": items, "count": message.count}
    else:
        kind, more = "watchword.match", {"item": message.entries[0].as_json()}
    return orjson.dumps({"type": kind, "timestamp": job.made.isoformat(), "data": data | more})
