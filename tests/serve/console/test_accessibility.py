"""What everybody needs of a page: labels, headings in order, landmarks, names of buttons, contrast of colours."""

from __future__ import annotations

import re

import pytest

from tests.serve.console.visitors import Element, Page, Visitor
from watchword.serve.console.static import FOLDER

PATHS = (
    "/",
    "/?view=all",
    "/?q=nothingatall",
    "/console/edit",
    "/console/edit?text=ferry+NOT+delayed",
    "/console/edit?text=ferry+(",
    "/console/edit?id=ferries",
    "/console/day?day=2026-11-17&text=ferry",
    "/console/subscriptions",
    "/console/feeds",
    "/console/tokens",
    "/console/health?look=true",
    "/nowhere",
    "/login?once=x",
    "/docs",
)
PAIRS = (
    ("--text", "--ground", 7.0),
    ("--text", "--raised", 7.0),
    ("--text", "--soft", 7.0),
    ("--muted", "--ground", 4.5),
    ("--muted", "--raised", 4.5),
    ("--muted", "--soft", 4.5),
    ("--accent", "--ground", 4.5),
    ("--accent", "--raised", 4.5),
    ("--accent", "--soft", 4.5),
    ("--on-accent", "--accent", 4.5),
    ("--on-mark", "--mark", 4.5),
    ("--bad", "--bad-soft", 4.5),
    ("--bad", "--raised", 4.5),
    ("--good", "--raised", 4.5),
    ("--warn", "--warn-soft", 4.5),
    ("--warn", "--raised", 4.5),
    ("--ground", "--text", 4.5),
    ("--edge", "--raised", 3.0),
    ("--edge", "--ground", 3.0),
)
"""Colours of text, or of a border that a field needs, over others, and the least contrast (WCAG 2.2, AA)."""


@pytest.fixture(params=PATHS)
def page(request: pytest.FixtureRequest, you: Visitor) -> Page:
    return Page(you.get(request.param).text)


def test_fields_have_labels_and_buttons_names(page: Page) -> None:
    labelled = {label.get("for") for label in page.all("label")}
    for one in page.all("input", "select", "textarea"):
        inside = any(around.tag == "label" for around in one.around)
        assert one.get("type") == "hidden" or inside or one.get("id") in labelled, one.attributes
    for one in page.all("button", "a"):
        assert one.text or one.get("aria-label"), one.attributes
    assert all(label.text for label in page.all("label"))


def test_headings_go_down_one_level_at_a_time(page: Page) -> None:
    levels = [int(one.tag[1]) for one in page.all("h1", "h2", "h3", "h4") if not is_in_dialog(one)]
    assert levels.count(1) == 1
    assert all(level <= before + 1 for before, level in zip([1, *levels], levels, strict=False))


def is_in_dialog(one: Element) -> bool:
    return any(around.tag == "dialog" for around in one.around)


def test_a_page_has_its_landmarks_title_and_language(page: Page) -> None:
    assert [one.get("id") for one in page.all("main")] == ["main"]
    assert len(page.all("header")) == 1
    assert [one.get("lang") for one in page.all("html")] == ["en"]
    assert page.texts("title")[0].endswith("Watchword")
    assert all(one.get("aria-label") or one.get("aria-labelledby") for one in page.all("nav", "dialog"))
    skip = next(one for one in page.all("a") if one.get("class") == "skip")
    assert skip.get("href") == "#main"


def test_ids_are_there_once_and_references_lead_to_them(page: Page) -> None:
    ids = [one.get("id") for one in page.elements if one.get("id")]
    assert len(ids) == len(set(ids))
    for one in page.elements:
        for name in ("for", "aria-labelledby", "aria-describedby"):
            assert not one.get(name) or one.get(name) in ids, (name, one.attributes)


def test_tables_have_headings(page: Page) -> None:
    for table in page.all("table"):
        inside = [one for one in page.all("th", "tr") if table in one.around]
        assert any(one.tag == "th" for one in inside)
        assert all(one.text for one in inside if one.tag == "th")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("upper", "lower", "least"), PAIRS)
def test_colours_can_be_told_apart(scheme: str, upper: str, lower: str, least: float) -> None:
    colours = read_colours()[scheme]
    assert contrast(colours[upper], colours[lower]) >= least


def read_colours() -> dict[str, dict[str, str]]:
    style = (FOLDER / "console.css").read_text()
    roots = re.findall(r":root \{([^}]+)\}", style)
    assert len(roots) == 2
    light, dark = (dict(re.findall(r"(--[\w-]+): (#\w{6});", root)) for root in roots)
    assert light.keys() == dark.keys()
    return {"light": light, "dark": dark}


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21, as WCAG 2.2 defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
