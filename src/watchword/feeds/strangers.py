"""Addresses that strangers give, over HTTP: public ones only, at every hop; and the feeds that a web page names.

    get_public("https://example.org/news")       the document at its final address
    find_feeds(page, "https://example.org/")     [Link("https://example.org/feed.xml", "News")]

Whoever runs the program may read any address, and files. A stranger may not: an address is http or https, without a
user or a password in it, at the port 80, 443 or one from 1024 on (`check_address`), and what it means is on the public
network. That is decided by the address to which the connection goes (`addresses.PublicOnly`), so names that lead
inside, other ways to write an address, and names that change their meaning are all refused. Redirects are followed
here, each by the same rules. A proxy of the environment is not used: it would look names up itself.

A refused address and one that does not exist have the same error, so a stranger cannot look around inside by it.
`allowed` are networks that the administrator lets strangers reach too.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import urljoin

import httpx

from watchword.errors import AnswerError, FeedError, OptionError
from watchword.feeds.addresses import Networks, PrivateAddressError, PublicTransport, is_in, is_private, lookup, tls
from watchword.feeds.download import HEADERS, Document, _answer, is_url
from watchword.feeds.encoding import decode
from watchword.feeds.limits import Limits
from watchword.feeds.markup import collapse

PORTS = (80, 443)
"""Ports below 1024 that a stranger's address may name."""
CHARACTERS = 2_000
"""Characters of an address."""
LINKS = 50
"""Feeds that are taken from one page."""
NOT_PUBLIC = "there is no such address on the public network"
PAGE = 1 << 19
"""Bytes of a page in which feeds are looked for, from its top."""
TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")


@dataclass(frozen=True)
class Fetched:
    """A document, and the address at which it was."""

    address: str
    document: Document
    link: str = ""
    """The header Link of the answer."""


class Link(NamedTuple):
    """A feed that a page names."""

    address: str
    title: str


def parse_networks(names: Iterable[str]) -> Networks:
    """Return networks from texts such as ``10.0.0.0/8``; an `OptionError` names one that is none."""
    try:
        return tuple(ipaddress.ip_network(name) for name in names)
    except ValueError as error:
        raise OptionError(f"a network is written as 10.0.0.0/8: {error}") from None


def check_address(address: str) -> httpx.URL:
    """Return an address that a stranger may give, parsed; a `FeedError` names the fault."""
    if len(address) > CHARACTERS:
        raise FeedError(f"an address has at most {CHARACTERS:,} characters", source=address[:80])
    if not is_url(address):
        raise FeedError("an address begins with http:// or https://", source=address)
    try:
        url = httpx.URL(address.strip())
    except (httpx.InvalidURL, ValueError) as error:
        raise FeedError(f"this is no address: {error}", source=address) from None
    if not url.host:
        raise FeedError("this address names no host", source=address)
    if url.userinfo:
        raise FeedError("an address has no user and no password in it", source=address)
    if url.port is not None and url.port not in PORTS and not 1024 <= url.port <= 65535:
        raise FeedError(f"the port {url.port} is none of 80, 443 and 1024 to 65535", source=address)
    return url


def get_public(address: str, *, allowed: Networks = (), limits: Limits | None = None) -> Fetched:
    """Return the document at an address that a stranger gave; raises `FeedError`. The thread has no event loop."""
    return asyncio.run(_get(address, allowed, limits or Limits()))


def is_inside(address: str, allowed: Networks) -> bool:
    """Return whether an address leads to networks that were allowed, and not to the public one."""
    url = check_address(address)
    found = asyncio.run(lookup(url.host, url.port or (443 if url.scheme == "https" else 80)))
    return any(is_private(one) and is_in(one, allowed) for one in found)


def find_feeds(page: bytes, address: str, charset: str | None = None) -> list[Link]:
    """Return the feeds that a web page names by ``<link rel="alternate">``, each once, at most `LINKS`.

    >>> find_feeds(b'<link rel=alternate type="application/rss+xml" href="/feed" title="News">', "https://a.test/b")
    [Link(address='https://a.test/feed', title='News')]
    """
    reader = _Links(address)
    reader.feed(decode(page[:PAGE], charset))
    return list(reader.found.values())[:LINKS]


async def _get(address: str, allowed: Networks, limits: Limits) -> Fetched:
    try:
        async with asyncio.timeout(limits.timeout):
            return await _follow(address, allowed, limits)
    except TimeoutError:
        raise FeedError(f"it took longer than {limits.timeout:g} seconds", source=address) from None
    except (PrivateAddressError, httpx.HTTPError, httpx.InvalidURL, httpx.StreamError):
        raise FeedError(NOT_PUBLIC, source=address) from None


async def _follow(address: str, allowed: Networks, limits: Limits) -> Fetched:
    url = check_address(address)
    async with httpx.AsyncClient(timeout=None, transport=PublicTransport(4, allowed), verify=tls()) as client:
        for _ in range(limits.max_redirects + 1):
            request = client.build_request("GET", url, headers=HEADERS)
            response = await client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    named = ", ".join(response.headers.get_list("link"))[:10_000]
                    return Fetched(str(url), await _read(response, address, limits), named)
                url = check_address(str(response.next_request.url))
            finally:
                await response.aclose()
    raise FeedError(f"it redirects more than {limits.max_redirects} times", source=address)


async def _read(response: httpx.Response, address: str, limits: Limits) -> Document:
    try:
        return await _answer(response, address, False, limits)
    except AnswerError as error:
        raise FeedError(f"its server answered {error.status}", source=address) from None


class _Links(HTMLParser):
    """Collects the feeds that a page names."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._base = address
        self.found: dict[str, Link] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "base" and given.get("href"):
            self._base = urljoin(self._base, given["href"])
        is_feed = given.get("type", "").partition(";")[0].strip().lower() in TYPES
        if tag != "link" or not is_feed or "alternate" not in given.get("rel", "").lower().split():
            return
        try:
            address = urljoin(self._base, given.get("href", "").strip())
            check_address(address)
        except (FeedError, ValueError):
            return  # a page may name what it likes
        self.found.setdefault(address, Link(address, collapse(given.get("title", ""))[:200]))
