"""The toy paper, in the registry for the time of a test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.papers.experiments import toy
from watchword.papers.experiments import registry


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(registry.PAPERS, "toy", "tests.papers.experiments.toy")
    for state in (toy.measured, toy.interrupt_at, toy.clock):
        state.clear()
    yield
