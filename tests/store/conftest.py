"""Every engine for every test of the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.engines import ENGINES


@pytest.fixture(params=ENGINES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of a store that does not exist yet."""
    return ENGINES[request.param](tmp_path)
