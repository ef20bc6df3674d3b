"""Take docs/console-inbox.png and docs/console-editor.png, the pictures of the README, of a running demonstration.

python examples/pictures.py

It needs Playwright and a browser: chromium, or the one that WATCHWORD_BROWSER names. Stories are those of the day on
which it runs, so that the pictures differ a little each time.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).resolve().parent.parent / "docs"
SIZE = {"width": 1080, "height": 800}
DRAFT = "ferry AND NOT (delayed OR cancelled)"
MOST_BYTES = 200_000


def main() -> None:
    """Take both pictures, and end the demonstration."""
    demo = [sys.executable, "-m", "watchword", "demo", "--every", "600"]
    with subprocess.Popen(demo, stdout=subprocess.PIPE, text=True) as process, sync_playwright() as playwright:
        try:
            assert process.stdout is not None
            browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
            page.goto(process.stdout.readline().strip())
            page.click("main button")
            page.wait_for_selector(".row")
            take(page, "console-inbox.png")
            page.goto(page.url + "console/edit")
            page.locator("#text").press_sequentially(DRAFT)
            page.wait_for_selector(".clauses li:nth-child(2)")
            page.wait_for_timeout(500)
            page.locator("#text").blur()
            take(page, "console-editor.png")
            browser.close()
        finally:
            process.send_signal(signal.SIGINT)


def find_browser() -> str:
    """Return the path of a browser."""
    names = [os.environ.get("WATCHWORD_BROWSER"), "chromium", "chromium-browser", "google-chrome"]
    found = next((path for path in map(shutil.which, filter(None, names)) if path), None)
    if found is None:
        raise SystemExit("no browser: install chromium, or set WATCHWORD_BROWSER")
    return found


def take(page: Page, name: str) -> None:
    """Take a picture, and say how large it is."""
    page.screenshot(path=DOCS / name)
    size = (DOCS / name).stat().st_size
    print(f"{name}: {size:,} bytes")
    assert size < MOST_BYTES


if __name__ == "__main__":
    main()
