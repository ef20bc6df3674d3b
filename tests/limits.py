"""How long tests wait for something that should come: long, for a busy machine is no reason to fail."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

PATIENCE = float(os.environ.get("WATCHWORD_TEST_SECONDS", "900"))
"""Seconds."""


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Return as soon as a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {PATIENCE:.0f} s")
        time.sleep(0.02)
