"""The addresses that a feed may lead to.

A feed from the public network could redirect its readers into their own: to ``http://127.0.0.1/admin`` or
``http://169.254.169.254/``, a cloud's keys. So a feed that is not itself on a private address is not followed to one,
and a public list of feeds cannot name private ones (`Limits.private_redirects` allows both). The check is on the
address of the connection, not on the name: all addresses of a name are checked, and the connection goes to one of
these (`PublicOnly`), so a name cannot mean one address when it is checked and another one when it is used.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Iterable
from functools import cache
from typing import Any

import httpcore
import httpx

from watchword.errors import FeedError

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class PrivateAddressError(Exception):
    """A name or an address leads into a private network."""


def is_private(address: str) -> bool:
    """Return whether an address is not of the public network: private, loopback, link-local, reserved or multicast.

    >>> is_private("10.1.2.3"), is_private("::ffff:127.0.0.1"), is_private("93.184.216.34")
    (True, True, False)
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        if found in _NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            return is_private(str(inner))
    return not found.is_global or found.is_multicast


async def lookup(host: str, port: int) -> list[str]:
    """Return the addresses of a host; an empty list if the name is unknown."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def leads_inside(url: httpx.URL) -> bool:
    """Whether one of the addresses of a URL's host is private."""
    port = url.port or (443 if url.scheme == "https" else 80)
    return any(map(is_private, await lookup(url.host, port)))


class PublicOnly(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only."""

    def __init__(self) -> None:
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of `host` that answers; none of them may be private."""
        addresses = await lookup(host, port)
        if not addresses:
            raise httpcore.ConnectError(f"{host} has no address")
        if any(map(is_private, addresses)):
            raise PrivateAddressError(host)
        for address in addresses[:-1]:
            try:
                return await self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._backend.connect_tcp(addresses[-1], port, timeout, local_address, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await self._backend.sleep(seconds)


@cache
def tls() -> ssl.SSLContext:
    """Return the trusted certificates, read once: reading them takes longer than asking a feed."""
    return httpx.create_ssl_context()


class PublicTransport(httpx.AsyncHTTPTransport):
    """HTTP over `PublicOnly`. With a proxy, httpx goes through it, and the proxy resolves names."""

    def __init__(self, connections: int) -> None:
        super().__init__(verify=tls())
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls(), max_connections=connections, network_backend=PublicOnly()
        )


def refusal(source: str, url: httpx.URL, hops: int) -> FeedError:
    """Return the error of a feed that leads into a private network, by a redirect or by its own address."""
    what = f"it redirects to {url}, which is" if hops else "a list from the public network names it, and it is"
    return FeedError(f"{what} on a private address; private_redirects allows that", source=source)
