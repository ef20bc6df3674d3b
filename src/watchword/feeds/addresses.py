"""The addresses that a feed may connect to: a public feed never leads into a private network.

A feed from the public network could redirect its readers into their own: to ``http://127.0.0.1/admin`` or
``http://169.254.169.254/``, a cloud's keys. So a redirect from a public address to a private one is refused, and a list
of feeds on a public address cannot name feeds on private ones (`Limits.private_redirects` allows both). Addresses are
checked, not names: all addresses of a name are looked up and checked, and the connection goes to one of them
(`PublicOnly`). So a name cannot mean one address when it is checked and another one when it is used.
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
    """Return whether an address is outside the public network: private, loopback, link-local, reserved or multicast.

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
    """Return whether any address of the URL's host is private."""
    port = url.port or (443 if url.scheme == "https" else 80)
    return any(map(is_private, await lookup(url.host, port)))


Networks = tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]


def is_in(address: str, networks: Networks) -> bool:
    """Return whether an address is in one of some networks.

    >>> is_in("10.1.2.3", (ipaddress.ip_network("10.0.0.0/8"),))
    True
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    return any(found in network for network in networks)


class PublicOnly(httpcore.AsyncNetworkBackend):
    """Connects to public addresses only, and to those in the networks of `allowed`."""

    def __init__(self, allowed: Networks = ()) -> None:
        self._backend, self._allowed = httpcore.AnyIOBackend(), allowed

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of `host` that answers; none of them may be private, but for allowed ones."""
        addresses = await lookup(host, port)
        if not addresses:
            raise httpcore.ConnectError(f"{host} has no address")
        if any(is_private(address) and not is_in(address, self._allowed) for address in addresses):
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
    """Return the trusted certificates, read once: reading them takes longer than a request."""
    return httpx.create_ssl_context()


class PublicTransport(httpx.AsyncHTTPTransport):
    """HTTP over `PublicOnly`. If a proxy is configured, httpx uses the proxy, which looks up names itself."""

    def __init__(self, connections: int, allowed: Networks = ()) -> None:
        super().__init__(verify=tls())
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls(), max_connections=connections, network_backend=PublicOnly(allowed)
        )


def refusal(source: str, url: httpx.URL, hops: int) -> FeedError:
    """Return the error for a private address that a redirect leads to (`hops` > 0) or a public list names."""
    what = f"it redirects to {url}, which is" if hops else "a list from the public network names it, and it is"
    return FeedError(f"{what} on a private address; private_redirects allows that", source=source)
