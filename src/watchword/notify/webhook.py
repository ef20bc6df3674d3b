"""Webhooks, by Standard Webhooks 1.0: a message is a signed POST in JSON.

    POST /hook HTTP/1.1
    webhook-id: msg_5f…          the same at every attempt: a receiver that has seen it has the message
    webhook-timestamp: 1763553600
    webhook-signature: v1,…

    {"type": "watchword.match", "timestamp": "2026-11-19T12:00:00+00:00", "data": {"channel": "desk", "item": {…}}}

2xx is a success; everything else a failure, redirects too, which are not followed. 410 disables the channel. Of the
answer its status is looked at, and at most `READ` bytes are read. It may take `SECONDS` in all.

The address is one that a stranger gave (`feeds.strangers`): http or https, no password in it, and the connection goes
to the public network or to networks that the administrator has allowed, whatever the name means at that moment.
"""

from __future__ import annotations

import asyncio
import time
from http import HTTPStatus
from typing import Any

import httpcore
import httpx
import orjson

from watchword import __version__
from watchword.feeds.addresses import Networks, PrivateAddressError, PublicOnly, tls
from watchword.feeds.backoff import retry_after
from watchword.feeds.strangers import NOT_PUBLIC
from watchword.notify.answers import Answer, Outgoing
from watchword.notify.signing import signed_headers

SECONDS = 15.0
"""Seconds that a receiver has for its whole answer."""
READ = 4_096
"""Bytes of an answer that are read; with more its connection is closed."""
CONNECTIONS = 512
"""Connections that are open at once."""
IDLE = 20.0
"""Seconds for which an idle connection is kept."""
GONE = 410


class Webhooks:
    """Sends messages to webhooks; `allowed` are private networks that they may be in."""

    whole = False

    def __init__(self, allowed: Networks = (), seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls(),
            max_connections=CONNECTIONS,
            max_keepalive_connections=CONNECTIONS // 4,
            keepalive_expiry=IDLE,
            network_backend=PublicOnly(allowed),
        )

    async def send(self, message: Outgoing) -> Answer:
        """Send a message, and return what came of it."""
        if not message.secrets:
            return Answer(False, "the channel has no secret: make a new one", hopeless=True, disables=True)
        body, now = body_of(message), message.now
        try:
            signed = signed_headers(message.secrets, message.job.id, int(now.timestamp()), body)
        except ValueError as error:
            return Answer(False, str(error), hopeless=True, disables=True)
        try:
            async with asyncio.timeout(self._seconds):
                status, told = await self._post(message.channel.address, signed, body)
        except TimeoutError:
            return Answer(False, f"no answer within {self._seconds:g} seconds")
        except PrivateAddressError:
            return Answer(False, NOT_PUBLIC)
        except (httpcore.NetworkError, httpcore.TimeoutException) as error:
            return Answer(False, NOT_PUBLIC if "has no address" in str(error) else "no connection")
        except (httpcore.ProtocolError, httpcore.UnsupportedProtocol):
            return Answer(False, "the answer is no HTTP")
        except (OSError, ValueError, UnicodeError):
            return Answer(False, "no connection")
        return answer_of(status, retry_after(told, time.time()))

    async def _post(self, address: str, signed: dict[str, str], body: bytes) -> tuple[int, str]:
        """Return the status of the answer, and its header Retry-After."""
        headers = {"content-type": "application/json", "user-agent": f"Watchword/{__version__}"} | signed
        request = httpcore.Request("POST", _url(address), headers=_headers(address, headers, body), content=body)
        response = await self._pool.handle_async_request(request)
        try:
            read = 0
            async for piece in response.aiter_stream():
                read += len(piece)
                if read > READ:
                    break
        finally:
            await response.aclose()
        told = (value for name, value in response.headers if name.lower() == b"retry-after")
        return response.status, next(told, b"").decode("latin-1")

    async def close(self) -> None:
        """End all connections."""
        await self._pool.aclose()


def _url(address: str) -> httpcore.URL:
    """Return an address as httpcore has it: ASCII, without its fragment."""
    parsed = httpx.URL(address).copy_with(fragment=None)
    return httpcore.URL(
        scheme=parsed.raw_scheme, host=parsed.raw_host, port=parsed.port, target=parsed.raw_path or b"/"
    )


def _headers(address: str, headers: dict[str, str], body: bytes) -> list[tuple[bytes | str, bytes | str]]:
    host = httpx.URL(address).netloc.decode("ascii")
    return [("host", host), ("content-length", str(len(body))), *headers.items()]


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
