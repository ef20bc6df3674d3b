"""A feed server for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.feeds.server import FeedServer, running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FeedServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running() as server:
        yield server
