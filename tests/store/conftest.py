"""Every engine for every test of the contract, and a store over it with a clock that stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.clock import Clock
from tests.store.engines import ENGINES
from watchword.store import Store


@pytest.fixture(params=ENGINES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a store that does not exist yet."""
    return ENGINES[request.param](tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(address: str, clock: Clock) -> Iterator[Store]:
    """Return a store with the subscribers ann and bob."""
    with Store.open(address, clock=clock) as store:
        store.add_subscriber("ann")
        store.add_subscriber("bob")
        yield store
