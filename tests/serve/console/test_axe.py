"""Axe, which knows the rules of accessibility (WCAG 2.2 and good practice), over every page in a real browser.

Its script is that of the package `axe-playwright-python`. Pages are looked at with all of their folds open, once wide
and light, and once, every other one, narrow and dark.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from tests.serve.console.test_accessibility import PATHS
from tests.serve.console.test_browser import browser, opened
from tests.serve.desk import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["browser"]
WIDE = {"viewport": {"width": 1100, "height": 800}, "color_scheme": "light"}
NARROW = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}


def findings(page: Page) -> list[str]:
    """Return what axe finds on a page as it is."""
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    found = page.evaluate("axe.run(document)")
    assert len(found["passes"]) > 5
    return [f"{one['id']}: {node['html']}" for one in found["violations"] for node in one["nodes"]]


@pytest.mark.parametrize("style", [WIDE, NARROW], ids=["wide and light", "narrow and dark"])
def test_axe_finds_nothing(browser: Browser, island: Desk, style: dict[str, object]) -> None:
    with opened(browser, island, bypass_csp=True, **style) as page:
        page.keyboard.press("?")
        assert findings(page) == []
        wrong = {}
        for path in [one for one in PATHS if one != "/nowhere"][:: 1 if style is WIDE else 2]:
            page.goto(island.address + path)
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            if found := findings(page):
                wrong[path] = found
        assert wrong == {}


def test_axe_finds_what_is_wrong(browser: Browser, island: Desk) -> None:
    with opened(browser, island, bypass_csp=True) as page:
        page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<input>')")
        assert findings(page) == ["label: <input>"]
