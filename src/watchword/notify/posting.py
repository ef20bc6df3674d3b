"""POST over a connection that is kept: HTTP/1.1 by h11, to the public network only (`feeds.addresses.PublicOnly`).

    connection = Connection(PublicOnly())
    await connection.post(httpx.URL("https://desk.example/hook"), headers, body)       Reply(204, "")

A connection belongs to one channel, so nothing is shared and nothing looked up. One that the other side has closed
meanwhile is opened again, once. Of the answer at most `READ` bytes are read. Time is limited by the caller; whatever
was cut off in the middle ends the connection.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import NamedTuple

import h11
import httpcore
import httpx

from watchword.feeds.addresses import PrivateAddressError, PublicOnly, tls

READ = 4_096
"""Bytes of an answer's body that are read; with more its connection is closed."""
IDLE = 20.0
"""Seconds after which an idle connection is not used again."""
_AT_ONCE = 65_536


class Reply(NamedTuple):
    """The status of an answer, and its header Retry-After."""

    status: int
    retry_after: str


def post_once(address: str, headers: dict[str, str], body: bytes, backend: PublicOnly, seconds: float) -> int | None:
    """Return the status of the answer to one POST; None if there is none in time. The thread has no event loop."""

    async def post() -> int:
        connection = Connection(backend)
        try:
            async with asyncio.timeout(seconds):
                return (await connection.post(httpx.URL(address), headers, body)).status
        finally:
            await connection.close()

    try:
        return asyncio.run(post())
    except FAILURES:
        return None


class NotHttpError(Exception):
    """The other side does not speak HTTP, or ended in the middle of it."""


FAILURES: tuple[type[Exception], ...] = (
    *(NotHttpError, PrivateAddressError, httpcore.NetworkError, httpcore.TimeoutException),
    *(OSError, ValueError, httpx.InvalidURL, h11.LocalProtocolError),
)
"""Errors of a POST; a `TimeoutError` is an `OSError`."""


class Connection:
    """A connection of one channel."""

    def __init__(self, backend: PublicOnly) -> None:
        self._backend = backend
        self._stream: httpcore.AsyncNetworkStream | None = None
        self._origin: tuple[bytes, bytes, int | None] | None = None
        self._state = h11.Connection(h11.CLIENT)
        self._used = 0.0

    async def post(self, url: httpx.URL, headers: dict[str, str], body: bytes) -> Reply:
        """Send a body, and return the answer. Raises `NotHttpError`, `PrivateAddressError` or an error of httpcore."""
        origin, kept = (url.raw_scheme, url.raw_host, url.port), self._stream
        if kept is not None and (origin != self._origin or time.monotonic() - self._used > IDLE):
            await self.close()
            kept = None
        head = [("Host", url.netloc.decode("ascii")), ("Content-Length", str(len(body))), *headers.items()]
        request = h11.Request(method="POST", target=url.raw_path or b"/", headers=head)
        try:
            if kept is not None:
                with suppress(NotHttpError, httpcore.NetworkError):
                    return await self._exchange(kept, request, body)
                await self.close()  # it was closed while it was idle: the receiver sees the same id again at worst
            return await self._exchange(await self._open(url, origin), request, body)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the connection, if there is one."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(Exception):
                await stream.aclose()

    async def _open(self, url: httpx.URL, origin: tuple[bytes, bytes, int | None]) -> httpcore.AsyncNetworkStream:
        is_safe = url.scheme == "https"
        host = url.raw_host.decode("ascii")
        stream = await self._backend.connect_tcp(host, url.port or (443 if is_safe else 80))
        self._stream = stream
        if is_safe:
            self._stream = stream = await stream.start_tls(tls(), server_hostname=host)
        self._origin, self._state = origin, h11.Connection(h11.CLIENT)
        return stream

    async def _exchange(self, stream: httpcore.AsyncNetworkStream, request: h11.Request, body: bytes) -> Reply:
        state, answer, size = self._state, Reply(0, ""), 0
        pieces = [state.send(request), state.send(h11.Data(data=body)), state.send(h11.EndOfMessage())]
        await stream.write(b"".join(piece for piece in pieces if piece))
        while True:
            try:
                event = state.next_event()
            except h11.RemoteProtocolError as error:
                raise NotHttpError(str(error)) from None
            if event is h11.NEED_DATA:
                state.receive_data(await stream.read(_AT_ONCE))
            elif isinstance(event, h11.Response):
                told = next((value for name, value in event.headers if name == b"retry-after"), b"")
                answer = Reply(event.status_code, told.decode("latin-1"))
            elif isinstance(event, h11.Data):
                size += len(event.data)
                if size > READ:
                    await self.close()
                    return answer
            elif isinstance(event, h11.EndOfMessage):
                await self._finish()
                return answer
            elif isinstance(event, h11.ConnectionClosed) or event is h11.PAUSED:
                raise NotHttpError("it ended before its answer")

    async def _finish(self) -> None:
        """Keep the connection for the next message, if both sides can."""
        self._used = time.monotonic()
        try:
            self._state.start_next_cycle()
        except h11.LocalProtocolError:
            await self.close()
