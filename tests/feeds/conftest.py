"""A feed server for each test, one on an address that plays the public network, and names of hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.feeds.server import FeedServer, running
from watchword.feeds import addresses, strangers
from watchword.feeds.addresses import is_private

OUTSIDE = "127.0.0.2"
"""The address that plays the public network."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FeedServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running() as server:
        yield server


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[str]]]:
    """What names mean, one answer after the other and the last for good; others are looked up."""
    known: dict[str, list[list[str]]] = {}
    real_lookup, real = addresses.lookup, is_private

    async def lookup(host: str, port: int) -> list[str]:
        if host not in known:
            return await real_lookup(host, port)
        answers = known[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    for module in (addresses, strangers):
        monkeypatch.setattr(module, "lookup", lookup)
    monkeypatch.setattr(addresses, "is_private", lambda address: address != OUTSIDE and real(address))
    return known


@pytest.fixture
def outside() -> Iterator[FeedServer]:
    with running(OUTSIDE) as server:
        yield server
