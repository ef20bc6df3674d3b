"""The two ways in which documents are read."""

from __future__ import annotations

import pytest

from watchword.paths.parsing import expat


@pytest.fixture(params=["kernels", "python"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Read by kernels, or by handlers in Python only."""
    if request.param == "python":
        monkeypatch.setattr(expat, "functions", lambda: None)
    return str(request.param)
