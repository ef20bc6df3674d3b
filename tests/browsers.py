"""Which browser the tests of the console use: `find_browser`."""

from __future__ import annotations

import os
import shutil
from functools import cache
from importlib.util import find_spec

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = "no browser: {count} tests marked `browser` were left out; install chromium, or set WATCHWORD_BROWSER"


@cache
def find_browser() -> str | None:
    """Return the path of a browser that Playwright can drive; None if there is none, or no Playwright."""
    if find_spec("playwright") is None:
        return None
    chosen = os.environ.get("WATCHWORD_BROWSER")
    return next(filter(None, map(shutil.which, [chosen] if chosen else NAMES)), None)
