"""The bytes of one source, within limits.

Responses are streamed, decompressed here a bounded piece at a time, and then counted: no more than `max_bytes` and one
piece of a bomb is ever in memory. Redirects are followed here too, so that the body of a redirect
is never read, and none leads from the public network into a private one (`addresses`). The time limit is the caller's
(`fetching`): it must also end a server that sends headers for ever.
"""

from __future__ import annotations

import asyncio
import stat
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx

from watchword.errors import AnswerError, FeedError
from watchword.feeds.addresses import PrivateAddressError, PublicTransport, leads_inside, refusal, tls
from watchword.feeds.limits import Limits
from watchword.feeds.state import Validators, validators

HEADERS = {
    "User-Agent": "watchword (feed reader)",
    "Accept": "application/atom+xml, application/rss+xml, application/rdf+xml, application/xml;q=0.9, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
}
_PIECE = 1 << 16
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True)
class Document:
    """The answer of a source. `data` is None if nothing has changed since the validators that were sent."""

    data: bytes | None
    charset: str | None = None
    validators: Validators = field(default_factory=Validators)


@dataclass(frozen=True)
class Clients:
    """One for feeds that may lead anywhere, one that connects to public addresses only (`addresses`)."""

    anywhere: httpx.AsyncClient
    outside: httpx.AsyncClient


@asynccontextmanager
async def clients(limits: Limits) -> AsyncIterator[Clients]:
    """Open both."""
    # No timeouts of a client's own: they start anew with every byte. The caller has the one that counts.
    room = httpx.Limits(max_connections=limits.connections)
    anywhere = httpx.AsyncClient(timeout=None, limits=room, verify=tls())
    outside = httpx.AsyncClient(timeout=None, transport=PublicTransport(limits.connections), verify=tls())
    async with anywhere, outside:
        yield Clients(anywhere, outside)


def is_url(source: str) -> bool:
    """Return whether `source` is an HTTP URL."""
    return source.lstrip().partition(":")[0].lower() in ("http", "https")  # whatever follows: it may be no URL


def file_path(source: str) -> Path:
    """Return the path that a source names; it must not be an HTTP URL."""
    parts = urlsplit(source)
    if parts.scheme.lower() == "file":
        return Path(unquote(parts.path))
    if "://" in source:
        raise FeedError("only http, https and file can be read", source=source)
    return Path(source)


async def download(
    clients: Clients, source: str, headers: dict[str, str], limits: Limits, *, listed: bool = False
) -> Document:
    """Get a source. `headers` make the request conditional. Failures are `FeedError`s.

    `listed`: a list from the public network names it.
    """
    try:
        if is_url(source):
            return await _http(clients, source, headers, limits, listed)
        return Document(await asyncio.to_thread(read_file, source, limits.max_bytes))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise FeedError(f"cannot be fetched: {_message(error)}", source=source) from error


def read_file(source: str, max_bytes: int) -> bytes:
    """Return the bytes of a local file."""
    path = file_path(source)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a named pipe would wait for its writer
            raise FeedError("this is no regular file", source=source)
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FeedError(f"cannot be read: {reason}", source=source) from error
    if len(data) > max_bytes:
        raise _too_long(source, max_bytes)
    return data


async def _http(clients: Clients, source: str, conditions: dict[str, str], limits: Limits, listed: bool) -> Document:
    inside = limits.private_redirects or (not listed and await leads_inside(httpx.URL(source)))
    client = clients.anywhere if inside else clients.outside
    request = client.build_request("GET", source, headers={**HEADERS, **conditions})
    for hop in range(limits.max_redirects + 1):
        if (hop or listed) and not inside and await leads_inside(request.url):
            raise refusal(source, request.url, hop)
        try:
            response = await client.send(request, stream=True, follow_redirects=False)
        except PrivateAddressError:
            raise refusal(source, request.url, hop) from None
        try:
            if response.next_request is None:
                return await _answer(response, source, bool(conditions), limits)
            request = response.next_request
        finally:
            await response.aclose()
        if not is_url(str(request.url)):
            raise FeedError(f"it redirects to {request.url}, and only http and https are followed", source=source)
    raise FeedError(f"it redirects more than {limits.max_redirects} times", source=source)


async def _answer(response: httpx.Response, source: str, conditional: bool, limits: Limits) -> Document:
    if response.status_code == 304 and conditional:
        return Document(None)
    if response.status_code != 200:
        raise AnswerError(
            f"the server answered {response.status_code} {response.reason_phrase}".rstrip(),
            source=source,
            status=response.status_code,
            retry_after=response.headers.get("retry-after"),
        )
    data = bytearray()
    async for piece in _decoded(response, source):
        data += piece
        if len(data) > limits.max_bytes:
            raise _too_long(source, limits.max_bytes)
    return Document(bytes(data), response.charset_encoding, validators(response.headers))


async def _decoded(response: httpx.Response, source: str) -> AsyncIterator[bytes]:
    coding = response.headers.get("content-encoding", "").strip().lower()
    if coding in ("", "identity"):
        async for piece in response.aiter_raw(_PIECE):
            yield piece
        return
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise FeedError(f"the server sent {coding!r}, which was not asked for", source=source)
    decoder = None
    try:
        async for piece in response.aiter_raw(_PIECE):
            if decoder is None and piece:
                # What is called deflate comes with a zlib header, or, from some servers, without.
                bare = coding == "deflate" and piece[0] & 0x0F != 8
                decoder = zlib.decompressobj(-zlib.MAX_WBITS if bare else zlib.MAX_WBITS | 32)
            while decoder is not None and piece:
                if decoder.eof:
                    piece = piece.lstrip(b"\0")  # padding
                    if coding == "deflate" or not piece.startswith(_GZIP[: len(piece)]):
                        break  # what follows a document and is no other member of it
                    if not piece:
                        break
                    decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
                yield decoder.decompress(piece, _PIECE)
                piece = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
        if decoder is not None:
            yield decoder.flush()
    except zlib.error as error:
        raise FeedError(f"its compression is damaged: {error}", source=source) from error
    if decoder is not None and not decoder.eof:
        raise FeedError("its compressed document is cut off", source=source)


def _too_long(source: str, max_bytes: int) -> FeedError:
    return FeedError(f"it is longer than {max_bytes} bytes; raise max_bytes to read it", source=source)


def _message(error: Exception) -> str:
    return str(error) or type(error).__name__
